// Which factors of an op can be split by computing the op on parts.
#include "tenon/compiler/analysis/combiner_identity.h"
#include "tenon/compiler/partition/decide.h"
#include "tenon/compiler/partition/localize_indices.h"
#include "tenon/compiler/partition/localize_selections.h"
#include "tenon/compiler/partition/localize_windows.h"
#include "tenon/compiler/partition/rule_builder.h"
#include "tenon/dialects/chlo/chlo.h"
#include "tenon/dialects/stablehlo/combiner.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler::partition {
namespace {

// The dimension that has the factor, or -1.
int64_t DimOf(const Mapping& mapping, int32_t factor) {
  for (auto [dim, factors] : llvm::enumerate(mapping)) {
    if (llvm::is_contained(factors, factor)) return static_cast<int64_t>(dim);
  }
  return -1;
}

// Whether the factors of each dimension with `factor` are the whole dimension. Those of
// windows and of padded dimensions are not.
bool CoversDims(mlir::TypeRange types, llvm::ArrayRef<Mapping> mappings, const Rule& rule,
                int32_t factor) {
  for (auto [type, mapping] : llvm::zip_equal(types, mappings)) {
    const int64_t dim = DimOf(mapping, factor);
    if (dim < 0) continue;
    int64_t size = 1;
    for (int32_t f : mapping[dim]) size *= rule.factors[f].size;
    if (size != ShapeOf(type)[dim]) return false;
  }
  return true;
}

bool HasQuantized(mlir::TypeRange types) {
  return llvm::any_of(types, [](mlir::Type type) {
    auto shaped = llvm::dyn_cast<mlir::ShapedType>(type);
    return shaped && !shaped.getElementType().isIntOrFloat() &&
           !llvm::isa<mlir::ComplexType>(shaped.getElementType());
  });
}

bool MayReduce(stablehlo::ReduceOp op) {
  mlir::Block& body = op.getBody().front();
  if (!stablehlo::IsReorderable(body)) return false;
  // Every device starts from the initial value.
  if (stablehlo::InitMayRepeat(body, op.getInitValues())) return true;
  for (size_t i = 0; i < op.getInputs().size(); ++i) {
    if (!CombinerIdentity(body, i)) return false;
  }
  return true;
}

bool MaySplitConvolution(stablehlo::ConvolutionOp op, const Rule& rule, int32_t factor) {
  const int64_t lhs = DimOf(rule.operands[0], factor);
  const int64_t rhs = DimOf(rule.operands[1], factor);
  const auto numbers = op.getDimensionNumbers();
  if (op.getBatchGroupCount() == 1 && lhs == numbers.getInputBatchDimension())
    return true;
  if (op.getBatchGroupCount() > 1 || op.getFeatureGroupCount() > 1) return false;
  return lhs == numbers.getInputFeatureDimension() ||
         rhs == numbers.getKernelOutputFeatureDimension();
}

// The number of leading dimensions along which a custom call computes independently, as
// its front end says, or 0.
int64_t BatchDims(stablehlo::CustomCallOp op) {
  auto attributes = op->getAttrOfType<mlir::DictionaryAttr>("mhlo.frontend_attributes");
  auto count = attributes ? attributes.getAs<mlir::StringAttr>("num_batch_dims")
                          : mlir::StringAttr();
  int64_t value = 0;
  if (!count || count.getValue().getAsInteger(10, value)) return 0;
  return value;
}

bool MaySplitCustomCall(stablehlo::CustomCallOp op, const Rule& rule, int32_t factor) {
  // Elementwise calls, by the names that frameworks give them.
  if (llvm::is_contained({"mhlo.erf", "LayoutConstraint", "MoveToHost", "MoveToDevice",
                          "annotate_device_placement"},
                         op.getCallTargetName())) {
    return true;
  }
  const int64_t batch = BatchDims(op);
  auto is_batch = [&](const Mapping& mapping) {
    return mapping.empty() || DimOf(mapping, factor) < batch;
  };
  return batch > 0 && llvm::all_of(rule.operands, is_batch) &&
         llvm::all_of(rule.results, is_batch);
}

bool IsPadded(stablehlo::PadOp op, int64_t dim) {
  return op.getEdgePaddingLow()[dim] != 0 || op.getEdgePaddingHigh()[dim] != 0 ||
         op.getInteriorPadding()[dim] != 0;
}

// Whether parts of the result along the factor depend on other devices' parts.
bool IsExchanged(mlir::Operation* op, const Rule& rule, int32_t factor) {
  if (rule.results.empty() || rule.operands.empty()) return false;
  if (rule.factors[factor].kind == FactorKind::kPermutation) return true;
  const int64_t dim = DimOf(rule.results[0], factor);
  if (auto concatenate = llvm::dyn_cast<stablehlo::ConcatenateOp>(op)) {
    return dim == static_cast<int64_t>(concatenate.getDimension());
  }
  auto pad = llvm::dyn_cast<stablehlo::PadOp>(op);
  return pad && dim >= 0 && IsPadded(pad, dim);
}

}  // namespace

