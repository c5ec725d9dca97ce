// A tenon module to machine code: LLVM IR for the program and its kernels, optimised,
// generated on several threads and linked.
#ifndef TENON_COMPILER_PIPELINE_GENERATE_CODE_H_
#define TENON_COMPILER_PIPELINE_GENERATE_CODE_H_

#include <functional>

#include "mlir/IR/BuiltinOps.h"
#include "tenon/base/status.h"
#include "tenon/compiler/cache/code_cache.h"
#include "tenon/compiler/targets/target.h"
#include "tenon/dialects/tenon/tenon_ops.h"
#include "tenon/executable/image.h"

namespace tenon::compiler {

struct CodeOptions {
  TargetDescription target;
  bool ieee_denormals = false;
  bool excess_precision = false;  // of 16-bit floats inside a kernel
  int optimization_level = 2;     // 0 to 3
  int num_threads = 0;            // 0: as many as processors
  CodeCache* cache = nullptr;     // of kernels that are long to generate; null: none
  // Given the text of each module, as LLVM IR and as assembly; empty: not called.
  // Kernels do not come from the cache where it is: they would have no text.
  std::function<void(std::string_view phase, std::string_view text)> on_text;
};

StatusOr<CodeObject> GenerateCode(mlir::ModuleOp module, ir::ProgramOp program,
                                  const CodeOptions& options);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PIPELINE_GENERATE_CODE_H_
