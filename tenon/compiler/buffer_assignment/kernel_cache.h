// Equal fusions of a program share a kernel.
#ifndef TENON_COMPILER_BUFFER_ASSIGNMENT_KERNEL_CACHE_H_
#define TENON_COMPILER_BUFFER_ASSIGNMENT_KERNEL_CACHE_H_

#include <map>
#include <memory>
#include <vector>

#include "tenon/compiler/kernels/build_kernel.h"

namespace tenon::compiler {

class KernelCache {
 public:
  // Kernels are built at `builder`'s insertion point, in a module.
  KernelCache(mlir::OpBuilder builder, const TargetTraits& target)
      : b_(builder), target_(target) {}

  // The kernel of `fusion`, built if there is none of an equal fusion. Errors: those of
  // BuildKernel.
  StatusOr<const BuiltKernel*> Get(ir::FusionOp fusion);

 private:
  mlir::OpBuilder b_;
  TargetTraits target_;
  std::map<size_t, std::vector<std::pair<ir::FusionOp, std::unique_ptr<BuiltKernel>>>>
      kernels_;
  int next_ = 0;
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_BUFFER_ASSIGNMENT_KERNEL_CACHE_H_
