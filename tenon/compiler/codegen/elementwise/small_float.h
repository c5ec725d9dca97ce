// Exact conversions between f32 and floats of 16 bits and less, in integer arithmetic:
// right whatever the machine does with denormals. Free functions; the thread that owns
// the LLVMContext.
#ifndef TENON_COMPILER_CODEGEN_ELEMENTWISE_SMALL_FLOAT_H_
#define TENON_COMPILER_CODEGEN_ELEMENTWISE_SMALL_FLOAT_H_

#include "tenon/compiler/codegen/elementwise/float_math.h"

namespace tenon::compiler {

// How a format uses its codes beyond the finite numbers.
enum class FloatSpecials {
  kIeee,    // the top exponent: infinities and NaNs
  kFn,      // no infinity; NaN is the code of all ones. Overflow becomes NaN
  kFnuz,    // no infinity, no -0; NaN is -0's code. Overflow becomes NaN
  kFinite,  // neither: overflow saturates, NaN becomes a zero of the other sign
};

struct FloatFormat {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  FloatSpecials specials;
};

// Of kF16 and the small floats other than kF8E8M0FNU.
FloatFormat GetFloatFormat(ElementType type);

// `raw`: the bits in the low end of f32.int_type() lanes, zero above. To a float.
llvm::Value* DecodeFloat(FloatMath& f32, const FloatFormat& format, llvm::Value* raw);
// Rounds to nearest even. To the bits, in f32.int_type() lanes.
llvm::Value* EncodeFloat(FloatMath& f32, const FloatFormat& format, llvm::Value* value);

// f8E8M0FNU, powers of two only: `math` is f32 or f64, codes are in its int_type().
// Halfway values round up; what is not positive and finite becomes NaN.
llvm::Value* DecodeE8M0(FloatMath& math, llvm::Value* raw);
llvm::Value* EncodeE8M0(FloatMath& math, llvm::Value* value);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_CODEGEN_ELEMENTWISE_SMALL_FLOAT_H_
