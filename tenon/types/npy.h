// NumPy's .npy files as literals. Callable from any thread.
//
// Types that NumPy does not know are stored as raw void elements, as ml_dtypes does:
// "<V2" for bf16, "<V1" for every type of at most one byte. A reader of such a file must
// state the type that it expects.
#ifndef TENON_TYPES_NPY_H_
#define TENON_TYPES_NPY_H_

#include <span>
#include <string>

#include "tenon/base/status.h"
#include "tenon/types/literal.h"

namespace tenon {

// `expected` is the element type, or kInvalid to use the type in the file. Arrays in
// Fortran order are converted to row-major. Errors name the path.
StatusOr<Literal> ReadNpy(const std::string& path,
                          ElementType expected = ElementType::kInvalid);
Status WriteNpy(const std::string& path, const Literal& literal);

// The same on bytes in memory.
StatusOr<Literal> ParseNpy(std::span<const uint8_t> bytes,
                           ElementType expected = ElementType::kInvalid);
StatusOr<std::string> FormatNpy(const Literal& literal);

}  // namespace tenon

#endif  // TENON_TYPES_NPY_H_
