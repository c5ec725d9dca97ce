// A replacement for the last phase of the pipeline, for code that is no image.
#ifndef TENON_COMPILER_PIPELINE_CODE_EMITTER_H_
#define TENON_COMPILER_PIPELINE_CODE_EMITTER_H_

#include "mlir/IR/BuiltinOps.h"
#include "tenon/base/status.h"
#include "tenon/compiler/pipeline/generate_code.h"
#include "tenon/dialects/tenon/tenon_ops.h"
#include "tenon/executable/image.h"

namespace tenon::compiler {

// CompilerConfig::emitter. One compilation at a time.
class CodeEmitter {
 public:
  virtual ~CodeEmitter() = default;

  // Emits the code of `program` and of the kernels in `module`. `image` has the program's
  // metadata and constants.
  virtual StatusOr<CodeObject> Emit(mlir::ModuleOp module, ir::ProgramOp program,
                                    const Image& image, const CodeOptions& options) = 0;
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PIPELINE_CODE_EMITTER_H_
