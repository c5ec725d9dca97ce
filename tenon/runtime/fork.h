// Whether this process is a fork of the one that made an object.
//
// In the child of a fork only the forking thread lives on: objects with threads must then
// neither wait for them nor join them. Thread-safe.
#ifndef TENON_RUNTIME_FORK_H_
#define TENON_RUNTIME_FORK_H_

#include <cstdint>

namespace tenon::runtime {

// Counts the forks between the process's start and now, as the child sees it. Costs a
// load.
uint64_t ForkGeneration();

// Remembers the process it was made in.
class ForkCheck {
 public:
  ForkCheck() : generation_(ForkGeneration()) {}
  bool InChild() const { return ForkGeneration() != generation_; }

 private:
  uint64_t generation_;
};

}  // namespace tenon::runtime

#endif  // TENON_RUNTIME_FORK_H_
