// Fourier transforms of rows in the local memory of a group, step by step. No state.
#ifndef TENON_COMPILER_CODEGEN_GRID_GROUP_FFT_H_
#define TENON_COMPILER_CODEGEN_GRID_GROUP_FFT_H_

#include "tenon/compiler/codegen/grid/group_body.h"
#include "tenon/compiler/plan/group_fft_plan.h"

namespace tenon::codegen {

using compiler::GroupFftPhase;

// The items of a group for this phase.
int ItemsOfFft(const GroupFftPhase& phase, const compiler::DeviceTarget& device);
// The local memory that the launch adds.
int64_t DynamicBytesOfFft(const compiler::FftSpec& spec, const GroupFftPhase& phase,
                          const compiler::DeviceTarget& device);
// Emits the work of group number `group` (i64), which has these items.
Status EmitGroupFft(GroupBody& body, ir::FftOp op, const GroupFftPhase& phase,
                    llvm::Value* group);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_GRID_GROUP_FFT_H_
