// Functions of bf16 by approximations of f32, with the same bits as by exact arithmetic.
//
// bf16 has so few numbers that all cases can be tried: bf16_functions_test.cc computes
// the interval in which each result lies, given the errors that Approximations allows,
// and checks that all of it rounds to the same number, which is the exact result rounded
// once.
#ifndef TENON_COMPILER_CODEGEN_ELEMENTWISE_BF16_FUNCTIONS_H_
#define TENON_COMPILER_CODEGEN_ELEMENTWISE_BF16_FUNCTIONS_H_

#include "tenon/compiler/analysis/elementwise_op.h"
#include "tenon/compiler/codegen/elementwise/float_math.h"

namespace tenon::compiler {

// Emits `op` of bf16 that were widened to f32. The result is to be rounded to bf16.
// Returns null if `op` has no such code.
llvm::Value* EmitBf16Function(ElementwiseOp op, FloatMath& math,
                              const Approximations& approximations, llvm::Value* a,
                              llvm::Value* b);

// The numbers of these functions, which the test uses, too.
namespace bf16_functions {

constexpr float kLog2E = 0x1.715476p+0f;
// e^x is 2^(x log2 e + kExpOffset), where the sum is rounded down. Whatever the offset,
// the rounding of large exponents or two numbers close to a tie would spoil results if it
// were to nearest.
constexpr float kExpOffset = 0x1.58p-19f;
// tanh x is x below.
constexpr float kTanhLow = 0x1p-6f;
// Below, the logistic function is a polynomial: 1/2 + x / 4 is often a tie.
constexpr float kLogisticLow = 0.25f;
constexpr float kLogisticCubic = -1.0f / 48;
// Quotients are this much larger, so that errors make none denormal.
constexpr float kQuotientFactor = 1 + 0x1p-21f;
// Reciprocals of larger numbers are denormal.
constexpr float kLargestDivisor = 0x1p126f;

}  // namespace bf16_functions
}  // namespace tenon::compiler

#endif  // TENON_COMPILER_CODEGEN_ELEMENTWISE_BF16_FUNCTIONS_H_
