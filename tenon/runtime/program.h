// A loaded image with its custom calls bound: what can be run.
//
// Immutable and shared by reference count; runs on any number of threads at a time.
#ifndef TENON_RUNTIME_PROGRAM_H_
#define TENON_RUNTIME_PROGRAM_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/device/program.h"
#include "tenon/executable/loader.h"
#include "tenon/executable/run_context.h"
#include "tenon/executable/run_ids.h"
#include "tenon/ffi/call_site.h"
#include "tenon/runtime/runtime.h"

namespace tenon::runtime {

class Program {
 public:
  // Binds custom calls to the handlers registered for `platform`.
  static StatusOr<std::shared_ptr<const Program>> Create(
      std::shared_ptr<const LoadedImage> image, std::string_view platform);
  // The same of an image that is loaded for it, by `machine`, which this process runs on.
  static StatusOr<std::shared_ptr<const Program>> Load(
      std::shared_ptr<const Image> image, const Machine& machine,
      const device::LoadOptions& options);

  const ExecutableInfo& info() const { return image_->info(); }
  const std::shared_ptr<const LoadedImage>& image() const { return image_; }
  // It may wait for the outside world: not for the threads that compute.
  bool may_block() const { return may_block_; }
  // Whether who runs it waits for its end, as one of its handlers asks.
  bool synchronous() const { return synchronous_; }
  // So short, for certain, that a caller who does not want to wait may run it. A program
  // that proves to be longer than estimated is not run that way again.
  bool RunsInline() const;
  // Short enough, where `num_threads` compute, to be run by a thread that waits for its
  // results, because waking another thread would take a good part of its time.
  bool RunsOnWaiter(int num_threads) const;
  // For how long a thread that waits for the program should spin before it sleeps: the
  // program is run by another thread, and the last run was no longer than this.
  std::chrono::microseconds spin_time() const;

  // Runs to the end on this thread and the compute team. The buffers are those of the
  // program's parameters and results in order, dense, 64-byte aligned; a result aliased
  // to a parameter holds that parameter's value.
  Status Run(Runtime& runtime, const RunBuffer* args, const RunBuffer* results,
             const RunIds& ids) const;
  // The same with the program's arena, of CodeObject::arena_bytes bytes.
  Status Run(Runtime& runtime, const RunBuffer* args, const RunBuffer* results,
             const RunIds& ids, void* arena) const;

  const ffi::CallSite& call_site(int64_t site) const { return *call_sites_[site]; }

 private:
  Program() = default;
  bool is_measured() const;
  void Measured(int64_t nanoseconds) const;

  std::shared_ptr<const LoadedImage> image_;
  std::vector<std::unique_ptr<ffi::CallSite>> call_sites_;
  bool may_block_ = false;
  bool synchronous_ = false;
  // Measured, where a decision depends on it.
  mutable std::atomic<int32_t> long_runs_{0};  // in succession
  mutable std::atomic<int64_t> last_run_ns_{0};
};

}  // namespace tenon::runtime

#endif  // TENON_RUNTIME_PROGRAM_H_
