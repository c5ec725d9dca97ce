// Turns a tenon.fusion into a tenon.kernel: loops over an iteration space, with the code
// of one point in them.
#ifndef TENON_COMPILER_KERNELS_BUILD_KERNEL_H_
#define TENON_COMPILER_KERNELS_BUILD_KERNEL_H_

#include "tenon/base/status.h"
#include "tenon/compiler/targets/traits.h"
#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::compiler {

// One argument of the kernel's launch.
struct KernelArgument {
  enum class Kind { kInput, kOutput, kScratch, kPacked };
  Kind kind;
  int64_t number;   // of the fusion's operand or result; kPacked: of what is packed
  mlir::Type type;  // the view or scalar that the kernel takes
};

struct BuiltKernel {
  ir::KernelOp kernel;
  std::vector<KernelArgument> arguments;
  int64_t scratch_bytes = 0;
  double estimated_ns = 0;
  // With an argument kPacked: bytes and layout of the packed form.
  int64_t packed_bytes = 0;
  std::string packed_layout;
  // Result i starts with the contents of operand in_place[i], and may share its storage.
  // Empty if there are no such results.
  std::vector<int64_t> in_place;
};

// Builds the kernel at `b`'s insertion point, which must be in a module. UNIMPLEMENTED,
// naming op or type and location, if it is not supported.
StatusOr<BuiltKernel> BuildKernel(ir::FusionOp fusion, llvm::StringRef name,
                                  const TargetTraits& target, mlir::OpBuilder& b);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_KERNELS_BUILD_KERNEL_H_
