// The parts that builders of all kinds of kernel share: the kernel op, its arguments, and
// loop nests.
#ifndef TENON_COMPILER_KERNELS_KERNEL_FRAME_H_
#define TENON_COMPILER_KERNELS_KERNEL_FRAME_H_

#include "tenon/compiler/kernels/build_kernel.h"
#include "tenon/compiler/kernels/point_builder.h"
#include "tenon/compiler/plan/structured_plan.h"
#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::compiler {

class KernelFrame {
 public:
  KernelFrame(ir::FusionOp fusion, llvm::StringRef name, const TargetTraits& target,
              mlir::OpBuilder& b);

  ir::FusionOp fusion() { return fusion_; }
  const TargetTraits& target() const { return target_; }
  const CostModel& cost() const { return target_.cost; }
  mlir::Location loc() { return fusion_.getLoc(); }
  mlir::Block& region() { return fusion_.getBody().front(); }
  mlir::OperandRange yields() { return region().getTerminator()->getOperands(); }

  // Adds an argument. Several arguments may take the same operand of the fusion.
  mlir::Value AddInput(int64_t number, mlir::Type type);
  mlir::Value AddOutput(int64_t number, mlir::Type type);
  mlir::Value AddScratch(int64_t bytes);
  mlir::Value AddScratch(mlir::MemRefType view);
  // Sets the size of the scratch argument once it is known.
  void SetScratch(mlir::Value scratch, int64_t bytes);
  // Adds an argument for the packed form of operand `number`.
  mlir::Value AddPacked(int64_t number, int64_t bytes, std::string layout);
  // Adds an argument, dense or scalar, for every operand that the region uses, except
  // those in `skip`, and records it for Bind.
  void AddInputs(llvm::ArrayRef<int64_t> skip = {});
  // Adds a dense view for every result.
  void AddOutputs();
  mlir::Value output(int64_t number) { return outputs_[number]; }
  // Binds the fusion's operands to their arguments in `points`.
  void Bind(PointBuilder& points);
  void BindInput(int64_t number, mlir::Value view) { inputs_[number] = view; }

  // Starts a phase over `sizes` at the end of the kernel's body. Returns its block.
  mlir::Block* AddParallel(llvm::ArrayRef<int64_t> sizes, int64_t grain);

  BuiltKernel& built() { return built_; }
  mlir::OpBuilder& builder() { return b_; }

 private:
  ir::FusionOp fusion_;
  const TargetTraits& target_;
  mlir::OpBuilder b_;
  BuiltKernel built_;
  llvm::DenseMap<int64_t, mlir::Value> inputs_;
  llvm::SmallVector<mlir::Value> outputs_;
};

// A block of a kernel under construction, with a PointBuilder to which the fusion's
// operands are bound.
class KernelBlock {
 public:
  KernelBlock(KernelFrame& frame, mlir::Block* block);
  // The body of a new phase, with the ranges of its arguments declared.
  KernelBlock(KernelFrame& frame, llvm::ArrayRef<int64_t> sizes, int64_t grain);

  LevelStack& levels() { return levels_; }
  PointBuilder& points() { return points_; }
  IndexBuilder& index() { return points_.index(); }
  llvm::SmallVector<mlir::Value> arguments() const {
    return {block_->args_begin(), block_->args_end()};
  }

 private:
  mlir::Block* block_;
  LevelStack levels_;
  PointBuilder points_;
};

// Builds loops inside the current level: sequential over sizes[:-1] and vectorized over
// the last one, around `point` with all indices. Without sizes, builds `point` alone.
Status BuildLoops(PointBuilder& points, llvm::ArrayRef<int64_t> sizes,
                  llvm::function_ref<Status(llvm::ArrayRef<mlir::Value>)> point);
// Like BuildLoops, but every loop is sequential: points may depend on earlier ones.
Status BuildSequentialLoops(
    PointBuilder& points, llvm::ArrayRef<int64_t> sizes,
    llvm::function_ref<Status(llvm::ArrayRef<mlir::Value>)> point);
// A vectorized loop over [lower, upper) around `point`; `last` is the largest possible
// index.
Status BuildMap(PointBuilder& points, mlir::Value lower, mlir::Value upper, int64_t last,
                llvm::function_ref<Status(mlir::Value)> point);
// Like BuildMap, over a row that is split where an op changes its source (attribute
// row_starts). In each part the index has a known range, so a concatenate or pad reads
// one operand without a mask.
Status BuildRowMap(KernelFrame& frame, PointBuilder& points, mlir::Value lower,
                   mlir::Value upper, int64_t length,
                   llvm::function_ref<Status(mlir::Value)> point);
// Like BuildMap, but sequential.
Status BuildFor(PointBuilder& points, mlir::Value lower, mlir::Value upper, int64_t last,
                llvm::function_ref<Status(mlir::Value)> point);
// Builds `then`, which runs if `condition` (i1) holds.
Status BuildIf(PointBuilder& points, mlir::Value condition,
               llvm::function_ref<Status()> then);
// Stores all results of the fusion at `indices`, or those with the given numbers.
Status StoreResults(KernelFrame& frame, PointBuilder& points,
                    llvm::ArrayRef<mlir::Value> indices);
Status StoreResults(KernelFrame& frame, PointBuilder& points,
                    llvm::ArrayRef<mlir::Value> indices, llvm::ArrayRef<int64_t> numbers);
void BuildStore(PointBuilder& points, mlir::Value value, mlir::Value view,
                llvm::ArrayRef<mlir::Value> indices, mlir::Value mask = nullptr);

// The number of the fusion operand that `value`, a value in its region, refers to: the
// operand that is updated in place.
StatusOr<int64_t> UpdatedOperand(mlir::Value value);

// Plans `op`, the only structured op of `frame`, and sets the frame's scratch size and
// estimated time from the plan.
StatusOr<StructuredPlan> PlanKernel(KernelFrame& frame, mlir::Operation& op,
                                    mlir::Value scratch);

// Roughly estimates the single-thread nanoseconds of one point of the fusion's results.
double EstimatePointNs(KernelFrame& frame);

// One builder for each kind of kernel. Each fills a frame.
Status BuildLoopKernel(KernelFrame& frame);
Status BuildInterchangedLoopKernel(KernelFrame& frame);
Status BuildConcatenateKernel(KernelFrame& frame);
Status BuildScanKernel(KernelFrame& frame);
Status BuildUpdateSliceKernel(KernelFrame& frame);
Status BuildScatterKernel(KernelFrame& frame);
Status BuildSelectAndScatterKernel(KernelFrame& frame);
Status BuildContractKernel(KernelFrame& frame);
Status BuildAttentionKernel(KernelFrame& frame);
Status BuildConvolutionKernel(KernelFrame& frame);
Status BuildFftKernel(KernelFrame& frame);
Status BuildLinalgKernel(KernelFrame& frame);
Status BuildSortKernel(KernelFrame& frame);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_KERNELS_KERNEL_FRAME_H_
