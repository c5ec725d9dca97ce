// Emits the phases of a planned Fourier transform. Stateless.
#ifndef TENON_COMPILER_CODEGEN_FFT_FFT_EMITTER_H_
#define TENON_COMPILER_CODEGEN_FFT_FFT_EMITTER_H_

#include "tenon/compiler/codegen/ir/loops.h"
#include "tenon/compiler/codegen/ir/plan_names.h"

namespace tenon::codegen {

struct FftPointers {
  llvm::Value* input = nullptr;
  llvm::Value* output = nullptr;
  llvm::Value* scratch = nullptr;
};

// Emits the body of phase `phase` for chunk `chunk` (i64, less than the phase's number of
// chunks).
Status EmitFftPhase(IrBuilder& b, const FftSpec& spec, const FftPlan& plan, int phase,
                    const FftPointers& pointers, llvm::Value* chunk,
                    const TargetTraits& target);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_FFT_FFT_EMITTER_H_
