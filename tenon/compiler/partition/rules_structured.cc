// Rules of ops with loops of their own: products, convolutions, reductions, windows.
#include <algorithm>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "tenon/compiler/partition/rule_builder.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler::partition {
namespace {

constexpr FactorKind kReduction = FactorKind::kReduction;
constexpr FactorKind kReplicate = FactorKind::kNeedReplication;
constexpr FactorKind kPermutation = FactorKind::kPermutation;

Rule DotGeneralRule(stablehlo::DotGeneralOp op) {
  auto numbers = op.getDotDimensionNumbers();
  llvm::ArrayRef<int64_t> lhs = ShapeOf(op.getLhs()), rhs = ShapeOf(op.getRhs());
  RuleBuilder builder(op);
  int64_t out = 0;
  for (auto [l, r] : llvm::zip_equal(numbers.getLhsBatchingDimensions(),
                                     numbers.getRhsBatchingDimensions())) {
    builder.Add({l, r}, out++, {lhs[l]});
  }
  auto is_free = [](int64_t dim, llvm::ArrayRef<int64_t> batch,
                    llvm::ArrayRef<int64_t> contracted) {
    return !llvm::is_contained(batch, dim) && !llvm::is_contained(contracted, dim);
  };
  for (int64_t dim = 0; dim < static_cast<int64_t>(lhs.size()); ++dim) {
    if (is_free(dim, numbers.getLhsBatchingDimensions(),
                numbers.getLhsContractingDimensions())) {
      builder.Add({dim, kNoDim}, out++, {lhs[dim]});
    }
  }
  for (int64_t dim = 0; dim < static_cast<int64_t>(rhs.size()); ++dim) {
    if (is_free(dim, numbers.getRhsBatchingDimensions(),
                numbers.getRhsContractingDimensions())) {
      builder.Add({kNoDim, dim}, out++, {rhs[dim]});
    }
  }
  for (auto [l, r] : llvm::zip_equal(numbers.getLhsContractingDimensions(),
                                     numbers.getRhsContractingDimensions())) {
    builder.Add({l, r}, kNoDim, {lhs[l], kReduction});
  }
  return builder.Build();
}

Rule DotRule(stablehlo::DotOp op) {
  llvm::ArrayRef<int64_t> lhs = ShapeOf(op.getLhs()), rhs = ShapeOf(op.getRhs());
  bool rows = lhs.size() == 2, columns = rhs.size() == 2;
  RuleBuilder builder(op);
  if (rows) builder.Add({0, kNoDim}, 0, {lhs[0]});
  if (columns) builder.Add({kNoDim, 1}, rows ? 1 : 0, {rhs[1]});
  builder.Add({rows ? 1 : 0, 0}, kNoDim, {rhs[0], kReduction});
  return builder.Build();
}

// The input can be split by the windows or by the elements of a window. The larger of the
// two factors is the major one.
void AddSpatialFactors(RuleBuilder& builder, int64_t lhs_dim, int64_t rhs_dim,
                       int64_t out_dim, int64_t lhs_size, int64_t window,
                       int64_t windows) {
  auto add = [&](int64_t size, bool contracted) {
    size = std::min(size, lhs_size);
    if (size <= 1) return;
    builder.Add({lhs_dim, contracted ? rhs_dim : kNoDim}, contracted ? kNoDim : out_dim,
                {size, contracted ? kReduction : kPermutation});
    lhs_size /= size;
  };
  bool windows_first = windows >= window;
  add(windows_first ? windows : window, !windows_first);
  add(windows_first ? window : windows, windows_first);
}

Rule ConvolutionRule(stablehlo::ConvolutionOp op) {
  auto numbers = op.getDimensionNumbers();
  llvm::ArrayRef<int64_t> lhs = ShapeOf(op.getLhs()), rhs = ShapeOf(op.getRhs()),
                          out = ShapeOf(op.getResult());
  int64_t feature_groups = op.getFeatureGroupCount();
  int64_t batch_groups = op.getBatchGroupCount();
  int64_t lhs_batch = numbers.getInputBatchDimension();
  int64_t lhs_feature = numbers.getInputFeatureDimension();
  int64_t rhs_in = numbers.getKernelInputFeatureDimension();
  int64_t rhs_out = numbers.getKernelOutputFeatureDimension();
  int64_t out_batch = numbers.getOutputBatchDimension();
  int64_t out_feature = numbers.getOutputFeatureDimension();
  RuleBuilder builder(op);
  if (batch_groups > 1) builder.Add({lhs_batch, rhs_out}, out_feature, {batch_groups});
  builder.Add({lhs_batch, kNoDim}, out_batch, {out[out_batch]});
  for (auto [l, r, o] : llvm::zip_equal(numbers.getInputSpatialDimensions(),
                                        numbers.getKernelSpatialDimensions(),
                                        numbers.getOutputSpatialDimensions())) {
    AddSpatialFactors(builder, l, r, o, lhs[l], rhs[r], out[o]);
  }
  if (feature_groups > 1) {
    builder.Add({lhs_feature, rhs_out}, out_feature, {feature_groups});
  }
  builder.Add({lhs_feature, rhs_in}, kNoDim, {rhs[rhs_in], kReduction});
  int64_t features = out[out_feature] / (feature_groups * batch_groups);
  if (features > 1) builder.Add({kNoDim, rhs_out}, out_feature, {features});
  return builder.Build();
}

Rule ReduceRule(stablehlo::ReduceOp op) {
  size_t count = op.getInputs().size();
  // The inputs are followed by as many scalars.
  llvm::SmallVector<int64_t> operands(2 * count, kNoDim), results(count, kNoDim);
  RuleBuilder builder(op);
  int64_t out = 0;
  for (auto [dim, size] : llvm::enumerate(ShapeOf(op.getInputs().front()))) {
    auto position = static_cast<int64_t>(dim);
    bool reduced = llvm::is_contained(op.getDimensions(), position);
    std::fill_n(operands.begin(), count, position);
    results.assign(count, reduced ? kNoDim : out++);
    builder.Add(operands, results,
                {size, reduced ? kReduction : FactorKind::kPassThrough});
  }
  return builder.Build();
}

// Whether windows along `dim` are single elements, one for each input element.
bool IsUnitWindow(std::optional<mlir::DenseIntElementsAttr> padding,
                  std::optional<llvm::ArrayRef<int64_t>> window,
                  std::optional<llvm::ArrayRef<int64_t>> strides, int64_t dim) {
  if (padding && *padding) {
    auto values = padding->getValues<int64_t>();
    if (values[2 * dim] != 0 || values[2 * dim + 1] != 0) return false;
  }
  auto is_one = [&](std::optional<llvm::ArrayRef<int64_t>> sizes) {
    return !sizes || sizes->empty() || (*sizes)[dim] == 1;
  };
  return is_one(window) && is_one(strides);
}

Rule ReduceWindowRule(stablehlo::ReduceWindowOp op) {
  return RuleBuilder(op)
      .AddPointwise(ShapeOf(op.getResult(0)),
                    [&](int64_t dim) {
                      return IsUnitWindow(op.getPadding(), op.getWindowDimensions(),
                                          op.getWindowStrides(), dim)
                                 ? FactorKind::kPassThrough
                                 : kPermutation;
                    })
      .Build();
}

Rule SelectAndScatterRule(stablehlo::SelectAndScatterOp op) {
  RuleBuilder builder(op);
  for (auto [index, size] : llvm::enumerate(ShapeOf(op.getResult()))) {
    auto dim = static_cast<int64_t>(index);
    if (IsUnitWindow(op.getPadding(), op.getWindowDimensions(), op.getWindowStrides(),
                     dim)) {
      builder.AddToAll(dim, {size});
      continue;
    }
    builder.Add({kNoDim, dim, kNoDim}, kNoDim,
                {ShapeOf(op.getSource())[dim], kReplicate});
    builder.Add({dim, kNoDim, kNoDim}, dim, {size, kPermutation});
  }
  return builder.Build();
}

}  // namespace

std::optional<Rule> StructuredRule(mlir::Operation* op) {
  using Result = std::optional<Rule>;
  return llvm::TypeSwitch<mlir::Operation*, Result>(op)
      .Case([](stablehlo::DotGeneralOp op) { return Result(DotGeneralRule(op)); })
      .Case([](stablehlo::DotOp op) { return Result(DotRule(op)); })
      .Case([](stablehlo::ConvolutionOp op) { return Result(ConvolutionRule(op)); })
      .Case([](stablehlo::ReduceOp op) { return Result(ReduceRule(op)); })
      .Case([](stablehlo::ReduceWindowOp op) { return Result(ReduceWindowRule(op)); })
      .Case([](stablehlo::SelectAndScatterOp op) {
        return Result(SelectAndScatterRule(op));
      })
      .Default([](mlir::Operation*) { return Result(); });
}

}  // namespace tenon::compiler::partition
