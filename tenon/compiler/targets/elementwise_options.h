// What elementwise code may use of a target, and how exact it must be. Plain values; any
// thread.
#ifndef TENON_COMPILER_TARGETS_ELEMENTWISE_OPTIONS_H_
#define TENON_COMPILER_TARGETS_ELEMENTWISE_OPTIONS_H_

#include "llvm/IR/IRBuilder.h"

namespace tenon::compiler {

// What a target computes on bf16 itself. Values are bits: i16, or a vector of any number
// of them. Denormals are kept, and every NaN stays a NaN.
enum class Bf16Op { kAdd, kSubtract, kMultiply, kMaximum, kMinimum, kNegate, kAbs };
struct Bf16Instructions {
  // The exact result, rounded once. -0 < +0. `y` is null for negate and abs.
  llvm::Value* (*compute)(llvm::IRBuilderBase& b, Bf16Op op, llvm::Value* x,
                          llvm::Value* y) = nullptr;
  // From f32, rounded to nearest even, and to f32.
  llvm::Value* (*narrow)(llvm::IRBuilderBase& b, llvm::Value* x) = nullptr;
  llvm::Value* (*widen)(llvm::IRBuilderBase& b, llvm::Value* bits) = nullptr;
};

// Approximations of f32 by instructions, for scalars and vectors. Denormals count as
// zero, as operands and as results.
struct Approximations {
  llvm::Value* (*exp2)(llvm::IRBuilderBase& b, llvm::Value* x) = nullptr;
  // 1 / x; zero if that is no normal number.
  llvm::Value* (*reciprocal)(llvm::IRBuilderBase& b, llvm::Value* x) = nullptr;
  llvm::Value* (*divide)(llvm::IRBuilderBase& b, llvm::Value* x,
                         llvm::Value* y) = nullptr;
  // x * y + z, rounded towards minus infinity. Not an approximation.
  llvm::Value* (*fma_down)(llvm::IRBuilderBase& b, llvm::Value* x, llvm::Value* y,
                           llvm::Value* z) = nullptr;

  // Their relative errors are at most these.
  static constexpr double kExp2Error = 0x1p-22, kReciprocalError = 0x1p-23,
                          kDivideError = 0x1p-22;
};

struct ElementwiseOptions {
  // Denormal operands and results follow IEEE 754, which is slower. Otherwise they may be
  // treated as zero.
  bool ieee_denormals = false;
  // Arithmetic on 16-bit floats uses operands before rounding if the same kernel computed
  // them (ElementValue::wide). Discontinuous functions and ops that are not arithmetic
  // never do. If false, every op rounds its result.
  bool excess_precision = false;
  // The target has fused multiply-add instructions (otherwise LLVM would emit a call).
  bool native_fma = true;
  // The target has instructions that round to integers (otherwise LLVM would emit a
  // call).
  bool native_rounding = true;
  // The target has instructions for half <-> float (otherwise LLVM would emit a call).
  bool native_f16_conversion = false;
  // The target has instructions for float -> bfloat, and for masked additions.
  bool native_bf16_conversion = false;
  // Null if the target has none.
  const Bf16Instructions* bf16 = nullptr;
  // Null if the target has none, or if denormals must be kept.
  const Approximations* approximations = nullptr;
  // The target has instructions for the minimum and maximum of two f32, as StableHLO's.
  bool native_extrema = false;
  // Arithmetic on bf16 values widened to f32 makes only NaNs whose low 16 bits are 0, as
  // on processors. The one NaN of NVIDIA's GPUs has all bits set but the sign.
  bool has_short_nans = true;
  // The target has instructions that add, subtract, multiply and divide half. They keep
  // half denormals whatever the denormal mode.
  bool native_f16_arithmetic = false;
  // Looks up a table of `look_up_entries` floats, 8 or 16, by instruction, for any number
  // of lanes. Uses the low bits of each i32 `index`. Null if the target has no such
  // instruction.
  llvm::Value* (*look_up)(llvm::IRBuilderBase& b, llvm::Constant* table,
                          llvm::Value* index) = nullptr;
  int look_up_entries = 16;
  // Approximates 1 / x of f32 by instruction, with a relative error of at most 2^-14
  // where x and 1 / x are normal. Null if the target has no such instruction.
  llvm::Value* (*reciprocal)(llvm::IRBuilderBase& b, llvm::Value* x) = nullptr;
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TARGETS_ELEMENTWISE_OPTIONS_H_
