// Quantized tensors. Their literals hold the storage integers; operations on them are
// computed on the expressed values: dequantized, evaluated, quantized (specification:
// "quantized types"). Pure functions.
#ifndef TENON_REFERENCE_QUANTIZED_H_
#define TENON_REFERENCE_QUANTIZED_H_

#include "mlir/IR/BuiltinTypes.h"
#include "tenon/base/status.h"
#include "tenon/types/literal.h"

namespace tenon::reference {

// Whether `type` is a tensor of quantized elements.
bool IsQuantized(mlir::Type type);

// The element type in which literals of a tensor type are kept: for quantized ones that
// of the storage.
ElementType StoredElementType(mlir::Type type);
// The element type in which operations on a tensor type are computed: for quantized ones
// the expressed type.
ElementType ComputedElementType(mlir::Type type);

// Between storage and expressed values of `type`, a quantized tensor type. Quantizing
// rounds to nearest even and saturates.
StatusOr<Literal> Dequantize(const Literal& stored, mlir::Type type);
StatusOr<Literal> Quantize(const Literal& expressed, mlir::Type type);

}  // namespace tenon::reference

#endif  // TENON_REFERENCE_QUANTIZED_H_
