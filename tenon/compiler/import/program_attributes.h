// The attributes of a program's entry function, its arguments and results, as plain data.
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

// Attributes of an argument or a result; strings are empty if the program does not set
// them.
struct ValueAttributes {
  std::string name;         // of an argument its location, of a result jax.result_info
  std::string memory_kind;  // mhlo.memory_kind: "device", "pinned_host", "unpinned_host"
  std::string
      layout_mode;        // mhlo.layout_mode: "default", "auto" or minor-to-major "{1,0}"
  std::string sharding;   // sdy.sharding or mhlo.sharding as text
  bool is_token = false;  // jax.token: orders effects, holds no data
};

struct ArgumentAttributes : ValueAttributes {
  std::optional<int>
      aliased_result;    // tf.aliasing_output: the result that may reuse its storage
  bool donated = false;  // jax.buffer_donor: any result may reuse its storage
};

struct ProgramAttributes {
  std::string name;  // of the module, for example "jit_f"
  int64_t num_replicas = 1;
  int64_t num_partitions = 1;
  std::vector<ArgumentAttributes> arguments;
  std::vector<ValueAttributes> results;
};

// Returns the public function `main`, or else the only public function. Errors:
// INVALID_ARGUMENT.
StatusOr<mlir::func::FuncOp> FindEntry(mlir::ModuleOp module);

// Must be called before StripSharding, which removes shardings. Returns INVALID_ARGUMENT
// for attributes of another kind than listed above, and for aliases of a result that does
// not exist, that another argument aliases too, or whose type differs from the
// argument's.
StatusOr<ProgramAttributes> ReadProgramAttributes(mlir::ModuleOp module);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_IMPORT_PROGRAM_ATTRIBUTES_H_
