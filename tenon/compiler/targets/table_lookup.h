// The instructions of targets that look up lanes in a table, for ElementwiseOptions.
#ifndef TENON_COMPILER_TARGETS_TABLE_LOOKUP_H_
#define TENON_COMPILER_TARGETS_TABLE_LOOKUP_H_

#include <functional>

#include "tenon/compiler/codegen/elementwise/elementwise_emitter.h"

namespace tenon::compiler {

// Fills look_up of an x86 target. `has` tells of LLVM's feature names.
void AddX86TableLookup(const std::function<bool(const char*)>& has,
                       ElementwiseOptions& options);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TARGETS_TABLE_LOOKUP_H_
