// User-facing names of targets: `host`, `x86-64-v3`, `znver4`, `aarch64`,
// `aarch64:neoverse-n1`.
//
// Stateless; any thread.
#ifndef TENON_COMPILER_TARGETS_TARGET_NAME_H_
#define TENON_COMPILER_TARGETS_TARGET_NAME_H_

#include <string>
#include <string_view>
#include <vector>

#include "tenon/base/status.h"

namespace tenon::compiler {

// The arguments of DescribeTarget.
struct TargetName {
  std::string architecture;
  std::string cpu;
};

// `name` is one of:
//   host, native       this machine
//   ARCHITECTURE       its baseline, whose code every such machine runs
//   PROCESSOR          LLVM's name of a processor or level; of several architectures that
//                      have it, this machine's is preferred
//   ARCHITECTURE:PROCESSOR
// INVALID_ARGUMENT for any other name; the message lists the choices.
StatusOr<TargetName> ParseTargetName(std::string_view name);

// Parses a comma-separated, non-empty list. Duplicates are dropped.
StatusOr<std::vector<TargetName>> ParseTargetNames(std::string_view names);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TARGETS_TARGET_NAME_H_
