// The matrix units of targets, for TargetTraits.
#ifndef TENON_COMPILER_TARGETS_MATRIX_UNIT_H_
#define TENON_COMPILER_TARGETS_MATRIX_UNIT_H_

#include <functional>

#include "tenon/compiler/targets/traits.h"

namespace tenon::compiler {

// Fills matrix_unit of an x86 target with its tile registers (AMX). `has` tells of LLVM's
// feature names. Who runs the code has asked the system for their use.
void AddX86MatrixUnit(const std::function<bool(const char*)>& has, TargetTraits& traits);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TARGETS_MATRIX_UNIT_H_
