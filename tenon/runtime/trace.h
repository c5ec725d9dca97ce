// Records what happens in this process while it is traced: compilations, runs, kernels.
//
// There is one tracer per process, because profilers do not name a client. Thread-safe.
// Costs one load if the process is not traced.
#ifndef TENON_RUNTIME_TRACE_H_
#define TENON_RUNTIME_TRACE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/executable/loader.h"

namespace tenon::runtime {

struct TraceEvent {
  enum class Kind { kCompile, kCompilePhase, kRun, kKernel, kCustomCall };

  Kind kind = Kind::kCompile;
  int64_t start_ns = 0;  // since 1970
  int64_t end_ns = 0;
  std::string name;  // only for compilations and their phases
  // Only for runs, kernels and custom calls.
  std::shared_ptr<const LoadedImage> program = nullptr;
  int64_t index = 0;  // of the kernel or the call site in the program
  int64_t run_id = 0;
  int32_t device_id = 0;
};

// The events of one thread, in the order in which they ended.
struct ThreadTrace {
  int64_t thread_id = 0;  // the operating system's
  std::string thread_name;
  std::vector<TraceEvent> events;
  int64_t num_dropped = 0;  // events after the first kMaxEvents
};

int64_t TraceClock();  // nanoseconds since 1970

class Tracer {
 public:
  static constexpr size_t kMaxEvents = 1 << 20;  // kept per thread

  static Tracer& Global();

  bool active() const { return active_.load(std::memory_order_relaxed); }
  // FAILED_PRECONDITION if the tracer is active already.
  Status Start();
  // Returns what was recorded since Start, by thread. Empty if the tracer is not active.
  std::vector<ThreadTrace> Stop();
  // Keeps the event if the tracer is active.
  void Record(TraceEvent event);

 private:
  struct Thread {
    std::mutex mutex;  // taken by its owner, and by Start and Stop
    ThreadTrace trace;
    bool ended = false;
  };
  struct ThreadHolder;
  Tracer() = default;
  Thread& ThisThread();

  std::atomic<bool> active_{false};
  std::mutex mutex_;
  std::vector<std::shared_ptr<Thread>> threads_;
};

}  // namespace tenon::runtime

#endif  // TENON_RUNTIME_TRACE_H_
