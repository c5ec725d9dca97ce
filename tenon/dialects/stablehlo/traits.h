// Type relations and op traits of the dialect. Stateless.
#ifndef TENON_DIALECTS_STABLEHLO_TRAITS_H_
#define TENON_DIALECTS_STABLEHLO_TRAITS_H_

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"

namespace tenon::stablehlo {

// Predicates of the type constraints in stablehlo_base.td.
bool IsPerTensorQuantized(mlir::Type type);
bool IsPerAxisQuantized(mlir::Type type);
// True if the element type is not per-axis quantized, or if its axis exists and has one
// scale per element.
bool HasValidQuantizedDimension(mlir::Type type);
// True if exactly one dimension is dynamic and has a bound.
bool HasSingleBoundedDimension(mlir::Type type);

// The bounds of the dimensions of `type`; empty if it has none.
llvm::ArrayRef<int64_t> GetBounds(mlir::RankedTensorType type);

// Equal, or both quantized with the same storage and expressed type.
bool CompatibleElementTypes(mlir::Type a, mlir::Type b);
// Equal ranks, and equal sizes where both are static.
bool CompatibleShapes(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);
// Equal up to dynamic sizes, bounds and quantization parameters, which type inference may
// leave open.
bool CompatibleTypes(mlir::Type a, mlir::Type b);

namespace trait {
namespace impl {
mlir::LogicalResult VerifyCompatibleTypes(mlir::Operation* op);
mlir::LogicalResult VerifyCompatibleElementTypes(mlir::Operation* op);
mlir::LogicalResult VerifyPairwise(mlir::Operation* op, bool elementsOnly);
}  // namespace impl

template <typename ConcreteOp>
struct CompatibleTypes : mlir::OpTrait::TraitBase<ConcreteOp, CompatibleTypes> {
  static mlir::LogicalResult verifyTrait(mlir::Operation* op) {
    return impl::VerifyCompatibleTypes(op);
  }
};

template <typename ConcreteOp>
struct CompatibleElementTypes
    : mlir::OpTrait::TraitBase<ConcreteOp, CompatibleElementTypes> {
  static mlir::LogicalResult verifyTrait(mlir::Operation* op) {
    return impl::VerifyCompatibleElementTypes(op);
  }
};

template <typename ConcreteOp>
struct PairwiseCompatibleTypes
    : mlir::OpTrait::TraitBase<ConcreteOp, PairwiseCompatibleTypes> {
  static mlir::LogicalResult verifyTrait(mlir::Operation* op) {
    return impl::VerifyPairwise(op, /*elementsOnly=*/false);
  }
};

template <typename ConcreteOp>
struct PairwiseCompatibleElementTypes
    : mlir::OpTrait::TraitBase<ConcreteOp, PairwiseCompatibleElementTypes> {
  static mlir::LogicalResult verifyTrait(mlir::Operation* op) {
    return impl::VerifyPairwise(op, /*elementsOnly=*/true);
  }
};

}  // namespace trait
}  // namespace tenon::stablehlo

#endif  // TENON_DIALECTS_STABLEHLO_TRAITS_H_
