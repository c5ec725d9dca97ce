// Emits a tenon.program as the entry point of an executable: control flow, scalar
// arithmetic in registers, calls of kernels. Used by one thread.
#ifndef TENON_COMPILER_CODEGEN_PROGRAM_PROGRAM_EMITTER_H_
#define TENON_COMPILER_CODEGEN_PROGRAM_PROGRAM_EMITTER_H_

#include <string>

#include "llvm/IR/Module.h"
#include "tenon/base/status.h"
#include "tenon/compiler/analysis/program_frame.h"
#include "tenon/compiler/codegen/kernel/kernel_emitter.h"

namespace tenon::codegen {

inline constexpr llvm::StringLiteral kEntryName = "tenon_entry";

// In standalone code: the function int32(context, inputs, outputs) that FFI call site
// `site` calls, with arrays of pointers. Any value but 0 ends the run.
inline std::string FfiFunctionName(int64_t site) {
  return "tenon.ffi." + std::to_string(site);
}

class ProgramEmitter {
 public:
  ProgramEmitter(llvm::Module& module, const EmitterOptions& options)
      : module_(module), options_(options), b_(module.getContext()) {}

  // Emits the EntryPoint (tenon/executable/run_context.h), named kEntryName. Declares the
  // kernels.
  Status Emit(ir::ProgramOp program);

 private:
  // Consecutive ops of the program's body that become one function.
  struct Part {
    mlir::Block::iterator begin, end;
  };
  // Splits a long program into parts, one function each, which are called in order.
  // LLVM's compile time grows faster than linearly with the size of a function.
  llvm::SmallVector<Part> Split(mlir::Block& body);
  void LayOutFrame(llvm::ArrayRef<Part> parts);
  Status EmitPart(const Part& part);
  Status EmitParts(llvm::ArrayRef<Part> parts);
  llvm::Function* NewFunction(llvm::StringRef name, bool is_entry);
  // Loads the scalars of earlier parts that `op` uses.
  Status LoadFromFrame(mlir::Operation& op);
  void StoreToFrame(mlir::Operation& op);
  llvm::Value* FrameField(unsigned field);

  // Programs that suspend: program_resume.cc.
  Status EmitResumablePart(const Part& part);
  Status EmitResumableParts(llvm::ArrayRef<Part> parts);
  Status EmitResumable(mlir::Operation& op);
  Status EmitResumableBlock(mlir::Block& block);
  Status EmitResumableWhile(ir::WhileOp loop);
  Status EmitResumableCase(ir::CaseOp choice);
  Status EmitCollective(ir::CollectiveOp collective);
  // Forgets all scalars: the code emitted next does not run after the code before it.
  void BeginSegment();
  // Makes the scalars that `op` uses available, from the frame or by computing constants.
  Status LoadScalars(mlir::Operation& op);
  Status LoadScalar(mlir::Value value);
  void StoreScalar(mlir::Value value, const ElementValue& scalar);
  llvm::Value* FrameSlot(int64_t offset);
  // The function by which the runtime combines two tiles.
  llvm::Value* CombinerOf(ir::CollectiveOp collective);

  Status EmitBlock(mlir::Block& block);
  Status EmitOp(mlir::Operation& op);
  Status EmitLaunch(ir::LaunchOp launch);
  // The launches of a launcher.
  void EmitDeviceLaunches(ir::LaunchOp launch);
  // Ends the run with `code` (i32) if it is not 0.
  void ReturnError(llvm::Value* code);
  // Calls a function of the RuntimeTable that returns a status code.
  void CallTable(uint64_t offset, llvm::ArrayRef<llvm::Value*> arguments);
  Status EmitWhile(ir::WhileOp loop);
  Status EmitCase(ir::CaseOp choice);
  void EmitFfiCall(ir::FfiCallOp call);
  // Stores the addresses of the views in an array of RunBuffers.
  llvm::Value* BufferArray(mlir::OperandRange views);
  // Loads a function of the RuntimeTable.
  llvm::Value* TableFunction(uint64_t offset);
  Status EmitRead(ir::ReadOp read);
  void EmitWrite(ir::WriteOp write);
  void EmitCopy(ir::CopyOp copy);
  // Returns the function that copies a chunk of `bytes` bytes. It is the body of a
  // parallel loop, whose environment holds the target and the source.
  llvm::Function* CopyChunk(int64_t bytes);
  // Returns the address of a view. It is recomputed for each use, so that no pointer
  // stays live across calls.
  llvm::Value* View(mlir::Value view);
  // Tells a traced run which kernel starts next.
  void EmitTraceKernel(int64_t kernel);
  llvm::Value* ContextField(uint64_t offset, llvm::Type* type);
  // Loads array[index].data.
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
  // Scalars that one part computes and another uses, and their first field in the frame.
  llvm::DenseMap<mlir::Value, unsigned> frame_fields_;
  llvm::StructType* frame_type_ = nullptr;
  // Of a program that suspends.
  compiler::ProgramFrame resume_;
  llvm::SwitchInst* resume_switch_ = nullptr;  // at the start of the function
};

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_PROGRAM_PROGRAM_EMITTER_H_
