// ln 2 as a sum of two parts, for f32 and f64. The product of the first part with any
// exponent is exact.
#ifndef TENON_COMPILER_MATH_LN2_H_
#define TENON_COMPILER_MATH_LN2_H_

namespace tenon::compiler {

inline constexpr double kLn2Hi32 = 0x1.62e4p-1, kLn2Lo32 = 0x1.7f7d1cp-20;
inline constexpr double kLn2Hi64 = 0x1.62e42feep-1, kLn2Lo64 = 0x1.a39ef35793c76p-33;

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_MATH_LN2_H_
