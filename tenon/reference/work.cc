#include "tenon/reference/work.h"

#include <algorithm>
#include <limits>

#include "llvm/Support/MathExtras.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::reference {
namespace {

constexpr int64_t kUnbounded = std::numeric_limits<int64_t>::max();

int64_t Elements(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor) return 1;
  if (!tensor.hasStaticShape()) return kUnbounded;
  int64_t count = 1;
  for (int64_t size : tensor.getShape())
    count = llvm::MulOverflow(count, size, count) ? kUnbounded : count;
  return count;
}

int64_t Times(int64_t a, int64_t b) {
  int64_t product;
  return llvm::MulOverflow(a, b, product) ? kUnbounded : product;
}

// Returns the number of elements that contribute to each output element.
int64_t Factor(mlir::Operation* op) {
  if (auto dot = llvm::dyn_cast<stablehlo::DotGeneralOp>(op)) {
    auto lhs = llvm::cast<mlir::RankedTensorType>(dot.getLhs().getType());
    int64_t inner = 1;
    for (int64_t d : dot.getDotDimensionNumbers().getLhsContractingDimensions())
      inner = Times(inner, lhs.getDimSize(d));
    return inner;
  }
  if (auto dot = llvm::dyn_cast<stablehlo::DotOp>(op)) {
    auto lhs = llvm::cast<mlir::RankedTensorType>(dot.getLhs().getType());
    return lhs.getRank() ? lhs.getShape().back() : 1;
  }
  if (auto convolution = llvm::dyn_cast<stablehlo::ConvolutionOp>(op)) {
    auto rhs = llvm::cast<mlir::RankedTensorType>(convolution.getRhs().getType());
    const int64_t outputs = rhs.getDimSize(
        convolution.getDimensionNumbers().getKernelOutputFeatureDimension());
    return Elements(rhs) / std::max<int64_t>(1, outputs);
  }
  llvm::ArrayRef<int64_t> window;
  if (auto reduce = llvm::dyn_cast<stablehlo::ReduceWindowOp>(op))
    window = reduce.getWindowDimensions();
  if (auto select = llvm::dyn_cast<stablehlo::SelectAndScatterOp>(op))
    window = select.getWindowDimensions().value_or(window);
  int64_t elements = 1;
  for (int64_t size : window) elements = Times(elements, size);
  if (llvm::isa<stablehlo::CholeskyOp, stablehlo::TriangularSolveOp>(op)) {
    auto a = llvm::cast<mlir::RankedTensorType>(op->getOperand(0).getType());
    elements = a.getRank() ? a.getShape().back() : 1;
  }
  if (llvm::isa<stablehlo::SortOp, stablehlo::FftOp>(op)) elements = 64;
  return std::max<int64_t>(1, elements);
}

}  // namespace

int64_t EstimateWork(mlir::Operation* op) {
  int64_t total = 1;
  for (mlir::Type type : op->getOperandTypes())
    if (llvm::AddOverflow(total, Elements(type), total)) return kUnbounded;
  int64_t outputs = 0;
  for (mlir::Type type : op->getResultTypes())
    if (llvm::AddOverflow(outputs, Elements(type), outputs)) return kUnbounded;
  if (llvm::AddOverflow(total, Times(outputs, Factor(op)), total)) return kUnbounded;
  int64_t body = 0;
  if (!llvm::isa<stablehlo::WhileOp, stablehlo::IfOp, stablehlo::CaseOp>(op))
    for (mlir::Region& region : op->getRegions())
      for (mlir::Block& block : region)
        body += static_cast<int64_t>(block.getOperations().size());
  return Times(total, std::max<int64_t>(1, body));
}

}  // namespace tenon::reference
