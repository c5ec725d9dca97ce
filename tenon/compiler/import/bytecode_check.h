// Checks the framing of a program in MLIR bytecode: sections, tables, operations and
// their indices. MLIR's own reader trusts its input: it allocates whatever a count says
// and follows references without a limit. So every program passes these checks before
// MLIR reads it. Thread-safe.
#ifndef TENON_COMPILER_IMPORT_BYTECODE_CHECK_H_
#define TENON_COMPILER_IMPORT_BYTECODE_CHECK_H_

#include <functional>
#include <string>
#include <string_view>

#include "tenon/base/status.h"

namespace tenon::compiler {

// Returns whether `bytes` begin with MLIR bytecode's magic number.
bool IsBytecode(std::string_view bytes);

struct BytecodeHeader {
  uint64_t version = 0;
  std::string_view producer;  // for example "StableHLO_v1.17.0"
  // The same program without type codes that MLIR 22 does not know, to be read instead of
  // the bytes that were checked; empty if those have none.
  std::string rewritten;
};

// Returns the number of inherent attributes in a property record of operation
// `dialect.name`, or an error if the operation does not exist.
using PropertyCount =
    std::function<StatusOr<int>(std::string_view dialect, std::string_view name)>;

// Errors are INVALID_ARGUMENT, or the error of `count` with the program's producer added.
StatusOr<BytecodeHeader> CheckBytecode(std::string_view bytes,
                                       const PropertyCount& count);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_IMPORT_BYTECODE_CHECK_H_
