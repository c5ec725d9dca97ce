// RUN: split-file %s %t
// RUN: tenon-compile %t/manual.mlir -s partition | FileCheck %s --check-prefix=MANUAL
// RUN: tenon-compile %t/gspmd.mlir -s partition | FileCheck %s --check-prefix=GSPMD
// RUN: not tenon-compile %t/devices.mlir -s partition 2>&1 | FileCheck %s --check-prefix=DEVICES

// A computation that is manual over all axes is the program of one device. The argument and the
// first result get the shardings of the computation.
// MANUAL: func.func public @main(%[[A:.*]]: tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<16x16xf32>
// MANUAL-NEXT: %[[R:.*]] = "stablehlo.all_reduce"(%[[A]])
// MANUAL-NOT: sdy
// MANUAL: %[[G:.*]] = "stablehlo.all_gather"(%[[R]])
// MANUAL: return %[[R]], %[[G]]

// Annotations of GSPMD are read, too.
// GSPMD: func.func public @main(%{{.*}}: tensor<2xf32>) -> tensor<2xf32>

// DEVICES: the program's meshes have 8 devices, but it is compiled for 4 partitions

//--- manual.mlir
module @jit_f attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<16x16xf32>)
      -> (tensor<16x16xf32>,
          tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>]
        out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%b: tensor<4x16xf32>) {
      %1 = "stablehlo.all_reduce"(%b) <{
          channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
          replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %2 = stablehlo.add %x, %y : tensor<f32>
        %3 = sdy.sharding_constraint %2 <@mesh, []> : tensor<f32>
        stablehlo.return %3 : tensor<f32>
      }) : (tensor<4x16xf32>) -> tensor<4x16xf32>
      sdy.return %1 : tensor<4x16xf32>
    } : (tensor<16x16xf32>) -> tensor<16x16xf32>
    return %0, %0 : tensor<16x16xf32>, tensor<16x16xf32>
  }
}

//--- gspmd.mlir
module @jit_f attributes {mhlo.num_partitions = 4 : i32} {
  func.func public @main(%a: tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[4]}"})
      -> tensor<8xf32> {
    return %a : tensor<8xf32>
  }
}

//--- devices.mlir
module @jit_f attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%a: tensor<8xf32>) -> tensor<8xf32> {
    return %a : tensor<8xf32>
  }
}
