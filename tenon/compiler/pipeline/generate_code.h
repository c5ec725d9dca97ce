// Turns a tenon module into machine code: LLVM IR for the program and its kernels is
// optimized, compiled on several threads and linked.
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

class TileChoices;  // tile_choices.h

struct CodeOptions {
  TargetDescription target;
  bool ieee_denormals = false;
  bool excess_precision = false;  // kernels may keep 16-bit floats in wider types
  int optimization_level = 2;     // 0 to 3
  int num_threads = 0;            // 0: one per processor
  CodeCache* cache = nullptr;     // of kernels that take long to generate; null: none
  TileChoices* tiles = nullptr;   // of a device's products; null: the cost model's
  // Called with the key and the object of each function that the program's kernels share
  // with those of other programs; may be empty.
  std::function<void(std::string_view key, std::string_view object)> on_shared_code;
  // Called with the text of each module, as LLVM IR and as assembly; may be empty. If it
  // is set, the cache of kernels is not used, because cached kernels have no text.
  std::function<void(std::string_view phase, std::string_view text)> on_text;
};

// Makes LLVM register all passes that generate code for `target` at an optimization level
// (0 to 3), as it otherwise does when one is first used.
Status RegisterPasses(const TargetDescription& target, int optimization_level);

StatusOr<CodeObject> GenerateCode(mlir::ModuleOp module, ir::ProgramOp program,
                                  const CodeOptions& options);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PIPELINE_GENERATE_CODE_H_
