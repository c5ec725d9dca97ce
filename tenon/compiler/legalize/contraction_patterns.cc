// Brings matrix products to the one form that kernels take: a dot_general whose batch,
// free and contracting dimensions each collapse into one dimension in memory.
#include "tenon/compiler/legalize/graph_builder.h"
#include "tenon/compiler/legalize/legalize.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::compiler {
namespace {

using mlir::LogicalResult;
using mlir::PatternRewriter;
using mlir::RankedTensorType;
using mlir::Value;

LogicalResult RewriteDot(stablehlo::DotOp op, PatternRewriter& rewriter) {
  auto lhs = llvm::cast<RankedTensorType>(op.getLhs().getType());
  auto numbers = stablehlo::DotDimensionNumbersAttr::get(op.getContext(), {}, {},
                                                         {lhs.getRank() - 1}, {0});
  rewriter.replaceOpWithNewOp<stablehlo::DotGeneralOp>(
      op, op.getType(), op.getLhs(), op.getRhs(), numbers, op.getPrecisionConfigAttr(),
      stablehlo::DotAlgorithmAttr());
  return mlir::success();
}

// Transposes an operand's dimensions to [batch, free, contracting], if they do not
// collapse as they are. Returns whether it did; then the lists hold the new positions.
bool Normalize(PatternRewriter& rewriter, mlir::Location loc, Value& operand,
               llvm::SmallVector<int64_t>& batch,
               llvm::SmallVector<int64_t>& contracting) {
  auto type = llvm::cast<RankedTensorType>(operand.getType());
  llvm::SmallVector<int64_t> free;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (!llvm::is_contained(batch, d) && !llvm::is_contained(contracting, d))
      free.push_back(d);
  if (Collapses(batch, type.getShape()) && Collapses(free, type.getShape()) &&
      Collapses(contracting, type.getShape()))
    return false;
  llvm::SmallVector<int64_t> permutation(batch);
  llvm::append_range(permutation, free);
  llvm::append_range(permutation, contracting);
  llvm::SmallVector<int64_t> shape;
  for (int64_t d : permutation) shape.push_back(type.getDimSize(d));
  operand = stablehlo::TransposeOp::create(
      rewriter, loc, RankedTensorType::get(shape, type.getElementType()), operand,
      permutation);
  for (size_t i = 0; i < batch.size(); ++i) batch[i] = i;
  for (size_t i = 0; i < contracting.size(); ++i)
    contracting[i] = batch.size() + free.size() + i;
  return true;
}

// Replaces a transposed operand by the transpose's operand, if that operand's dimensions
// collapse too. Returns whether it did; then the lists hold dimensions of that operand.
bool FoldTranspose(Value& operand, llvm::SmallVector<int64_t>& batch,
                   llvm::SmallVector<int64_t>& contracting) {
  auto transpose = operand.getDefiningOp<stablehlo::TransposeOp>();
  if (!transpose) return false;
  llvm::ArrayRef<int64_t> permutation = transpose.getPermutation();
  llvm::SmallVector<int64_t> lists[3];  // batch, contracting, free
  for (int64_t d : batch) lists[0].push_back(permutation[d]);
  for (int64_t d : contracting) lists[1].push_back(permutation[d]);
  for (auto [d, source] : llvm::enumerate(permutation))
    if (!llvm::is_contained(batch, static_cast<int64_t>(d)) &&
        !llvm::is_contained(contracting, static_cast<int64_t>(d)))
      lists[2].push_back(source);
  auto shape = llvm::cast<RankedTensorType>(transpose.getOperand().getType()).getShape();
  for (const auto& dims : lists)
    if (!Collapses(dims, shape)) return false;
  // The result has the free dimensions in the order of the operand, so they must stay
  // sorted.
  if (!llvm::is_sorted(lists[2])) return false;
  operand = transpose.getOperand();
  batch = lists[0];
  contracting = lists[1];
  return true;
}

LogicalResult NormalizeDotGeneral(stablehlo::DotGeneralOp op, PatternRewriter& rewriter) {
  auto numbers = op.getDotDimensionNumbers();
  auto list = [](llvm::ArrayRef<int64_t> dims) {
    return llvm::SmallVector<int64_t>(dims);
  };
  auto lhs_batch = list(numbers.getLhsBatchingDimensions());
  auto lhs_contracting = list(numbers.getLhsContractingDimensions());
  auto rhs_batch = list(numbers.getRhsBatchingDimensions());
  auto rhs_contracting = list(numbers.getRhsContractingDimensions());
  Value lhs = op.getLhs(), rhs = op.getRhs();
  bool changed = FoldTranspose(lhs, lhs_batch, lhs_contracting);
  changed |= FoldTranspose(rhs, rhs_batch, rhs_contracting);
  changed |= Normalize(rewriter, op.getLoc(), lhs, lhs_batch, lhs_contracting);
  changed |= Normalize(rewriter, op.getLoc(), rhs, rhs_batch, rhs_contracting);
  if (!changed) return mlir::failure();
  auto normalized = stablehlo::DotDimensionNumbersAttr::get(
      op.getContext(), lhs_batch, rhs_batch, lhs_contracting, rhs_contracting);
  rewriter.modifyOpInPlace(op, [&] {
    op.getLhsMutable().assign(lhs);
    op.getRhsMutable().assign(rhs);
    op.setDotDimensionNumbersAttr(normalized);
  });
  return mlir::success();
}

// An operand of a product of many matrices: its batch dimensions are the first ones, one
// dimension is contracted, and there may be another one.
struct BatchOfMatrices {
  Value value;
  int64_t batch;
  int64_t contracting;

