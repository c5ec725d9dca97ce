// Comparison of literals, with a report of the first mismatch. Callable from any thread.
//
// Every function returns OK if the literals agree, and INVALID_ARGUMENT if their types or
// sizes differ. Otherwise it returns FAILED_PRECONDITION and reports how many elements
// differ, the index and values of the first one, and the largest difference. NaN equals
// NaN. Complex elements agree if both parts do.
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

// As CompareUlps, but floats also agree if they differ by at most `norm_epsilons` times
// the type's epsilon times the largest finite |expected| of the whole literal. This bound
// suits sums, whose error is relative to the summands and not to the result.
Status CompareUlpsOrNorm(const Literal& actual, const Literal& expected, int64_t max_ulps,
                         double norm_epsilons);

// The distance from a to b, counted in representable values of float type `type`. Both
// must be representable. INT64_MAX if only one is NaN or if they are infinities of
// opposite sign.
int64_t UlpDistance(ElementType type, double a, double b);

}  // namespace tenon

#endif  // TENON_TYPES_LITERAL_COMPARE_H_
