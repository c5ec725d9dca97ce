#include "tenon/runtime/program.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <new>
#include <string>
#include <utility>

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

// One run in progress. RunContext::execution points to it.
class Execution final : public ffi::CallEnvironment {
 public:
  Execution(Runtime& runtime, const Program& program, const RunIds& ids,
            uint64_t caller_float_mode, bool traced)
      : runtime_(runtime),
        program_(program),
        ids_(ids),
        caller_float_mode_(caller_float_mode),
        start_ns_(traced ? TraceClock() : 0) {}

  static Execution& Of(RunContext* context) {
    return *static_cast<Execution*>(context->execution);
  }

  void SetError(Status status) {
    // Keep the first error: chunks may fail on several threads at a time. It is read
    // after the entry point has returned, and so after every chunk.
    if (!failed_.exchange(true, std::memory_order_relaxed)) error_ = std::move(status);
  }
  Status TakeError(int32_t code) {
    if (failed_.load(std::memory_order_relaxed)) return std::move(error_);
    if (code == 0) return OkStatus();
    return Status(
        code >= 1 && code <= 16 ? static_cast<StatusCode>(code) : StatusCode::kInternal,
        "program '" + program_.info().name + "' failed");
  }

  void ParallelFor(RunContext* context, ParallelBody body, void* env,
                   int64_t num_chunks) {
    runtime_.team().ParallelFor(context, body, env, num_chunks,
                                program_.info().ieee_denormals);
  }

  // Ends the current kernel in the trace and begins `kernel`; -1 means none.
  void TraceKernel(int64_t kernel) {
    const int64_t now = TraceClock();
    if (kernel_ >= 0) {
      RecordEvent(TraceEvent::Kind::kKernel, kernel_, kernel_start_ns_, now);
    }
    kernel_ = kernel;
    kernel_start_ns_ = now;
  }
  // Called for traced runs, after the entry point has returned.
  void FinishTrace() {
    TraceKernel(-1);
    RecordEvent(TraceEvent::Kind::kRun, 0, start_ns_, TraceClock());
  }

  int32_t CallFfi(int64_t site, const RunBuffer* args, const RunBuffer* results) {
    if (start_ns_) TraceKernel(-1);
    const int64_t start_ns = start_ns_ ? TraceClock() : 0;
    // Handlers run in the float mode of the caller of Execute.
    runtime_.float_mode().leave(caller_float_mode_);
    Status status;
    try {
      status = program_.call_site(site).Call(args, results, *this, StatesOf(site));
    } catch (const std::bad_alloc&) {
      // Only a forced unwind, the end of a thread, may pass through compiled code.
      status = ResourceExhausted("no memory for the call frame of a custom call");
    }
    runtime_.float_mode().enter(program_.info().ieee_denormals);
    if (start_ns_) {
      RecordEvent(TraceEvent::Kind::kCustomCall, site, start_ns, TraceClock());
    }
    if (status.ok()) return 0;
    const int32_t code = static_cast<int32_t>(status.code());
    SetError(std::move(status));
    return code;
  }

  void Schedule(void (*task)(void* data), void* data) override {
    runtime_.blocking().Schedule([task, data] { task(data); });
  }
  int64_t num_threads() const override { return runtime_.team().num_threads(); }
  void* UserData(int64_t type_id) const override {
    return ids_.user_data ? ids_.user_data(ids_.user_data_context, type_id) : nullptr;
  }
  int64_t run_id() const override { return ids_.run_id; }
  int32_t device_ordinal() const override { return ids_.device_id; }

 private:
  // Needs no lock, because custom calls of a run happen one after another.
  ffi::RunStates& StatesOf(int64_t site) {
    if (!states_) {
      states_ = std::make_unique<ffi::RunStates[]>(program_.info().ffi_calls.size());
    }
    return states_[static_cast<size_t>(site)];
  }

