// Attention as one tenon.attention, for devices with matrix instructions.
#include "tenon/compiler/kernels/attention_builder.h"
#include "tenon/compiler/targets/device_target.h"
#include "tenon/compiler/targets/matrix_instructions.h"
#include "tenon/dialects/tenon/attention_op.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::compiler {

std::optional<Softmax> AttentionBuilder::StreamedSoftmax() {
  if (!target_.device || !target_.device->matrix || scores_.size() != 1 ||
      products_.size() != 1 || !element_results_.empty() || products_.front().over_rows)
    return std::nullopt;
  const ProductViews& views = scores_.front().views;
  const Product& product = products_.front();
  const mlir::Type type = views.lhs.getElementType();
  if (product.other_type.getElementType() != type ||
      weights_.front().rows.element != type ||
      !CanStreamAttention(*target_.device->matrix, ir::ElementTypeOf(type),
                          views.lhs.getDimSize(2), compiler::Product(product.free)))
    return std::nullopt;
  auto softmax = FindSoftmax(weights_.front().value, /*ignores_rounding=*/false);
  if (!softmax || !ElementOf(softmax->scores).isF32() ||
      !IsOfPoint(softmax->scores, scores_.front().dot,
                 [&](mlir::Operation* op) { return op->getBlock() == &frame_.region(); }))
    return std::nullopt;
  for (auto reduce : frame_.region().getOps<stablehlo::ReduceOp>())
    if (!softmax->IsReduction(reduce)) return std::nullopt;
  return softmax;
}

Status AttentionBuilder::BuildStreamed(const Softmax& softmax) {
  Scores& scores = scores_.front();
  Product& product = products_.front();
  scores.stored_value = softmax.scores;
  TENON_RETURN_IF_ERROR(AddOperands());
  frame_.built().estimated_ns =
      EstimatePointNs(frame_) * compiler::Product(ShapeOf(frame_.yields()[0]));
  mlir::OpBuilder b =
      mlir::OpBuilder::atBlockEnd(&frame_.built().kernel.getBody().front());
  auto op = ir::AttentionOp::create(b, frame_.loc(), scores.lhs, scores.rhs.view,
                                    product.other.view);
  auto add_block = [&](mlir::Region& region, int indices, int scalars) {
    mlir::Block* block = b.createBlock(&region);
    for (int i = 0; i < indices; ++i) block->addArgument(b.getIndexType(), frame_.loc());
    for (int i = 0; i < scalars; ++i)
      block->addArgument(mlir::RankedTensorType::get({}, b.getF32Type()), frame_.loc());
    return block;
  };
  mlir::Block* score = add_block(op.getScore(), 3, 1);
  KernelBlock epilogue(frame_, score);
  TENON_ASSIGN_OR_RETURN(mlir::Value value, ScoreAt(epilogue, scores, score,
                                                    score->getArgument(0), nullptr));
  b.setInsertionPointToEnd(score);
  ir::YieldOp::create(b, frame_.loc(), value);
  mlir::Block* result = add_block(op.getResult(), 3, 1);
  TENON_RETURN_IF_ERROR(StoreProduct(product, result, result->getArgument(0), nullptr));
  mlir::Block* row = add_block(op.getRow(), 2, 2);
  return row_results_.empty() ? OkStatus() : StoreRowResults(softmax, row);
}

Status AttentionBuilder::StoreRowResults(const Softmax& softmax, mlir::Block* block) {
  KernelBlock body(frame_, block);
  PointBuilder& points = body.points();
  auto outer = RowIndices(body.index(), block->getArgument(0), block->getArgument(1));
  points.BindPoint(softmax.maximum, outer, block->getArgument(2));
  points.BindPoint(softmax.sum, outer, block->getArgument(3));
  for (int64_t number : row_results_) {
    mlir::Value result = frame_.yields()[number];
    auto indices = outer;
    if (ShapeOf(result).size() > outer.size())
      indices.push_back(body.index().Constant(0));
    TENON_ASSIGN_OR_RETURN(mlir::Value value, points.At(result, indices, nullptr));
    BuildStore(points, value, frame_.output(number), indices);
  }
  return OkStatus();
}

}  // namespace tenon::compiler
