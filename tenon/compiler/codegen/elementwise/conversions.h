// Conversions between real element types, in registers. Built for one insertion point;
// used by the thread that owns the LLVMContext.
#ifndef TENON_COMPILER_CODEGEN_ELEMENTWISE_CONVERSIONS_H_
#define TENON_COMPILER_CODEGEN_ELEMENTWISE_CONVERSIONS_H_

#include "tenon/compiler/codegen/elementwise/float_math.h"

namespace tenon::compiler {

class Conversions {
 public:
  Conversions(llvm::IRBuilderBase& builder, const ElementwiseOptions& options)
      : builder_(builder), options_(options) {}

  // StableHLO's convert between types that are not complex. Floats are rounded to nearest
  // even, once. A conversion of floats to integers truncates and saturates, and maps NaN
  // to 0. A conversion to kPred is "!= 0".
  llvm::Value* Convert(ElementType from, ElementType to, llvm::Value* value);
  // Converts a float type to the type of its arithmetic: f64 stays, all others become
  // f32. Exact.
  llvm::Value* Widen(ElementType from, llvm::Value* value);
  // The inverse of Widen: rounds a value of that type to `to`.
  llvm::Value* Narrow(ElementType to, llvm::Value* value);
  // The same for a value that `to` (f16 or bf16) represents exactly. It keeps its bits,
  // even if denormals are flushed.
  llvm::Value* NarrowRepresentable(ElementType to, llvm::Value* value);
  // Rounds an f32 to the precision of bf16; the result is an f32. A NaN must have 16 low
  // bits that are 0.
  llvm::Value* RoundToBf16InPlace(llvm::Value* value);

 private:
  llvm::Type* WithLanes(llvm::Value* value, llvm::Type* scalar) {
    return value->getType()->getWithNewType(scalar);
  }
  FloatMath MathLike(llvm::Value* value, bool f64);
  llvm::Value* FloatToInteger(ElementType to, llvm::Value* value);
  llvm::Value* IntegerToFloat(ElementType from, ElementType to, llvm::Value* value);
  // Converts f64 to f32, rounding to odd. Rounding the result to a narrower type then
  // gives the same as rounding `value` once.
  llvm::Value* RoundToOddF32(llvm::Value* value);

  llvm::IRBuilderBase& builder_;
  ElementwiseOptions options_;
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_CODEGEN_ELEMENTWISE_CONVERSIONS_H_
