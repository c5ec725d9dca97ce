// Reads safetensors files: 8 bytes with the size of a header, the header, which is JSON
// with the type, shape and place of each tensor, and the tensors' values
// (https://github.com/huggingface/safetensors). All numbers are little-endian.
//
// Allocates nothing and needs no C++ library. Thread-safe, as it only reads.
#ifndef TENON_FORMAT_SAFETENSORS_H_
#define TENON_FORMAT_SAFETENSORS_H_

#include <cstdint>
#include <string_view>

#include "tenon/format/reader.h"
#include "tenon/types/element_type.h"

namespace tenon::format {

struct SafeTensor {
  static constexpr int kMaxRank = 64;
  std::string_view name;   // valid during the visit
  std::string_view dtype;  // as the file names it
  ElementType type;        // kInvalid if no element type has this layout
  int rank;
  int64_t dims[kMaxRank];
  std::string_view value;  // dense and row-major, at any address
};

// Names longer than this are not those of weights.
inline constexpr uint64_t kMaxTensorName = 1024;

// Calls visit(context, tensor) for each tensor of the file whose name is not longer than
// kMaxTensorName. False, with `*refusal`, if the file is truncated or damaged: malformed
// JSON, a value that is out of bounds or has another size than the shape says, values
// that do not fill the file. Then some tensors may have been visited. `*metadata`, if it
// is not null, is the JSON of the file's "__metadata__", or empty.
bool VisitSafetensors(std::string_view bytes,
                      void (*visit)(void* context, const SafeTensor& tensor),
                      void* context, Refusal* refusal,
                      std::string_view* metadata = nullptr);

// The dtype of elements of `type` in a safetensors file; empty if there is none.
std::string_view SafetensorsType(ElementType type);

}  // namespace tenon::format

#endif  // TENON_FORMAT_SAFETENSORS_H_
