; RUN: tenon-test-spirv %s -S -o %t.spv | FileCheck %s
; RUN: spirv-val --target-env opencl2.2 %t.spv

; What SPIR-V does not have. tests/spirv checks that the results are the same.

; CHECK-NOT: switch
; CHECK-NOT: {{ i(2|3|4|5|6|7|24|128) }}
; CHECK-NOT: freeze
; CHECK-NOT: llvm.mem
; CHECK-NOT: llvm.maximum
; CHECK-NOT: llvm.masked

; CHECK: define void @switch(
; CHECK: icmp
define void @switch(ptr addrspace(1) %p, i32 %x) {
  switch i32 %x, label %other [ i32 1, label %one
                                i32 7, label %seven
                                i32 9, label %one ]
one:
  store i32 5, ptr addrspace(1) %p
  ret void
seven:
  store i32 6, ptr addrspace(1) %p, align 2
  ret void
other:
  ret void
}

; A product of 128 bits, from products of 64.
; CHECK: define void @wide(
; CHECK: mul i64
define void @wide(ptr addrspace(1) %p, i64 %x, i64 %y) {
  %a = zext i64 %x to i128
  %b = zext i64 %y to i128
  %m = mul i128 %a, %b
  %h = lshr i128 %m, 64
  %r = trunc i128 %h to i64
  store i64 %r, ptr addrspace(1) %p
  ret void
}

; CHECK: define void @nan(
; CHECK: fcmp uno
define void @nan(ptr addrspace(1) %p, float %x, float %y) {
  %m = call float @llvm.maximum.f32(float %x, float %y)
  store float %m, ptr addrspace(1) %p
  ret void
}

; Booleans are bytes in memory.
; CHECK: define void @boolean(
; CHECK: %[[BYTE:.*]] = load i8, ptr addrspace(1) %p
; CHECK: trunc i8 %[[BYTE]] to i1
; CHECK: store i8
define void @boolean(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %a = load i1, ptr addrspace(1) %p
  %b = load i1, ptr addrspace(1) %q
  %s = icmp ult i1 %a, %b
  store i1 %s, ptr addrspace(1) %q
  ret void
}

; Vectors of 2, 4, 8 and 16 lanes are accessed as a whole; 3 lanes would be 4 in memory.
; CHECK: define void @vectors(
; CHECK: load <4 x float>
; CHECK: fadd float
; CHECK: fadd float
; CHECK: fadd float
; CHECK: fadd float
; CHECK: store <4 x float>
; CHECK-NOT: <3 x float>
define void @vectors(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %v = load <4 x float>, ptr addrspace(1) %p, align 16
  %s = fadd <4 x float> %v, %v
  store <4 x float> %s, ptr addrspace(1) %p, align 16
  %w = load <3 x float>, ptr addrspace(1) %q, align 4
  %t = fmul <3 x float> %w, %w
  store <3 x float> %t, ptr addrspace(1) %q, align 4
  ret void
}

; A short copy is loads and stores.
; CHECK: define void @copy(
; CHECK: load i64, ptr addrspace(1)
; CHECK: load i64, ptr addrspace(1)
; CHECK: store i64
; CHECK: store i64
; CHECK: ret void
define void @copy(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  call void @llvm.memmove.p1.p1.i64(ptr addrspace(1) align 8 %p, ptr addrspace(1) align 8 %q,
                                    i64 16, i1 false)
  ret void
}

; Private memory of booleans, allocated in a loop.
; CHECK: define void @private(
; CHECK: %bits = alloca [64 x i8]
; CHECK-NOT: [64 x i1]
; CHECK: ret void
define void @private(ptr addrspace(1) %p, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %bits = alloca [64 x i1]
  %j = and i64 %i, 63
  %q = getelementptr [64 x i1], ptr %bits, i64 0, i64 %n
  %r = getelementptr [64 x i1], ptr %bits, i64 0, i64 %j
  store i1 true, ptr %q
  %x = load i1, ptr %r
  store i1 %x, ptr addrspace(1) %p
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
