// Builds the kernels of a program. Equal fusions share a kernel.
#ifndef TENON_COMPILER_BUFFER_ASSIGNMENT_KERNEL_CACHE_H_
#define TENON_COMPILER_BUFFER_ASSIGNMENT_KERNEL_CACHE_H_

#include <map>
#include <memory>
#include <vector>

#include "mlir/IR/Builders.h"
#include "tenon/compiler/kernels/build_kernel.h"

namespace tenon::compiler {

class KernelCache {
 public:
  // Builds kernels at `builder`'s insertion point, which must be in a module.
  KernelCache(mlir::OpBuilder builder, const TargetTraits& target)
      : b_(builder), target_(target) {}

  // The kernel of `fusion`. Builds it unless an equal fusion has a kernel already.
  // Returns the errors of BuildKernel.
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