  static std::optional<BatchOfMatrices> Of(Value value, llvm::ArrayRef<int64_t> batch,
                                           llvm::ArrayRef<int64_t> contracting) {
    const auto rank = static_cast<int64_t>(batch.size());
    if (contracting.size() != 1 || TypeOf(value).getRank() > rank + 2)
      return std::nullopt;
    for (int64_t d = 0; d < rank; ++d)
      if (batch[d] != d) return std::nullopt;
    return BatchOfMatrices{value, rank, contracting[0]};
  }

  bool has_free() const { return TypeOf(value).getRank() == batch + 2; }

  // The elements at `k` of the contracted dimension, in the result's `shape`, in which
  // the free dimension, if any, is `free`.
  Value At(GraphBuilder& g, int64_t k, llvm::ArrayRef<int64_t> shape,
           int64_t free) const {
    Value slice = g.SliceDim(value, contracting, k, k + 1);
    llvm::SmallVector<int64_t> rest(ShapeOf(slice));
    rest.erase(rest.begin() + contracting);
    llvm::SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(batch));
    if (has_free()) dims.push_back(free);
    return g.Broadcast(g.Reshape(slice, rest), shape, dims);
  }
};

// The type in which products of two factors of one type are added up: the wider one of
// the factors' and the result's, and at least f32. Null for bools and for types of two
// kinds.
mlir::Type SumType(mlir::Type factor, mlir::Type result) {
  auto part = [](mlir::Type type) {
    auto complex = llvm::dyn_cast<mlir::ComplexType>(type);
    return complex ? complex.getElementType() : type;
  };
  if (!part(factor).isIntOrFloat() || !part(result).isIntOrFloat() ||
      factor.isInteger(1) || result.isInteger(1) ||
      llvm::isa<mlir::ComplexType>(factor) != llvm::isa<mlir::ComplexType>(result) ||
      llvm::isa<mlir::FloatType>(factor) != llvm::isa<mlir::FloatType>(result))
    return nullptr;
  if (factor.isInteger()) return result;  // modulo a power of two
  auto bits = [&](mlir::Type type) { return part(type).getIntOrFloatBitWidth(); };
  mlir::Type wider = bits(factor) > bits(result) ? factor : result;
  return bits(wider) < 32 ? mlir::Float32Type::get(factor.getContext()) : wider;
}

// Products of many tiny matrices become sums of elementwise products, whose lanes hold
// several matrices: 2 x 2 takes a third of the time, 4 x 4 a half. Any order and rounding
// of the terms has the error bound of a product.
LogicalResult ExpandTinyProducts(stablehlo::DotGeneralOp op, PatternRewriter& rewriter) {
  constexpr int64_t kMaxSide = 4, kMinBatch = 32;
  auto numbers = op.getDotDimensionNumbers();
  auto type = TypeOf(op.getResult());
  const mlir::Type factor = ElementOf(op.getLhs()), element = type.getElementType();
  const mlir::Type sum_type = SumType(factor, element);
  auto lhs = BatchOfMatrices::Of(op.getLhs(), numbers.getLhsBatchingDimensions(),
                                 numbers.getLhsContractingDimensions());
  auto rhs = BatchOfMatrices::Of(op.getRhs(), numbers.getRhsBatchingDimensions(),
                                 numbers.getRhsContractingDimensions());
  if (!lhs || !rhs || op.getAlgorithmAttr() || !type.hasStaticShape() ||
      !TypeOf(op.getLhs()).hasStaticShape() || !TypeOf(op.getRhs()).hasStaticShape() ||
      ElementOf(op.getRhs()) != factor || !sum_type)
    return mlir::failure();
  auto is_long = [](int64_t size) { return size > kMaxSide; };
  const int64_t terms = ShapeOf(op.getLhs())[lhs->contracting];
  const auto batch = static_cast<size_t>(lhs->batch);
  const int64_t matrices =
      mlir::ShapedType::getNumElements(type.getShape().take_front(batch));
  if (matrices < kMinBatch || is_long(terms) || terms == 0 ||
      llvm::any_of(type.getShape().drop_front(batch), is_long))
    return mlir::failure();

  GraphBuilder g(rewriter, op.getLoc());
  lhs->value = g.Convert(lhs->value, sum_type);
  rhs->value = g.Convert(rhs->value, sum_type);
  Value sum = g.Constant(sum_type, type.getShape(), 0);
  for (int64_t k = 0; k < terms; ++k)
    sum = g.Add(sum, g.Mul(lhs->At(g, k, type.getShape(), lhs->batch),
                           rhs->At(g, k, type.getShape(), type.getRank() - 1)));
  rewriter.replaceOp(op, g.Convert(sum, element));
  return mlir::success();
}

