// Test support: compiles one elementwise op as a loop over arrays, in this process, and
// runs it.
#ifndef TENON_COMPILER_CODEGEN_ELEMENTWISE_KERNEL_JIT_H_
#define TENON_COMPILER_CODEGEN_ELEMENTWISE_KERNEL_JIT_H_

#include <memory>
#include <string>
#include <vector>

#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "tenon/compiler/codegen/elementwise/elementwise_emitter.h"

namespace tenon::compiler {

// Returns the options of this machine.
ElementwiseOptions HostOptions();

struct KernelSpec {
  ElementwiseOp op;
  std::vector<ElementType> operands;
  ElementType result;
  ElementwiseAttrs attrs = {};
  int lanes = 16;  // 1: scalars
  ElementwiseOptions options = HostOptions();
};

// A compiled loop. Owns its code; any thread may call it.
class Kernel {
 public:
  // Returns an error of the emitter. Aborts the test program on errors of LLVM.
  static StatusOr<Kernel> Make(const KernelSpec& spec);

  // Runs on dense arrays of `count` elements (complex: pairs). `count` must be a multiple
  // of the number of lanes.
  void Run(const std::vector<const void*>& operands, void* result, int64_t count) const;

 private:
  using Function = void (*)(const void* const*, void*, int64_t);
  std::unique_ptr<llvm::orc::LLJIT> jit_;
  Function function_ = nullptr;
};

// Returns the assembly of the same loop.
StatusOr<std::string> KernelAssembly(const KernelSpec& spec);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_CODEGEN_ELEMENTWISE_KERNEL_JIT_H_
