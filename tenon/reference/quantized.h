// Quantized tensors. Literals hold the storage integers. Operations are computed on the
// expressed values: dequantize, evaluate, quantize (specification: "quantized types").
// Pure functions.
#ifndef TENON_REFERENCE_QUANTIZED_H_
#define TENON_REFERENCE_QUANTIZED_H_

#include "mlir/IR/BuiltinTypes.h"
#include "tenon/base/status.h"
#include "tenon/types/literal.h"

namespace tenon::reference {

// Returns whether `type` is a tensor of quantized elements.
bool IsQuantized(mlir::Type type);

// The element type of a tensor type's literals; for quantized types the storage type.
ElementType StoredElementType(mlir::Type type);
// The element type in which operations on a tensor type are computed; for quantized types
// the expressed type.
ElementType ComputedElementType(mlir::Type type);

// Convert between storage and expressed values of `type`, a quantized tensor type.
// Quantize rounds to nearest even and saturates.
StatusOr<Literal> Dequantize(const Literal& stored, mlir::Type type);
StatusOr<Literal> Quantize(const Literal& expressed, mlir::Type type);

}  // namespace tenon::reference

#endif  // TENON_REFERENCE_QUANTIZED_H_
