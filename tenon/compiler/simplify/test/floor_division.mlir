// RUN: tenon-compile %s -s simplify | FileCheck %s

// Frameworks write remainders and quotients that are rounded down with those that are
// rounded to zero. For powers of two they are a mask and a shift.

// CHECK-LABEL: func.func {{.*}}@main(
// CHECK-DAG: %[[MASK:.*]] = stablehlo.constant dense<7> : tensor<9xi32>
// CHECK-DAG: %[[BITS:.*]] = stablehlo.constant dense<3> : tensor<9xi32>
// CHECK-DAG: stablehlo.and %arg0, %[[MASK]]
// CHECK-DAG: stablehlo.shift_right_arithmetic %arg0, %[[BITS]]
// The divisor is negative, or no power of two: both selects stay.
// CHECK-COUNT-4: stablehlo.select
// CHECK-NOT: stablehlo.select
// CHECK: return
func.func @main(%x: tensor<9xi32>) -> (tensor<9xi32>, tensor<9xi32>, tensor<9xi32>, tensor<9xi32>, tensor<9xi32>, tensor<9xi32>) {
  %8 = stablehlo.constant dense<8> : tensor<9xi32>
  %6 = stablehlo.constant dense<6> : tensor<9xi32>
  %minus = stablehlo.constant dense<-8> : tensor<9xi32>
  %a:2 = func.call @floor(%x, %8) : (tensor<9xi32>, tensor<9xi32>) -> (tensor<9xi32>, tensor<9xi32>)
  %b:2 = func.call @floor(%x, %6) : (tensor<9xi32>, tensor<9xi32>) -> (tensor<9xi32>, tensor<9xi32>)
  %c:2 = func.call @floor(%x, %minus) : (tensor<9xi32>, tensor<9xi32>) -> (tensor<9xi32>, tensor<9xi32>)
  return %a#0, %a#1, %b#0, %b#1, %c#0, %c#1 : tensor<9xi32>, tensor<9xi32>, tensor<9xi32>, tensor<9xi32>, tensor<9xi32>, tensor<9xi32>
}

func.func private @floor(%x: tensor<9xi32>, %by: tensor<9xi32>) -> (tensor<9xi32>, tensor<9xi32>) {
  %0 = stablehlo.constant dense<0> : tensor<9xi32>
  %1 = stablehlo.constant dense<1> : tensor<9xi32>
  %r = stablehlo.remainder %x, %by : tensor<9xi32>
  %some = stablehlo.compare NE, %r, %0, SIGNED : (tensor<9xi32>, tensor<9xi32>) -> tensor<9xi1>
  %below = stablehlo.compare LT, %r, %0, SIGNED : (tensor<9xi32>, tensor<9xi32>) -> tensor<9xi1>
  %by_below = stablehlo.compare LT, %by, %0, SIGNED : (tensor<9xi32>, tensor<9xi32>) -> tensor<9xi1>
  %differ = stablehlo.compare NE, %below, %by_below, UNSIGNED : (tensor<9xi1>, tensor<9xi1>) -> tensor<9xi1>
  %up = stablehlo.and %differ, %some : tensor<9xi1>
  %plus = stablehlo.add %r, %by : tensor<9xi32>
  %remainder = stablehlo.select %up, %plus, %r : tensor<9xi1>, tensor<9xi32>
  %q = stablehlo.divide %x, %by : tensor<9xi32>
  %sign = stablehlo.sign %x : tensor<9xi32>
  %by_sign = stablehlo.sign %by : tensor<9xi32>
  %signs = stablehlo.compare NE, %sign, %by_sign, SIGNED : (tensor<9xi32>, tensor<9xi32>) -> tensor<9xi1>
  %down = stablehlo.and %signs, %some : tensor<9xi1>
  %less = stablehlo.subtract %q, %1 : tensor<9xi32>
  %quotient = stablehlo.select %down, %less, %q : tensor<9xi1>, tensor<9xi32>
  return %remainder, %quotient : tensor<9xi32>, tensor<9xi32>
}
