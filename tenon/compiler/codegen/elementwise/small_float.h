// Exact conversions between f32 and floats of 16 bits and less, in integer arithmetic, so
// that they do not depend on how the machine treats denormals. Free functions; the thread
// that owns the LLVMContext.
#ifndef TENON_COMPILER_CODEGEN_ELEMENTWISE_SMALL_FLOAT_H_
#define TENON_COMPILER_CODEGEN_ELEMENTWISE_SMALL_FLOAT_H_

#include "tenon/compiler/codegen/elementwise/float_math.h"

namespace tenon::compiler {

// How a format encodes infinities and NaN.
enum class FloatSpecials {
  kIeee,    // infinities and NaNs at the largest exponent
  kFn,      // no infinity; NaN has all bits set. Overflow becomes NaN
  kFnuz,    // no infinity, no -0; NaN has the code of -0. Overflow becomes NaN
  kFinite,  // neither: overflow saturates, NaN becomes a zero of the other sign
};

struct FloatFormat {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  FloatSpecials specials;
};

// Returns the format of kF16 or of a small float other than kF8E8M0FNU.
FloatFormat GetFloatFormat(ElementType type);

// Converts bits to a float. `raw` has the bits in the low end of f32.int_type() lanes and
// zeros above.
llvm::Value* DecodeFloat(FloatMath& f32, const FloatFormat& format, llvm::Value* raw);
// Converts a float to bits, in f32.int_type() lanes. Rounds to nearest even.
llvm::Value* EncodeFloat(FloatMath& f32, const FloatFormat& format, llvm::Value* value);

// f8E8M0FNU, which has powers of two only. `math` is f32 or f64, and codes are in its
// int_type(). Halfway values are rounded up. Values that are not positive and finite
// become NaN.
llvm::Value* DecodeE8M0(FloatMath& math, llvm::Value* raw);
llvm::Value* EncodeE8M0(FloatMath& math, llvm::Value* value);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_CODEGEN_ELEMENTWISE_SMALL_FLOAT_H_
