// What users call the machines that they compile for: `host`, `x86-64-v3`, `znver4`,
// `aarch64`, `aarch64:neoverse-n1`.
//
// Stateless; any thread.
#ifndef TENON_COMPILER_TARGETS_TARGET_NAME_H_
#define TENON_COMPILER_TARGETS_TARGET_NAME_H_

#include <string>
#include <string_view>
#include <vector>

#include "tenon/base/status.h"

namespace tenon::compiler {

// As DescribeTarget wants it.
struct TargetName {
  std::string architecture;
  std::string cpu;
};

// `name` is one of:
//   host, native       this machine
//   ARCHITECTURE       its baseline, which every such machine runs
//   PROCESSOR          LLVM's name of one, or of a level; if several architectures have
//   it,
//                      this machine's
//   ARCHITECTURE:PROCESSOR
// INVALID_ARGUMENT, saying what there is, for any other.
StatusOr<TargetName> ParseTargetName(std::string_view name);

// Names separated by commas, at least one, each once.
StatusOr<std::vector<TargetName>> ParseTargetNames(std::string_view names);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TARGETS_TARGET_NAME_H_
