// Rewrites einsum, unary_einsum and torch_index_select to the more general ops of which
// they are special cases.
#include <optional>

#include "tenon/compiler/legalize/graph_builder.h"
#include "tenon/compiler/legalize/legalize.h"

namespace tenon::compiler {
namespace {

using mlir::LogicalResult;
using mlir::PatternRewriter;
using mlir::Value;

// One label per dimension. `...` covers the dimensions without a label of their own;
// these are labelled by their distance from its end, with numbers below all letters.
using Labels = llvm::SmallVector<int>;

std::optional<Labels> ParseLabels(llvm::StringRef text, int64_t rank) {
  Labels labels;
  std::string letters = text.str();
  llvm::erase(letters, ' ');
  text = letters;
  int64_t named = llvm::count_if(text, [](char c) { return c != '.'; });
  while (!text.empty()) {
    if (text.consume_front("...")) {
      for (int64_t left = rank - named; left > 0; --left)
        labels.push_back(-static_cast<int>(left));
      continue;
    }
    if (text.front() == '.') return std::nullopt;
    labels.push_back(text.front());
    text = text.drop_front();
  }
  if (static_cast<int64_t>(labels.size()) != rank) return std::nullopt;
  llvm::SmallDenseSet<int> seen;
  for (int label : labels)
    if (!seen.insert(label).second) return std::nullopt;  // diagonals are not supported
  return labels;
}

// Sums over the labels that are neither in `kept` nor in `other`.
void SumLeftOver(GraphBuilder& g, Value& x, Labels& labels, const Labels& kept,
                 const Labels& other) {
  DimList dims;
  Labels left;
  for (auto [d, label] : llvm::enumerate(labels)) {
    if (llvm::is_contained(kept, label) || llvm::is_contained(other, label))
      left.push_back(label);
    else
      dims.push_back(d);
  }
  if (!dims.empty()) x = g.Sum(x, dims);
  labels = left;
}

// Transposes `x` to the label order of `to`.
Value Arrange(GraphBuilder& g, Value x, const Labels& from, const Labels& to) {
  DimList permutation;
  for (int label : to) permutation.push_back(llvm::find(from, label) - from.begin());
  return g.Transpose(x, permutation);
}

// Returns the output's labels; those of `...` come from the operands.
std::optional<Labels> OutputLabels(llvm::StringRef text, mlir::Type type,
                                   llvm::ArrayRef<Labels> operands) {
  auto labels = ParseLabels(text, llvm::cast<mlir::RankedTensorType>(type).getRank());
  if (!labels) return std::nullopt;
  for (int label : *labels)
    if (llvm::none_of(operands, [&](const Labels& operand) {
          return llvm::is_contained(operand, label);
        }))
      return std::nullopt;
  return labels;
}

LogicalResult RewriteEinsum(stablehlo::EinsumOp op, PatternRewriter& rewriter) {
  auto [inputs, output] = op.getEinsumConfig().split("->");
  auto [left_text, right_text] = inputs.split(',');
  Value x = op.getLhs(), y = op.getRhs();
  auto left = ParseLabels(left_text, TypeOf(x).getRank());
  auto right = ParseLabels(right_text, TypeOf(y).getRank());
  if (!left || !right) return mlir::failure();
  auto result = OutputLabels(output, op.getType(), {*left, *right});
  if (!result) return mlir::failure();
  for (auto [d, label] : llvm::enumerate(*left)) {
    auto other = llvm::find(*right, label);
    if (other != right->end() && ShapeOf(x)[d] != ShapeOf(y)[other - right->begin()])
      return mlir::failure();
  }
  GraphBuilder g(rewriter, op.getLoc());
  SumLeftOver(g, x, *left, *result, *right);
  SumLeftOver(g, y, *right, *result, *left);
  DimList x_batch, y_batch, x_contracting, y_contracting;
  Labels batch, x_free, y_free;
  for (auto [d, label] : llvm::enumerate(*left)) {
    auto other = llvm::find(*right, label);
    if (other == right->end()) {
      x_free.push_back(label);
      continue;
    }
    bool kept = llvm::is_contained(*result, label);
    (kept ? x_batch : x_contracting).push_back(d);
    (kept ? y_batch : y_contracting).push_back(other - right->begin());
    if (kept) batch.push_back(label);
  }
  for (int label : *right)
    if (!llvm::is_contained(*left, label)) y_free.push_back(label);
  mlir::Type element = llvm::cast<mlir::RankedTensorType>(op.getType()).getElementType();
  Value product = g.Dot(g.Convert(x, element), g.Convert(y, element), x_batch, y_batch,
                        x_contracting, y_contracting);
  llvm::append_range(batch, x_free);
  llvm::append_range(batch, y_free);
  rewriter.replaceOp(op, Arrange(g, product, batch, *result));
  return mlir::success();
}

LogicalResult RewriteUnaryEinsum(stablehlo::UnaryEinsumOp op, PatternRewriter& rewriter) {
  auto [input, output] = op.getEinsumConfig().split("->");
  Value x = op.getOperand();
  auto labels = ParseLabels(input, TypeOf(x).getRank());
  if (!labels) return mlir::failure();
  auto result = OutputLabels(output, op.getType(), {*labels});
  if (!result) return mlir::failure();
  GraphBuilder g(rewriter, op.getLoc());
  SumLeftOver(g, x, *labels, *result, {});
  mlir::Type element = llvm::cast<mlir::RankedTensorType>(op.getType()).getElementType();
  rewriter.replaceOp(op, Arrange(g, g.Convert(x, element), *labels, *result));
  return mlir::success();
}

LogicalResult RewriteIndexSelect(stablehlo::TorchIndexSelectOp op,
                                 PatternRewriter& rewriter) {
  int64_t dim = op.getDim(), batch = op.getBatchDims();
  int64_t rank = TypeOf(op.getOperand()).getRank();
  int64_t index_rank = TypeOf(op.getIndex()).getRank();
  DimList offset_dims, batching, slice_sizes(ShapeOf(op.getOperand()));
  for (int64_t d = 0; d < batch; ++d) {
    batching.push_back(d);
    slice_sizes[d] = 1;
  }
  slice_sizes[dim] = 1;
  // Dimensions of the result: batch, operand before dim, index, operand after dim.
  for (int64_t d = batch; d < rank; ++d) {
    if (d == dim) continue;
    offset_dims.push_back(d < dim ? d : d - 1 + index_rank - batch);
  }
  auto numbers = stablehlo::GatherDimensionNumbersAttr::get(
      op.getContext(), offset_dims, {dim}, batching, batching, {dim}, index_rank);
  rewriter.replaceOpWithNewOp<stablehlo::GatherOp>(op, op.getType(), op.getOperand(),
                                                   op.getIndex(), numbers, slice_sizes,
                                                   /*indices_are_sorted=*/false);
  return mlir::success();
}

}  // namespace

void PopulateEinsumPatterns(mlir::RewritePatternSet& patterns) {
  patterns.add(RewriteEinsum);
  patterns.add(RewriteUnaryEinsum);
  patterns.add(RewriteIndexSelect);
}

}  // namespace tenon::compiler
