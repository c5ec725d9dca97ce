// RUN: tenon-compile --explain-sharding %s | FileCheck %s
// RUN: tenon-compile %s -o %t.html --explain-sharding
// RUN: FileCheck %s --check-prefix=HTML < %t.html
// RUN: tenon-compile %s --explain-sharding json | FileCheck %s --check-prefix=JSON
// RUN: not tenon-compile %s -o /nowhere/x.html --explain-sharding 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not tenon-compile %s --explain-sharding pdf 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: sed "s/num_partitions = 8/num_partitions = 1/; s/sdy.*>}//" %S/compile_stages.mlir > %t.one.mlir
// RUN: tenon-compile %t.one.mlir --explain-sharding | FileCheck %s --check-prefix=ONE

// CHECK: 8 devices, mesh axes "x"=4, "y"=2
// CHECK: argument 0 a{{ *}}f32[16,32]  on a device f32[4,16]  [{"x"}, {"y"}]
// CHECK: argument 1 b{{ *}}f32[32,64]  on a device f32[16,64]  [{"y"}, {}]
// CHECK: result 0 {{ *}}f32[16,64]  on a device f32[4,64]   [{"x"}, {}]
// CHECK: all_reduce{{ +}}1.0 KiB{{ +}}"y"{{ +}}f32[4,64]  model.py:3:5
// CHECK-NEXT: each device along "y" has a part of the result of dot_general
// CHECK: all_gather{{ +}}256 B  x6{{ +}}"y"{{ +}}f32[4,16]  loop.py:7:3
// CHECK-NEXT: sort reads operand 0: [{"x"}, {"y"}] to [{"x"}, {}]
// CHECK: 2 collectives; a device receives 2.5 KiB in one execution

// HTML: <title>Sharding report</title>
// HTML: <b>8</b><span>devices</span>
// HTML: <b>4 x x 2 y</b><span>mesh</span>
// HTML: all_gather
// HTML: <code>loop.py:7:3</code>
// HTML: <li>sort reads operand 0: [{&quot;x&quot;}, {&quot;y&quot;}] to
// HTML: What each device holds
// HTML-COUNT-8: <div class="device">
// HTML-NOT: <div class="device">

// JSON: "bytes": 2560
// JSON: "kind": "all_gather"
// JSON: "times": 6

// FILE: cannot write the sharding report to '/nowhere/x.html'
// FORMAT: --explain-sharding: pdf not in
// ONE: 1 device, mesh axes none
// ONE: no communication

module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(
      %a: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>} loc("a"),
      %b: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>} loc("b"))
      -> (tensor<16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
          tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<16x32xf32>, tensor<32x64xf32>) -> tensor<16x64xf32> loc("model.py":3:5)
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.while(%i = %zero, %v = %a) : tensor<i32>, tensor<16x32xf32>
      attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{"x"}, {"y"}]>]>}
      cond {
        %n = stablehlo.constant dense<6> : tensor<i32>
        %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %one = stablehlo.constant dense<1> : tensor<i32>
        %j = stablehlo.add %i, %one : tensor<i32>
        %s = "stablehlo.sort"(%v) ({
        ^bb0(%x: tensor<f32>, %y: tensor<f32>):
          %p = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %p : tensor<i1>
        }) {dimension = 1 : i64} : (tensor<16x32xf32>) -> tensor<16x32xf32> loc("loop.py":7:3)
        stablehlo.return %j, %s : tensor<i32>, tensor<16x32xf32>
      }
    return %0, %1#1 : tensor<16x64xf32>, tensor<16x32xf32>
  }
}
