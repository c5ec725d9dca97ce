// Literals of pseudo-random values, the same on every machine. Callable from any thread.
#ifndef TENON_TYPES_RANDOM_LITERAL_H_
#define TENON_TYPES_RANDOM_LITERAL_H_

#include <cstdint>

#include "tenon/types/literal.h"

namespace tenon {

// Floats, and both parts of complex values, are uniform in [-1, 1). Signed integers are
// uniform in [-8, 8) and unsigned ones in [0, 16); 2-bit types use their whole range.
// kPred is a fair coin.
Literal RandomLiteral(ElementType type, Dims dims, uint64_t seed);

}  // namespace tenon

#endif  // TENON_TYPES_RANDOM_LITERAL_H_
