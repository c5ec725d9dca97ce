#include "tenon/dialects/stablehlo/dialect.h"

#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "tenon/dialects/stablehlo/attributes.h"
#include "tenon/dialects/stablehlo/shape_ops.h"

#include "tenon/dialects/stablehlo/dialect.cc.inc"

namespace tenon::stablehlo {
namespace {

// StableHLO ops have no state of their own, so every region can be inlined anywhere.
struct InlinerInterface : mlir::DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(mlir::Operation*, mlir::Operation*, bool) const final {
    return true;
  }
  bool isLegalToInline(mlir::Region*, mlir::Region*, bool, mlir::IRMapping&) const final {
    return true;
  }
  bool isLegalToInline(mlir::Operation*, mlir::Region*, bool,
                       mlir::IRMapping&) const final {
    return true;
  }
};

}  // namespace

void StableHLODialect::initialize() {
  addTypesOfDialect();
  addAttributesOfDialect();
  addUnaryOps();
  addBinaryOps();
  addShapeOps();
  addIndexingOps();
  addReductionOps();
  addContractionOps();
  addControlFlowOps();
  addCallOps();
  addCollectiveOps();
  addInterfaces<InlinerInterface>();
}

mlir::Operation* StableHLODialect::materializeConstant(mlir::OpBuilder& builder,
                                                       mlir::Attribute value,
                                                       mlir::Type type,
                                                       mlir::Location loc) {
  auto elements = mlir::dyn_cast<mlir::ElementsAttr>(value);
  // Does not fold quantized constants: their attributes have the storage type.
  if (!elements || elements.getType() != type) return nullptr;
  return ConstantOp::create(builder, loc, elements);
}

}  // namespace tenon::stablehlo
