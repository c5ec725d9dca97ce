// Rejects MLIR text on which MLIR's recursive parser could overflow the stack. Stateless.
#ifndef TENON_COMPILER_IMPORT_TEXT_CHECK_H_
#define TENON_COMPILER_IMPORT_TEXT_CHECK_H_

#include <string_view>

#include "tenon/base/status.h"

namespace tenon::compiler {

// Returns INVALID_ARGUMENT if brackets in `text` nest too deep, or if it has affine maps
// or sets: their expressions recurse without brackets, and no StableHLO program has them.
Status CheckTextNesting(std::string_view text);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_IMPORT_TEXT_CHECK_H_
