#include "tenon/dialects/stablehlo/control_flow_ops.h"

#include "tenon/dialects/stablehlo/assembly_format.h"

#define GET_OP_CLASSES
#include "tenon/dialects/stablehlo/control_flow_ops.cc.inc"

namespace tenon::stablehlo {

void StableHLODialect::addControlFlowOps() {
  addOperations<
#define GET_OP_LIST
#include "tenon/dialects/stablehlo/control_flow_ops.cc.inc"
      >();
}

}  // namespace tenon::stablehlo
