#include "tenon/compiler/buffer_assignment/arena.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <queue>
#include <set>

#include "tenon/compiler/analysis/program_frame.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::compiler {
namespace {

constexpr int64_t kAlignment = 64;

// Free ranges of the arena, indexed by offset and by size.
class FreeRanges {
 public:
  void Add(int64_t offset, int64_t bytes) {
    auto next = by_offset_.lower_bound(offset);
    if (next != by_offset_.end() && offset + bytes == next->first) {
      bytes += next->second;
      next = Erase(next);
    }
    if (next != by_offset_.begin()) {
      auto previous = std::prev(next);
      if (previous->first + previous->second == offset) {
        offset = previous->first;
        bytes += previous->second;
        Erase(previous);
      }
    }
    by_offset_[offset] = bytes;
    by_size_.insert({bytes, offset});
  }

  // Allocates from the smallest range that fits. Returns its offset, or -1.
  int64_t Allocate(int64_t bytes) {
    auto found = by_size_.lower_bound({bytes, 0});
    if (found == by_size_.end()) return -1;
    auto [size, offset] = *found;
    Erase(by_offset_.find(offset));
    if (size > bytes) Add(offset + bytes, size - bytes);
    return offset;
  }

  // Allocates the range that ends at `end`. Returns its offset, or `end` if there is
  // none.
  int64_t AllocateTail(int64_t end) {
    if (by_offset_.empty()) return end;
    auto last = std::prev(by_offset_.end());
    if (last->first + last->second != end) return end;
    int64_t offset = last->first;
    Erase(last);
    return offset;
  }

 private:
  using ByOffset = std::map<int64_t, int64_t>;
  ByOffset::iterator Erase(ByOffset::iterator range) {
    by_size_.erase({range->second, range->first});
    return by_offset_.erase(range);
  }

  ByOffset by_offset_;
  std::set<std::pair<int64_t, int64_t>> by_size_;
};

}  // namespace

ArenaLayout LayOutArena(const std::vector<Lifetime>& lifetimes) {
  std::vector<size_t> order(lifetimes.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (lifetimes[a].first != lifetimes[b].first)
      return lifetimes[a].first < lifetimes[b].first;
    return lifetimes[a].bytes > lifetimes[b].bytes;
  });
  ArenaLayout layout;
  layout.offsets.resize(lifetimes.size());
  FreeRanges free;
  using Ending = std::pair<int64_t, size_t>;  // (last, number)
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> live;
  auto rounded = [&](size_t number) {
    return (lifetimes[number].bytes + kAlignment - 1) / kAlignment * kAlignment;
  };
  for (size_t number : order) {
    while (!live.empty() && live.top().first < lifetimes[number].first) {
      size_t ended = live.top().second;
      live.pop();
      if (rounded(ended) > 0) free.Add(layout.offsets[ended], rounded(ended));
    }
    int64_t bytes = rounded(number);
    int64_t offset = 0;
    if (bytes > 0) {
      offset = free.Allocate(bytes);
      if (offset < 0) {
        offset = free.AllocateTail(layout.bytes);
        layout.bytes = offset + bytes;
      }
    }
    layout.offsets[number] = offset;
    live.push({lifetimes[number].last, number});
  }
  return layout;
}

namespace {

class LifetimeScan {
 public:
  explicit LifetimeScan(ir::ProgramOp program) { Number(program.getBody()); }

  // The last position at which `view` or a view of it is used, as seen from
  // `defining_block`, the block that defines it. A use inside a loop lasts until the
  // loop's end.
  int64_t LastUse(mlir::Value view, mlir::Block* defining_block) {
    int64_t last = 0;
    for (mlir::Operation* user : view.getUsers()) {
      mlir::Operation* ancestor = defining_block->findAncestorOpInBlock(*user);
      last = std::max(last, ends_[ancestor]);
      if (llvm::isa<ir::CastViewOp>(user))
        last = std::max(last, LastUse(user->getResult(0), defining_block));
    }
    return last;
  }

  std::vector<ir::ArenaViewOp> slots;
  std::vector<int64_t> starts;

 private:
  void Number(mlir::Region& region) {
    for (mlir::Block& block : region) {
      for (mlir::Operation& op : block) {
        int64_t start = next_++;
        if (auto slot = llvm::dyn_cast<ir::ArenaViewOp>(op)) {
          slots.push_back(slot);
          starts.push_back(start);
        }
        for (mlir::Region& inner : op.getRegions()) Number(inner);
        ends_[&op] = op.getNumRegions() > 0 ? next_++ : start;
      }
    }
  }

  int64_t next_ = 0;
  llvm::DenseMap<mlir::Operation*, int64_t> ends_;
};

}  // namespace

void AssignArenaOffsets(ir::ProgramOp program) {
  LifetimeScan scan(program);
  // By shared segment; those of the arena come last.
  const size_t num_segments = program.getSharedSites().size();
  std::vector<std::vector<ir::ArenaViewOp>> slots(num_segments + 1);
  std::vector<std::vector<Lifetime>> lifetimes(num_segments + 1);
  for (auto [slot, start] : llvm::zip_equal(scan.slots, scan.starts)) {
    auto type = slot.getView().getType();
    int64_t bytes =
        type.getNumElements() * ElementBytes(ir::ElementTypeOf(type.getElementType()));
    const size_t segment = slot.getSegment().value_or(num_segments);
    slots[segment].push_back(slot);
    lifetimes[segment].push_back(
        {bytes, start, std::max(start, scan.LastUse(slot.getView(), slot->getBlock()))});
  }
  const int64_t frame_bytes = LayOutFrame(program).bytes;
  std::vector<int64_t> shared_bytes;
  for (size_t segment = 0; segment <= num_segments; ++segment) {
    const bool is_arena = segment == num_segments;
    const int64_t start = is_arena ? frame_bytes : 0;
    const ArenaLayout layout = LayOutArena(lifetimes[segment]);
    for (auto [slot, offset] : llvm::zip_equal(slots[segment], layout.offsets))
      slot.setOffset(start + offset);
    if (is_arena)
      program.setArenaBytes(start + layout.bytes);
    else
      shared_bytes.push_back(layout.bytes);
  }
  program.setSharedBytes(shared_bytes);
}

}  // namespace tenon::compiler
