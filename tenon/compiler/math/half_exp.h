// e^x / 2 where e^x overflows: e^(x - start) * (e^start / 2) for x above `start`. The
// difference is exact, because neighbouring numbers there are at most 2^-17 (f32) or
// 2^-43 (f64) apart and `start` is a multiple of 2^-5. e^start / 2 is within 0.005 units
// in the last place of a number of the type; `start` was chosen for that.
#ifndef TENON_COMPILER_MATH_HALF_EXP_H_
#define TENON_COMPILER_MATH_HALF_EXP_H_

namespace tenon::compiler {

struct HalfExpSplit {
  double start, factor;  // factor: e^start / 2
};
inline constexpr HalfExpSplit kHalfExp32 = {87.28125, 0x1.e47524p+124};
inline constexpr HalfExpSplit kHalfExp64 = {694.875, 0x1.68372c6c589d4p+1001};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_MATH_HALF_EXP_H_
