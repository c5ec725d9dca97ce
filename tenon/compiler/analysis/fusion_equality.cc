#include "tenon/compiler/analysis/fusion_equality.h"

#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler {
namespace {

using ValueMap = llvm::DenseMap<mlir::Value, mlir::Value>;

bool EqualBlocks(mlir::Block& a, mlir::Block& b, SplatValues splats, ValueMap& same);

bool EqualOps(mlir::Operation& a, mlir::Operation& b, SplatValues splats,
              ValueMap& same) {
  if (a.getName() != b.getName() || a.getResultTypes() != b.getResultTypes() ||
      a.getNumOperands() != b.getNumOperands() ||
      a.getNumRegions() != b.getNumRegions() ||
      a.getDiscardableAttrDictionary() != b.getDiscardableAttrDictionary())
    return false;
  bool ignored = splats == SplatValues::kIgnored && SplatValueOf(a) && SplatValueOf(b);
  if (!ignored && !a.getName().compareOpProperties(a.getPropertiesStorage(),
                                                   b.getPropertiesStorage()))
    return false;
  for (auto [left, right] : llvm::zip_equal(a.getOperands(), b.getOperands()))
    if (same.lookup(left) != right) return false;
  for (auto [left, right] : llvm::zip_equal(a.getRegions(), b.getRegions())) {
    if (left.getBlocks().size() != right.getBlocks().size()) return false;
    for (auto [x, y] : llvm::zip_equal(left, right))
      if (!EqualBlocks(x, y, splats, same)) return false;
  }
  for (auto [left, right] : llvm::zip_equal(a.getResults(), b.getResults()))
    same[left] = right;
  return true;
}

bool EqualBlocks(mlir::Block& a, mlir::Block& b, SplatValues splats, ValueMap& same) {
  if (a.getArgumentTypes() != b.getArgumentTypes() ||
      a.getOperations().size() != b.getOperations().size())
    return false;
  for (auto [left, right] : llvm::zip_equal(a.getArguments(), b.getArguments()))
    same[left] = right;
  for (auto [left, right] : llvm::zip_equal(a, b))
    if (!EqualOps(left, right, splats, same)) return false;
  return true;
}

}  // namespace

mlir::DenseElementsAttr SplatValueOf(mlir::Operation& op) {
  auto constant = llvm::dyn_cast<stablehlo::ConstantOp>(op);
  if (!constant) return nullptr;
  auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(constant.getValue());
  return dense && dense.isSplat() && dense.getElementType().isIntOrFloat() ? dense
                                                                           : nullptr;
}

bool EqualFusions(ir::FusionOp a, ir::FusionOp b, SplatValues splats) {
  ValueMap same;
  return a.getKind() == b.getKind() && a->getAttrDictionary() == b->getAttrDictionary() &&
         EqualBlocks(a.getBody().front(), b.getBody().front(), splats, same);
}

size_t HashOfFusion(ir::FusionOp fusion, SplatValues splats) {
  llvm::hash_code hash = llvm::hash_combine(fusion.getKind(), fusion.getInputs().size(),
                                            fusion->getDiscardableAttrDictionary());
  for (mlir::Operation& op : fusion.getBody().front()) {
    hash = llvm::hash_combine(hash, op.getName(), op.getNumOperands());
    if (splats == SplatValues::kCompared || !SplatValueOf(op))
      hash = llvm::hash_combine(hash, op.hashProperties());
    for (mlir::Type type : op.getResultTypes()) hash = llvm::hash_combine(hash, type);
  }
  return hash;
}

}  // namespace tenon::compiler
