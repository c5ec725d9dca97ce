// An executable program: a loaded image whose custom calls are bound to handlers.
//
// Reference-counted. Immutable, apart from measured run times. Any number of threads may
// run it at a time.
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
#include "tenon/runtime/gang_plan.h"
#include "tenon/runtime/kernel_stream.h"
#include "tenon/runtime/runtime.h"

namespace tenon::runtime {

class Program {
 public:
  // Binds the image's custom calls to the handlers registered for `platform`.
  static StatusOr<std::shared_ptr<const Program>> Create(
      std::shared_ptr<const LoadedImage> image, std::string_view platform);
  // Loads the image for `machine`, which must be the one that this process runs on, and
  // binds its custom calls.
  static StatusOr<std::shared_ptr<const Program>> Load(
      std::shared_ptr<const Image> image, const Machine& machine,
      const device::LoadOptions& options);

  const ExecutableInfo& info() const { return image_->info(); }
  const std::shared_ptr<const LoadedImage>& image() const { return image_; }
  // Whether a custom call of the program may wait for something outside of it. Such a
  // program must not run on a bounded pool of threads.
  bool may_block() const { return may_block_; }
  // Whether Execute must wait for the end of the run, because a handler asks for that.
  bool synchronous() const { return synchronous_; }
  // Whether the program is so short that Execute itself may run it, although its caller
  // does not want to wait. False for programs that repeatedly took longer than estimated.
  bool RunsInline() const;
  // The same for all copies of a program with collectives together.
  bool RunsGangInline() const;
  // Whether the program is short enough to be run by a thread that waits for its results,
  // because waking another thread would take a large part of its time. A program of
  // unknown length is after many short runs. `num_threads` is the size of the compute
  // team.
  bool RunsOnWaiter(int num_threads) const;
  // How long a thread that waits for a run by another thread should spin before it
  // sleeps. Not 0 only for programs of unknown length whose last run was shorter than
  // that.
  std::chrono::microseconds spin_time() const;

  // Whether runs can use packed forms of arguments that earlier runs have made.
  bool keeps_packed() const { return !packed_layouts_.empty(); }
  // The packed operands of a run with these LaunchBuffers::companions. Null if the
  // program has none.
  std::unique_ptr<PackedOperands> FindPacked(
      Runtime& runtime, std::atomic<device::Companion*>* const* companions) const;

  // Runs to the end on this thread and the compute team. `args` and `results` are in the
  // order of the program's parameters and results. The buffers are dense and 64-byte
  // aligned. A result that aliases a parameter holds that parameter's value.
  Status Run(Runtime& runtime, const RunBuffer* args, const RunBuffer* results,
             const RunIds& ids,
             std::atomic<device::Companion*>* const* companions = nullptr) const;
  // The same, with memory for the arena, of CodeObject::arena_bytes bytes. A launcher
  // needs a stream, and all memory is of its device; the run may return before the device
  // is done.
  Status Run(Runtime& runtime, const RunBuffer* args, const RunBuffer* results,
             const RunIds& ids, void* arena, KernelStream* stream = nullptr,
             std::atomic<device::Companion*>* const* companions = nullptr) const;

  // Who meets in the collectives. Null if the program has none. A program that has some
  // runs as a ProgramGang, not by Run.
  const GangPlan* gang_plan() const { return gang_plan_.get(); }

  const ffi::CallSite& call_site(int64_t site) const { return *call_sites_[site]; }

 private:
  Program() = default;
  bool is_measured() const;
  void RecordTime(int64_t nanoseconds) const;

  std::shared_ptr<const LoadedImage> image_;
  std::vector<std::unique_ptr<ffi::CallSite>> call_sites_;
  std::unique_ptr<const GangPlan> gang_plan_;
  std::vector<int64_t> packed_layouts_;  // by packed operand: NumberOfLayout
  bool may_block_ = false;
  bool synchronous_ = false;
  // Measured only if a decision depends on it.
  mutable std::atomic<int32_t> long_runs_{0};  // in succession
  mutable std::atomic<int64_t> last_run_ns_{0};
  mutable std::atomic<int32_t> short_runs_{0};  // in succession, counted up to a limit
};

}  // namespace tenon::runtime

#endif  // TENON_RUNTIME_PROGRAM_H_
