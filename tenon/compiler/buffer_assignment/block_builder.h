// Builds the blocks of a program from the blocks of a fused function.
#ifndef TENON_COMPILER_BUFFER_ASSIGNMENT_BLOCK_BUILDER_H_
#define TENON_COMPILER_BUFFER_ASSIGNMENT_BLOCK_BUILDER_H_

#include <vector>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "tenon/compiler/analysis/host_scalars.h"
#include "tenon/compiler/buffer_assignment/kernel_cache.h"
#include "tenon/compiler/buffer_assignment/shared_segments.h"
#include "tenon/compiler/buffer_assignment/value_buffers.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/stablehlo/process_groups.h"
#include "tenon/dialects/tenon/tenon_ops.h"
#include "tenon/executable/image.h"

namespace tenon::compiler {

class BlockBuilder {
 public:
  // `share`: whether temporaries of several devices may be in one memory. `keep_packed`:
  // ProgramOptions::keep_packed.
  BlockBuilder(mlir::ModuleOp module, mlir::func::FuncOp function,
               const TargetTraits& target, const stablehlo::ProcessGrid& grid, bool share,
               bool keep_packed)
      : module_(module),
        b_(module.getContext()),
        hosts_(function, target.device != nullptr),
        value_buffers_(function, b_),
        cost_(target.cost),
        grid_(grid),
        share_(share),
        keep_packed_(keep_packed),
        kernels_(mlir::OpBuilder::atBlockEnd(module.getBody()), target) {}

  mlir::OpBuilder& builder() { return b_; }
  ValueBuffers& value_buffers() { return value_buffers_; }
  const HostScalars& hosts() const { return hosts_; }

  // Builds the ops of `block`, without its terminator, at the builder's insertion point.
  // UNIMPLEMENTED, naming op and location, for unsupported ops.
  Status BuildBlock(mlir::Block& block);
  // Moves the arrays among `values` into their `targets`, and collects the scalars, which
  // have no target, in `scalars`.
  Status BuildYield(llvm::ArrayRef<mlir::Value> values,
                    llvm::ArrayRef<std::optional<Buffer>> targets,
                    llvm::SmallVector<mlir::Value>& scalars);

  // All calls built so far.
  std::vector<ImageFfiCall>& ffi_calls() { return ffi_calls_; }
  std::vector<ImageCollective>& collectives() { return collectives_; }
  std::vector<ImagePackedOperand>& packed_operands() { return packed_operands_; }
  const SharedSegments& shared_segments() const { return shared_segments_; }
  // Infinite if it contains a loop whose trip count is not known.
  double estimated_ns() const { return estimated_ns_; }

 private:
  struct Move {
    Buffer from, to;
  };

  // Adds `ns` for each execution of the block under construction.
  void AddCost(double ns) {
    if (ns > 0 && loop_factor_ > 0) estimated_ns_ += ns * loop_factor_;
  }
  void BuildCopy(mlir::Location loc, mlir::Value from, mlir::Value to);
  Status BuildOp(mlir::Operation& op);
  Status BuildFusion(ir::FusionOp fusion);
  void MarkParameter(ir::FusionOp fusion);
  // Appends the arguments of the kernel's launch.
  Status LaunchArguments(ir::FusionOp fusion, const BuiltKernel& kernel,
                         llvm::ArrayRef<Buffer> outputs,
                         llvm::SmallVectorImpl<mlir::Value>& arguments);
  StatusOr<mlir::Value> PackedView(ir::FusionOp fusion, const BuiltKernel& kernel,
                                   int64_t number, mlir::Type type);
  // A parallel copy: storage that is both read and written is read before it is written.
  void BuildMoves(llvm::MutableArrayRef<Move> moves);
  Status BuildWhile(stablehlo::WhileOp op);
  Status BuildBranches(mlir::Operation& op, mlir::Value index,
                       llvm::MutableArrayRef<mlir::Region> branches);
  // Results of control flow are arrays in `buffers`, or the next of `scalars` if null.
  void SetResults(mlir::ResultRange results,
                  llvm::ArrayRef<std::optional<Buffer>> buffers,
                  mlir::ValueRange scalars);
  Status BuildConstant(stablehlo::ConstantOp constant);
  Status BuildCustomCall(stablehlo::CustomCallOp call);
  Status BuildCollective(mlir::Operation& op);
  // Where the collective `op`, described by `site`, writes its result number `number`.
  StatusOr<Buffer> CollectiveDestination(mlir::Operation& op, const ImageCollective& site,
                                         size_t number);
  Status BuildView(mlir::Operation& op);
  Status BuildScalar(mlir::Operation& op);
  // Reads the values among these that the host has.
  void ReadScalars(mlir::ValueRange values, mlir::Location loc);

  mlir::ModuleOp module_;
  mlir::OpBuilder b_;
  HostScalars hosts_;
  ValueBuffers value_buffers_;
  CostModel cost_;
  stablehlo::ProcessGrid grid_;
  const bool share_;
  const bool keep_packed_;
  KernelCache kernels_;
  llvm::DenseMap<mlir::Attribute, ir::ConstantDataOp> constants_;
  int64_t constant_bytes_ = 0;
  std::vector<ImageFfiCall> ffi_calls_;
  std::vector<ImageCollective> collectives_;
  std::vector<ImagePackedOperand> packed_operands_;
  SharedSegments shared_segments_;
  double estimated_ns_ = 0;
  double loop_factor_ = 1;  // how often the block under construction runs
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_BUFFER_ASSIGNMENT_BLOCK_BUILDER_H_
