#include "tenon/dialects/stablehlo/reduction_ops.h"

#include "tenon/dialects/stablehlo/assembly_format.h"

#define GET_OP_CLASSES
#include "tenon/dialects/stablehlo/reduction_ops.cc.inc"

namespace tenon::stablehlo {

void StableHLODialect::addReductionOps() {
  addOperations<
#define GET_OP_LIST
#include "tenon/dialects/stablehlo/reduction_ops.cc.inc"
      >();
}

}  // namespace tenon::stablehlo