// Booleans, integers, floats, complex numbers: each kind holds the ones before it.
int KindOf(mlir::Type type) {
  if (llvm::isa<mlir::ComplexType>(type)) return 3;
  if (llvm::isa<mlir::FloatType>(type)) return 2;
  return type.isInteger(1) ? 0 : 1;
}

// Returns the type to which two factors of different types are converted: of the higher
// kind, and of the result's type if it can represent both, or is of a kind still higher.
mlir::Type CommonFactorType(mlir::Type lhs, mlir::Type rhs, mlir::Type result) {
  auto bits = [](mlir::Type type) {
    auto complex = llvm::dyn_cast<mlir::ComplexType>(type);
    return (complex ? complex.getElementType() : type).getIntOrFloatBitWidth();
  };
  const int left = KindOf(lhs), right = KindOf(rhs), kind = std::max(left, right);
  auto holds = [&](mlir::Type type) {
    return result == type || KindOf(type) < kind || bits(result) > bits(type);
  };
  if (KindOf(result) > kind) return result;
  if (KindOf(result) == kind && holds(lhs) && holds(rhs)) return result;
  if (left != right) return left > right ? lhs : rhs;
  if (bits(lhs) != bits(rhs)) return bits(lhs) > bits(rhs) ? lhs : rhs;
  if (llvm::isa<mlir::FloatType>(lhs)) return mlir::Float32Type::get(lhs.getContext());
  return result;  // integers modulo the same power of two, or complex
}

// Products whose sums have a single term become elementwise products: outer products, and
// products of numbers in a batch. They are bound by memory, or fuse with their consumers.
// The sums start from +0, as those of other products.
LogicalResult ExpandSingleTerms(stablehlo::DotGeneralOp op, PatternRewriter& rewriter) {
  auto numbers = op.getDotDimensionNumbers();
  auto type = TypeOf(op.getResult());
  const mlir::Type factor = ElementOf(op.getLhs()), element = type.getElementType();
  const mlir::Type sum_type = SumType(factor, element);
  if (op.getAlgorithmAttr() || !type.hasStaticShape() ||
      !TypeOf(op.getLhs()).hasStaticShape() || !TypeOf(op.getRhs()).hasStaticShape() ||
      ElementOf(op.getRhs()) != factor || !sum_type ||
      llvm::any_of(numbers.getLhsContractingDimensions(),
                   [&](int64_t d) { return ShapeOf(op.getLhs())[d] != 1; }))
    return mlir::failure();
  GraphBuilder g(rewriter, op.getLoc());
  // The result's dimensions are those of the batch, the free ones of the left operand,
  // and those of the right one. `free` is the first free one.
  auto broadcast = [&](Value operand, llvm::ArrayRef<int64_t> batch,
                       llvm::ArrayRef<int64_t> contracting, int64_t free) {
    llvm::SmallVector<int64_t> kept, dims;
    for (auto [d, size] : llvm::enumerate(ShapeOf(operand))) {
      const auto dim = static_cast<int64_t>(d);
      if (llvm::is_contained(contracting, dim)) continue;
      kept.push_back(size);
      const auto* found = llvm::find(batch, dim);
      dims.push_back(found == batch.end() ? free++ : found - batch.begin());
    }
    return g.Broadcast(g.Reshape(g.Convert(operand, sum_type), kept), type.getShape(),
                       dims);
  };
  const int64_t batch = numbers.getLhsBatchingDimensions().size();
  const int64_t right_free =
      type.getRank() - (TypeOf(op.getRhs()).getRank() - batch -
                        std::ssize(numbers.getRhsContractingDimensions()));
  Value left = broadcast(op.getLhs(), numbers.getLhsBatchingDimensions(),
                         numbers.getLhsContractingDimensions(), batch);
  Value right = broadcast(op.getRhs(), numbers.getRhsBatchingDimensions(),
                          numbers.getRhsContractingDimensions(), right_free);
  Value product = g.Mul(left, right);
  if (!sum_type.isInteger()) product = g.Add(product, g.Like(product, 0));
  rewriter.replaceOp(op, g.Convert(product, element));
  return mlir::success();
}

