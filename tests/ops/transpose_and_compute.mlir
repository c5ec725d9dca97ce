// Large transposes with operations after them: devices start the loads of several elements
// at a time, fewer the more operations there are.
// REQUIRES: plugin
// RUN: tenon-run --check %s -p %plugin -q
// RUN: tenon-run --check %s --reference -q

module @operations_1 {
  func.func private @inputs() -> (tensor<256x512xf32>, tensor<512x256xf32>) {
    %i = stablehlo.iota dim = 0 : tensor<256x512xf32>
    %j = stablehlo.iota dim = 1 : tensor<256x512xf32>
    %x = stablehlo.subtract %i, %j : tensor<256x512xf32>
    %k = stablehlo.iota dim = 1 : tensor<512x256xf32>
    %l = stablehlo.iota dim = 0 : tensor<512x256xf32>
    %y = stablehlo.subtract %k, %l : tensor<512x256xf32>
    return %x, %y : tensor<256x512xf32>, tensor<512x256xf32>
  }
  func.func @main() {
    %p, %q = call @inputs() : () -> (tensor<256x512xf32>, tensor<512x256xf32>)
    %x, %y = stablehlo.optimization_barrier %p, %q : tensor<256x512xf32>, tensor<512x256xf32>
    %c = stablehlo.constant dense<0.75> : tensor<512x256xf32>
    %low = stablehlo.constant dense<-200.0> : tensor<512x256xf32>
    %high = stablehlo.constant dense<150.0> : tensor<512x256xf32>
    %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<256x512xf32>) -> tensor<512x256xf32>
    %a0 = stablehlo.multiply %t, %c : tensor<512x256xf32>
    %b0 = stablehlo.multiply %y, %c : tensor<512x256xf32>
    stablehlo.custom_call @check.expect_eq(%a0, %b0) {has_side_effect = true} : (tensor<512x256xf32>, tensor<512x256xf32>) -> ()
    return
  }
}

// -----

module @operations_3 {
  func.func private @inputs() -> (tensor<256x512xf32>, tensor<512x256xf32>) {
    %i = stablehlo.iota dim = 0 : tensor<256x512xf32>
    %j = stablehlo.iota dim = 1 : tensor<256x512xf32>
    %x = stablehlo.subtract %i, %j : tensor<256x512xf32>
    %k = stablehlo.iota dim = 1 : tensor<512x256xf32>
    %l = stablehlo.iota dim = 0 : tensor<512x256xf32>
    %y = stablehlo.subtract %k, %l : tensor<512x256xf32>
    return %x, %y : tensor<256x512xf32>, tensor<512x256xf32>
  }
  func.func @main() {
    %p, %q = call @inputs() : () -> (tensor<256x512xf32>, tensor<512x256xf32>)
    %x, %y = stablehlo.optimization_barrier %p, %q : tensor<256x512xf32>, tensor<512x256xf32>
    %c = stablehlo.constant dense<0.75> : tensor<512x256xf32>
    %low = stablehlo.constant dense<-200.0> : tensor<512x256xf32>
    %high = stablehlo.constant dense<150.0> : tensor<512x256xf32>
    %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<256x512xf32>) -> tensor<512x256xf32>
    %a0 = stablehlo.multiply %t, %c : tensor<512x256xf32>
    %a1 = stablehlo.maximum %a0, %low : tensor<512x256xf32>
    %a2 = stablehlo.add %a1, %c : tensor<512x256xf32>
    %b0 = stablehlo.multiply %y, %c : tensor<512x256xf32>
    %b1 = stablehlo.maximum %b0, %low : tensor<512x256xf32>
    %b2 = stablehlo.add %b1, %c : tensor<512x256xf32>
    stablehlo.custom_call @check.expect_eq(%a2, %b2) {has_side_effect = true} : (tensor<512x256xf32>, tensor<512x256xf32>) -> ()
    return
  }
}

// -----

