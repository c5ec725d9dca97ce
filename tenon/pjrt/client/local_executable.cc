#include "tenon/pjrt/client/local_executable.h"

#include <algorithm>
#include <utility>

#include "tenon/device/memory_space.h"
#include "tenon/executable/program_text.h"

namespace tenon::pjrt {
namespace {

TensorInfo Info(const ImageTensor& tensor, bool has_sharding) {
  TensorInfo info;
  info.type = tensor.type;
  info.dims = tensor.dims;
  info.minor_to_major = tensor.minor_to_major;
  info.memory_kind = tensor.memory_kind;
  if (has_sharding) info.sharding = tensor.sharding;
  return info;
}

TensorShape Shape(const ImageTensor& tensor) {
  return TensorShape(tensor.type, tensor.dims,
                     std::span<const int64_t>(tensor.minor_to_major));
}

int MemoryKindOf(const std::string& name) {
  for (int kind = 0; kind < device::kNumMemoryKinds; ++kind) {
    if (device::kMemoryKindNames[kind] == name) return kind;
  }
  return 0;
}

int64_t TotalBytes(const std::vector<ImageTensor>& tensors) {
  int64_t bytes = 0;
  for (const ImageTensor& tensor : tensors) bytes += tensor.ByteSize();
  return bytes;
}

}  // namespace

LocalExecutable::LocalExecutable(std::shared_ptr<const Image> image)
    : image_(std::move(image)) {
  const bool on_several = info().num_replicas * info().num_partitions > 1;
  for (const ImageTensor& tensor : info().parameters) {
    parameters_.push_back(Info(tensor, on_several));
    parameter_shapes_.push_back(Shape(tensor));
  }
  for (const ImageTensor& tensor : info().results) {
    outputs_.push_back(Info(tensor, on_several));
    output_shapes_.push_back(Shape(tensor));
    output_memory_kinds_.push_back(MemoryKindOf(tensor.memory_kind));
  }
  result_of_parameter_.assign(parameters_.size(), -1);
  parameter_of_result_.assign(outputs_.size(), -1);
  for (const ImageAlias& alias : info().aliases) {
    result_of_parameter_[static_cast<size_t>(alias.parameter)] =
        static_cast<int>(alias.result);
    parameter_of_result_[static_cast<size_t>(alias.result)] =
        static_cast<int>(alias.parameter);
  }
}

int64_t LocalExecutable::generated_code_size() const {
  size_t bytes = 0;
  for (const CodeObject& code : image_->code_objects) bytes += code.bytes.size();
  return static_cast<int64_t>(bytes);
}

StatusOr<ProgramText> LocalExecutable::OptimizedProgram() const {
  if (info().optimized_program.empty()) {
    return Unimplemented("executable '" + info().name + "' does not contain its program");
  }
  TENON_ASSIGN_OR_RETURN(
      std::string code,
      WriteStoredConstants(info().optimized_program, image_->constants.bytes()));
  return ProgramText{.format = "mlir", .code = std::move(code)};
}

StatusOr<NamedValueMap> LocalExecutable::CostAnalysis() const {
  NamedValueMap costs;
  for (const auto& [name, value] : info().costs) costs[name] = static_cast<float>(value);
  return costs;
}

StatusOr<CompiledMemoryStats> LocalExecutable::GetCompiledMemoryStats() const {
  CompiledMemoryStats stats;
  stats.generated_code_size =
      generated_code_size() + static_cast<int64_t>(image_->constants.size());
  stats.argument_size = TotalBytes(info().parameters);
  stats.output_size = TotalBytes(info().results);
  for (const ImageAlias& alias : info().aliases) {
    stats.alias_size += info().results[static_cast<size_t>(alias.result)].ByteSize();
  }
  for (const CodeObject& code : image_->code_objects) {
    uint64_t bytes = code.arena_bytes;
    for (const SharedSegment& segment : code.shared_segments) bytes += segment.bytes;
    stats.temp_size = std::max(stats.temp_size, static_cast<int64_t>(bytes));
  }
  stats.peak_memory =
      stats.argument_size + stats.output_size - stats.alias_size + stats.temp_size;
  stats.total_size = stats.peak_memory + stats.generated_code_size;
  stats.total_allocation = stats.peak_memory;
  stats.peak_unpadded_heap = stats.peak_memory;
  return stats;
}

}  // namespace tenon::pjrt
