// The image's constant section: the bytes of all tenon.constant_data.
#ifndef TENON_COMPILER_PIPELINE_CONSTANT_SECTION_H_
#define TENON_COMPILER_PIPELINE_CONSTANT_SECTION_H_

#include "mlir/IR/BuiltinOps.h"
#include "tenon/base/status.h"
#include "tenon/executable/constant_data.h"

namespace tenon::compiler {

// Each constant at its offset, one element after another, row-major.
StatusOr<ConstantData> BuildConstantSection(mlir::ModuleOp module);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PIPELINE_CONSTANT_SECTION_H_
