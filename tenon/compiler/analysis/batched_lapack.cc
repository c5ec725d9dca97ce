#include "tenon/compiler/analysis/batched_lapack.h"

#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler {
namespace {

// From this batch size on, at least half the lanes of a vector are used on every target.
constexpr int64_t kMinBatch = 8;
// Limits of the matrices: the working set of one chunk stays in the second-level cache.
constexpr int64_t kMaxSize = 32;
constexpr int64_t kMaxRows = 64;
// Jacobi's methods do more work than LAPACK's algorithms. Up to these sizes they were at
// least 1.2 times as fast all the same, in lanes of 512 bits (docs/design/0008).
constexpr int64_t kMaxJacobi = 20;
constexpr int64_t kMaxJacobiF64 = 14;

bool IsColumnMajor(mlir::RankedTensorType type, mlir::Attribute layout) {
  const int64_t rank = type.getRank();
  llvm::SmallVector<int64_t> expected;
  for (int64_t d = rank; d-- > 0;) expected.push_back(d);
  std::swap(expected[0], expected[1]);
  return llvm::equal(llvm::cast<mlir::DenseIntElementsAttr>(layout).getValues<int64_t>(),
                     expected);
}

// Whether all types are static tensors, and those that hold matrices are column-major.
bool AreColumnMajor(mlir::TypeRange types, std::optional<mlir::ArrayAttr> layouts,
                    int64_t rank) {
  if (!layouts || layouts->size() != types.size()) return false;
  return llvm::all_of(llvm::zip_equal(types, *layouts), [&](auto pair) {
    auto type = llvm::dyn_cast<mlir::RankedTensorType>(std::get<0>(pair));
    if (!type || !type.hasStaticShape()) return false;
    return type.getRank() < rank || IsColumnMajor(type, std::get<1>(pair));
  });
}

std::optional<char> Option(stablehlo::CustomCallOp call, llvm::StringRef name) {
  auto config = llvm::dyn_cast_or_null<mlir::DictionaryAttr>(call.getBackendConfigAttr());
  if (!config) config = call->getAttrOfType<mlir::DictionaryAttr>("mhlo.backend_config");
  auto value = config ? config.getAs<mlir::IntegerAttr>(name) : mlir::IntegerAttr();
  if (!value) return std::nullopt;
  return static_cast<char>(value.getValue().getZExtValue());
}

llvm::ArrayRef<int64_t> SizesOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

// Inside a fusion all results are yielded. Their uses were checked before the call was
// fused.
bool IsUnused(stablehlo::CustomCallOp call, unsigned result) {
  return call->getResult(result).use_empty() ||
         llvm::isa<ir::FusionOp>(call->getParentOp());
}

std::optional<BatchedLapack> Eigh(stablehlo::CustomCallOp call) {
  auto mode = Option(call, "mode"), uplo = Option(call, "uplo");
  llvm::ArrayRef<int64_t> shape = SizesOf(call.getInputs()[0]).take_back(2);
  if (call->getNumResults() != 3 || shape[0] != shape[1]) return std::nullopt;
  if (uplo != 'L' && uplo != 'U') return std::nullopt;
  if (mode == 'V') return BatchedLapack{ir::LinalgKind::kEigh, uplo == 'L'};
  if (mode == 'N' && IsUnused(call, 0))
    return BatchedLapack{ir::LinalgKind::kEigvalsh, uplo == 'L'};
  return std::nullopt;
}

std::optional<BatchedLapack> Svd(stablehlo::CustomCallOp call) {
  auto mode = Option(call, "mode");
  if (call->getNumResults() != 5 || !IsUnused(call, 0)) return std::nullopt;
  if (mode == 'A') return BatchedLapack{ir::LinalgKind::kSvdFull};
  if (mode == 'S') return BatchedLapack{ir::LinalgKind::kSvd};
  if (mode == 'N' && IsUnused(call, 2) && IsUnused(call, 3))
    return BatchedLapack{ir::LinalgKind::kSvdvals};
  return std::nullopt;
}

// An attribute of a call: the batch of the whole array. It has no dialect, so that every
// client parses the optimized program.
constexpr llvm::StringLiteral kWholeBatch = "tenon_whole_batch";

int64_t BatchOf(llvm::ArrayRef<int64_t> shape) {
  int64_t batch = 1;
  for (int64_t size : shape.drop_back(2)) batch *= size;
  return batch;
}

}  // namespace

void RecordLapackBatches(mlir::ModuleOp module) {
  module.walk([](stablehlo::CustomCallOp call) {
    if (!call.getCallTargetName().starts_with("lapack_") || call->getNumOperands() == 0)
      return;
    auto type = llvm::dyn_cast<mlir::RankedTensorType>(call->getOperand(0).getType());
    if (!type || !type.hasStaticShape() || type.getRank() < 3) return;
    mlir::Builder b(call.getContext());
    call->setAttr(kWholeBatch, b.getI64IntegerAttr(BatchOf(type.getShape())));
  });
}

std::optional<BatchedLapack> AsBatchedLapack(mlir::Operation* op) {
  auto call = llvm::dyn_cast<stablehlo::CustomCallOp>(op);
  if (!call) return std::nullopt;
  llvm::StringRef name = call.getCallTargetName();
  if (!name.consume_front("lapack_") || name.empty()) return std::nullopt;
  const char letter = name.front();
  if ((letter != 's' && letter != 'd') || call->getNumOperands() == 0)
    return std::nullopt;
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(call->getOperand(0).getType());
  if (!type || !type.hasStaticShape() || type.getRank() < 3) return std::nullopt;
  if (!(letter == 's' ? type.getElementType().isF32() : type.getElementType().isF64()))
    return std::nullopt;
  llvm::ArrayRef<int64_t> shape = type.getShape();
  int64_t batch = BatchOf(shape);
  if (auto whole = call->getAttrOfType<mlir::IntegerAttr>(kWholeBatch))
    batch = std::max(batch, whole.getInt());
  const auto [min_size, max_size] = std::minmax(shape[shape.size() - 2], shape.back());
  if (batch < kMinBatch || min_size < 2 || min_size > kMaxSize || max_size > kMaxRows)
    return std::nullopt;
  if (!AreColumnMajor(call->getOperandTypes(), call.getOperandLayouts(),
                      type.getRank()) ||
      !AreColumnMajor(call->getResultTypes(), call.getResultLayouts(), type.getRank()))
    return std::nullopt;
  name = name.drop_front();
  if (name == "geqrf_ffi" && call->getNumResults() == 2)
    return BatchedLapack{ir::LinalgKind::kQr};
  if (name == "orgqr_ffi" && call->getNumOperands() == 2 &&
      shape[shape.size() - 2] >= shape.back())
    return BatchedLapack{ir::LinalgKind::kHouseholderProduct};
  if (min_size > (letter == 's' ? kMaxJacobi : kMaxJacobiF64)) return std::nullopt;
  if (name == "syevd_ffi") return Eigh(call);
  if (name == "gesdd_ffi") return Svd(call);
  return std::nullopt;
}

}  // namespace tenon::compiler
