; RUN: tenon-test-spirv %s -S -o %t.spv | FileCheck %s
; RUN: spirv-val --target-env spv1.2 %t.spv

; Atomic operations on integers of 32 and 64 bits stay. Others compare and exchange.

; CHECK: define void @native(
; CHECK: atomicrmw add ptr addrspace(1) %p, i32
; CHECK: atomicrmw umax ptr addrspace(1) %p, i64
; CHECK: ret void
define void @native(ptr addrspace(1) %p, i32 %x, i64 %y) {
  %q = addrspacecast ptr addrspace(1) %p to ptr
  %a = atomicrmw add ptr %q, i32 %x monotonic
  %b = atomicrmw umax ptr %q, i64 %y monotonic
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
; CHECK: cmpxchg ptr addrspace(1) %{{.*}}, i32 %{{.*}}, i32 %{{.*}} monotonic monotonic, align 4
; CHECK: ret void
define void @byte(ptr addrspace(1) %p, i8 %x) {
  %q = addrspacecast ptr addrspace(1) %p to ptr
  %a = atomicrmw max ptr %q, i8 %x monotonic
  ret void
}
