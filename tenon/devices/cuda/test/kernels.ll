; emulated
; Kernels for tests, of groups of 64 items. The build makes PTX of them for a GPU; without
; one tests/fake_cuda takes this text, which it knows by its first line.
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)

; 80 KiB of local memory, which launches add.
@local = external addrspace(3) global [0 x i32], align 16

define internal i64 @element() alwaysinline {
  %group = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %item = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %group, 64
  %element = add i32 %first, %item
  %wide = zext i32 %element to i64
  ret i64 %wide
}

; out[i] = a[i] + b[i] for i < n, of s32.
define ptx_kernel void @add(ptr addrspace(1) %a, ptr addrspace(1) %b,
                            ptr addrspace(1) %out, i64 %n) {
  %i = call i64 @element()
  %inside = icmp ult i64 %i, %n
  br i1 %inside, label %compute, label %end
compute:
  %pa = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %pb = getelementptr i32, ptr addrspace(1) %b, i64 %i
  %po = getelementptr i32, ptr addrspace(1) %out, i64 %i
  %va = load i32, ptr addrspace(1) %pa
  %vb = load i32, ptr addrspace(1) %pb
  %sum = add i32 %va, %vb
  store i32 %sum, ptr addrspace(1) %po
  br label %end
end:
  ret void
}

; out[i] = a[i] + b for i < n, of s32.
define ptx_kernel void @add_scalar(ptr addrspace(1) %a, i32 %b,
                                   ptr addrspace(1) %out, i64 %n) {
  %i = call i64 @element()
  %inside = icmp ult i64 %i, %n
  br i1 %inside, label %compute, label %end
compute:
  %pa = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %po = getelementptr i32, ptr addrspace(1) %out, i64 %i
  %va = load i32, ptr addrspace(1) %pa
  %sum = add i32 %va, %b
  store i32 %sum, ptr addrspace(1) %po
  br label %end
end:
  ret void
}

; out[i] = a[i] + i for the group's item i, which another item writes to local memory, far
; from where it begins.
define ptx_kernel void @through_local(ptr addrspace(1) %a, ptr addrspace(1) %out) {
  %item = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %item to i64
  %far = mul i64 %i, 320
  %to = getelementptr i32, ptr addrspace(3) @local, i64 %far
  store i32 %item, ptr addrspace(3) %to
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %other = sub i64 63, %i
  %other_far = mul i64 %other, 320
  %from = getelementptr i32, ptr addrspace(3) @local, i64 %other_far
  %value = load i32, ptr addrspace(3) %from
  %pa = getelementptr i32, ptr addrspace(1) %a, i64 %other
  %po = getelementptr i32, ptr addrspace(1) %out, i64 %other
  %va = load i32, ptr addrspace(1) %pa
  %sum = add i32 %va, %value
  store i32 %sum, ptr addrspace(1) %po
  ret void
}

; Writes where no memory is. The emulation knows it by its name.
define ptx_kernel void @fault(ptr addrspace(1) %a) {
  %nowhere = inttoptr i64 64 to ptr addrspace(1)
  store volatile i32 1, ptr addrspace(1) %nowhere
  ret void
}
