#include "tenon/runtime/program.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "tenon/runtime/execution.h"
#include "tenon/runtime/trace.h"

namespace tenon::runtime {
namespace {

// Execute itself runs programs up to this estimated single-thread time. It is about the
// time to wake two threads, which handing the program to another thread would cost.
constexpr double kInlineNanoseconds = 50e3;
// Up to this estimated time per thread, a thread that waits for a program runs it, if no
// other thread has begun it. Handing it over would wake two threads, while the spinning
// threads of the compute team occupy the processors; that costs 5 to 20 % (bench:
// convolution_3x3_56, matmul_512, black_scholes). Since not all of a program runs in
// parallel, at most kMaxThreads threads count.
constexpr double kWaiterNanoseconds = 1000e3;
constexpr int kMaxThreads = 4;

// After this many runs in succession that took twice the limit, the estimate is taken to
// be wrong. A single long run may be due to cold caches or to a lost processor.
constexpr int64_t kLongRunNanoseconds = 100000;
constexpr int32_t kMaxLongRuns = 3;
// Programs below this estimate are not timed, because no estimate is wrong by that much.
constexpr double kMinTimedNanoseconds = 2e3;

// How long a waiting thread spins before it sleeps. A sleeping thread wakes about 50 us
// late: a loop that takes 65 us on the caller's thread took 117 us with a wait that
// sleeps.
constexpr std::chrono::microseconds kWaiterSpin{200};
// After so many shorter runs in succession, a thread that waits for a program of unknown
// length may run it itself: the runner may have lost its processor. Asking whether a
// result is there looks like waiting, so a long run would hold up the caller once.
constexpr int32_t kMinShortRuns = 16;

}  // namespace

StatusOr<std::shared_ptr<const Program>> Program::Create(
    std::shared_ptr<const LoadedImage> image, std::string_view platform) {
  std::shared_ptr<Program> program(new Program());
  program->image_ = std::move(image);
  const ExecutableInfo& info = program->info();
  for (const ImageFfiCall& call : info.ffi_calls) {
    TENON_ASSIGN_OR_RETURN(program->call_sites_.emplace_back(),
                           ffi::CallSite::Create(call, platform));
    program->may_block_ |= program->call_sites_.back()->may_block();
    program->synchronous_ |= program->call_sites_.back()->synchronous();
  }
  for (const ImagePackedOperand& packed : program->image_->code().packed_operands) {
    // Packing may convert elements, in the program's float mode.
    program->packed_layouts_.push_back(
        NumberOfLayout(packed.layout + (info.ieee_denormals ? " ieee" : "")));
  }
  if (!info.collectives.empty()) {
    program->gang_plan_ = std::make_unique<const GangPlan>(info);
  }
  return std::shared_ptr<const Program>(std::move(program));
}

StatusOr<std::shared_ptr<const Program>> Program::Load(
    std::shared_ptr<const Image> image, const Machine& machine,
    const device::LoadOptions& options) {
  TENON_ASSIGN_OR_RETURN(auto loaded,
                         LoadImage(std::move(image), machine,
                                   ImageLoadOptions{.perf_map = options.perf_map}));
  return Create(std::move(loaded), options.platform);
}

bool Program::RunsInline() const {
  return !may_block() && image_->code().estimated_nanoseconds <= kInlineNanoseconds &&
         long_runs_.load(std::memory_order_relaxed) < kMaxLongRuns;
}

bool Program::RunsGangInline() const {
  return gang_plan_ && !may_block() &&
         image_->code().estimated_nanoseconds * gang_plan_->num_devices() <=
             kInlineNanoseconds;
}

bool Program::RunsOnWaiter(int num_threads) const {
  if (may_block()) return false;
  const double estimate = image_->code().estimated_nanoseconds;
  if (!std::isinf(estimate))
    return estimate <= kWaiterNanoseconds * std::min(num_threads, kMaxThreads);
  return short_runs_.load(std::memory_order_relaxed) >= kMinShortRuns;
}

std::chrono::microseconds Program::spin_time() const {
  const bool is_short = last_run_ns_.load(std::memory_order_relaxed) <
                        std::chrono::nanoseconds(kWaiterSpin).count();
  return !may_block() && std::isinf(image_->code().estimated_nanoseconds) && is_short
             ? kWaiterSpin
             : std::chrono::microseconds(0);
}

bool Program::is_measured() const {
  const double estimate = image_->code().estimated_nanoseconds;
  return (estimate >= kMinTimedNanoseconds && estimate <= kInlineNanoseconds) ||
         std::isinf(estimate);
}

void Program::RecordTime(int64_t nanoseconds) const {
  last_run_ns_.store(nanoseconds, std::memory_order_relaxed);
  const int32_t short_runs = short_runs_.load(std::memory_order_relaxed);
  const bool is_short = nanoseconds < std::chrono::nanoseconds(kWaiterSpin).count();
  if (!is_short || short_runs < kMinShortRuns)
    short_runs_.store(is_short ? short_runs + 1 : 0, std::memory_order_relaxed);
  const int32_t long_runs = long_runs_.load(std::memory_order_relaxed);
  if (long_runs >= kMaxLongRuns) return;
  const int32_t now = nanoseconds > kLongRunNanoseconds ? long_runs + 1 : 0;
  if (now != long_runs) long_runs_.store(now, std::memory_order_relaxed);
}

std::unique_ptr<PackedOperands> Program::FindPacked(
    Runtime& runtime, std::atomic<device::Companion*>* const* companions) const {
  if (!keeps_packed()) return nullptr;
  return std::make_unique<PackedOperands>(runtime.packed_memory(),
                                          image_->code().packed_operands, packed_layouts_,
                                          companions);
}

Status Program::Run(Runtime& runtime, const RunBuffer* args, const RunBuffer* results,
                    const RunIds& ids,
                    std::atomic<device::Companion*>* const* companions) const {
  const uint64_t arena_bytes = image_->code().arena_bytes;
  void* arena = nullptr;
  if (arena_bytes) {
    TENON_ASSIGN_OR_RETURN(arena, runtime.allocator().Allocate(arena_bytes));
  }
  Status status = Run(runtime, args, results, ids, arena, /*stream=*/nullptr, companions);
  if (arena) runtime.allocator().Free(arena, arena_bytes);
  return status;
}

Status Program::Run(Runtime& runtime, const RunBuffer* args, const RunBuffer* results,
                    const RunIds& ids, void* arena, KernelStream* stream,
                    std::atomic<device::Companion*>* const* companions) const {
  if (gang_plan_) {
    return Internal("program '" + info().name +
                    "' communicates with other devices, but was started alone");
  }
  Execution execution(runtime, *this, ids, Tracer::Global().active(), stream);
  const std::unique_ptr<PackedOperands> packed = FindPacked(runtime, companions);
  if (packed) execution.set_packed(packed->data());
  using Clock = std::chrono::steady_clock;
  const bool measured = is_measured();
  const Clock::time_point start = measured ? Clock::now() : Clock::time_point();
  bool suspended = false;
  Status status = execution.Run(args, results, arena, &suspended);
  if (measured) RecordTime(std::chrono::nanoseconds(Clock::now() - start).count());
  return status;
}

}  // namespace tenon::runtime
