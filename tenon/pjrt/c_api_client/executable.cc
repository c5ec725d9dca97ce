#include "tenon/pjrt/c_api_client/executable.h"

#include <string>
#include <utility>
#include <vector>

#include "tenon/pjrt/c_api/named_values.h"

namespace tenon::pjrt::c_api_client {
namespace {

class CApiExecutable final : public Executable {
 public:
  CApiExecutable(const CallTable& table, PJRT_Executable* executable)
      : table_(table), executable_(executable) {}
  CApiExecutable(const CApiExecutable&) = delete;
  ~CApiExecutable() override {
    TENON_PJRT_ARGS(args, PJRT_Executable_Destroy);
    args.executable = executable_;
    (void)TENON_PJRT_CALL(table_, PJRT_Executable_Destroy, args);
  }
  Status Read();

  std::string_view name() const override { return name_; }
  int64_t num_replicas() const override { return num_replicas_; }
  int64_t num_partitions() const override { return num_partitions_; }
  std::span<const TensorInfo> parameters() const override { return parameters_; }
  std::span<const TensorInfo> outputs() const override { return outputs_; }
  int64_t generated_code_size() const override;
  std::string_view compile_options() const override { return compile_options_; }
  StatusOr<std::string> Fingerprint() const override;
  StatusOr<std::string> Serialize() const override;
  StatusOr<ProgramText> OptimizedProgram() const override;
  StatusOr<NamedValueMap> CostAnalysis() const override;
  StatusOr<CompiledMemoryStats> GetCompiledMemoryStats() const override;

  PJRT_Executable* c_executable() const { return executable_; }

 private:
  Status ReadOutputs();
  Status ReadMemoryKinds();
  Status ReadCompileOptions();

  const CallTable table_;
  PJRT_Executable* const executable_;
  std::string name_, compile_options_;
  int64_t num_replicas_ = 1, num_partitions_ = 1;
  std::vector<TensorInfo> parameters_, outputs_;
};

// Ignores UNIMPLEMENTED: values of functions that an old plugin lacks stay unknown.
Status Optional(Status status) {
  return status.code() == StatusCode::kUnimplemented ? OkStatus() : status;
}

Status CApiExecutable::Read() {
  TENON_PJRT_ARGS(name, PJRT_Executable_Name);
  name.executable = executable_;
  TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(table_, PJRT_Executable_Name, name));
  name_ = View(name.executable_name, name.executable_name_size);
  TENON_PJRT_ARGS(replicas, PJRT_Executable_NumReplicas);
  replicas.executable = executable_;
  TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(table_, PJRT_Executable_NumReplicas, replicas));
  num_replicas_ = static_cast<int64_t>(replicas.num_replicas);
  TENON_PJRT_ARGS(partitions, PJRT_Executable_NumPartitions);
  partitions.executable = executable_;
  TENON_RETURN_IF_ERROR(
      TENON_PJRT_CALL(table_, PJRT_Executable_NumPartitions, partitions));
  num_partitions_ = static_cast<int64_t>(partitions.num_partitions);
  TENON_RETURN_IF_ERROR(ReadOutputs());
  TENON_RETURN_IF_ERROR(ReadMemoryKinds());
  return ReadCompileOptions();
}

Status CApiExecutable::ReadOutputs() {
  TENON_PJRT_ARGS(count, PJRT_Executable_NumOutputs);
  count.executable = executable_;
  TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(table_, PJRT_Executable_NumOutputs, count));
  outputs_.resize(count.num_outputs);
  TENON_PJRT_ARGS(types, PJRT_Executable_OutputElementTypes);
  types.executable = executable_;
  TENON_RETURN_IF_ERROR(
      Optional(TENON_PJRT_CALL(table_, PJRT_Executable_OutputElementTypes, types)));
  if (types.num_output_types == outputs_.size()) {
    for (size_t i = 0; i < outputs_.size(); ++i) {
      outputs_[i].type = FromC(types.output_types[i]);
    }
  }
  TENON_PJRT_ARGS(dims, PJRT_Executable_OutputDimensions);
  dims.executable = executable_;
  TENON_RETURN_IF_ERROR(
      Optional(TENON_PJRT_CALL(table_, PJRT_Executable_OutputDimensions, dims)));
  if (dims.num_outputs == outputs_.size()) {
    const int64_t* next = dims.dims;
    for (size_t i = 0; i < outputs_.size(); ++i) {
      outputs_[i].dims.assign(next, next + dims.dim_sizes[i]);
      next += dims.dim_sizes[i];
    }
  }
  return OkStatus();
}

Status CApiExecutable::ReadMemoryKinds() {
  TENON_PJRT_ARGS(outputs, PJRT_Executable_OutputMemoryKinds);
  outputs.executable = executable_;
  TENON_RETURN_IF_ERROR(
      Optional(TENON_PJRT_CALL(table_, PJRT_Executable_OutputMemoryKinds, outputs)));
  for (size_t i = 0; i < outputs.num_outputs && i < outputs_.size(); ++i) {
    outputs_[i].memory_kind = View(outputs.memory_kinds[i], outputs.memory_kind_sizes[i]);
  }
  TENON_PJRT_ARGS(parameters, PJRT_Executable_ParameterMemoryKinds);
  parameters.executable = executable_;
  TENON_RETURN_IF_ERROR(Optional(
      TENON_PJRT_CALL(table_, PJRT_Executable_ParameterMemoryKinds, parameters)));
  parameters_.resize(parameters.num_parameters);
  for (size_t i = 0; i < parameters_.size(); ++i) {
    parameters_[i].memory_kind =
        View(parameters.memory_kinds[i], parameters.memory_kind_sizes[i]);
  }
  return OkStatus();
}

