// Emits a tenon.kernel as LLVM functions: one function runs the kernel, and one function
// for each phase runs a chunk of the phase. One KernelEmitter builds into one LLVM
// module; not shared between threads.
#ifndef TENON_COMPILER_CODEGEN_KERNEL_KERNEL_EMITTER_H_
#define TENON_COMPILER_CODEGEN_KERNEL_KERNEL_EMITTER_H_

#include "llvm/IR/Module.h"
#include "tenon/base/status.h"
#include "tenon/compiler/codegen/contract/contract.h"
#include "tenon/compiler/codegen/ir/loops.h"
#include "tenon/compiler/codegen/kernel/access_analysis.h"
#include "tenon/compiler/codegen/point/point_emitter.h"

namespace tenon::codegen {

struct EmitterOptions {
  TargetTraits target;  // its elementwise options apply to all code
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
  // Emits the ops of a block: loops and ops of a point. Emits nothing for the terminator;
  // the caller reads its operands.
  Status EmitBlock(mlir::Block& block);
  Status EmitOp(mlir::Operation& op);
  Status EmitMap(ir::MapOp map);
  // Emits the loop of `map` by `width` lanes. `phases`: the result of RegistersPerPeriod.
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

  // Defined in scan_emitter.cc.
  Status EmitScan(ir::ScanOp scan);
  Status EmitSequentialScan(ir::ScanOp scan);
  Status EmitVectorScan(ir::ScanOp scan, int width);

  // Emits one point of `reduce` and returns its values in all lanes.
  StatusOr<Values> ReduceValues(ir::ReduceOp reduce, llvm::ArrayRef<IndexValue> indices);
  // Emits one point of `reduce` at `indices` and combines it into `accumulators`.
  StatusOr<Values> ReducePoint(ir::ReduceOp reduce, llvm::ArrayRef<IndexValue> indices,
                               llvm::ArrayRef<llvm::Value*> accumulators);
  // Returns combiner(x, y), where x and y are partial results over any points of
  // `reduce`.
  StatusOr<Values> CombinePartial(ir::ReduceOp reduce, llvm::ArrayRef<llvm::Value*> x,
                                  llvm::ArrayRef<llvm::Value*> y);
  // Returns combiner(x, y). All three are parts of accumulators.
  StatusOr<Values> Combine(mlir::Block& combiner, llvm::ArrayRef<llvm::Value*> x,
                           llvm::ArrayRef<llvm::Value*> y);

  Status EmitParallel(ir::ParallelOp parallel, llvm::Value* chunk);
  // Emits a structured op inside a chunk: its phases, one after another.
  Status EmitInChunk(mlir::Operation& op);
  Status EmitPhases(mlir::Operation& op, int index);

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
  std::unique_ptr<PointEmitter> points_;
  ir::KernelOp kernel_;
  std::string name_;
  llvm::StructType* env_type_ = nullptr;  // its arguments, then the phase's number
  llvm::Value* env_ = nullptr;            // in the kernel's function
  llvm::Value* kernel_context_ = nullptr;
  llvm::BasicBlock* kernel_block_ = nullptr;  // where the call of the next phase goes
  bool narrow_indices_ = false;
};

// Runs body(context, env, chunk) for all chunks on the compute team.
void EmitParallelFor(llvm::IRBuilderBase& b, llvm::Value* context, llvm::Function* body,
                     llvm::Value* env, int64_t chunks);

// The parts of values in order, which is the form in which loops carry them, and back.
Values FlattenParts(llvm::ArrayRef<ElementValue> values);
llvm::SmallVector<ElementValue> UnflattenParts(mlir::TypeRange types,
                                               llvm::ArrayRef<llvm::Value*> parts);

// Returns the number of ops in a block, nested ones included.
size_t CountOps(mlir::Block& block);

// Returns the number of lanes for the points of `block`: as many of its widest elements
// as a vector register holds. Wide elements that are rare do not count.
int ChooseWidth(mlir::Block& block, const TargetTraits& target);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_KERNEL_KERNEL_EMITTER_H_
