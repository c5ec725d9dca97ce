// Turns a fused function into a tenon.program. Every array gets storage, every fusion
// becomes a kernel launch, and control flow stays.
#ifndef TENON_COMPILER_BUFFER_ASSIGNMENT_PROGRAM_BUILDER_H_
#define TENON_COMPILER_BUFFER_ASSIGNMENT_PROGRAM_BUILDER_H_

#include <vector>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "tenon/base/status.h"
#include "tenon/compiler/targets/traits.h"
#include "tenon/dialects/stablehlo/process_groups.h"
#include "tenon/dialects/tenon/tenon_ops.h"
#include "tenon/executable/image.h"

namespace tenon::compiler {

struct ProgramOptions {
  TargetTraits target;
  // For each result, the parameter whose storage it takes, or -1.
  std::vector<int64_t> result_aliases;
  stablehlo::ProcessGrid grid;  // the devices that run the program
  bool share = false;           // whether the devices may have temporaries in common
  // Whether products may use packed forms of parameters that the runtime keeps.
  bool keep_packed = false;
};

struct BuiltProgram {
  ir::ProgramOp program;
  std::vector<ImageFfiCall> ffi_calls;
  std::vector<ImageCollective> collectives;
  std::vector<int64_t> shared_results;  // see shared_results.h
  std::vector<ImagePackedOperand> packed_operands;
  double estimated_ns = 0;
};

// Replaces `function` in its module by a program, kernels and constant data.
// UNIMPLEMENTED, naming op and location, for unsupported ops.
StatusOr<BuiltProgram> BuildProgram(mlir::ModuleOp module, mlir::func::FuncOp function,
                                    const ProgramOptions& options);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_BUFFER_ASSIGNMENT_PROGRAM_BUILDER_H_
