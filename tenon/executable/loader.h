// Makes an image executable in this process. Needs no compiler.
//
// A LoadedImage is immutable and shared by reference count; its code is unmapped when the
// last reference goes, so whoever runs it holds one. Thread-safe.
#ifndef TENON_EXECUTABLE_LOADER_H_
#define TENON_EXECUTABLE_LOADER_H_

#include <cstddef>
#include <cstdint>
#include <memory>

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

  const ExecutableInfo& info() const { return info_; }
  EntryPoint entry() const { return entry_; }
  const uint8_t* constants() const { return constants_; }  // 64-byte aligned
  size_t code_size() const { return code_.bytes_size; }
  size_t constants_size() const { return constants_size_; }
  // The image again, as it was before it was loaded.
  Image ToImage() const;

 private:
  friend StatusOr<std::shared_ptr<const LoadedImage>> LoadImage(
      Image image, const Machine& machine, const ImageLoadOptions& options);
  LoadedImage() = default;

  ExecutableInfo info_;
  struct Code : ImageCode {  // `bytes` is empty: they are in the mapping
    size_t bytes_size = 0;
  } code_;
  uint8_t* mapping_ = nullptr;  // code, then constants on pages of their own
  size_t mapping_size_ = 0;
  const uint8_t* constants_ = nullptr;
  size_t constants_size_ = 0;
  bool unwind_registered_ = false;
  EntryPoint entry_ = nullptr;
};

// FAILED_PRECONDITION if `machine`, which is the one this process runs on, cannot run it;
// DATA_LOSS if the image is inconsistent; RESOURCE_EXHAUSTED if there is no memory.
StatusOr<std::shared_ptr<const LoadedImage>> LoadImage(
    Image image, const Machine& machine, const ImageLoadOptions& options = {});

}  // namespace tenon

#endif  // TENON_EXECUTABLE_LOADER_H_
