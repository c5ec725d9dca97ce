// Side effects and symbol uses that depend on attributes.
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tenon/dialects/stablehlo/call_ops.h"
#include "tenon/dialects/stablehlo/process_groups.h"
#include "tenon/dialects/stablehlo/traits.h"

namespace tenon::stablehlo {

void CustomCallOp::getEffects(
    llvm::SmallVectorImpl<mlir::MemoryEffects::EffectInstance>& effects) {
  // Like other collectives, a ragged_all_to_all must run on all devices or on none.
  if (!getHasSideEffect() && !IsRaggedAllToAll(*this)) return;
  effects.emplace_back(mlir::MemoryEffects::Read::get());
  effects.emplace_back(mlir::MemoryEffects::Write::get());
}

mlir::LogicalResult CompositeOp::verifySymbolUses(mlir::SymbolTableCollection& symbols) {
  auto function =
      symbols.lookupNearestSymbolFrom<mlir::func::FuncOp>(*this, getDecompositionAttr());
  if (!function) {  // composite_c1
    return emitOpError() << "decomposition @" << getDecomposition()
                         << " is not a function of the module";
  }
  auto compatible = [](mlir::TypeRange a, mlir::TypeRange b) {
    return a.size() == b.size() && llvm::all_of(llvm::zip_equal(a, b), [](auto pair) {
             return CompatibleTypes(std::get<0>(pair), std::get<1>(pair));
           });
  };
  mlir::FunctionType type = function.getFunctionType();
  if (!compatible(type.getInputs(), getOperandTypes()) ||  // composite_c2, composite_c3
      !compatible(type.getResults(), getResultTypes())) {
    return emitOpError() << "has type "
                         << mlir::FunctionType::get(getContext(), getOperandTypes(),
                                                    getResultTypes())
                         << ", but decomposition @" << getDecomposition() << " has type "
                         << type;
  }
  return mlir::success();
}

}  // namespace tenon::stablehlo
