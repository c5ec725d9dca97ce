; RUN: tenon-test-spirv %s -S -o %t.spv | FileCheck %s
; RUN: spirv-val --target-env opencl2.2 %t.spv

; Pointers get the address space of what they point to, also through a structure in private
; memory and through a loop. One that may point to several kinds of memory is generic.

@table = private constant [4 x i32] [i32 1, i32 2, i32 3, i32 4], align 4
@mixed = private constant [4 x i32] [i32 5, i32 6, i32 7, i32 8], align 4
@local = internal addrspace(3) global [256 x i8] undef, align 16

declare i64 @_Z12get_group_idj(i32)
declare i64 @_Z12get_local_idj(i32)
declare void @_Z7barrierj(i32)

; Only loaded from, so in the constant space; or in global memory.
; CHECK-DAG: @table = {{.*}} addrspace(2) constant
; CHECK-DAG: @mixed = {{.*}} addrspace(1) constant
; CHECK-DAG: @local = internal addrspace(3) global

define internal void @phase(ptr %env, i64 %chunk) {
  %data = load ptr, ptr %env
  %field = getelementptr { ptr, i64 }, ptr %env, i32 0, i32 1
  %n = load i64, ptr %field
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %loop ]
  %p = phi ptr [ %data, %0 ], [ %after, %loop ]
  %v = load i32, ptr %p
  %j = and i64 %i, 3
  %t = getelementptr i32, ptr @table, i64 %j
  %w = load i32, ptr %t
  %s = add i32 %v, %w
  %l = getelementptr i32, ptr addrspacecast (ptr addrspace(3) @local to ptr), i64 %j
  store i32 %s, ptr %l
  %after = getelementptr i32, ptr %p, i64 1
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  call void @_Z7barrierj(i32 1)
  %x = load i32, ptr addrspacecast (ptr addrspace(3) @local to ptr)
  store i32 %x, ptr %data
  ret void
}

; CHECK: define void @inferred(ptr addrspace(1) %data, i64 %n)
; CHECK-NOT: alloca
; CHECK: phi ptr addrspace(1)
; CHECK: load i32, ptr addrspace(1)
; CHECK: load i32, ptr addrspace(2)
; CHECK: store i32 {{.*}}, ptr addrspace(3)
; CHECK: call void @_Z7barrierj(i32 1)
; CHECK: load i32, ptr addrspace(3) @local
; CHECK: store i32 {{.*}}, ptr addrspace(1) %data
; CHECK: ret void
define void @inferred(ptr addrspace(1) %data, i64 %n) {
  %env = alloca { ptr, i64 }
  %p = addrspacecast ptr addrspace(1) %data to ptr
  store ptr %p, ptr %env
  %field = getelementptr { ptr, i64 }, ptr %env, i32 0, i32 1
  store i64 %n, ptr %field
  %chunk = call i64 @_Z12get_group_idj(i32 0)
  call void @phase(ptr %env, i64 %chunk)
  ret void
}

; CHECK: define void @generic(
; CHECK: %array = alloca [64 x i32]
; CHECK: addrspacecast ptr %{{.*}} to ptr addrspace(4)
; CHECK: select i1 %{{.*}}, ptr addrspace(4)
; CHECK: load i32, ptr addrspace(4)
; CHECK: select i1 %{{.*}}, ptr addrspace(1) @mixed, ptr addrspace(1) %data
define void @generic(ptr addrspace(1) %data, i64 %n) {
  %array = alloca [64 x i32]
  %p = addrspacecast ptr addrspace(1) %data to ptr
  %q = getelementptr i32, ptr %array, i64 %n
  store i32 1, ptr %q
  %negative = icmp slt i64 %n, 7
  %either = select i1 %negative, ptr %array, ptr %p
  %v = load i32, ptr %either
  %large = icmp sgt i64 %n, 70
  %one = select i1 %large, ptr @mixed, ptr %p
  %w = load i32, ptr %one
  %s = add i32 %v, %w
  store i32 %s, ptr %p
  ret void
}

; A barrier lets other work items change memory, whatever an argument says.
; CHECK: define void @barrier(
; CHECK: store i32
; CHECK: call void @_Z7barrierj
; CHECK: load i32, ptr addrspace(1)
define void @barrier(ptr addrspace(1) noalias %data) {
  store i32 1, ptr addrspace(1) %data
  call void @_Z7barrierj(i32 2)
  %x = load i32, ptr addrspace(1) %data
  %y = add i32 %x, 1
  store i32 %y, ptr addrspace(1) %data
  ret void
}

; Emitters use volatile accesses to hide constants.
; CHECK: define void @volatile(
; CHECK: %memory = alloca float
; CHECK: store volatile float 3.000000e+00, ptr %memory
; CHECK: load volatile float, ptr %memory
define void @volatile(ptr addrspace(1) %data) {
  %memory = alloca float
  store volatile float 3.0, ptr %memory
  %x = load volatile float, ptr %memory
  %p = addrspacecast ptr addrspace(1) %data to ptr
  store float %x, ptr %p
  ret void
}
