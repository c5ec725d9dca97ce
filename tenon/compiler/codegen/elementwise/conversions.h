// Conversions between real element types, in registers. Made per insertion point; used by
// the thread that owns the LLVMContext.
#ifndef TENON_COMPILER_CODEGEN_ELEMENTWISE_CONVERSIONS_H_
#define TENON_COMPILER_CODEGEN_ELEMENTWISE_CONVERSIONS_H_

#include "tenon/compiler/codegen/elementwise/float_math.h"

namespace tenon::compiler {

class Conversions {
 public:
  Conversions(llvm::IRBuilderBase& builder, const ElementwiseOptions& options)
      : builder_(builder), options_(options) {}

  // StableHLO's convert between types that are not complex: floats round to nearest even,
  // once; floats to integers truncate and saturate, NaN becomes 0; anything to kPred is
  // "!= 0".
  llvm::Value* Convert(ElementType from, ElementType to, llvm::Value* value);
  // A float type to the type its arithmetic is done in: f64 as it is, all others to f32.
  // Exact.
  llvm::Value* Widen(ElementType from, llvm::Value* value);
  // Back, from Widen's type.
  llvm::Value* Narrow(ElementType to, llvm::Value* value);
  // The same of a number that `to`, f16 or bf16, has: it keeps its bits, whatever the
  // treatment of denormals.
  llvm::Value* NarrowRepresentable(ElementType to, llvm::Value* value);
  // An f32 rounded to the precision of bf16 without leaving f32. The 16 low bits of a NaN
  // are to be zeros.
  llvm::Value* RoundToBf16InPlace(llvm::Value* value);

 private:
  llvm::Type* WithLanes(llvm::Value* value, llvm::Type* scalar) {
    return value->getType()->getWithNewType(scalar);
  }
  FloatMath MathLike(llvm::Value* value, bool f64);
  llvm::Value* FloatToInteger(ElementType to, llvm::Value* value);
  llvm::Value* IntegerToFloat(ElementType from, ElementType to, llvm::Value* value);
  // f64 to f32 such that rounding the result again is like rounding `value`: round to
  // odd.
  llvm::Value* RoundToOddF32(llvm::Value* value);

  llvm::IRBuilderBase& builder_;
  ElementwiseOptions options_;
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_CODEGEN_ELEMENTWISE_CONVERSIONS_H_
