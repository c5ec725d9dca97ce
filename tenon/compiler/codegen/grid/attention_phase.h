// tenon.attention as a phase of devices with matrix instructions.
#ifndef TENON_COMPILER_CODEGEN_GRID_ATTENTION_PHASE_H_
#define TENON_COMPILER_CODEGEN_GRID_ATTENTION_PHASE_H_

#include "tenon/compiler/codegen/grid/group_body.h"
#include "tenon/compiler/codegen/matrix/matrix_attention.h"
#include "tenon/dialects/tenon/attention_op.h"

namespace tenon::codegen {

struct AttentionPhase {
  MatrixAttention attention;  // without operands and results
  AttentionTile tile;
  int items = 0;  // of a group
  int64_t groups = 0;
};

// UNIMPLEMENTED if the device lacks the instructions.
StatusOr<AttentionPhase> PlanAttentionPhase(ir::AttentionOp op,
                                            const compiler::DeviceTarget& device);

// Emits the work of a group; `body` has the items of the phase.
Status EmitAttentionPhase(ir::AttentionOp op, GroupBody& body,
                          const AttentionPhase& phase,
                          const compiler::DeviceTarget& device);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_GRID_ATTENTION_PHASE_H_
