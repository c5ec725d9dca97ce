// What code of elementwise operations may use of a target, and how exact it is. Plain
// values; any thread.
#ifndef TENON_COMPILER_TARGETS_ELEMENTWISE_OPTIONS_H_
#define TENON_COMPILER_TARGETS_ELEMENTWISE_OPTIONS_H_

#include "llvm/IR/IRBuilder.h"

namespace tenon::compiler {

struct ElementwiseOptions {
  // Denormal operands and results are computed as IEEE 754 has it, at some cost.
  // Otherwise they may be taken as, and become, zero.
  bool ieee_denormals = false;
  // Arithmetic on 16-bit floats takes operands before their rounding, where they were
  // computed in the same kernel (ElementValue::wide). What is not arithmetic, and what
  // jumps, never does. Otherwise every op rounds its result.
  bool excess_precision = false;
  // The target multiplies and adds by one instruction (otherwise LLVM would emit a call).
  bool native_fma = true;
  // The target rounds to integers by instruction (otherwise LLVM would emit a call).
  bool native_rounding = true;
  // The target converts half <-> float by instruction (otherwise LLVM would emit a call).
  bool native_f16_conversion = false;
  // The target rounds float to bfloat by instruction, and adds under masks.
  bool native_bf16_conversion = false;
  // The target adds, subtracts, multiplies and divides half by instructions, which treat
  // its denormals as numbers whatever the mode.
  bool native_f16_arithmetic = false;
  // Entry number `index` (its four low bits, i32, as many lanes as it likes) of a table
  // of 16 floats, for every lane by instruction. Null: the target has none.
  llvm::Value* (*look_up)(llvm::IRBuilderBase& b, llvm::Constant* table,
                          llvm::Value* index) = nullptr;
  // 1 / x of f32 by instruction, off by at most 2^-14 of it, where x and 1 / x are normal
  // numbers. Null: the target has none.
  llvm::Value* (*reciprocal)(llvm::IRBuilderBase& b, llvm::Value* x) = nullptr;
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TARGETS_ELEMENTWISE_OPTIONS_H_
