// The optimized program that clients receive has only what every StableHLO parser accepts.
// RUN: tenon-compile %s -s text | FileCheck %s
// RUN: tenon-compile %s -s text > %t.mlir
// RUN: tenon-compile %t.mlir -s text | FileCheck %s

// CHECK-NOT: tenon.
// CHECK-NOT: dense_resource
// CHECK-LABEL: func.func @main
// Booleans are bytes, because versions of MLIR pack bits differently.
// CHECK-DAG: stablehlo.constant dense<"0x010000000000000100{{[01]+}}"> : tensor<66xi8>
// CHECK-DAG: stablehlo.constant dense<"0x000000000000803F00008040{{[0-9A-F]+}}"> : tensor<66xf32>
// CHECK-DAG: stablehlo.composite "chlo.erf" %{{.*}} {decomposition = @[[ERF:.*]]} :
// CHECK-DAG: stablehlo.cholesky
// CHECK-DAG: stablehlo.custom_call @lapack_sgetrf_ffi(%{{.*}}) {{{.*}}api_version = 4 : i32
// CHECK: func.func private @[[ERF]](%arg0: tensor<66xf32>) -> tensor<66xf32>
func.func @main(%x: tensor<66xf32>, %a: tensor<4x4xf32>) -> (tensor<66xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %p = stablehlo.constant dense<[true, false, false, false, false, false, false, true, false, false, false, false, false, false, true, false, false, false, false, false, false, true, false, false, false, false, false, false, true, false, false, false, false, false, false, true, false, false, false, false, false, false, true, false, false, false, false, false, false, true, false, false, false, false, false, false, true, false, false, false, false, false, false, true, false, false]> : tensor<66xi1>
  %f = stablehlo.constant dense<"0x000000000000803F0000804000001041000080410000C8410000104200004442000080420000A2420000C8420000F2420000104300002943000044430000614300008043008090430000A2430080B4430000C8430080DC430000F243004004440000104400401C44000029440040364400004444004052440000614400407044000080440020884400809044002099440000A2440020AB440080B4440020BE440000C8440020D2440080DC440020E7440000F2440020FD440040044500100A45000010450010164500401C45009022450000294500902F450040364500103D450000444500104B450040524500905945000061450090684500407045001078450000804500088445"> : tensor<66xf32>
  %e = chlo.erf %x : tensor<66xf32>
  %s = stablehlo.select %p, %f, %e : tensor<66xi1>, tensor<66xf32>
  %c = stablehlo.cholesky %a, lower = true : tensor<4x4xf32>
  %lu:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%a) {api_version = 4 : i32, backend_config = {}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xi32>, tensor<i32>)
  return %s, %c, %lu#0 : tensor<66xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