// Kernels multiply factors of one type, so others are converted, and so is the sum if the
// result is of a lower kind, or complex. Applies to dot_general and convolution.
template <typename Op>
LogicalResult ConvertMixedTypes(Op op, PatternRewriter& rewriter) {
  auto lhs = llvm::cast<RankedTensorType>(op.getLhs().getType());
  auto rhs = llvm::cast<RankedTensorType>(op.getRhs().getType());
  auto type = llvm::cast<RankedTensorType>(op.getType());
  const mlir::Type left = lhs.getElementType(), right = rhs.getElementType();
  const mlir::Type result = type.getElementType();
  auto is_number = [](mlir::Type element) {
    return element.isIntOrFloat() || llvm::isa<mlir::ComplexType>(element);
  };
  if (!is_number(left) || !is_number(right)) return mlir::failure();
  // Real factors have real sums.
  auto complex = llvm::dyn_cast<mlir::ComplexType>(result);
  const bool has_complex_factor =
      llvm::isa<mlir::ComplexType>(left) || llvm::isa<mlir::ComplexType>(right);
  const mlir::Type real =
      complex && !has_complex_factor ? complex.getElementType() : result;
  const mlir::Type common = left == right ? left : CommonFactorType(left, right, real);
  const bool converts_sum = real != result || KindOf(result) < KindOf(common);
  if (left == right && !converts_sum) return mlir::failure();
  auto convert = [&](Value value, mlir::Type element) -> Value {
    auto from = llvm::cast<RankedTensorType>(value.getType());
    if (from.getElementType() == element) return value;
    return stablehlo::ConvertOp::create(rewriter, op.getLoc(), from.clone(element),
                                        value);
  };
  Value new_lhs = convert(op.getLhs(), common), new_rhs = convert(op.getRhs(), common);
  if (!converts_sum) {
    rewriter.modifyOpInPlace(op, [&] {
      op.getLhsMutable().assign(new_lhs);
      op.getRhsMutable().assign(new_rhs);
    });
    return mlir::success();
  }
  const bool is_narrow =
      llvm::isa<mlir::FloatType>(common) && common.getIntOrFloatBitWidth() < 32;
  mlir::Type sum = is_narrow ? rewriter.getF32Type() : common;
  if (real != result) sum = real;
  mlir::Operation* product = rewriter.clone(*op);
  product->setOperands({new_lhs, new_rhs});
  product->getResult(0).setType(type.clone(sum));
  rewriter.replaceOp(op, convert(product->getResult(0), result));
  return mlir::success();
}

// Folds the reversal of a filter into the convolution, which then reads the filter
// backwards. The gradient with respect to the input has such a reversal.
LogicalResult ReverseWindow(stablehlo::ConvolutionOp op, PatternRewriter& rewriter) {
  auto reverse = op.getRhs().getDefiningOp<stablehlo::ReverseOp>();
  if (!reverse) return mlir::failure();
  llvm::ArrayRef<int64_t> spatial = op.getDimensionNumbers().getKernelSpatialDimensions();
  llvm::SmallVector<bool> reversal(spatial.size(), false);
  if (auto reversed = op.getWindowReversal(); reversed && !reversed->empty())
    reversal.assign(reversed->begin(), reversed->end());
  for (int64_t dim : reverse.getDimensions()) {
    const auto* found = llvm::find(spatial, dim);
    if (found == spatial.end()) return mlir::failure();
    bool& reversed = reversal[found - spatial.begin()];
    reversed = !reversed;
  }
  rewriter.modifyOpInPlace(op, [&] {
    op.getRhsMutable().assign(reverse.getOperand());
    op.setWindowReversal(reversal);
  });
  return mlir::success();
}

}  // namespace

void PopulateContractionPatterns(mlir::RewritePatternSet& patterns) {
  patterns.add(RewriteDot);
  patterns.add(ConvertMixedTypes<stablehlo::DotGeneralOp>);
  patterns.add(ConvertMixedTypes<stablehlo::ConvolutionOp>);
  patterns.add(ReverseWindow);
  patterns.add(ExpandSingleTerms, /*benefit=*/3);
  patterns.add(ExpandTinyProducts, /*benefit=*/2);
  patterns.add(NormalizeDotGeneral);
}

}  // namespace tenon::compiler