std::optional<Rule> BatchRule(mlir::Operation* op) {
  auto call = llvm::dyn_cast<stablehlo::CustomCallOp>(op);
  const int64_t batch = call ? BatchDims(call) : 0;
  if (batch <= 0 || op->getNumOperands() == 0) return std::nullopt;
  const auto count = static_cast<size_t>(batch);
  const llvm::ArrayRef<int64_t> first = ShapeOf(op->getOperand(0));
  auto has_batch = [&](mlir::Type type) {
    return llvm::isa<mlir::RankedTensorType>(type) && ShapeOf(type).size() >= count &&
           ShapeOf(type).take_front(count) == first.take_front(count);
  };
  if (first.size() < count || !llvm::all_of(op->getOperandTypes(), has_batch) ||
      !llvm::all_of(op->getResultTypes(), has_batch)) {
    return std::nullopt;
  }
  return RuleBuilder(op).AddPointwise(first.take_front(count)).Build();
}

bool MaySplit(mlir::Operation* op, const Rule& rule, int32_t factor) {
  const FactorKind kind = rule.factors[factor].kind;
  if (HasQuantized(op->getOperandTypes()) || HasQuantized(op->getResultTypes())) {
    return false;
  }
  if (IsExchanged(op, rule, factor)) return MaySplitByExchange(op, rule, factor);
  if (kind != FactorKind::kPassThrough && kind != FactorKind::kReduction) return false;
  if (!CoversDims(op->getOperandTypes(), rule.operands, rule, factor) ||
      !CoversDims(op->getResultTypes(), rule.results, rule, factor)) {
    return false;
  }
  if (auto conv = llvm::dyn_cast<stablehlo::ConvolutionOp>(op)) {
    return MaySplitConvolution(conv, rule, factor);
  }
  if (kind == FactorKind::kReduction) {
    if (auto reduce = llvm::dyn_cast<stablehlo::ReduceOp>(op))
      return MayReduce(reduce) || IsSelection(op);
    if (auto gather = llvm::dyn_cast<stablehlo::GatherOp>(op)) {
      return MaySplitGather(gather, rule, factor);
    }
    if (auto scatter = llvm::dyn_cast<stablehlo::ScatterOp>(op)) {
      return MaySplitUpdates(scatter, rule, factor);
    }
    return llvm::isa<stablehlo::DotGeneralOp, stablehlo::DotOp,
                     stablehlo::DynamicSliceOp>(op);
  }
  // A part of a result is computed from the same part of the operands.
  auto has_factor = [&](const Mapping& mapping) { return DimOf(mapping, factor) >= 0; };
  if (!llvm::all_of(rule.results, has_factor) ||
      (!llvm::any_of(rule.operands, has_factor) &&
       !llvm::isa<stablehlo::BroadcastInDimOp, stablehlo::BroadcastOp>(op))) {
    return false;
  }
  if (auto call = llvm::dyn_cast<stablehlo::CustomCallOp>(op)) {
    return MaySplitCustomCall(call, rule, factor);
  }
  // Indices into a split dimension would have to be shifted.
  if (auto update = llvm::dyn_cast<stablehlo::DynamicUpdateSliceOp>(op)) {
    return DimOf(rule.operands[1], factor) >= 0 ||
           MaySplitUpdated(update, DimOf(rule.operands[0], factor));
  }
  if (auto scatter = llvm::dyn_cast<stablehlo::ScatterOp>(op)) {
    return DimOf(rule.operands[0], factor) >= 0 &&
           (DimOf(rule.operands[scatter.getInputs().size() + 1], factor) >= 0 ||
            MaySplitScatterInput(scatter, rule, factor));
  }
  if (llvm::isa<chlo::TopKOp>(op)) {
    return DimOf(rule.operands[0], factor) + 1 != std::ssize(rule.operands[0]);
  }
  // The random numbers of a part depend on where it is in the whole.
  return !llvm::isa<stablehlo::RngBitGeneratorOp, stablehlo::RngOp>(op);
}

}  // namespace tenon::compiler::partition
