// The image's constant section: the bytes of every tenon.constant_data op.
#ifndef TENON_COMPILER_PIPELINE_CONSTANT_SECTION_H_
#define TENON_COMPILER_PIPELINE_CONSTANT_SECTION_H_

#include "mlir/IR/BuiltinOps.h"
#include "tenon/base/status.h"
#include "tenon/executable/constant_data.h"

namespace tenon::compiler {

// Places each constant at its offset, row-major.
StatusOr<ConstantData> BuildConstantSection(mlir::ModuleOp module);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PIPELINE_CONSTANT_SECTION_H_
