// Checks the framing of a program in MLIR bytecode: sections, tables, operations and
// their indices. MLIR's own reader trusts its input (it allocates what a count says and
// follows references without end), so nothing reaches it that has not passed here.
// Thread-safe.
#ifndef TENON_COMPILER_IMPORT_BYTECODE_CHECK_H_
#define TENON_COMPILER_IMPORT_BYTECODE_CHECK_H_

#include <functional>
#include <string_view>

#include "tenon/base/status.h"

namespace tenon::compiler {

// True if `bytes` begin with MLIR bytecode's magic number.
bool IsBytecode(std::string_view bytes);

struct BytecodeHeader {
  uint64_t version = 0;
  std::string_view producer;  // "StableHLO_v1.17.0"
};

// The number of inherent attributes in a property record of operation `dialect.name`, or
// why there is no such operation.
using PropertyCount =
    std::function<StatusOr<int>(std::string_view dialect, std::string_view name)>;

// Errors are INVALID_ARGUMENT, or what `count` returned with the program's producer
// added.
StatusOr<BytecodeHeader> CheckBytecode(std::string_view bytes,
                                       const PropertyCount& count);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_IMPORT_BYTECODE_CHECK_H_