module @operations_5 {
  func.func private @inputs() -> (tensor<256x512xf32>, tensor<512x256xf32>) {
    %i = stablehlo.iota dim = 0 : tensor<256x512xf32>
    %j = stablehlo.iota dim = 1 : tensor<256x512xf32>
    %x = stablehlo.subtract %i, %j : tensor<256x512xf32>
    %k = stablehlo.iota dim = 1 : tensor<512x256xf32>
    %l = stablehlo.iota dim = 0 : tensor<512x256xf32>
    %y = stablehlo.subtract %k, %l : tensor<512x256xf32>
    return %x, %y : tensor<256x512xf32>, tensor<512x256xf32>
  }
  func.func @main() {
    %p, %q = call @inputs() : () -> (tensor<256x512xf32>, tensor<512x256xf32>)
    %x, %y = stablehlo.optimization_barrier %p, %q : tensor<256x512xf32>, tensor<512x256xf32>
    %c = stablehlo.constant dense<0.75> : tensor<512x256xf32>
    %low = stablehlo.constant dense<-200.0> : tensor<512x256xf32>
    %high = stablehlo.constant dense<150.0> : tensor<512x256xf32>
    %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<256x512xf32>) -> tensor<512x256xf32>
    %a0 = stablehlo.multiply %t, %c : tensor<512x256xf32>
    %a1 = stablehlo.maximum %a0, %low : tensor<512x256xf32>
    %a2 = stablehlo.add %a1, %c : tensor<512x256xf32>
    %a3 = stablehlo.minimum %a2, %high : tensor<512x256xf32>
    %a4 = stablehlo.multiply %a3, %c : tensor<512x256xf32>
    %b0 = stablehlo.multiply %y, %c : tensor<512x256xf32>
    %b1 = stablehlo.maximum %b0, %low : tensor<512x256xf32>
    %b2 = stablehlo.add %b1, %c : tensor<512x256xf32>
    %b3 = stablehlo.minimum %b2, %high : tensor<512x256xf32>
    %b4 = stablehlo.multiply %b3, %c : tensor<512x256xf32>
    stablehlo.custom_call @check.expect_eq(%a4, %b4) {has_side_effect = true} : (tensor<512x256xf32>, tensor<512x256xf32>) -> ()
    return
  }
}

// -----

module @operations_8 {
  func.func private @inputs() -> (tensor<256x512xf32>, tensor<512x256xf32>) {
    %i = stablehlo.iota dim = 0 : tensor<256x512xf32>
    %j = stablehlo.iota dim = 1 : tensor<256x512xf32>
    %x = stablehlo.subtract %i, %j : tensor<256x512xf32>
    %k = stablehlo.iota dim = 1 : tensor<512x256xf32>
    %l = stablehlo.iota dim = 0 : tensor<512x256xf32>
    %y = stablehlo.subtract %k, %l : tensor<512x256xf32>
    return %x, %y : tensor<256x512xf32>, tensor<512x256xf32>
  }
  func.func @main() {
    %p, %q = call @inputs() : () -> (tensor<256x512xf32>, tensor<512x256xf32>)
    %x, %y = stablehlo.optimization_barrier %p, %q : tensor<256x512xf32>, tensor<512x256xf32>
    %c = stablehlo.constant dense<0.75> : tensor<512x256xf32>
    %low = stablehlo.constant dense<-200.0> : tensor<512x256xf32>
    %high = stablehlo.constant dense<150.0> : tensor<512x256xf32>
    %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<256x512xf32>) -> tensor<512x256xf32>
    %a0 = stablehlo.multiply %t, %c : tensor<512x256xf32>
    %a1 = stablehlo.maximum %a0, %low : tensor<512x256xf32>
    %a2 = stablehlo.add %a1, %c : tensor<512x256xf32>
    %a3 = stablehlo.minimum %a2, %high : tensor<512x256xf32>
    %a4 = stablehlo.multiply %a3, %c : tensor<512x256xf32>
    %a5 = stablehlo.maximum %a4, %low : tensor<512x256xf32>
    %a6 = stablehlo.add %a5, %c : tensor<512x256xf32>
    %a7 = stablehlo.minimum %a6, %high : tensor<512x256xf32>
    %b0 = stablehlo.multiply %y, %c : tensor<512x256xf32>
    %b1 = stablehlo.maximum %b0, %low : tensor<512x256xf32>
    %b2 = stablehlo.add %b1, %c : tensor<512x256xf32>
    %b3 = stablehlo.minimum %b2, %high : tensor<512x256xf32>
    %b4 = stablehlo.multiply %b3, %c : tensor<512x256xf32>
    %b5 = stablehlo.maximum %b4, %low : tensor<512x256xf32>
    %b6 = stablehlo.add %b5, %c : tensor<512x256xf32>
    %b7 = stablehlo.minimum %b6, %high : tensor<512x256xf32>
    stablehlo.custom_call @check.expect_eq(%a7, %b7) {has_side_effect = true} : (tensor<512x256xf32>, tensor<512x256xf32>) -> ()
    return
  }
}
