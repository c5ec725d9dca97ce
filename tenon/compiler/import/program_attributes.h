// What a program says about its entry function's arguments and results, as plain data.
#ifndef TENON_COMPILER_IMPORT_PROGRAM_ATTRIBUTES_H_
#define TENON_COMPILER_IMPORT_PROGRAM_ATTRIBUTES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "tenon/base/status.h"

namespace tenon::compiler {

// Of an argument or a result; empty strings where the program says nothing.
struct ValueAttributes {
  std::string memory_kind;  // mhlo.memory_kind: "device", "pinned_host", "unpinned_host"
  std::string
      layout_mode;        // mhlo.layout_mode: "default", "auto" or minor-to-major "{1,0}"
  std::string sharding;   // sdy.sharding or mhlo.sharding as text
  bool is_token = false;  // jax.token: orders effects, holds no data
};

struct ArgumentAttributes : ValueAttributes {
  std::optional<int>
      aliased_result;    // tf.aliasing_output: result that may take its storage
  bool donated = false;  // jax.buffer_donor: any result may take its storage
};

struct ProgramAttributes {
  std::string name;  // of the module: "jit_f"
  int64_t num_replicas = 1;
  int64_t num_partitions = 1;
  std::vector<ArgumentAttributes> arguments;
  std::vector<ValueAttributes> results;
};

// The public function `main`, else the only public function. Errors: INVALID_ARGUMENT.
StatusOr<mlir::func::FuncOp> FindEntry(mlir::ModuleOp module);

// To be called before StripSharding. Errors: INVALID_ARGUMENT for attributes of another
// kind than told above, results that do not exist, that two arguments alias, or of
// another type than their argument.
StatusOr<ProgramAttributes> ReadProgramAttributes(mlir::ModuleOp module);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_IMPORT_PROGRAM_ATTRIBUTES_H_
