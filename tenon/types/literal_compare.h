// Comparison of literals, with a report of the first mismatch. Callable from any thread.
//
// Every function returns OK when the literals agree, INVALID_ARGUMENT when their types or
// sizes differ, and else FAILED_PRECONDITION with how many elements differ, the first
// one's index and values, and the largest difference. NaNs equal NaNs; complex elements
// agree when both parts do.
#ifndef TENON_TYPES_LITERAL_COMPARE_H_
#define TENON_TYPES_LITERAL_COMPARE_H_

#include <cstdint>

#include "tenon/base/status.h"
#include "tenon/types/literal.h"

namespace tenon {

// The same bits, except that any NaN equals any NaN.
Status CompareEqual(const Literal& actual, const Literal& expected);

// Floats at most `max_ulps` representable values apart (0 and -0 are equal); integers
// equal.
Status CompareUlps(const Literal& actual, const Literal& expected, int64_t max_ulps);

// |actual - expected| <= absolute + relative * |expected|; infinities must be equal.
// Integers are compared by the same formula.
Status CompareClose(const Literal& actual, const Literal& expected, double relative,
                    double absolute);

// As CompareUlps, but floats also agree when they differ by at most `norm_epsilons` times
// the type's epsilon times the largest finite |expected| of the whole literal: the bound
// for sums, whose error is relative to the summands and not to the result.
Status CompareUlpsOrNorm(const Literal& actual, const Literal& expected, int64_t max_ulps,
                         double norm_epsilons);

// The number of representable values of float type `type` from a to b, which it holds
// exactly; INT64_MAX when one is NaN or they are of opposite infinite sign.
int64_t UlpDistance(ElementType type, double a, double b);

}  // namespace tenon

#endif  // TENON_TYPES_LITERAL_COMPARE_H_
