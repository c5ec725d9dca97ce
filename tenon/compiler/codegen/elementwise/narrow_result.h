// What a result of a 16-bit float op, computed in f32, needs to become a number of its
// type: the table behind per-operation rounding. A pure function.
#ifndef TENON_COMPILER_CODEGEN_ELEMENTWISE_NARROW_RESULT_H_
#define TENON_COMPILER_CODEGEN_ELEMENTWISE_NARROW_RESULT_H_

#include "tenon/compiler/analysis/elementwise_op.h"

namespace tenon::compiler {

// bf16 has p = 8 significant bits, f16 11; f32 has 24, at least 2p + 2. Then a sum,
// difference, product, quotient or root rounded to f32 and from there to 16 bits is the
// exact one rounded once (Figueroa 1995), so f32 arithmetic is arithmetic of the type.
enum class NarrowResult {
  // Always a number of the operands' type: one of the operands or its negative, the
  // integer next to it (which has no more significant bits), a sign, or an operand with
  // bits cut off. No rounding.
  kRepresentable,
  // Of one f32 instruction: denormals are flushed as everywhere, and the 16 low bits of a
  // NaN are those of the instruction's own NaN or of a widened bf16, zeros. Adding half
  // of
  // the last place never carries out of such a NaN: rounding needs no case for it.
  kOfInstruction,
  // Of a sequence of instructions, to about an ulp of f32: whatever NaN it made and
  // whatever denormal it passed on is brought into the type with the number.
  kOfFunction,
};

// Of ops whose result has the operands' type; others (compare, is_finite) give no float.
NarrowResult NarrowResultOf(ElementwiseOp op);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_CODEGEN_ELEMENTWISE_NARROW_RESULT_H_
