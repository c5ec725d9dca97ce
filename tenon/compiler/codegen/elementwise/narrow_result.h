// How the result of a 16-bit float op, which is computed in f32, is rounded to the op's
// type. A pure function.
#ifndef TENON_COMPILER_CODEGEN_ELEMENTWISE_NARROW_RESULT_H_
#define TENON_COMPILER_CODEGEN_ELEMENTWISE_NARROW_RESULT_H_

#include "tenon/compiler/analysis/elementwise_op.h"

namespace tenon::compiler {

// bf16 has p = 8 significant bits, f16 has 11, and f32 has 24, at least 2p + 2. So a sum,
// difference, product, quotient or root that is rounded to f32 and then to 16 bits equals
// the exact result rounded once (Figueroa 1995): f32 arithmetic is correct arithmetic of
// the type.
enum class NarrowResult {
  // The result is always representable in the operands' type: an operand or its negative,
  // the integer next to it (which has no more significant bits), a sign, or an operand
  // with bits cut off. No rounding is needed. reduce_precision that keeps the range of
  // exponents may round up beyond the largest value; its emitter asks for more then.
  kRepresentable,
  // The result of one f32 instruction. Denormals are flushed as everywhere. The 16 low
  // bits of a NaN are zeros, because it is the instruction's own NaN or a widened bf16.
  // Adding half of the last place never carries out of such a NaN, so rounding needs no
  // special case for it.
  kOfInstruction,
  // The result of several instructions, with an error of about an ulp of f32. NaNs may
  // have any bits and results may be denormal, so the conversion handles both.
  kOfFunction,
};

// For ops whose result has the operands' type. Others (compare, is_finite) do not return
// a float.
NarrowResult NarrowResultOf(ElementwiseOp op);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_CODEGEN_ELEMENTWISE_NARROW_RESULT_H_
