// Loads the host code of an image into this process. Needs no compiler.
//
// A LoadedImage is immutable and reference-counted. Its code is unmapped with the last
// reference, so hold one while the code runs. Thread-safe.
#ifndef TENON_EXECUTABLE_LOADER_H_
#define TENON_EXECUTABLE_LOADER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "tenon/base/status.h"
#include "tenon/executable/image.h"
#include "tenon/executable/machine.h"
#include "tenon/executable/run_context.h"

namespace tenon {

struct ImageLoadOptions {
  // Whether to list the image's functions in /tmp/perf-PID.map for Linux perf.
  bool perf_map = false;
};

class LoadedImage {
 public:
  LoadedImage(const LoadedImage&) = delete;
  LoadedImage& operator=(const LoadedImage&) = delete;
  ~LoadedImage();

  const std::shared_ptr<const Image>& image() const { return image_; }
  const ExecutableInfo& info() const { return image_->info; }
  // The code object that has been loaded.
  const CodeObject& code() const { return *code_; }
  EntryPoint entry() const { return entry_; }
  const uint8_t* constants() const { return constants_; }  // 64-byte aligned

 private:
  friend StatusOr<std::shared_ptr<const LoadedImage>> LoadImage(
      std::shared_ptr<const Image> image, const Machine& machine,
      const ImageLoadOptions& options);
  LoadedImage() = default;

  std::shared_ptr<const Image> image_;  // owns the constants
  const CodeObject* code_ = nullptr;
  uint8_t* mapping_ = nullptr;  // the code
  size_t mapping_size_ = 0;
  const uint8_t* constants_ = nullptr;
  bool unwind_registered_ = false;
  EntryPoint entry_ = nullptr;
};

// Loads the code object that suits `machine` best. `machine` must be the one that this
// process runs on. FAILED_PRECONDITION if it can run none of the code objects; DATA_LOSS
// if the image is inconsistent; RESOURCE_EXHAUSTED if there is no memory.
StatusOr<std::shared_ptr<const LoadedImage>> LoadImage(
    std::shared_ptr<const Image> image, const Machine& machine,
    const ImageLoadOptions& options = {});

// The same for an image that is not shared.
inline StatusOr<std::shared_ptr<const LoadedImage>> LoadImage(
    Image image, const Machine& machine, const ImageLoadOptions& options = {}) {
  return LoadImage(std::make_shared<const Image>(std::move(image)), machine, options);
}

}  // namespace tenon

#endif  // TENON_EXECUTABLE_LOADER_H_
