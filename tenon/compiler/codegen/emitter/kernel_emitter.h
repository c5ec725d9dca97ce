// Emits a tenon.kernel as LLVM functions: one that runs the kernel, and one a phase,
// which does one chunk. One KernelEmitter builds into one LLVM module; not shared between
// threads.
#ifndef TENON_COMPILER_CODEGEN_EMITTER_KERNEL_EMITTER_H_
#define TENON_COMPILER_CODEGEN_EMITTER_KERNEL_EMITTER_H_

#include "llvm/IR/Module.h"
#include "tenon/base/status.h"
#include "tenon/compiler/codegen/contract/contract.h"
#include "tenon/compiler/codegen/emitter/access_analysis.h"
#include "tenon/compiler/codegen/emitter/loops.h"
#include "tenon/compiler/codegen/emitter/point_emitter.h"

namespace tenon::codegen {

struct EmitterOptions {
  TargetTraits target;  // its elementwise options are those of all code
};

class KernelEmitter {
 public:
  KernelEmitter(llvm::Module& module, const EmitterOptions& options)
      : module_(module), options_(options), b_(module.getContext()) {}

  // void @<name>(ptr context, <arguments>): views as pointers, scalars as their parts.
  // Names of other functions have it as one of their parts between dots, or not at all.
  Status Emit(ir::KernelOp kernel, llvm::StringRef name);

 private:
  // Emits the ops of a block: loops, points and, at their end, nothing (the terminator's
  // values are read by the caller).
  Status EmitBlock(mlir::Block& block);
  Status EmitOp(mlir::Operation& op);
  Status EmitMap(ir::MapOp map);
  // The loop of `map`, by `width` lanes, in registers as RegistersPerPeriod has it.
  Status EmitLanes(ir::MapOp map, std::optional<int64_t> trip, int width,
                   std::optional<int> phases);
  Status EmitCopyLoop(ir::MapOp map, const CopyLoop& loop);
  Status EmitTile(ir::TileOp tile);
  void EmitLocal(ir::LocalOp local);
  Status EmitBranch(ir::IfOp branch);
  Status EmitFor(ir::ForOp loop);
  Status EmitReduce(ir::ReduceOp reduce);
  Status EmitSequentialReduce(ir::ReduceOp reduce);
  // The combiner must be reorderable, or select by position.
  Status EmitVectorReduce(ir::ReduceOp reduce, int width);
  Status EmitOrderedReduce(ir::ReduceOp reduce, int width);

  // scan_emitter.cc
  Status EmitScan(ir::ScanOp scan);
  Status EmitSequentialScan(ir::ScanOp scan);
  Status EmitVectorScan(ir::ScanOp scan, int width);

  // The values of one point of `reduce`, in all lanes.
  StatusOr<Values> ReduceValues(ir::ReduceOp reduce, llvm::ArrayRef<IndexValue> indices);
  // Emits one point of `reduce` at `indices` and combines it into `accumulators`.
  StatusOr<Values> ReducePoint(ir::ReduceOp reduce, llvm::ArrayRef<IndexValue> indices,
                               llvm::ArrayRef<llvm::Value*> accumulators);
  // combiner(x, y), where each side has combined some points of `reduce`, in any order.
  StatusOr<Values> CombinePartial(ir::ReduceOp reduce, llvm::ArrayRef<llvm::Value*> x,
                                  llvm::ArrayRef<llvm::Value*> y);
  // combiner(x, y), of the accumulators' parts.
  StatusOr<Values> Combine(mlir::Block& combiner, llvm::ArrayRef<llvm::Value*> x,
                           llvm::ArrayRef<llvm::Value*> y);

  Status EmitParallel(ir::ParallelOp parallel, llvm::Value* chunk);
  // A structured op as part of a chunk: its phases one after another.
  Status EmitInChunk(mlir::Operation& op);
  Status EmitPhases(mlir::Operation& op, int index);

  // Starts function `name`(ptr context, ptr env, i64 chunk) with the kernel's arguments
  // bound.
  llvm::Function* BeginPhase(const std::string& name);
  void EndPhase();
  // Runs all chunks of a phase, numbered `number` in the kernel's environment.
  void CallPhase(llvm::Function* phase, int64_t number, int64_t chunks);
  static constexpr int64_t kNoNumber = -1;

  llvm::Module& module_;
  EmitterOptions options_;
  llvm::IRBuilder<> b_;
  std::unique_ptr<PointEmitter> points_;
  ir::KernelOp kernel_;
  std::string name_;
  llvm::StructType* env_type_ = nullptr;  // the kernel's arguments, then a phase's number
  llvm::Value* env_ = nullptr;            // in the kernel's function
  llvm::Value* kernel_context_ = nullptr;
  llvm::BasicBlock* kernel_block_ = nullptr;  // where the next phase is run
  bool narrow_indices_ = false;
};

// Runs body(context, env, chunk) for all chunks on the compute team.
void EmitParallelFor(llvm::IRBuilderBase& b, llvm::Value* context, llvm::Function* body,
                     llvm::Value* env, int64_t chunks);

// The parts of values, in order, and back: what loops carry.
Values FlattenParts(llvm::ArrayRef<ElementValue> values);
llvm::SmallVector<ElementValue> UnflattenParts(mlir::TypeRange types,
                                               llvm::ArrayRef<llvm::Value*> parts);

// The ops of a block, nested ones included.
size_t CountOps(mlir::Block& block);

// Lanes for the points of `block`: a vector register of its widest element, few apart.
int ChooseWidth(mlir::Block& block, const TargetTraits& target);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_EMITTER_KERNEL_EMITTER_H_
