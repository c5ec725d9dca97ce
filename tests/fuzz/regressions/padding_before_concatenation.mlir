// Found by scripts/fuzz.py: a kernel splits a row where its source changes. It omitted the part
// before the first source, which is padding.
// REQUIRES: plugin
// RUN: tenon-run --check %s -p %plugin -q
// RUN: tenon-run --check %s --reference -q
func.func @main() {
  %x, %y = call @inputs() : () -> (tensor<64xi32>, tensor<63xi32>)
  %r = call @shifted(%x, %y) : (tensor<64xi32>, tensor<63xi32>) -> tensor<64xi32>
  %want = stablehlo.constant dense<[
    -5, 1, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
    25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40,
    41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56,
    57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72]> : tensor<64xi32>
  stablehlo.custom_call @check.expect_eq(%r, %want) {has_side_effect = true}
    : (tensor<64xi32>, tensor<64xi32>) -> ()
  return
}
func.func private @inputs() -> (tensor<64xi32>, tensor<63xi32>) {
  %one = stablehlo.constant dense<1> : tensor<64xi32>
  %xs = stablehlo.iota dim = 0 : tensor<64xi32>
  %x = stablehlo.add %xs, %one : tensor<64xi32>
  %eleven = stablehlo.constant dense<11> : tensor<63xi32>
  %ys = stablehlo.iota dim = 0 : tensor<63xi32>
  %y = stablehlo.add %ys, %eleven : tensor<63xi32>
  return %x, %y : tensor<64xi32>, tensor<63xi32>
}
func.func private @shifted(%x: tensor<64xi32>, %y: tensor<63xi32>) -> tensor<64xi32> {
  %fill = stablehlo.constant dense<-5> : tensor<i32>
  %0 = stablehlo.slice %x [0:1] : (tensor<64xi32>) -> tensor<1xi32>
  %1 = stablehlo.concatenate %0, %y, dim = 0
    : (tensor<1xi32>, tensor<63xi32>) -> tensor<64xi32>
  %2 = stablehlo.pad %1, %fill, low = [1], high = [0], interior = [0]
    : (tensor<64xi32>, tensor<i32>) -> tensor<65xi32>
  %3 = stablehlo.slice %2 [0:64] : (tensor<65xi32>) -> tensor<64xi32>
  return %3 : tensor<64xi32>
}
