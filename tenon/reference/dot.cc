// dot and dot_general, as batches of matrix products.
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/element_types.h"
#include "tenon/reference/accumulate.h"
#include "tenon/reference/evaluator.h"
#include "tenon/reference/quantized.h"
#include "tenon/reference/strided_copy.h"

namespace tenon::reference {
namespace {

// Returns the dimensions of a tensor of `rank` that neither list contains.
Dims Others(int64_t rank, llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b) {
  Dims others;
  for (int64_t d = 0; d < rank; ++d)
    if (!llvm::is_contained(a, d) && !llvm::is_contained(b, d)) others.push_back(d);
  return others;
}

int64_t ProductOf(const Literal& literal, llvm::ArrayRef<int64_t> dims) {
  int64_t product = 1;
  for (int64_t d : dims) product *= literal.dims()[d];
  return product;
}

// result[b, m, n] = sum over k of lhs[b, m, k] * rhs[b, k, n].
template <typename T>
void Multiply(const Literal& lhs, const Literal& rhs, Literal& result, int64_t batches,
              int64_t rows, int64_t inner, int64_t columns, bool flush) {
  const std::vector<T> left = ToAccumulator<T>(lhs, flush);
  const std::vector<T> right = ToAccumulator<T>(rhs, flush);
  std::vector<T> sums(columns);
  uint8_t* out = result.mutable_data();
  const int64_t row_bytes = columns * ElementBytes(result.type());
  for (int64_t b = 0; b < batches; ++b)
    for (int64_t m = 0; m < rows; ++m, out += row_bytes) {
      std::fill(sums.begin(), sums.end(), T(0));
      const T* row = left.data() + (b * rows + m) * inner;
      for (int64_t k = 0; k < inner; ++k) {
        const T* line = right.data() + (b * inner + k) * columns;
        for (int64_t n = 0; n < columns; ++n) sums[n] += Product(row[k], line[n]);
      }
      FromAccumulator(result.type(), sums.data(), out, columns, flush);
    }
}

// Rounds `literal` to `precision`, if an algorithm asks for a single product in it.
StatusOr<Literal> InPrecision(OpContext& context, const Literal& literal,
                              mlir::Type precision, int64_t products) {
  const ElementType type = ir::ElementTypeOf(precision);
  // tf32, and sums of several products of parts, are no more exact than f32.
  if (type == ElementType::kInvalid || products != 1 || type == literal.type())
    return literal;
  if (AccumulationOf(type) != AccumulationOf(literal.type())) return literal;
  KernelParams params;
  params.operand_type = literal.type();
  params.result_type = type;
  const Kernel convert = FindConvertKernel(params.operand_type, type);
  TENON_ASSIGN_OR_RETURN(Literal result, context.NewLiteral(type, literal.dims()));
  uint8_t* out = result.mutable_data();
  alignas(16) uint8_t from[16], to[16];
  for (int64_t i = 0; i < literal.count(); ++i) {
    LoadElements(literal.type(), literal.data() + i * ElementBytes(literal.type()), from,
                 1);
    const void* inputs[] = {from};
    convert(params, inputs, to, 1);
    StoreElements(type, to, out + i * ElementBytes(type), 1);
  }
  return result;
}

Status EvalProduct(OpContext& context, const Literal& lhs, const Literal& rhs,
                   llvm::ArrayRef<int64_t> lhs_batch, llvm::ArrayRef<int64_t> rhs_batch,
                   llvm::ArrayRef<int64_t> lhs_inner, llvm::ArrayRef<int64_t> rhs_inner) {
  const Dims rows = Others(lhs.rank(), lhs_batch, lhs_inner);
  const Dims columns = Others(rhs.rank(), rhs_batch, rhs_inner);
  Dims lhs_order(lhs_batch.begin(), lhs_batch.end());
  lhs_order.insert(lhs_order.end(), rows.begin(), rows.end());
  lhs_order.insert(lhs_order.end(), lhs_inner.begin(), lhs_inner.end());
  Dims rhs_order(rhs_batch.begin(), rhs_batch.end());
  rhs_order.insert(rhs_order.end(), rhs_inner.begin(), rhs_inner.end());
  rhs_order.insert(rhs_order.end(), columns.begin(), columns.end());

  const ElementType type = ComputedElementType(context.op->getResult(0).getType());
  if (type == ElementType::kInvalid)
    return Unimplemented("result of type " +
                         TypeText(context.op->getResult(0).getType()));
  Dims dims;
  for (int64_t d : lhs_batch) dims.push_back(lhs.dims()[d]);
  for (int64_t d : rows) dims.push_back(lhs.dims()[d]);
  for (int64_t d : columns) dims.push_back(rhs.dims()[d]);
  TENON_ASSIGN_OR_RETURN(Literal result, context.NewLiteral(type, std::move(dims)));
  const int64_t batches = ProductOf(lhs, lhs_batch), inner = ProductOf(lhs, lhs_inner);
  const int64_t m = ProductOf(lhs, rows), n = ProductOf(rhs, columns);
  if (ProductOf(rhs, rhs_batch) != batches || ProductOf(rhs, rhs_inner) != inner)
    return InvalidArgument("batch or contracting sizes differ");
  if (result.count()) {
    const Literal left = Transposed(lhs, lhs_order), right = Transposed(rhs, rhs_order);
    const bool flush = context.flush_denormals();
    switch (AccumulationOf(lhs.type(), rhs.type(), type)) {
      case Accumulation::kInteger:
        Multiply<uint64_t>(left, right, result, batches, m, inner, n, flush);
        break;
      case Accumulation::kReal:
        Multiply<double>(left, right, result, batches, m, inner, n, flush);
        break;
      case Accumulation::kComplex:
        Multiply<std::complex<double>>(left, right, result, batches, m, inner, n, flush);
        break;
    }
  }
  context.results.push_back(std::move(result));
  return OkStatus();
}

}  // namespace

Status EvalDotGeneral(OpContext& context) {
  auto op = llvm::cast<stablehlo::DotGeneralOp>(context.op);
  const stablehlo::DotDimensionNumbersAttr numbers = op.getDotDimensionNumbers();
  Literal lhs = context.operands[0], rhs = context.operands[1];
  if (auto algorithm = op.getAlgorithmAttr()) {
    TENON_ASSIGN_OR_RETURN(lhs, InPrecision(context, lhs, algorithm.getLhsPrecisionType(),
                                            algorithm.getNumPrimitiveOperations()));
    TENON_ASSIGN_OR_RETURN(rhs, InPrecision(context, rhs, algorithm.getRhsPrecisionType(),
                                            algorithm.getNumPrimitiveOperations()));
  }
  return EvalProduct(context, lhs, rhs, numbers.getLhsBatchingDimensions(),
                     numbers.getRhsBatchingDimensions(),
                     numbers.getLhsContractingDimensions(),
                     numbers.getRhsContractingDimensions());
}

Status EvalDot(OpContext& context) {
  const Literal& lhs = context.operands[0];
  if (lhs.rank() == 0 || context.operands[1].rank() == 0)
    return InvalidArgument("an operand of the product is a scalar");
  return EvalProduct(context, lhs, context.operands[1], {}, {}, {lhs.rank() - 1}, {0});
}

}  // namespace tenon::reference