Status CApiExecutable::ReadCompileOptions() {
  TENON_PJRT_ARGS(args, PJRT_Executable_GetCompileOptions);
  args.executable = executable_;
  TENON_RETURN_IF_ERROR(
      Optional(TENON_PJRT_CALL(table_, PJRT_Executable_GetCompileOptions, args)));
  compile_options_ = View(args.serialized_bytes, args.serialized_bytes_size);
  if (args.serialized_compile_options_deleter) {
    args.serialized_compile_options_deleter(args.serialized_compile_options);
  }
  return OkStatus();
}

int64_t CApiExecutable::generated_code_size() const {
  TENON_PJRT_ARGS(args, PJRT_Executable_SizeOfGeneratedCodeInBytes);
  args.executable = executable_;
  Status status =
      TENON_PJRT_CALL(table_, PJRT_Executable_SizeOfGeneratedCodeInBytes, args);
  return status.ok() ? args.size_in_bytes : -1;
}

StatusOr<std::string> CApiExecutable::Fingerprint() const {
  TENON_PJRT_ARGS(args, PJRT_Executable_Fingerprint);
  args.executable = executable_;
  TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(table_, PJRT_Executable_Fingerprint, args));
  return std::string(View(args.executable_fingerprint, args.executable_fingerprint_size));
}

StatusOr<std::string> CApiExecutable::Serialize() const {
  TENON_PJRT_ARGS(args, PJRT_Executable_Serialize);
  args.executable = executable_;
  TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(table_, PJRT_Executable_Serialize, args));
  std::string bytes(View(args.serialized_bytes, args.serialized_bytes_size));
  if (args.serialized_executable_deleter) {
    args.serialized_executable_deleter(args.serialized_executable);
  }
  return bytes;
}

StatusOr<ProgramText> CApiExecutable::OptimizedProgram() const {
  // The first call returns the size of the code; the second one writes the code.
  PJRT_Program program{};
  program.struct_size = PJRT_Program_STRUCT_SIZE;
  TENON_PJRT_ARGS(args, PJRT_Executable_OptimizedProgram);
  args.executable = executable_;
  args.program = &program;
  TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(table_, PJRT_Executable_OptimizedProgram, args));
  std::string code(program.code_size, '\0');
  program.code = code.data();
  TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(table_, PJRT_Executable_OptimizedProgram, args));
  return ProgramText{std::string(View(program.format, program.format_size)),
                     std::move(code)};
}

StatusOr<NamedValueMap> CApiExecutable::CostAnalysis() const {
  TENON_PJRT_ARGS(args, PJRT_Executable_GetCostAnalysis);
  args.executable = executable_;
  TENON_RETURN_IF_ERROR(TENON_PJRT_CALL(table_, PJRT_Executable_GetCostAnalysis, args));
  return c_api::ReadNamedValues(args.properties, args.num_properties);
}

StatusOr<CompiledMemoryStats> CApiExecutable::GetCompiledMemoryStats() const {
  TENON_PJRT_ARGS(args, PJRT_Executable_GetCompiledMemoryStats);
  args.executable = executable_;
  TENON_RETURN_IF_ERROR(
      TENON_PJRT_CALL(table_, PJRT_Executable_GetCompiledMemoryStats, args));
  CompiledMemoryStats stats;
  stats.generated_code_size = args.generated_code_size_in_bytes;
  stats.argument_size = args.argument_size_in_bytes;
  stats.output_size = args.output_size_in_bytes;
  stats.alias_size = args.alias_size_in_bytes;
  stats.temp_size = args.temp_size_in_bytes;
  stats.host_generated_code_size = args.host_generated_code_size_in_bytes;
  stats.host_argument_size = args.host_argument_size_in_bytes;
  stats.host_output_size = args.host_output_size_in_bytes;
  stats.host_alias_size = args.host_alias_size_in_bytes;
  stats.host_temp_size = args.host_temp_size_in_bytes;
  stats.peak_memory = args.peak_memory_in_bytes;
  stats.total_size = args.total_size_in_bytes;
  stats.total_allocation = args.total_allocation_bytes;
  stats.indefinite_allocations = args.indefinite_allocations;
  stats.peak_unpadded_heap = args.peak_unpadded_heap_bytes;
  return stats;
}

}  // namespace

StatusOr<std::shared_ptr<Executable>> MakeExecutable(const CallTable& table,
                                                     PJRT_Executable* executable) {
  if (executable == nullptr) {
    return Internal("the plugin returned no executable and no error");
  }
  auto result = std::make_shared<CApiExecutable>(table, executable);
  TENON_RETURN_IF_ERROR(result->Read());
  return std::shared_ptr<Executable>(std::move(result));
}

PJRT_Executable* CExecutable(const Executable& executable) {
  auto* ours = dynamic_cast<const CApiExecutable*>(&executable);
  return ours ? ours->c_executable() : nullptr;
}

PJRT_Program ToC(const Program& program) {
  PJRT_Program result{};
  result.struct_size = PJRT_Program_STRUCT_SIZE;
  result.code = const_cast<char*>(program.code.data());
  result.code_size = program.code.size();
  result.format = program.format.data();
  result.format_size = program.format.size();
  return result;
}

}  // namespace tenon::pjrt::c_api_client
