// Builds the ops of a program's blocks from those of a fused function.
#ifndef TENON_COMPILER_BUFFER_ASSIGNMENT_BLOCK_BUILDER_H_
#define TENON_COMPILER_BUFFER_ASSIGNMENT_BLOCK_BUILDER_H_

#include <vector>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "tenon/compiler/buffer_assignment/kernel_cache.h"
#include "tenon/compiler/buffer_assignment/value_places.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/tenon_ops.h"
#include "tenon/executable/image.h"

namespace tenon::compiler {

class BlockBuilder {
 public:
  BlockBuilder(mlir::ModuleOp module, mlir::func::FuncOp function,
               const TargetTraits& target)
      : module_(module),
        b_(module.getContext()),
        places_(function, b_),
        cost_(target.cost),
        kernels_(mlir::OpBuilder::atBlockEnd(module.getBody()), target) {}

  mlir::OpBuilder& builder() { return b_; }
  ValuePlaces& places() { return places_; }

  // The ops of `block` without its terminator, at the builder's insertion point. Errors:
  // UNIMPLEMENTED, naming op and location.
  Status BuildBlock(mlir::Block& block);
  // The scalars of `values`, and moves of their arrays into `targets` (no entry: a
  // scalar).
  Status BuildYield(llvm::ArrayRef<mlir::Value> values,
                    llvm::ArrayRef<std::optional<Buffer>> targets,
                    llvm::SmallVector<mlir::Value>& scalars);

  // Of all that is built so far.
  std::vector<ImageFfiCall>& ffi_calls() { return ffi_calls_; }
  // Infinite if it contains a loop whose trip count is not known.
  double estimated_ns() const { return estimated_ns_; }

 private:
  struct Move {
    Buffer from, to;
  };

  // Adds the time of one execution of what is built now.
  void AddCost(double ns) {
    if (ns > 0 && loop_factor_ > 0) estimated_ns_ += ns * loop_factor_;
  }
  void BuildCopy(mlir::Location loc, mlir::Value from, mlir::Value to);
  Status BuildOp(mlir::Operation& op);
  Status BuildFusion(ir::FusionOp fusion);
  // Copies all at once, as it were: what is both read and written is read first.
  void BuildMoves(llvm::MutableArrayRef<Move> moves);
  Status BuildWhile(stablehlo::WhileOp op);
  Status BuildBranches(mlir::Operation& op, mlir::Value index,
                       llvm::MutableArrayRef<mlir::Region> branches);
  // Results of control flow are arrays in `buffers` or (no entry) the next of `scalars`.
  void SetResults(mlir::ResultRange results,
                  llvm::ArrayRef<std::optional<Buffer>> buffers,
                  mlir::ValueRange scalars);
  Status BuildConstant(stablehlo::ConstantOp constant);
  Status BuildCustomCall(stablehlo::CustomCallOp call);
  Status BuildReshape(stablehlo::ReshapeOp reshape);
  Status BuildScalar(mlir::Operation& op);

  mlir::ModuleOp module_;
  mlir::OpBuilder b_;
  ValuePlaces places_;
  CostModel cost_;
  KernelCache kernels_;
  llvm::DenseMap<mlir::Attribute, ir::ConstantDataOp> constants_;
  int64_t constant_bytes_ = 0;
  std::vector<ImageFfiCall> ffi_calls_;
  double estimated_ns_ = 0;
  double loop_factor_ = 1;  // how often the block under construction runs
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_BUFFER_ASSIGNMENT_BLOCK_BUILDER_H_
