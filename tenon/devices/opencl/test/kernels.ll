; Kernels for opencl_client_test.cc. The build makes SPIR-V of them.
target triple = "spirv64v1.2-unknown-unknown"

declare spir_func i64 @_Z13get_global_idj(i32)

; out[i] = a[i] + b[i] for i < n, of s32.
define spir_kernel void @add(ptr addrspace(1) %a, ptr addrspace(1) %b,
                             ptr addrspace(1) %out, i64 %n) {
  %i = call spir_func i64 @_Z13get_global_idj(i32 0)
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
define spir_kernel void @add_scalar(ptr addrspace(1) %a, i32 %b,
                                    ptr addrspace(1) %out, i64 %n) {
  %i = call spir_func i64 @_Z13get_global_idj(i32 0)
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
