// PJRT_Executable_*.
#include "tenon/pjrt/interface/executable.h"

#include <algorithm>
#include <string>
#include <utility>

#include "tenon/pjrt/c_api/dispatch.h"
#include "tenon/pjrt/c_api/handlers.h"
#include "tenon/pjrt/c_api/handles.h"
#include "tenon/pjrt/c_api/shapes.h"

PJRT_Executable::Tensors::Tensors(std::span<const tenon::pjrt::TensorInfo> infos) {
  for (const auto& info : infos) {
    types.push_back(tenon::pjrt::c_api::ToC(info.type));
    dims.insert(dims.end(), info.dims.begin(), info.dims.end());
    ranks.push_back(info.dims.size());
    memory_kinds.push_back(info.memory_kind.data());
    memory_kind_sizes.push_back(info.memory_kind.size());
  }
}

PJRT_Executable::PJRT_Executable(std::shared_ptr<tenon::pjrt::Executable> shared)
    : executable(std::move(shared)),
      parameters(executable->parameters()),
      outputs(executable->outputs()) {}

namespace tenon::pjrt::c_api {

Status ExecutableDestroy(PJRT_Executable_Destroy_Args* args) {
  delete args->executable;
  return OkStatus();
}

Status ExecutableName(PJRT_Executable_Name_Args* args) {
  TENON_PJRT_REQUIRE(args, executable);
  std::string_view name = args->executable->executable->name();
  args->executable_name = name.data();
  args->executable_name_size = name.size();
  return OkStatus();
}

Status ExecutableNumReplicas(PJRT_Executable_NumReplicas_Args* args) {
  TENON_PJRT_REQUIRE(args, executable);
  args->num_replicas = args->executable->executable->num_replicas();
  return OkStatus();
}

Status ExecutableNumPartitions(PJRT_Executable_NumPartitions_Args* args) {
  TENON_PJRT_REQUIRE(args, executable);
  args->num_partitions = args->executable->executable->num_partitions();
  return OkStatus();
}

Status ExecutableNumOutputs(PJRT_Executable_NumOutputs_Args* args) {
  TENON_PJRT_REQUIRE(args, executable);
  args->num_outputs = args->executable->outputs.types.size();
  return OkStatus();
}

Status ExecutableSizeOfGeneratedCodeInBytes(
    PJRT_Executable_SizeOfGeneratedCodeInBytes_Args* args) {
  TENON_PJRT_REQUIRE(args, executable);
  args->size_in_bytes = args->executable->executable->generated_code_size();
  return OkStatus();
}

Status ExecutableGetCostAnalysis(PJRT_Executable_GetCostAnalysis_Args* args) {
  TENON_PJRT_REQUIRE(args, executable);
  std::lock_guard lock(args->executable->mutex);
  auto& costs = args->executable->costs;
  if (!costs) {
    TENON_ASSIGN_OR_RETURN(NamedValueMap analysis,
                           args->executable->executable->CostAnalysis());
    costs.emplace(std::move(analysis));
  }
  args->properties = costs->data();
  args->num_properties = costs->size();
  return OkStatus();
}

Status ExecutableOutputElementTypes(PJRT_Executable_OutputElementTypes_Args* args) {
  TENON_PJRT_REQUIRE(args, executable);
  args->output_types = args->executable->outputs.types.data();
  args->num_output_types = args->executable->outputs.types.size();
  return OkStatus();
}

Status ExecutableOutputDimensions(PJRT_Executable_OutputDimensions_Args* args) {
  TENON_PJRT_REQUIRE(args, executable);
  args->num_outputs = args->executable->outputs.types.size();
  args->dims = args->executable->outputs.dims.data();
  args->dim_sizes = args->executable->outputs.ranks.data();
  return OkStatus();
}

Status ExecutableOutputMemoryKinds(PJRT_Executable_OutputMemoryKinds_Args* args) {
  TENON_PJRT_REQUIRE(args, executable);
  args->num_outputs = args->executable->outputs.types.size();
  args->memory_kinds = args->executable->outputs.memory_kinds.data();
  args->memory_kind_sizes = args->executable->outputs.memory_kind_sizes.data();
  return OkStatus();
}

Status ExecutableParameterMemoryKinds(PJRT_Executable_ParameterMemoryKinds_Args* args) {
  TENON_PJRT_REQUIRE(args, executable);
  args->num_parameters = args->executable->parameters.types.size();
  args->memory_kinds = args->executable->parameters.memory_kinds.data();
  args->memory_kind_sizes = args->executable->parameters.memory_kind_sizes.data();
  return OkStatus();
}

Status ExecutableOptimizedProgram(PJRT_Executable_OptimizedProgram_Args* args) {
  TENON_PJRT_REQUIRE(args, executable);
  TENON_PJRT_REQUIRE(args, program);
  std::lock_guard lock(args->executable->mutex);
  auto& text = args->executable->optimized_program;
  if (!text) {
    TENON_ASSIGN_OR_RETURN(text, args->executable->executable->OptimizedProgram());
  }
  PJRT_Program* program = args->program;
  program->format = text->format.data();
  program->format_size = text->format.size();
  // Frameworks call this twice: first without memory, to get the size, then with memory.
  if (program->code) {
    if (program->code_size < text->code.size()) {
      return InvalidArgument("code has room for " + std::to_string(program->code_size) +
                             " of " + std::to_string(text->code.size()) + " bytes");
    }
    std::copy(text->code.begin(), text->code.end(), program->code);
  }
  program->code_size = text->code.size();
  return OkStatus();
}

Status ExecutableSerialize(PJRT_Executable_Serialize_Args* args) {
  TENON_PJRT_REQUIRE(args, executable);
  TENON_ASSIGN_OR_RETURN(std::string bytes, args->executable->executable->Serialize());
  args->serialized_executable = HoldString<PJRT_SerializedExecutable>(
      std::move(bytes), &args->serialized_bytes, &args->serialized_bytes_size);
  args->serialized_executable_deleter = FreeHeldString<PJRT_SerializedExecutable>;
  return OkStatus();
}

Status ExecutableGetCompileOptions(PJRT_Executable_GetCompileOptions_Args* args) {
  TENON_PJRT_REQUIRE(args, executable);
  args->serialized_compile_options = HoldString<PJRT_SerializedCompileOptions>(
      std::string(args->executable->executable->compile_options()),
      &args->serialized_bytes, &args->serialized_bytes_size);
  args->serialized_compile_options_deleter =
      FreeHeldString<PJRT_SerializedCompileOptions>;
  return OkStatus();
}

Status ExecutableFingerprint(PJRT_Executable_Fingerprint_Args* args) {
  TENON_PJRT_REQUIRE(args, executable);
  std::lock_guard lock(args->executable->mutex);
  auto& fingerprint = args->executable->fingerprint;
  if (!fingerprint) {
    TENON_ASSIGN_OR_RETURN(fingerprint, args->executable->executable->Fingerprint());
  }
  args->executable_fingerprint = fingerprint->data();
  args->executable_fingerprint_size = fingerprint->size();
  return OkStatus();
}

Status ExecutableGetCompiledMemoryStats(
    PJRT_Executable_GetCompiledMemoryStats_Args* args) {
  TENON_PJRT_REQUIRE(args, executable);
  TENON_ASSIGN_OR_RETURN(CompiledMemoryStats stats,
                         args->executable->executable->GetCompiledMemoryStats());
  TENON_PJRT_SET(args, generated_code_size_in_bytes, stats.generated_code_size);
  TENON_PJRT_SET(args, argument_size_in_bytes, stats.argument_size);
  TENON_PJRT_SET(args, output_size_in_bytes, stats.output_size);
  TENON_PJRT_SET(args, alias_size_in_bytes, stats.alias_size);
  TENON_PJRT_SET(args, temp_size_in_bytes, stats.temp_size);
  TENON_PJRT_SET(args, host_generated_code_size_in_bytes, stats.host_generated_code_size);
  TENON_PJRT_SET(args, host_argument_size_in_bytes, stats.host_argument_size);
  TENON_PJRT_SET(args, host_output_size_in_bytes, stats.host_output_size);
  TENON_PJRT_SET(args, host_alias_size_in_bytes, stats.host_alias_size);
  TENON_PJRT_SET(args, host_temp_size_in_bytes, stats.host_temp_size);
  TENON_PJRT_SET(args, peak_memory_in_bytes, stats.peak_memory);
  TENON_PJRT_SET(args, total_size_in_bytes, stats.total_size);
  TENON_PJRT_SET(args, total_allocation_bytes, stats.total_allocation);
  TENON_PJRT_SET(args, indefinite_allocations, stats.indefinite_allocations);
  TENON_PJRT_SET(args, peak_unpadded_heap_bytes, stats.peak_unpadded_heap);
  return OkStatus();
}

Status ExecutableDeserializeAndLoad(PJRT_Executable_DeserializeAndLoad_Args* args) {
  TENON_PJRT_REQUIRE(args, client);
  LoadOptions load_options;
  if (const PJRT_LoadOptions* options = TENON_PJRT_GET(args, load_options)) {
    if (TENON_PJRT_COVERS(options, computation_origin_size) &&
        options->computation_origin) {
      load_options.computation_origin =
          std::span(options->computation_origin, options->computation_origin_size);
    }
  }
  TENON_ASSIGN_OR_RETURN(
      std::unique_ptr<LoadedExecutable> executable,
      args->client->client->DeserializeAndLoad(
          View(args->serialized_executable, args->serialized_executable_size),
          View(TENON_PJRT_GET(args, overridden_serialized_compile_options),
               TENON_PJRT_GET(args, overridden_serialized_compile_options_size)),
          load_options));
  args->loaded_executable =
      new PJRT_LoadedExecutable(std::move(executable), args->client);
  return OkStatus();
}

}  // namespace tenon::pjrt::c_api
