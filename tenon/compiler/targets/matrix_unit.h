// The matrix units of targets, for TargetTraits.
#ifndef TENON_COMPILER_TARGETS_MATRIX_UNIT_H_
#define TENON_COMPILER_TARGETS_MATRIX_UNIT_H_

#include <functional>

#include "tenon/compiler/targets/traits.h"

namespace tenon::compiler {

// Sets matrix_unit to the tile registers (AMX) of an x86 target. `has` looks up LLVM's
// feature names. Before the code runs, the process must have asked the operating system
// for permission to use them.
void AddX86MatrixUnit(const std::function<bool(const char*)>& has, TargetTraits& traits);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TARGETS_MATRIX_UNIT_H_
