// Conversion between a program's constants and literals. Callable from any thread that
// may use the attribute's context.
#ifndef TENON_REFERENCE_LITERAL_FROM_ATTR_H_
#define TENON_REFERENCE_LITERAL_FROM_ATTR_H_

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "tenon/base/status.h"
#include "tenon/types/literal.h"

namespace tenon {

// Returns the value of a DenseElementsAttr or DenseResourceElementsAttr of static shape.
// If the storage has the literal's layout, the literal refers to it: the context (and for
// a resource the resource) must outlive the literal. A splat is expanded.
StatusOr<Literal> LiteralFromAttr(mlir::ElementsAttr attr);

// Returns the only element of a splat as a rank-0 literal.
StatusOr<Literal> SplatElementFromAttr(mlir::DenseElementsAttr attr);

// `type` must have the literal's element type and number of elements. A literal of equal
// elements becomes a splat.
mlir::DenseElementsAttr AttrFromLiteral(const Literal& literal,
                                        mlir::RankedTensorType type);

// Returns the tensor type of a literal; null for a token.
mlir::RankedTensorType TensorTypeOf(const Literal& literal, mlir::MLIRContext* context);

}  // namespace tenon

#endif  // TENON_REFERENCE_LITERAL_FROM_ATTR_H_
