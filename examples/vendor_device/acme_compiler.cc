// Acme's compiler extension: a pass, and a library function for dense layers.
#include <algorithm>
#include <atomic>

#include "acme_device.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/ffi/abi.h"
#include "tenon/ffi/registry.h"

namespace acme {
namespace {

namespace ffi = tenon::ffi;
namespace hlo = tenon::stablehlo;

constexpr char kDenseRelu[] = "acme_dense_relu";
std::atomic<int64_t> dense_calls{0};

// Rewrites x + x as 2 * x. Both are exact, and the A1 multiplies by powers of two for
// free.
struct DoubleByProduct : mlir::OpRewritePattern<hlo::AddOp> {
  using OpRewritePattern::OpRewritePattern;
  mlir::LogicalResult matchAndRewrite(hlo::AddOp op,
                                      mlir::PatternRewriter& rewriter) const override {
    auto type = llvm::dyn_cast<mlir::RankedTensorType>(op.getType());
    if (!type || !type.getElementType().isF32() || op.getLhs() != op.getRhs()) {
      return mlir::failure();
    }
    auto two = mlir::DenseElementsAttr::get(type, 2.0f);
    auto constant = hlo::ConstantOp::create(rewriter, op.getLoc(), two);
    rewriter.replaceOpWithNewOp<hlo::MulOp>(op, op.getLhs(), constant);
    return mlir::success();
  }
};

struct ShiftsPass : mlir::PassWrapper<ShiftsPass, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ShiftsPass)
  llvm::StringRef getArgument() const override { return "acme-shifts"; }
  void runOnOperation() override {
    mlir::RewritePatternSet patterns(&getContext());
    patterns.add<DoubleByProduct>(&getContext());
    if (mlir::failed(mlir::applyPatternsGreedily(getOperation(), std::move(patterns)))) {
      signalPassFailure();
    }
  }
};

bool IsMatrix(mlir::Value value) {
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type && type.getRank() == 2 && type.getElementType().isF32();
}

// Whether `broadcast` repeats `vector` in each row of a matrix, directly or through a
// matrix of one row.
bool IsRow(hlo::BroadcastInDimOp broadcast, mlir::Value vector) {
  auto row = broadcast.getOperand().getDefiningOp<hlo::ReshapeOp>();
  if (!row) {
    return broadcast.getOperand() == vector &&
           broadcast.getBroadcastDimensions() == llvm::ArrayRef<int64_t>{1};
  }
  return row.getOperand() == vector && row.getType().getRank() == 2 &&
         row.getType().getDimSize(0) == 1 &&
         broadcast.getBroadcastDimensions() == llvm::ArrayRef<int64_t>{0, 1};
}

// Whether the fusion is max(x w + b, 0) of its operands x, w and b, in that order.
bool IsDenseRelu(tenon::ir::FusionOp fusion) {
  mlir::Block& body = fusion.getBody().front();
  mlir::Operation* yield = body.getTerminator();
  if (yield->getNumOperands() != 1 || body.getNumArguments() != 3) return false;
  auto relu = yield->getOperand(0).getDefiningOp<hlo::MaxOp>();
  if (!relu || !mlir::matchPattern(relu.getRhs(), mlir::m_AnyZeroFloat())) return false;
  auto sum = relu.getLhs().getDefiningOp<hlo::AddOp>();
  if (!sum) return false;
  auto product = sum.getLhs().getDefiningOp<hlo::DotGeneralOp>();
  auto bias = sum.getRhs().getDefiningOp<hlo::BroadcastInDimOp>();
  if (!product || !bias || product.getAlgorithm()) return false;
  hlo::DotDimensionNumbersAttr dims = product.getDotDimensionNumbers();
  return product.getLhs() == body.getArgument(0) && IsMatrix(product.getLhs()) &&
         product.getRhs() == body.getArgument(1) && IsMatrix(product.getRhs()) &&
         dims.getLhsContractingDimensions() == llvm::ArrayRef<int64_t>{1} &&
         dims.getRhsContractingDimensions() == llvm::ArrayRef<int64_t>{0} &&
         IsRow(bias, body.getArgument(2));
}

class AcmeCompiler final : public tenon::compiler::Extension {
 public:
  std::string_view name() const override { return "acme 1"; }
  void AddPasses(tenon::compiler::Phase phase,
                 mlir::OpPassManager& passes) const override {
    if (phase == tenon::compiler::Phase::kSimplify) {
      passes.addPass(std::make_unique<ShiftsPass>());
    }
  }
  std::optional<tenon::compiler::FusionCall> TakeFusion(
      tenon::ir::FusionOp fusion) const override {
    if (!IsDenseRelu(fusion)) return std::nullopt;
    return tenon::compiler::FusionCall{kDenseRelu, nullptr};
  }
};

// The library function. It simulates the A1's matrix unit in C++.
ffi::Error* DenseRelu(ffi::CallFrame* frame) {
  if (frame->extension_start) {  // the call only asks for the API version
    auto* query = reinterpret_cast<ffi::MetadataExtension*>(frame->extension_start);
    query->metadata->api_version = {ffi::ApiVersion::kStructSize, nullptr, ffi::kApiMajor,
                                    ffi::kApiMinor};
    return nullptr;
  }
  const auto& x = *static_cast<const ffi::BufferView*>(frame->args.buffers[0]);
  const auto& w = *static_cast<const ffi::BufferView*>(frame->args.buffers[1]);
  const auto& b = *static_cast<const ffi::BufferView*>(frame->args.buffers[2]);
  const auto& result = *static_cast<const ffi::BufferView*>(frame->rets.buffers[0]);
  const int64_t rows = x.dims[0], depth = x.dims[1], columns = w.dims[1];
  for (int64_t row = 0; row < rows; ++row) {
    float* sums = static_cast<float*>(result.data) + row * columns;
    std::copy_n(static_cast<const float*>(b.data), columns, sums);
    for (int64_t k = 0; k < depth; ++k) {
      const float factor = static_cast<const float*>(x.data)[row * depth + k];
      const float* line = static_cast<const float*>(w.data) + k * columns;
      for (int64_t j = 0; j < columns; ++j) sums[j] += factor * line[j];
    }
    for (int64_t j = 0; j < columns; ++j) {
      sums[j] = sums[j] != sums[j] ? sums[j] : std::max(sums[j], 0.0f);
    }
  }
  ++dense_calls;
  return nullptr;
}

}  // namespace

const tenon::compiler::Extension& Compiler() {
  static const AcmeCompiler compiler;
  return compiler;
}

tenon::Status RegisterLibrary(std::string_view platform) {
  return ffi::Registry::Global().RegisterHandler(kDenseRelu, platform,
                                                 {nullptr, nullptr, nullptr, DenseRelu});
}

// The number of calls of the library function; for the test.
extern "C" __attribute__((visibility("default"))) int64_t acme_dense_calls() {
  return dense_calls;
}

}  // namespace acme
