// Found by scripts/fuzz.py: an array of short rows that was read at two constant offsets gave the rows
// of the first offset twice.
// REQUIRES: plugin
// RUN: tenon-run --check %s -p %plugin -q
// RUN: tenon-run --check %s --reference -q
func.func @main() {
  %in = call @inputs() : () -> (tensor<19x2xi16>)
  %out = call @program(%in) : (tensor<19x2xi16>) -> (tensor<17x1xi16>)
  %want_out = stablehlo.constant dense<"0x6A03FB2FDE117F55C2015CABE0E7CA61C69C2C2E54C1D4FD90DF8EB089D3A84941A4"> : tensor<17x1xi16>
  stablehlo.custom_call @check.expect_eq(%out, %want_out) {has_side_effect = true} : (tensor<17x1xi16>, tensor<17x1xi16>) -> ()
  return
}
func.func private @inputs() -> (tensor<19x2xi16>) {
  %0 = stablehlo.constant dense<"0x7BA8F6DD4FCCA7B30F33654F95DA8EC686C7E1AFC3FEF4118BF25623E3B0258FD0CBED252E53CC4C1E77AADF5AC88E8AB6674384D2DABFD5D83D897C2FF22B2401DF59C5F8C00258410597D9"> : tensor<19x2xi16>
  return %0 : tensor<19x2xi16>
}
func.func private @program(%arg0: tensor<19x2xi16>) -> tensor<17x1xi16> {
  %0 = stablehlo.slice %arg0 [0:17, 0:2] : (tensor<19x2xi16>) -> tensor<17x2xi16>
  %1 = stablehlo.slice %arg0 [2:19, 0:2] : (tensor<19x2xi16>) -> tensor<17x2xi16>
  %2 = stablehlo.slice %0 [0:17, 0:1] : (tensor<17x2xi16>) -> tensor<17x1xi16>
  %3 = stablehlo.slice %0 [0:17, 1:2] : (tensor<17x2xi16>) -> tensor<17x1xi16>
  %4 = stablehlo.slice %1 [0:17, 0:1] : (tensor<17x2xi16>) -> tensor<17x1xi16>
  %5 = stablehlo.maximum %2, %3 : tensor<17x1xi16>
  %6 = stablehlo.multiply %5, %4 : tensor<17x1xi16>
  return %6 : tensor<17x1xi16>
}
