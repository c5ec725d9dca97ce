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

// If the root is given at run time, the last operand is its number.
template <typename Op>
LogicalResult ForwardFromRoot(Op op, PatternRewriter& rewriter) {
  if (!op.getHasDynamicRoot()) return ForwardOperands(op, rewriter);
  auto data = op.getOperands().drop_back();
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

// A reducer may compute in a type to which the operands are promoted.
template <typename Op>
LogicalResult PromoteOperands(Op op, PatternRewriter& rewriter) {
  GraphBuilder g(rewriter, op.getLoc());
  Values operands;
  bool promotes = false;
  for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
    // The last operand may be roots, without a result.
    mlir::Type element = ElementOf(
        number < op->getNumResults() ? Value(op->getResult(static_cast<unsigned>(number)))
                                     : operand);
    promotes |= element != ElementOf(operand);
    operands.push_back(g.Convert(operand, element));
  }
  if (!promotes) return mlir::failure();
  rewriter.modifyOpInPlace(op, [&] { op->setOperands(operands); });
  return mlir::success();
}

// Each part of the rows that the device sends goes to the device itself.
LogicalResult RewriteRaggedAllToAll(stablehlo::CustomCallOp op,
                                    PatternRewriter& rewriter) {
  if (!stablehlo::IsRaggedAllToAll(op) || op->getNumOperands() != 6 ||
      op->getNumResults() != 1)
    return mlir::failure();
  Value operand = op->getOperand(0), result = op->getOperand(1);
  Dims in = ShapeOf(operand), out = ShapeOf(result), parts = ShapeOf(op->getOperand(2));
  if (in.empty() || in.drop_front() != out.drop_front() || parts.size() != 1 ||
      op->getResultTypes()[0] != result.getType() ||
      ElementOf(operand) != ElementOf(result) ||
      !llvm::all_of(op->getOperands().drop_front(2),
                    [&](Value numbers) { return ShapeOf(numbers) == parts; }))
    return mlir::failure();
  GraphBuilder g(rewriter, op.getLoc());
  mlir::Type index = rewriter.getI64Type();
  DimList padding(in.size(), 0);
  padding[0] = out[0];
  Value padded = g.Pad(operand, g.Constant(ElementOf(operand), {}, 0), padding, padding);
  Value row = g.Iota(index, out, 0);
  for (int64_t i = 0; i < parts[0]; ++i) {
    auto number = [&](unsigned array) {
      return g.Convert(g.Reshape(g.SliceDim(op->getOperand(array), 0, i, i + 1), {}),
                       index);
    };
    Value from = number(2), rows = number(3), to = number(4);
    // Rows of the operand, shifted to their places.
    Value start = g.Add(g.Sub(from, to), g.IntegerLike(from, out[0]));
    Value shifted = g.DynamicSliceDim(padded, start, 0, out[0]);
    auto splat = [&](Value scalar) { return g.Broadcast(scalar, out, {}); };
    Value inside =
        g.And(g.Compare(row, splat(to), stablehlo::ComparisonDirection::GE),
              g.Compare(row, splat(g.Add(to, rows)), stablehlo::ComparisonDirection::LT));
    result = g.Select(inside, shifted, result);
  }
  rewriter.replaceOp(op, result);
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
    if (!start) continue;
    const llvm::SetVector<mlir::Operation*> users(start->user_begin(), start->user_end());
    for (mlir::Operation* user : users)
      if (IsControlDependency(user)) user->erase();
    if (!start->hasOneUse()) continue;
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

void PopulateCollectivePatterns(mlir::RewritePatternSet& patterns,
                                const stablehlo::ProcessGrid& grid) {
  patterns.add(PromoteOperands<stablehlo::AllReduceOp>);
  patterns.add(PromoteOperands<stablehlo::ReduceScatterOp>);
  patterns.add(PromoteOperands<stablehlo::CollectiveReduceOp>);
  if (grid.size() > 1) {
    patterns.add(RewriteSum);
    PopulateCollectiveReducePatterns(patterns, grid);
    return;
  }
  patterns.add(RewriteRaggedAllToAll);
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
