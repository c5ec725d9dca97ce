// A compiled program without loaded code, for this machine or for another one.
//
// Immutable. Usable from any thread.
#ifndef TENON_PJRT_CLIENT_LOCAL_EXECUTABLE_H_
#define TENON_PJRT_CLIENT_LOCAL_EXECUTABLE_H_

#include <memory>
#include <string>
#include <vector>

#include "tenon/executable/image.h"
#include "tenon/pjrt/client/tensor_shape.h"
#include "tenon/pjrt/interface/executable.h"

namespace tenon::pjrt {

class LocalExecutable final : public Executable {
 public:
  explicit LocalExecutable(std::shared_ptr<const Image> image);

  std::string_view name() const override { return info().name; }
  int64_t num_replicas() const override { return info().num_replicas; }
  int64_t num_partitions() const override { return info().num_partitions; }
  std::span<const TensorInfo> parameters() const override { return parameters_; }
  std::span<const TensorInfo> outputs() const override { return outputs_; }
  int64_t generated_code_size() const override;
  std::string_view compile_options() const override { return info().compile_options; }
  StatusOr<std::string> Fingerprint() const override { return info().fingerprint; }
  StatusOr<std::string> Serialize() const override { return image_->Serialize(); }
  StatusOr<ProgramText> OptimizedProgram() const override;
  StatusOr<NamedValueMap> CostAnalysis() const override;
  StatusOr<CompiledMemoryStats> GetCompiledMemoryStats() const override;

  const ExecutableInfo& info() const { return image_->info; }
  const std::shared_ptr<const Image>& image() const { return image_; }
  // For executions: shapes in the representation of buffers; for each parameter the
  // result that aliases it, or -1; and for each result the parameter, or -1.
  const std::vector<TensorShape>& parameter_shapes() const { return parameter_shapes_; }
  const std::vector<TensorShape>& output_shapes() const { return output_shapes_; }
  const std::vector<int>& output_memory_kinds() const { return output_memory_kinds_; }
  int result_of_parameter(size_t parameter) const {
    return result_of_parameter_[parameter];
  }
  int parameter_of_result(size_t result) const { return parameter_of_result_[result]; }

 private:
  std::shared_ptr<const Image> image_;
  std::vector<TensorInfo> parameters_;
  std::vector<TensorInfo> outputs_;
  std::vector<TensorShape> parameter_shapes_;
  std::vector<TensorShape> output_shapes_;
  std::vector<int> output_memory_kinds_;
  std::vector<int> result_of_parameter_;
  std::vector<int> parameter_of_result_;
};

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_CLIENT_LOCAL_EXECUTABLE_H_
