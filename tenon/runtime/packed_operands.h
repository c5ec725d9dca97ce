// The packed forms of arguments, which products read instead of the arguments
// (ImagePackedOperand).
//
// The second run that needs the packed form of an argument gets memory for it and packs
// it there; later runs find it. A value that one run uses, such as the weights of a
// training step, is therefore packed into the run's own memory only. Packed forms belong
// to the argument's storage and are freed with it, or before it is overwritten. Their
// total is limited; beyond the limit, runs pack for themselves.
#ifndef TENON_RUNTIME_PACKED_OPERANDS_H_
#define TENON_RUNTIME_PACKED_OPERANDS_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "tenon/device/launch.h"
#include "tenon/executable/image.h"
#include "tenon/executable/run_context.h"
#include "tenon/runtime/allocator.h"

namespace tenon::runtime {

// The number of a layout in this process. Thread-safe.
int64_t NumberOfLayout(const std::string& layout);

// The memory of packed forms: counted, limited, from an allocator. Thread-safe. Outlives
// the forms.
class PackedMemory {
 public:
  // `limit`, in bytes: 0 for no packed forms, negative for an eighth of the allocator's.
  PackedMemory(Allocator& allocator, int64_t limit);

  // Null if the limit would be exceeded, or more than half of the allocator's memory
  // would be in use: the rest is left to buffers and temporaries.
  void* Allocate(uint64_t bytes);
  void Free(void* data, uint64_t bytes);
  int64_t limit() const { return limit_; }
  int64_t in_use() const { return in_use_.load(std::memory_order_relaxed); }

 private:
  Allocator& allocator_;
  const int64_t limit_;
  std::atomic<int64_t> in_use_{0};
};

// The packed operands of one run. Used by one thread at a time.
class PackedOperands {
 public:
  // `numbers` are those of the layouts of `operands`. All arguments must outlive this
  // object. `companions` are the launch's; null: the run packs everything for itself.
  PackedOperands(PackedMemory& memory, const std::vector<ImagePackedOperand>& operands,
                 const std::vector<int64_t>& numbers,
                 std::atomic<device::Companion*>* const* companions);
  PackedOperands(const PackedOperands&) = delete;
  PackedOperands& operator=(const PackedOperands&) = delete;
  // Gives what the run has packed to later runs.
  ~PackedOperands();

  // For RunContext::packed_operands.
  PackedOperand* data() { return operands_.data(); }

 private:
  class Forms;
  // A packed form that this run may write.
  struct Claim {
    size_t operand;
    Forms* forms;
    int64_t layout;
  };
  static Forms& FormsOf(std::atomic<device::Companion*>& companion, PackedMemory& memory);

  std::vector<PackedOperand> operands_;
  std::vector<Claim> claims_;
};

}  // namespace tenon::runtime

#endif  // TENON_RUNTIME_PACKED_OPERANDS_H_
