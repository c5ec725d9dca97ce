// A phase that only calls functions of long tiles is not optimized, as little time is spent in it.
// RUN: split-file %s %t
// RUN: tenon-compile %t/long.mlir -s llvm --arch x86_64 --cpu znver3 | FileCheck %s --check-prefix=LONG
// RUN: tenon-compile %t/partial.mlir -s llvm --arch x86_64 --cpu znver3 | FileCheck %s --check-prefix=PARTIAL
// RUN: tenon-compile %t/short.mlir -s llvm --arch x86_64 --cpu znver3 | FileCheck %s --check-prefix=SHORT
// RUN: tenon-compile %t/one_block.mlir -s llvm --arch x86_64 --cpu znver3 | FileCheck %s --check-prefix=BLOCK
// RUN: tenon-compile %t/fused.mlir -s llvm --arch x86_64 --cpu znver3 | FileCheck %s --check-prefix=FUSED

// LONG: define hidden void @contract.0({{.*}}) #[[CALLS:[0-9]+]]
// LONG: define internal void @contract.0.phase0.0({{.*}}) #[[PHASE:[0-9]+]]
// LONG: define internal void @shared.pack_rows.{{[^(]*}}({{.*}}) #[[TILE:[0-9]+]]
// LONG: define internal void @contract.0.phase0.1({{.*}}) #[[PHASE]]
// LONG: define internal void @shared.micro_kernel.{{[^(]*}}({{.*}}) #[[TILE]]
// LONG: attributes #[[CALLS]] = { noinline optnone
// LONG: attributes #[[PHASE]] = { noinline optnone
// LONG: attributes #[[TILE]] = { noinline uwtable

//--- long.mlir
func.func @main(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// The last tile of columns is partial, and copied from a buffer.
// PARTIAL: define internal void @contract.0.phase0.1({{.*}}) #[[PHASE:[0-9]+]]
// PARTIAL: define internal void @shared.copy_tile_part.{{[^(]*}}({{.*}}) #[[TILE:[0-9]+]]
// PARTIAL: masked.store
// PARTIAL: attributes #[[PHASE]] = { noinline optnone
// PARTIAL: attributes #[[TILE]] = { noinline uwtable

//--- partial.mlir
func.func @main(%a: tensor<512x1000xf32>, %b: tensor<1000x1003xf32>) -> tensor<512x1003xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<512x1000xf32>, tensor<1000x1003xf32>) -> tensor<512x1003xf32>
  return %0 : tensor<512x1003xf32>
}

// A call of a short tile takes part of the time.
// SHORT: define internal void @contract.0.phase0.0({{.*}}) #[[PHASE:[0-9]+]]
// SHORT: attributes #[[PHASE]] = { uwtable

//--- short.mlir
func.func @main(%a: tensor<512x64xf32>, %b: tensor<64x512xf32>) -> tensor<512x512xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<512x64xf32>, tensor<64x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// This phase computes the fused operations.
// FUSED: define internal void @contract.0.phase0.1({{.*}}) #[[PHASE:[0-9]+]]
// FUSED: attributes #[[PHASE]] = { uwtable

//--- fused.mlir
func.func @main(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>, %c: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %1 = stablehlo.add %0, %c : tensor<512x512xf32>
  %2 = stablehlo.tanh %1 : tensor<512x512xf32>
  return %2 : tensor<512x512xf32>
}

// Nor is this one left unoptimized, though all of it is one block.
// BLOCK: define internal void @contract.0.phase0.0({{.*}}) #[[PHASE:[0-9]+]]
// BLOCK-NOT: {{^}}loop
// BLOCK: call void @shared.micro_kernel.1x4.
// BLOCK: attributes #[[PHASE]] = { uwtable

//--- one_block.mlir
func.func @main(%a: tensor<1x1024xf32>, %b: tensor<1024x32xf32>, %c: tensor<1x32xf32>) -> tensor<1x32xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1x1024xf32>, tensor<1024x32xf32>) -> tensor<1x32xf32>
  %1 = stablehlo.add %0, %c : tensor<1x32xf32>
  return %1 : tensor<1x32xf32>
}
