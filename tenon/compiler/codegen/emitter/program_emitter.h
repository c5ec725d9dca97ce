// Emits a tenon.program as the one native function of an executable: control flow, scalar
// arithmetic in registers, calls of kernels.
#ifndef TENON_COMPILER_CODEGEN_EMITTER_PROGRAM_EMITTER_H_
#define TENON_COMPILER_CODEGEN_EMITTER_PROGRAM_EMITTER_H_

#include "llvm/IR/Module.h"
#include "tenon/base/status.h"
#include "tenon/compiler/codegen/emitter/kernel_emitter.h"

namespace tenon::codegen {

inline constexpr llvm::StringLiteral kEntryName = "tenon_entry";

class ProgramEmitter {
 public:
  ProgramEmitter(llvm::Module& module, const EmitterOptions& options)
      : module_(module), options_(options), b_(module.getContext()) {}

  // The EntryPoint (tenon/executable/run_context.h), named kEntryName. Kernels are
  // declared.
  Status Emit(ir::ProgramOp program);

 private:
  Status EmitBlock(mlir::Block& block);
  Status EmitOp(mlir::Operation& op);
  Status EmitLaunch(ir::LaunchOp launch);
  Status EmitWhile(ir::WhileOp loop);
  Status EmitCase(ir::CaseOp choice);
  Status EmitFfiCall(ir::FfiCallOp call);
  Status EmitRead(ir::ReadOp read);
  void EmitWrite(ir::WriteOp write);
  void EmitCopy(ir::CopyOp copy);
  llvm::Value* ContextField(uint64_t offset, llvm::Type* type);
  // &array[index].data, loaded.
  llvm::Value* LoadBuffer(llvm::Value* array, int64_t index);
  void BindResults(mlir::Operation& op, llvm::ArrayRef<llvm::Value*> parts);

  llvm::Module& module_;
  EmitterOptions options_;
  llvm::IRBuilder<> b_;
  std::unique_ptr<PointEmitter> points_;
  llvm::Function* function_ = nullptr;
};

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_EMITTER_PROGRAM_EMITTER_H_
