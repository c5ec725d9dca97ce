// What happens in this process while somebody traces it: compilations, runs, kernels.
//
// One tracer a process, because programs, clients and threads are not told who traces
// them. Thread-safe; costs a load where nothing is traced.
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
  std::string name;  // of compilations and their phases
  // Of the others: the program, the kernel or call site in it, the run.
  std::shared_ptr<const LoadedImage> program = nullptr;
  int64_t index = 0;
  int64_t run_id = 0;
  int32_t device_id = 0;
};

// The events of one thread, in the order in which they ended.
struct ThreadTrace {
  int64_t thread_id = 0;  // the system's
  std::string thread_name;
  std::vector<TraceEvent> events;
  int64_t num_dropped = 0;  // after the first kMostEvents
};

int64_t TraceClock();  // nanoseconds since 1970

class Tracer {
 public:
  static constexpr size_t kMostEvents = 1 << 20;  // of a thread

  static Tracer& Global();

  bool active() const { return active_.load(std::memory_order_relaxed); }
  // FAILED_PRECONDITION if it is active already.
  Status Start();
  // What was recorded since Start, by thread; nothing if it is not active.
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
