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

// The options that fit this machine.
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
  // Aborts the test program on errors of LLVM; an error of the emitter is returned.
  static StatusOr<Kernel> Make(const KernelSpec& spec);

  // Arrays of `count` dense elements (complex: pairs). `count` must be a multiple of the
  // lanes.
  void Run(const std::vector<const void*>& operands, void* result, int64_t count) const;

 private:
  using Function = void (*)(const void* const*, void*, int64_t);
  std::unique_ptr<llvm::orc::LLJIT> jit_;
  Function function_ = nullptr;
};

// The same loop as this machine's assembly.
StatusOr<std::string> KernelAssembly(const KernelSpec& spec);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_CODEGEN_ELEMENTWISE_KERNEL_JIT_H_
