// Weights: parameters of a program whose values come from a safetensors file. Finds the
// tensor of each, for Image::SerializeOptions::weights.
//
// Used by tools that write files; the C library reads them (tenon/embed/weights.h).
#ifndef TENON_EXECUTABLE_WEIGHTS_H_
#define TENON_EXECUTABLE_WEIGHTS_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/executable/image.h"

namespace tenon {

// An open safetensors file, mapped. Immutable.
class TensorFile {
 public:
  struct Tensor {
    std::string name, dtype;
    ElementType type = ElementType::kInvalid;  // if no element type has this layout
    std::vector<int64_t> dims;
    std::string_view value;
  };

  // NOT_FOUND, or DATA_LOSS for a damaged file.
  static StatusOr<std::unique_ptr<TensorFile>> Open(const std::string& path);
  TensorFile(const TensorFile&) = delete;
  TensorFile& operator=(const TensorFile&) = delete;
  ~TensorFile();

  const std::string& path() const { return path_; }
  const std::vector<Tensor>& tensors() const { return tensors_; }

  // Writes the same tensors and metadata to another file in an order in which all values
  // whose size is a multiple of 64 bytes are aligned to 64 bytes. The C library copies
  // values that are not aligned.
  Status WriteAligned(const std::string& path) const;

 private:
  TensorFile() = default;

  std::string path_;
  void* data_ = nullptr;
  size_t size_ = 0;
  std::vector<Tensor> tensors_;
  std::string_view metadata_;  // JSON; may be empty
};

// The weights of the program in the file, which must outlive them.
//
// `bindings` are texts PARAMETER=TENSOR, with the number or the name of a parameter. Each
// other parameter is a weight if a tensor has its name, or its name without the first
// part. The parts of names are compared: "params['dense'][0]" has the same as
// "params.dense.0" and "params/dense/0". Parameters that are left are inputs.
//
// INVALID_ARGUMENT if there is no weight, if a type, shape or layout differs, if a weight
// is updated in place, if a name is ambiguous, or if the program is for several devices.
StatusOr<std::vector<ImageWeight>> FindWeights(const ExecutableInfo& program,
                                               const TensorFile& file,
                                               const std::vector<std::string>& bindings);

}  // namespace tenon

#endif  // TENON_EXECUTABLE_WEIGHTS_H_
