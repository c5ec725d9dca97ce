// RUN: tenon-opt %s --split-input-file --import-sharding-text | FileCheck %s

// Shardings in frontend attributes, as in HLO. Quotation marks may be escaped twice.
// CHECK: sdy.mesh @grid = <["x"=4, "y"=2]>
// CHECK: sdy.mesh @line = <["z"=8]>
// CHECK-LABEL: func @main
// CHECK-SAME: %arg0: tensor<16x32xf32> {{.*}}sdy.sharding = #sdy.sharding<@grid, [{"x"}, {?}]>
// CHECK-SAME: %arg1: tensor<32x64xf32>)
// CHECK-SAME: -> (tensor<16x64xf32>, tensor<16x64xf32> {sdy.sharding = #sdy.sharding<@line, [{"z"}, {}]>})
// CHECK: stablehlo.dot_general {{.*}}sdy.sharding = #sdy.sharding_per_value<[<@grid, [{"x"}, {"y"}]>]>
// CHECK: %[[C:.*]] = sdy.sharding_constraint %{{.*}} <@grid, [{}, {"y"}]>
// CHECK-NEXT: return %[[C]], %[[C]]
module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{grid = #sdy.mesh<[\22x\22=4, \22y\22=2]>, line = #sdy.mesh<[\\\22z\\\22=8]>}"}} {
func.func @main(%a: tensor<16x32xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@grid, [{\22x\22}, {?}]>"}},
                %b: tensor<32x64xf32>) -> (tensor<16x64xf32>, tensor<16x64xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@grid, [{\22x\22}, {\22y\22}]>]>"}} : (tensor<16x32xf32>, tensor<32x64xf32>) -> tensor<16x64xf32>
  %1 = stablehlo.custom_call @Sharding(%0) {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@grid, [{}, {\22y\22}]>]>"}} : (tensor<16x64xf32>) -> tensor<16x64xf32>
  %2 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%1) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@line, [{\22z\22}, {}]>]>"}} : (tensor<16x64xf32>) -> tensor<16x64xf32>
  return %1, %2 : tensor<16x64xf32>, tensor<16x64xf32>
}
}
