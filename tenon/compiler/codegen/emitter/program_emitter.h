// Emits a tenon.program as the one entry point of an executable: control flow, scalar
// arithmetic in registers, calls of kernels. Used by one thread.
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
  // Consecutive ops of the program's body that become one function.
  struct Part {
    mlir::Block::iterator begin, end;
  };
  // A long program is a function for each of these, called one after another: LLVM's time
  // grows faster than a function does.
  llvm::SmallVector<Part> Split(mlir::Block& body);
  void LayOutFrame(llvm::ArrayRef<Part> parts);
  Status EmitPart(const Part& part);
  Status EmitParts(llvm::ArrayRef<Part> parts);
  llvm::Function* NewFunction(llvm::StringRef name, bool is_entry);
  // Makes scalars of earlier parts that `op` uses known in this one.
  Status LoadFromFrame(mlir::Operation& op);
  void StoreToFrame(mlir::Operation& op);
  llvm::Value* FrameField(unsigned field);

  Status EmitBlock(mlir::Block& block);
  Status EmitOp(mlir::Operation& op);
  Status EmitLaunch(ir::LaunchOp launch);
  Status EmitWhile(ir::WhileOp loop);
  Status EmitCase(ir::CaseOp choice);
  Status EmitFfiCall(ir::FfiCallOp call);
  Status EmitRead(ir::ReadOp read);
  void EmitWrite(ir::WriteOp write);
  void EmitCopy(ir::CopyOp copy);
  // What copies a chunk of `bytes` bytes: body of a parallel loop, whose environment is
  // the target and the source.
  llvm::Function* CopyChunk(int64_t bytes);
  // Where a view lies. Worked out anew for each use, so that no pointer stays in a
  // register over calls.
  llvm::Value* View(mlir::Value view);
  // Lets a traced run know which kernel comes next.
  void EmitMark(int64_t kernel);
  llvm::Value* ContextField(uint64_t offset, llvm::Type* type);
  // &array[index].data, loaded.
  llvm::Value* LoadBuffer(llvm::Value* array, int64_t index);
  void BindResults(mlir::Operation& op, llvm::ArrayRef<llvm::Value*> parts);

  llvm::Module& module_;
  EmitterOptions options_;
  llvm::IRBuilder<> b_;
  std::unique_ptr<PointEmitter> points_;
  llvm::Function* function_ = nullptr;
  int64_t num_parameters_ = 0;
  llvm::DenseMap<mlir::Attribute, int64_t> constant_offsets_;  // by symbol name
  llvm::DenseMap<mlir::Attribute, int64_t> kernel_numbers_;    // by symbol name
  // Scalars that one part makes and another uses: their first field of the frame.
  llvm::DenseMap<mlir::Value, unsigned> frame_fields_;
  llvm::StructType* frame_type_ = nullptr;
};

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_EMITTER_PROGRAM_EMITTER_H_