  void RecordEvent(TraceEvent::Kind kind, int64_t index, int64_t start_ns,
                   int64_t end_ns) {
    Tracer::Global().Record({.kind = kind,
                             .start_ns = start_ns,
                             .end_ns = end_ns,
                             .name = {},
                             .program = program_.image(),
                             .index = index,
                             .run_id = ids_.run_id,
                             .device_id = ids_.device_id});
  }

  Runtime& runtime_;
  const Program& program_;
  const RunIds& ids_;
  const uint64_t caller_float_mode_;
  std::atomic<bool> failed_{false};
  Status error_;
  const int64_t start_ns_;  // 0 if the run is not traced
  int64_t kernel_ = -1;     // the kernel that is running
  int64_t kernel_start_ns_ = 0;
  std::unique_ptr<ffi::RunStates[]> states_;  // by call site; null before the first call
};

constexpr RuntimeTable kTable = {
    .struct_size = sizeof(RuntimeTable),
    .parallel_for =
        [](RunContext* context, ParallelBody body, void* env, int64_t num_chunks) {
          Execution::Of(context).ParallelFor(context, body, env, num_chunks);
        },
    .call_ffi = [](RunContext* context, int64_t site, const RunBuffer* args,
                   const RunBuffer* results) -> int32_t {
      return Execution::Of(context).CallFfi(site, args, results);
    },
    .set_error =
        [](RunContext* context, int32_t code, const char* message, int64_t size) {
          Execution::Of(context).SetError(
              Status(code >= 1 && code <= 16 ? static_cast<StatusCode>(code)
                                             : StatusCode::kInternal,
                     std::string(message, static_cast<size_t>(size))));
        },
};

constexpr void (*kTraceKernel)(RunContext*, int64_t) = [](RunContext* context,
                                                          int64_t kernel) {
  Execution::Of(context).TraceKernel(kernel);
};

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

bool Program::RunsOnWaiter(int num_threads) const {
  return !may_block() && image_->code().estimated_nanoseconds <=
                             kWaiterNanoseconds * std::min(num_threads, kMaxThreads);
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
  const int32_t long_runs = long_runs_.load(std::memory_order_relaxed);
  if (long_runs >= kMaxLongRuns) return;
  const int32_t now = nanoseconds > kLongRunNanoseconds ? long_runs + 1 : 0;
  if (now != long_runs) long_runs_.store(now, std::memory_order_relaxed);
}

Status Program::Run(Runtime& runtime, const RunBuffer* args, const RunBuffer* results,
                    const RunIds& ids) const {
  const uint64_t arena_bytes = image_->code().arena_bytes;
  void* arena = nullptr;
  if (arena_bytes) {
    TENON_ASSIGN_OR_RETURN(arena, runtime.allocator().Allocate(arena_bytes));
  }
  Status status = Run(runtime, args, results, ids, arena);
  if (arena) runtime.allocator().Free(arena, arena_bytes);
  return status;
}

Status Program::Run(Runtime& runtime, const RunBuffer* args, const RunBuffer* results,
                    const RunIds& ids, void* arena) const {
  const FloatModeScope mode(runtime.float_mode(), info().ieee_denormals);
  const bool traced = Tracer::Global().active();
  Execution execution(runtime, *this, ids, mode.previous(), traced);
  RunContext context = {
      .struct_size = sizeof(RunContext),
      .table = &kTable,
      .constants = image_->constants(),
      .execution = &execution,
      .run_id = ids.run_id,
      .device_id = ids.device_id,
      .replica_id = ids.replica_id,
      .partition_id = ids.partition_id,
      .num_threads = runtime.team().num_threads(),
      .trace_kernel = traced ? kTraceKernel : nullptr,
  };
  using Clock = std::chrono::steady_clock;
  const bool measured = is_measured();
  const Clock::time_point start = measured ? Clock::now() : Clock::time_point();
  Status status = execution.TakeError(image_->entry()(&context, args, results, arena));
  if (measured) RecordTime(std::chrono::nanoseconds(Clock::now() - start).count());
  if (traced) execution.FinishTrace();
  return status;
}

}  // namespace tenon::runtime
