; RUN: tenon-test-spirv %s -o %t.spv --group-size 64 --subgroup-size 16
; RUN: spirv-val --target-env opencl2.2 %t.spv
; RUN: spirv-dis %t.spv | FileCheck %s

; Capabilities, execution modes and built-in variables of a kernel; nothing generic.

; CHECK: Version: 1.2
; CHECK-NOT: OpCapability GenericPointer
; CHECK: OpMemoryModel Physical64 OpenCL
; CHECK: OpEntryPoint Kernel %[[K:.*]] "sum"
; CHECK-DAG: OpExecutionMode %[[K]] LocalSize 64 1 1
; CHECK-DAG: OpExecutionMode %[[K]] SubgroupSize 16
; CHECK-DAG: OpExecutionMode %[[K]] ContractionOff
; CHECK-DAG: OpDecorate %{{.*}} BuiltIn WorkgroupId
; CHECK-DAG: OpDecorate %{{.*}} BuiltIn LocalInvocationId
; CHECK-DAG: %[[FLOAT:.*]] = OpTypeFloat 32
; CHECK-DAG: %[[GLOBAL:.*]] = OpTypePointer CrossWorkgroup %[[FLOAT]]
; CHECK-DAG: OpTypePointer Workgroup %[[FLOAT]]
; CHECK-NOT: OpTypePointer Generic
; CHECK: OpFunctionParameter %[[GLOBAL]]
; CHECK: OpFMul %[[FLOAT]]
; CHECK: OpFAdd %[[FLOAT]]
; CHECK: OpControlBarrier
; CHECK: OpExtInst %[[FLOAT]] %{{.*}} fma
; CHECK: OpFDiv %[[FLOAT]]

@local = internal addrspace(3) global [256 x i8] undef, align 16

declare i64 @_Z12get_group_idj(i32)
declare i64 @_Z12get_local_idj(i32)
declare void @_Z7barrierj(i32)
declare float @llvm.fma.f32(float, float, float)

define internal void @phase(ptr %x, ptr %y, i64 %group) {
  %item = call i64 @_Z12get_local_idj(i32 0)
  %first = mul i64 %group, 64
  %i = add i64 %first, %item
  %px = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %px, align 4
  %square = fmul float %v, %v
  %more = fadd float %square, 1.0
  %p = getelementptr float, ptr addrspacecast (ptr addrspace(3) @local to ptr), i64 %item
  store float %more, ptr %p, align 4
  call void @_Z7barrierj(i32 1)
  %other = xor i64 %item, 1
  %q = getelementptr float, ptr addrspacecast (ptr addrspace(3) @local to ptr), i64 %other
  %w = load float, ptr %q, align 4
  %f = call float @llvm.fma.f32(float %w, float %v, float %v)
  %d = fdiv float %f, %w
  %py = getelementptr float, ptr %y, i64 %i
  store float %d, ptr %py, align 4
  ret void
}

define void @sum(ptr addrspace(1) %x, ptr addrspace(1) %y) {
  %px = addrspacecast ptr addrspace(1) %x to ptr
  %py = addrspacecast ptr addrspace(1) %y to ptr
  %group = call i64 @_Z12get_group_idj(i32 0)
  call void @phase(ptr %px, ptr %py, i64 %group)
  ret void
}
