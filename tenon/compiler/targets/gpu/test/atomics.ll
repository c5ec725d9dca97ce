; RUN: tenon-test-spirv %s -S -o %t.spv | FileCheck %s
; RUN: spirv-val --target-env spv1.2 %t.spv
; RUN: spirv-dis %t.spv | FileCheck %s --check-prefix=SPIRV

; Atomic operations on integers of 32 and 64 bits stay. Others compare and exchange.

; The second number is the scope: 1 is the device, 2 the group.
; SPIRV-DAG: %[[DEVICE:.*]] = OpConstant %uint 1
; SPIRV-DAG: %[[GROUP:.*]] = OpConstant %uint 2
; SPIRV: OpAtomicIAdd %uint %{{[0-9]+}} %[[DEVICE]]
; SPIRV: OpAtomicUMax %ulong %{{[0-9]+}} %[[GROUP]]
; CHECK: define void @native(
; CHECK: atomicrmw add ptr addrspace(1) %p, i32 %x syncscope("device") monotonic
; CHECK: atomicrmw umax ptr addrspace(1) %p, i64 %y syncscope("workgroup") monotonic
; CHECK: ret void
define void @native(ptr addrspace(1) %p, i32 %x, i64 %y) {
  %q = addrspacecast ptr addrspace(1) %p to ptr
  %a = atomicrmw add ptr %q, i32 %x monotonic
  %b = atomicrmw umax ptr %q, i64 %y syncscope("workgroup") monotonic
  ret void
}

; CHECK: define void @float(
; CHECK: phi i32
; CHECK: fadd float
; CHECK: cmpxchg ptr addrspace(1) %p, i32
; CHECK: ret void
define void @float(ptr addrspace(1) %p, float %x) {
  %q = addrspacecast ptr addrspace(1) %p to ptr
  %a = atomicrmw fadd ptr %q, float %x monotonic
  ret void
}

; In the aligned word around the byte.
; CHECK: define void @byte(
; CHECK: ptrtoint ptr addrspace(1) %p
; CHECK: cmpxchg ptr addrspace(1) %{{.*}}, i32 %{{.*}}, i32 %{{.*}} syncscope("device") monotonic monotonic, align 4
; CHECK: ret void
define void @byte(ptr addrspace(1) %p, i8 %x) {
  %q = addrspacecast ptr addrspace(1) %p to ptr
  %a = atomicrmw max ptr %q, i8 %x monotonic
  ret void
}

; CHECK: define void @accesses(
; CHECK: %[[BITS:.*]] = atomicrmw or ptr addrspace(1) %p, i32 0 syncscope("device") acquire
; CHECK: bitcast i32 %[[BITS]] to float
; CHECK: fence syncscope("workgroup") release
; CHECK: atomicrmw xchg ptr addrspace(1) %p, i32 %{{.*}} syncscope("device") release
; SPIRV: OpMemoryBarrier %[[GROUP]]
define void @accesses(ptr addrspace(1) %p) {
  %x = load atomic float, ptr addrspace(1) %p acquire, align 4
  %y = fadd float %x, 1.0
  fence syncscope("workgroup") release
  store atomic float %y, ptr addrspace(1) %p release, align 4
  ret void
}
