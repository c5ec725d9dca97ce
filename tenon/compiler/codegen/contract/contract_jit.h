// Test support: compiles the phases of one product or convolution in this process and
// runs them. A kernel owns its code; executions of one kernel may not overlap.
#ifndef TENON_COMPILER_CODEGEN_CONTRACT_CONTRACT_JIT_H_
#define TENON_COMPILER_CODEGEN_CONTRACT_CONTRACT_JIT_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "tenon/compiler/codegen/contract/contract.h"

namespace tenon::codegen {

// Traits of this machine.
TargetTraits HostTraits();

class JitKernel {
 public:
  using EmitBody = std::function<Status(llvm::IRBuilder<>& b, int phase,
                                        const ContractPointers& pointers,
                                        llvm::Value* chunk, llvm::Value* extra)>;

  // Aborts the test program on errors of LLVM; returns an error of the emitter.
  static StatusOr<JitKernel> Make(const KernelPlan& plan, const EmitBody& emit);
  static StatusOr<JitKernel> Make(const ContractSpec& spec, const TargetTraits& target,
                                  const ContractHooks& hooks = {});
  static StatusOr<JitKernel> Make(const ConvSpec& spec, const TargetTraits& target,
                                  const ContractHooks& hooks = {});

  // Runs all phases. The chunks of each phase are shared by `threads` threads (1 or 2),
  // or run backwards on this thread if `threads` is 0. `extra` reaches EmitBody as a
  // pointer.
  void Run(const void* lhs, const void* rhs, void* out, int threads = 1,
           void* extra = nullptr);

  const KernelPlan& plan() const { return plan_; }
  double codegen_ms() const { return codegen_ms_; }
  int64_t code_bytes() const { return code_bytes_; }

 private:
  using Phase = void (*)(const void* lhs, const void* rhs, void* out, void* scratch,
                         int64_t chunk, void* extra);
  KernelPlan plan_;
  std::unique_ptr<llvm::orc::LLJIT> jit_;
  std::vector<Phase> phases_;
  std::shared_ptr<void> scratch_;
  double codegen_ms_ = 0;
  int64_t code_bytes_ = 0;
};

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_CONTRACT_CONTRACT_JIT_H_
