// Found by scripts/fuzz.py: select_and_scatter swapped the operands of its scatter region. The region keeps the first number that is not zero, which does not commute.
// REQUIRES: plugin
// RUN: tenon-run --check %s -p %plugin -q
// RUN: tenon-run --check %s --reference -q
func.func @main() {
  %x, %source = call @inputs() : () -> (tensor<5xi32>, tensor<3xi32>)
  // Windows of three elements select 3, 5 and 5.
  %first = call @first_not_zero(%x, %source) : (tensor<5xi32>, tensor<3xi32>) -> tensor<5xi32>
  %want = stablehlo.constant dense<[0, 7, 0, 8, 0]> : tensor<5xi32>
  stablehlo.custom_call @check.expect_eq(%first, %want) {has_side_effect = true}
    : (tensor<5xi32>, tensor<5xi32>) -> ()
  return
}
func.func private @inputs() -> (tensor<5xi32>, tensor<3xi32>) {
  %x = stablehlo.constant dense<[0, 3, 0, 5, 1]> : tensor<5xi32>
  %source = stablehlo.constant dense<[7, 8, 9]> : tensor<3xi32>
  return %x, %source : tensor<5xi32>, tensor<3xi32>
}
func.func private @first_not_zero(%x: tensor<5xi32>, %source: tensor<3xi32>)
    -> tensor<5xi32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r = "stablehlo.select_and_scatter"(%x, %source, %zero) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %ge = stablehlo.compare GE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %ge : tensor<i1>
    }, {
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %none = stablehlo.constant dense<0> : tensor<i32>
      %found = stablehlo.compare NE, %a, %none : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %r = stablehlo.select %found, %a, %b : tensor<i1>, tensor<i32>
      stablehlo.return %r : tensor<i32>
    }) {window_dimensions = array<i64: 3>} : (tensor<5xi32>, tensor<3xi32>, tensor<i32>)
      -> tensor<5xi32>
  return %r : tensor<5xi32>
}
