#include "tenon/runtime/packed_operands.h"

#include <map>
#include <mutex>

namespace tenon::runtime {

int64_t NumberOfLayout(const std::string& layout) {
  static std::mutex mutex;
  static auto* const numbers = new std::map<std::string, int64_t>();
  const std::lock_guard lock(mutex);
  return numbers->try_emplace(layout, std::ssize(*numbers)).first->second;
}

PackedMemory::PackedMemory(Allocator& allocator, int64_t limit)
    : allocator_(allocator), limit_(limit < 0 ? allocator.stats().limit / 8 : limit) {}

void* PackedMemory::Allocate(uint64_t bytes) {
  const auto size = static_cast<int64_t>(bytes);
  const AllocatorStats stats = allocator_.stats();
  if (in_use_.fetch_add(size, std::memory_order_relaxed) + size <= limit_ &&
      stats.in_use + size <= stats.limit / 2) {
    if (StatusOr<void*> data = allocator_.Allocate(bytes); data.ok()) return *data;
  }
  in_use_.fetch_sub(size, std::memory_order_relaxed);
  return nullptr;
}

void PackedMemory::Free(void* data, uint64_t bytes) {
  allocator_.Free(data, bytes);
  in_use_.fetch_sub(static_cast<int64_t>(bytes), std::memory_order_relaxed);
}

// The packed forms of one argument, one per layout. Thread-safe.
class PackedOperands::Forms final : public device::Companion {
 public:
  explicit Forms(PackedMemory& memory) : memory_(memory) {}
  ~Forms() override {
    for (const Form& form : forms_)
      if (form.data) memory_.Free(form.data, form.bytes);
  }

  // What a run finds. If it is memory without the packed form, the run has claimed it and
  // must call Release.
  PackedOperand Find(int64_t layout, uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    for (Form& form : forms_) {
      if (form.layout != layout) continue;
      if (form.state == State::kPacked) return {form.data, 1};
      if (form.state == State::kClaimed || form.bytes != bytes) return {nullptr, 0};
      if (!form.data) form.data = memory_.Allocate(bytes);
      if (form.data) form.state = State::kClaimed;
      return {form.data, 0};
    }
    forms_.push_back({layout, bytes});
    return {nullptr, 0};
  }
  void Release(int64_t layout, bool is_packed) {
    const std::lock_guard lock(mutex_);
    for (Form& form : forms_)
      if (form.layout == layout) form.state = is_packed ? State::kPacked : State::kUsed;
  }

 private:
  enum class State {
    kUsed,     // some run has needed it
    kClaimed,  // a run is packing it
    kPacked,
  };
  struct Form {
    int64_t layout;
    uint64_t bytes;
    State state = State::kUsed;
    void* data = nullptr;
  };

  PackedMemory& memory_;
  std::mutex mutex_;
  std::vector<Form> forms_;
};

PackedOperands::Forms& PackedOperands::FormsOf(std::atomic<device::Companion*>& companion,
                                               PackedMemory& memory) {
  device::Companion* found = companion.load(std::memory_order_acquire);
  if (!found) {
    auto created = std::make_unique<Forms>(memory);
    if (companion.compare_exchange_strong(found, created.get(), std::memory_order_acq_rel,
                                          std::memory_order_acquire))
      found = created.release();
  }
  return static_cast<Forms&>(*found);
}

PackedOperands::PackedOperands(PackedMemory& memory,
                               const std::vector<ImagePackedOperand>& operands,
                               const std::vector<int64_t>& numbers,
                               std::atomic<device::Companion*>* const* companions)
    : operands_(operands.size()) {
  if (!companions || memory.limit() == 0) return;
  for (size_t i = 0; i < operands.size(); ++i) {
    auto* companion = companions[operands[i].parameter];
    if (!companion) continue;
    Forms& forms = FormsOf(*companion, memory);
    operands_[i] = forms.Find(numbers[i], operands[i].bytes);
    if (operands_[i].data && !operands_[i].is_packed)
      claims_.push_back({i, &forms, numbers[i]});
  }
}

PackedOperands::~PackedOperands() {
  for (const Claim& claim : claims_)
    claim.forms->Release(claim.layout, operands_[claim.operand].is_packed);
}

}  // namespace tenon::runtime
