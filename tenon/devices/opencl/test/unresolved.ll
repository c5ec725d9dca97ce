; A kernel that drivers refuse, for faults_test.cc: nobody defines what it calls.
target triple = "spirv64v1.2-unknown-unknown"

declare spir_func void @nowhere(ptr addrspace(1))

define spir_kernel void @add(ptr addrspace(1) %a) {
  call spir_func void @nowhere(ptr addrspace(1) %a)
  ret void
}
