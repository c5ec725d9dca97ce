// For tests: programs of the C library that run a function of the test.
#ifndef TENON_EMBED_TESTING_H_
#define TENON_EMBED_TESTING_H_

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "tenon/executable/testing.h"
#include "tenon/runtime.h"

namespace tenon::embed {

// Bytes at a multiple of 64 that end at the end of their allocation, so that sanitizers
// see reads behind them.
class AlignedBytes {
 public:
  explicit AlignedBytes(std::string_view bytes) : size_(bytes.size()) {
    if (posix_memalign(&data_, 64, size_ ? size_ : 1) != 0) std::abort();
    std::memcpy(data_, bytes.data(), size_);
  }
  AlignedBytes(const AlignedBytes&) = delete;
  AlignedBytes& operator=(const AlignedBytes&) = delete;
  ~AlignedBytes() { std::free(data_); }
  const void* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  void* data_ = nullptr;
  size_t size_;
};

// y = x * c, of 32 floats, where y may use x's memory. c is a constant.
inline int32_t Scale(RunContext* context, const RunBuffer*, const RunBuffer* results,
                     void* arena) {
  struct Data {
    float* y;
    float c;
  };
  auto* data = static_cast<Data*>(arena);
  data->y = static_cast<float*>(results[0].data);
  std::memcpy(&data->c, context->constants, sizeof data->c);
  context->table->parallel_for(
      context,
      [](RunContext*, void* env, int64_t chunk) {
        const auto* d = static_cast<const Data*>(env);
        for (int64_t i = 8 * chunk; i < 8 * chunk + 8; ++i) d->y[i] *= d->c;
      },
      data, 4);
  return 0;
}

inline Image ScaleImage() {
  Image image = testing::ImageOf(Scale);
  image.info.name = "scale";
  image.info.note = "by a test";
  image.info.parameters = {testing::TensorOf(ElementType::kF32, {4, 8})};
  image.info.parameters[0].name = "x";
  image.info.results = image.info.parameters;
  image.info.results[0].name = "y";
  image.info.aliases = {{.result = 0, .parameter = 0, .must = false}};
  image.info.costs = {{"flops", 32.0}};
  image.info.compile_options = "options";
  image.info.optimized_program = "module {}";
  image.code_objects[0].target = "test";
  image.code_objects[0].arena_bytes = 64;
  image.code_objects[0].symbols = {{.name = "scale", .offset = 0, .size = 4}};
  ConstantData constants(size_t{64});
  const float factor = 3;
  std::memcpy(constants.data(), &factor, sizeof factor);
  testing::SetConstants(image, std::move(constants));
  return image;
}

}  // namespace tenon::embed

#endif  // TENON_EMBED_TESTING_H_
