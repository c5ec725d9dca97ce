// Collectives. In a program for one device every group has one member, the device itself.
#include "mlir/IR/IRMapping.h"
#include "tenon/compiler/legalize/graph_builder.h"
#include "tenon/compiler/legalize/legalize.h"

namespace tenon::compiler {
namespace {

using mlir::LogicalResult;
using mlir::PatternRewriter;
using mlir::Value;

// Replaces the op by its operands. If the types differ, the program was written for
// larger groups, and the op stays.
LogicalResult ForwardOperands(mlir::Operation* op, PatternRewriter& rewriter) {
  if (op->getOperandTypes() != op->getResultTypes()) return mlir::failure();
  rewriter.replaceOp(op, op->getOperands());
  return mlir::success();
}

template <typename Op>
LogicalResult Forward(Op op, PatternRewriter& rewriter) {
  return ForwardOperands(op, rewriter);
}

// Either a pair sends the device's data to the device itself, or no pair does and the
// result is zeros.
LogicalResult RewritePermute(stablehlo::CollectivePermuteOp op,
                             PatternRewriter& rewriter) {
  auto pairs = op.getSourceTargetPairs().getValues<int64_t>();
  for (size_t i = 0; i + 1 < pairs.size(); i += 2)
    if (pairs[i] == 0 && pairs[i + 1] == 0) return ForwardOperands(op, rewriter);
  GraphBuilder g(rewriter, op.getLoc());
  rewriter.replaceOp(op, g.Like(op.getOperand(), 0));
  return mlir::success();
}

// If the root is given at run time, the first operand is its number.
template <typename Op>
LogicalResult ForwardFromRoot(Op op, PatternRewriter& rewriter) {
  if (!op.getHasDynamicRoot()) return ForwardOperands(op, rewriter);
  auto data = op.getOperands().drop_front();
  if (mlir::TypeRange(data) != mlir::TypeRange(op.getResultTypes()))
    return mlir::failure();
  rewriter.replaceOp(op, data);
  return mlir::success();
}

template <typename Op>
LogicalResult RewriteId(Op op, PatternRewriter& rewriter) {
  GraphBuilder g(rewriter, op.getLoc());
  rewriter.replaceOp(op, g.Like(op.getResult(), 0));
  return mlir::success();
}

// An older name for an all_reduce that adds.
LogicalResult RewriteSum(stablehlo::CrossReplicaSumOp op, PatternRewriter& rewriter) {
  auto reduce = stablehlo::AllReduceOp::create(
      rewriter, op.getLoc(), mlir::TypeRange(op.getResult().getType()),
      mlir::ValueRange(op.getOperand()), op.getReplicaGroups(),
      stablehlo::ChannelHandleAttr(), /*use_global_device_ids=*/false);
  auto scalar = mlir::RankedTensorType::get(
      {}, llvm::cast<mlir::RankedTensorType>(op.getOperand().getType()).getElementType());
  mlir::Block* body = rewriter.createBlock(&reduce.getComputation(), {}, {scalar, scalar},
                                           {op.getLoc(), op.getLoc()});
  mlir::Value sum = stablehlo::AddOp::create(rewriter, op.getLoc(), body->getArgument(0),
                                             body->getArgument(1));
  stablehlo::ReturnOp::create(rewriter, op.getLoc(), sum);
  rewriter.replaceOp(op, reduce.getResults());
  return mlir::success();
}

}  // namespace

void InlineAsyncOps(mlir::ModuleOp module) {
  llvm::SmallVector<stablehlo::AsyncDoneOp> ends;
  module.walk([&](stablehlo::AsyncDoneOp op) { ends.push_back(op); });
  for (stablehlo::AsyncDoneOp end : ends) {
    auto start = end.getOperand().getDefiningOp<stablehlo::AsyncStartOp>();
    if (!start || !start->hasOneUse()) continue;
    mlir::Block& body = start.getBody().front();
    mlir::Operation* terminator = body.getTerminator();
    if (terminator->getOperandTypes() != end->getResultTypes()) continue;
    mlir::IRMapping mapping;
    mapping.map(body.getArguments(), start.getOperands());
    mlir::OpBuilder b(start);
    for (mlir::Operation& inner : body.without_terminator()) b.clone(inner, mapping);
    end.getResult().replaceAllUsesWith(
        mapping.lookupOrDefault(terminator->getOperand(0)));
    end.erase();
    start.erase();
  }
}

void PopulateCollectivePatterns(mlir::RewritePatternSet& patterns, bool on_one_device) {
  if (!on_one_device) {
    patterns.add(RewriteSum);
    return;
  }
  patterns.add(Forward<stablehlo::AllGatherOp>);
  patterns.add(Forward<stablehlo::AllReduceOp>);
  patterns.add(Forward<stablehlo::ReduceScatterOp>);
  patterns.add(Forward<stablehlo::AllToAllOp>);
  patterns.add(Forward<stablehlo::CrossReplicaSumOp>);
  patterns.add(ForwardFromRoot<stablehlo::CollectiveBroadcastOp>);
  patterns.add(ForwardFromRoot<stablehlo::CollectiveReduceOp>);
  patterns.add(RewritePermute);
  patterns.add(RewriteId<stablehlo::PartitionIdOp>);
  patterns.add(RewriteId<stablehlo::ReplicaIdOp>);
}

}  // namespace tenon::compiler
