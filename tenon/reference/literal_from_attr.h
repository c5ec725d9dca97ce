// Constants of a program as literals, and literals as constants. Callable from any thread
// that may use the attribute's context.
#ifndef TENON_REFERENCE_LITERAL_FROM_ATTR_H_
#define TENON_REFERENCE_LITERAL_FROM_ATTR_H_

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "tenon/base/status.h"
#include "tenon/types/literal.h"

namespace tenon {

// The value of a DenseElementsAttr or DenseResourceElementsAttr of static shape. Where
// the storage is laid out as a literal's, the literal reads it in place: keep the context
// (and for a resource the resource) alive while the literal is used. A splat is expanded.
StatusOr<Literal> LiteralFromAttr(mlir::ElementsAttr attr);

// The one element of a splat as a rank-0 literal.
StatusOr<Literal> SplatElementFromAttr(mlir::DenseElementsAttr attr);

// `type` has the literal's element type and number of elements. A literal of equal
// elements becomes a splat.
mlir::DenseElementsAttr AttrFromLiteral(const Literal& literal,
                                        mlir::RankedTensorType type);

// The tensor type of a literal; null for a token.
mlir::RankedTensorType TensorTypeOf(const Literal& literal, mlir::MLIRContext* context);

}  // namespace tenon

#endif  // TENON_REFERENCE_LITERAL_FROM_ATTR_H_
