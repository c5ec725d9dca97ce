// CompileOptionsProto (xla/pjrt/proto/compile_options.proto) as plain data. Stateless.
#ifndef TENON_COMPILER_IMPORT_COMPILE_OPTIONS_H_
#define TENON_COMPILER_IMPORT_COMPILE_OPTIONS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/compiler/import/xla_options.h"

namespace tenon::compiler {

// ShapeProto with its LayoutProto.
struct ShapeOption {
  int element_type = 0;  // XLA's PrimitiveType
  std::vector<int64_t> dimensions;
  std::vector<bool> dynamic_dimensions;  // empty, or one per dimension
  std::vector<ShapeOption> tuple;        // of tuple shapes
  bool has_layout = false;
  std::vector<int64_t> minor_to_major;  // this and the next three: only if has_layout
  std::vector<std::vector<int64_t>> tiles;
  int64_t element_size_in_bits = 0;
  int64_t memory_space = 0;
};

// Global device ids by partition and replica.
struct DeviceAssignment {
  int replica_count = 1;
  int computation_count = 1;
  std::vector<std::vector<int64_t>> devices;  // [computation][replica]
};

struct CompileOptions {
  std::vector<ShapeOption> argument_layouts;
  bool parameter_is_tupled_arguments = false;
  bool compile_portable_executable = false;
  bool allow_in_place_mlir_modification = false;
  int64_t profile_version = 0;
  int matrix_unit_operand_precision = 0;  // 0 default, 1 high, 2 highest
  // From jax.jit(..., compiler_options={...}): options of XLA and of
  // Tenon. Names and values are checked; only those below have an effect.
  std::map<std::string, OptionValue> env_option_overrides;
  // xla_allow_excess_precision, if env_option_overrides has it: a kernel may keep 16-bit
  // floats that it does not store in a wider type. The same flag in the debug options
  // (XLA_FLAGS) is ignored, because clients always send it and it is true by default.
  bool allow_excess_precision = false;
  // tenon_explain_sharding of env_option_overrides: the file to which the compiler writes
  // what the program communicates and why; empty: none.
  std::string explain_sharding;
  // tenon_file: the .tenon file that the compiler writes; empty: none. tenon_file_note:
  // ExecutableInfo::note of the file. tenon_program_file: the file to which it writes the
  // program as it was sent.
  std::string file, file_note, program_file;

  // ExecutableBuildOptionsProto:
  int64_t device_ordinal = -1;  // -1: unset
  std::optional<ShapeOption> result_layout;
  int64_t num_replicas = 1;
  int64_t num_partitions = 1;
  bool use_spmd_partitioning = false;
  bool use_auto_spmd_partitioning = false;
  bool use_shardy_partitioner = false;
  bool alias_passthrough_params = false;
  std::optional<DeviceAssignment> device_assignment;
  std::vector<bool> allow_spmd_sharding_propagation_to_parameters;
  std::vector<bool> allow_spmd_sharding_propagation_to_output;
  int64_t device_memory_size = 0;
  float exec_time_optimization_effort = 0;
  float memory_fitting_effort = 0;
  int optimization_level = 0;    // EffortLevel: 0 unset, 9 O0, 19 O1, 29 O2, 39 O3
  int memory_fitting_level = 0;  // EffortLevel
  int64_t process_index = 0;
  int64_t process_count = 1;
};

// Decodes `bytes`; empty bytes give the defaults above. Fields not listed above are
// skipped. Returns INVALID_ARGUMENT for bytes that are not such a message, for counts
// below one or that contradict the device assignment, and for overrides of unknown
// options.
StatusOr<CompileOptions> ParseCompileOptions(std::string_view bytes);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_IMPORT_COMPILE_OPTIONS_H_
