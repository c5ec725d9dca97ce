// Detects that this process is a fork of the one that created an object.
//
// In the child of a fork only the forking thread exists. Objects that own threads must
// neither wait for these nor join them there. Thread-safe.
#ifndef TENON_RUNTIME_FORK_H_
#define TENON_RUNTIME_FORK_H_

#include <cstdint>

namespace tenon::runtime {

// The number of forks between the start of the first process and this one. Costs one
// load.
uint64_t ForkGeneration();

// Remembers the process that created it.
class ForkCheck {
 public:
  ForkCheck() : generation_(ForkGeneration()) {}
  bool InChild() const { return ForkGeneration() != generation_; }

 private:
  uint64_t generation_;
};

}  // namespace tenon::runtime

#endif  // TENON_RUNTIME_FORK_H_
