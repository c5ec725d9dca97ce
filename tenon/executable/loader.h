// Makes an image executable in this process. Needs no compiler.
//
// A LoadedImage is immutable and shared by reference count; its code is unmapped when the
// last reference goes, so whoever runs it holds one. Thread-safe.
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
  // Names the image's functions in /tmp/perf-PID.map for the Linux profiler.
  bool perf_map = false;
};

class LoadedImage {
 public:
  LoadedImage(const LoadedImage&) = delete;
  LoadedImage& operator=(const LoadedImage&) = delete;
  ~LoadedImage();

  const std::shared_ptr<const Image>& image() const { return image_; }
  const ExecutableInfo& info() const { return image_->info; }
  // The one of the image's code objects that runs here.
  const CodeObject& code() const { return *code_; }
  EntryPoint entry() const { return entry_; }
  const uint8_t* constants() const { return constants_; }  // 64-byte aligned

 private:
  friend StatusOr<std::shared_ptr<const LoadedImage>> LoadImage(
      std::shared_ptr<const Image> image, const Machine& machine,
      const ImageLoadOptions& options);
  LoadedImage() = default;

  std::shared_ptr<const Image> image_;  // has the constants
  const CodeObject* code_ = nullptr;
  uint8_t* mapping_ = nullptr;  // the code
  size_t mapping_size_ = 0;
  const uint8_t* constants_ = nullptr;
  bool unwind_registered_ = false;
  EntryPoint entry_ = nullptr;
};

// Loads the code that suits `machine`, which is the one this process runs on, best.
// FAILED_PRECONDITION if the image has none that it can run; DATA_LOSS if the image is
// inconsistent; RESOURCE_EXHAUSTED if there is no memory.
StatusOr<std::shared_ptr<const LoadedImage>> LoadImage(
    std::shared_ptr<const Image> image, const Machine& machine,
    const ImageLoadOptions& options = {});

// The same of an image that nobody else needs.
inline StatusOr<std::shared_ptr<const LoadedImage>> LoadImage(
    Image image, const Machine& machine, const ImageLoadOptions& options = {}) {
  return LoadImage(std::make_shared<const Image>(std::move(image)), machine, options);
}

}  // namespace tenon

#endif  // TENON_EXECUTABLE_LOADER_H_
