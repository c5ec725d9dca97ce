; RUN: split-file %s %t
; RUN: not tenon-test-spirv %t/sine.ll 2>&1 | FileCheck %s --check-prefix=SINE
; RUN: not tenon-test-spirv %t/call.ll 2>&1 | FileCheck %s --check-prefix=CALL
; RUN: not tenon-test-spirv %t/recursion.ll 2>&1 | FileCheck %s --check-prefix=RECURSION
; RUN: not tenon-test-spirv %t/external.ll 2>&1 | FileCheck %s --check-prefix=EXTERNAL
; RUN: not tenon-test-spirv %t/argument.ll 2>&1 | FileCheck %s --check-prefix=ARGUMENT
; RUN: not tenon-test-spirv %t/bfloat.ll 2>&1 | FileCheck %s --check-prefix=BFLOAT

; What cannot be expressed is an error that names kernel and instruction, not the end of
; the process.

;--- sine.ll
; SINE: UNIMPLEMENTED: kernel k: no SPIR-V for the instruction %y = call float @llvm.sin.f32
declare float @llvm.sin.f32(float)
define void @k(ptr addrspace(1) %p) {
  %x = load float, ptr addrspace(1) %p
  %y = call float @llvm.sin.f32(float %x)
  store float %y, ptr addrspace(1) %p
  ret void
}
;--- call.ll
; CALL: UNIMPLEMENTED: kernel k calls a function by its address
define void @k(ptr addrspace(1) %p) {
  %f = load ptr, ptr addrspace(1) %p
  call void %f()
  ret void
}
;--- recursion.ll
; RECURSION: UNIMPLEMENTED: device code cannot call itself: f
define internal void @f(ptr %p) {
  store i32 1, ptr %p
  call void @f(ptr %p)
  ret void
}
define void @k(ptr addrspace(1) %p) {
  %q = addrspacecast ptr addrspace(1) %p to ptr
  call void @f(ptr %q)
  ret void
}
;--- external.ll
; EXTERNAL: UNIMPLEMENTED: kernel k: no SPIR-V for the instruction call void @memcpy
declare void @memcpy(ptr)
define void @k(ptr addrspace(1) %p) {
  %q = addrspacecast ptr addrspace(1) %p to ptr
  call void @memcpy(ptr %q)
  ret void
}
;--- argument.ll
; ARGUMENT: INTERNAL: argument 0 of kernel k has no address space
define void @k(ptr %p) {
  store i32 1, ptr %p
  ret void
}
;--- bfloat.ll
; BFLOAT: UNIMPLEMENTED: kernel k: no SPIR-V for the instruction %x = load bfloat
define void @k(ptr addrspace(1) %p) {
  %x = load bfloat, ptr addrspace(1) %p
  %y = fadd bfloat %x, %x
  store bfloat %y, ptr addrspace(1) %p
  ret void
}
