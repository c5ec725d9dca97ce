// Processor lists, and binding threads to processors. Processors have the numbers that
// the operating system gives them. Callable from any thread.
#ifndef TENON_RUNTIME_AFFINITY_H_
#define TENON_RUNTIME_AFFINITY_H_

#include <sched.h>
#include <sys/types.h>

#include <atomic>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::runtime {

// Parses a list in Linux's format, such as "0-3,8". The result is ascending, without
// duplicates. Nullopt if `text` is malformed or a number is too large for the system.
std::optional<std::vector<int>> ParseProcessors(std::string_view text);
// The same format for a list of ascending numbers.
std::string ProcessorsText(std::span<const int> processors);

// The processors that the calling thread may run on. Empty if the system does not tell.
std::vector<int> AllowedProcessors();
// Binds the calling thread, and the threads that it starts, to `processors`. Does nothing
// if the list is empty. Ignores processors that are offline.
void BindToProcessors(std::span<const int> processors);

// The processor that the calling thread runs on; -1 if the system does not tell.
int CurrentProcessor();

// A thread that others may keep off a processor while it sleeps. Allocates nothing.
class MovableThread {
 public:
  // Called by the thread itself, before it sleeps and when it is awake again. A thread
  // that is awake may run wherever it could before KeepOff, unless someone else has bound
  // it since.
  void FallAsleep();
  void WakeUp();
  // Keeps the thread off `processor`, and no other, if it sleeps and may run elsewhere.
  // Any thread.
  void KeepOff(int processor);

 private:
  enum State { kAwake, kAsleep, kBeingMoved, kKeptOff };
  std::atomic<State> state_{kAwake};
  pid_t id_ = 0;                  // from the first FallAsleep on
  cpu_set_t allowed_{}, left_{};  // if kept off: where it may run otherwise, and now
};

}  // namespace tenon::runtime

#endif  // TENON_RUNTIME_AFFINITY_H_
