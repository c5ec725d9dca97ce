// Emits a tenon.kernel as LLVM functions: one function runs the kernel, and one function
// for each phase runs a chunk of the phase. One KernelEmitter builds into one LLVM
// module; not shared between threads.
#ifndef TENON_COMPILER_CODEGEN_KERNEL_KERNEL_EMITTER_H_
#define TENON_COMPILER_CODEGEN_KERNEL_KERNEL_EMITTER_H_

#include "llvm/IR/Module.h"
#include "tenon/base/status.h"
#include "tenon/compiler/codegen/kernel/body_emitter.h"
#include "tenon/compiler/codegen/kernel/device_launch.h"
#include "tenon/compiler/codegen/point/structured_kernel.h"

namespace tenon::compiler {
class TileChoices;  // tile_choices.h
}

namespace tenon::codegen {

// The names of what a stand-alone module defines itself: the function of a RuntimeTable,
// and the constants.
inline constexpr llvm::StringLiteral kParallelForName = "tenon.parallel_for";
inline constexpr llvm::StringLiteral kConstantsName = "tenon.constants";

struct EmitterOptions {
  TargetTraits target;  // its elementwise options apply to all code
  // The code will have no RunContext. It passes its context on to kParallelForName, finds
  // its constants at kConstantsName, and gets arguments and results as arrays of
  // pointers. The module defines both names.
  bool standalone = false;
  // If not null, the program is a launcher (kLauncherCode): its kernels run on a device,
  // by these launches. All views are addresses of the device.
  const DeviceLaunches* launches = nullptr;
  compiler::TileChoices* tiles = nullptr;  // of a device's kernels, if not null
};

class KernelEmitter {
 public:
  KernelEmitter(llvm::Module& module, const EmitterOptions& options)
      : module_(module), options_(options), b_(module.getContext()) {}

  // Emits void @<name>(ptr context, <arguments>). Views are passed as pointers, scalars
  // as their parts. The names of all other functions either contain <name> between dots
  // or are independent of it.
  Status Emit(ir::KernelOp kernel, llvm::StringRef name);

 private:
  // Emits the functions of the phases of `op`, and the calls of them.
  Status EmitPhases(mlir::Operation& op, int index);
  Status EmitParallelPhase(ir::ParallelOp parallel, const std::string& name);
  Status EmitStructuredPhases(mlir::Operation& op, const std::string& name);
  llvm::Value* PackedArgument(mlir::Operation& op);
  llvm::Value* PackedField(llvm::Value* operand, uint64_t offset);
  void MarkPacked(llvm::Value* operand);
  // Emits one phase function of a structured op. `shared`: several phases run it, and it
  // reads its number from the kernel's environment.
  StatusOr<llvm::Function*> EmitPhaseFunction(const StructuredKernel& kernel, int phase,
                                              bool shared, const std::string& name);
  // Emits the loop over the points of a chunk.
  Status EmitChunk(ir::ParallelOp parallel, llvm::Value* chunk);

  // Creates the kernel's function and the type of its environment.
  llvm::Function* BeginKernel();
  // Starts the function `name`(ptr context, ptr env, i64 chunk) and binds the kernel's
  // arguments.
  llvm::Function* BeginPhase(const std::string& name);
  void EndPhase();
  // Runs all chunks of a phase. `number` tells the function which phase runs; it is
  // stored in the kernel's environment unless it is kNoNumber.
  void CallPhase(llvm::Function* phase, int64_t number, int64_t chunks);
  static constexpr int64_t kNoNumber = -1;

  llvm::Module& module_;
  EmitterOptions options_;
  llvm::IRBuilder<> b_;
  std::unique_ptr<PointEmitter> points_;  // of the current phase
  std::unique_ptr<BodyEmitter> body_;
  ir::KernelOp kernel_;
  std::string name_;
  llvm::StructType* env_type_ = nullptr;  // its arguments, then the phase's number
  llvm::Value* env_ = nullptr;            // in the kernel's function
  llvm::Value* kernel_context_ = nullptr;
  llvm::BasicBlock* kernel_block_ = nullptr;  // where the call of the next phase goes
  bool narrow_indices_ = false;
};

// Runs body(context, env, chunk) for all chunks on the compute team, or by the module's
// own function if it has one.
void EmitParallelFor(llvm::IRBuilderBase& b, llvm::Value* context, llvm::Function* body,
                     llvm::Value* env, int64_t chunks);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_KERNEL_KERNEL_EMITTER_H_
