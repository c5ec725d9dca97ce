#include "tests/gpu/items.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace tenon::gpu_test {
namespace {

constexpr size_t kStackBytes = 256 << 10;
Group* current_group = nullptr;

// Stacks are used again by the next group.
char* Stack(size_t item) {
  static std::vector<std::unique_ptr<char[]>> stacks;
  while (stacks.size() <= item)
    stacks.push_back(std::make_unique_for_overwrite<char[]>(kStackBytes));
  return stacks[item].get();
}

void Perform(const std::vector<AsyncCopy>& copies) {
  for (const AsyncCopy& copy : copies) {
    std::memset(copy.to, 0, kSlot);
    std::memcpy(copy.to, copy.from, static_cast<size_t>(copy.bytes));
  }
}

bool Contains(std::string_view name, std::string_view part) {
  return name.find(part) != name.npos;
}

}  // namespace

char* LocalMemory() {
  static char* memory = static_cast<char*>(std::aligned_alloc(kLocalBytes, kLocalBytes));
  return memory;
}

Group* Group::current() { return current_group; }

void Group::Start() {
  Group& group = *current_group;
  group.kernel_();
  group.running_->done = true;
  if (!group.running_->copy_sets.empty() || !group.running_->open_copies.empty())
    group.problem_ = "an item ends with copies under way";
  _longjmp(group.scheduler_, 1);
}

// swapcontext would save the mask of signals: two system calls each time.
void Group::Resume(Item& item) {
  running_ = &item;
  if (_setjmp(scheduler_)) return;
  if (std::exchange(item.started, true)) _longjmp(item.resume, 1);
  ucontext_t context;
  getcontext(&context);
  context.uc_stack.ss_sp = Stack(static_cast<size_t>(item.number));
  context.uc_stack.ss_size = kStackBytes;
  context.uc_link = nullptr;
  makecontext(&context, Start, 0);
  setcontext(&context);
}

void Group::Suspend(Item& item) {
  if (!_setjmp(item.resume)) _longjmp(scheduler_, 1);
}

Status Group::Run(const std::function<void()>& kernel, bool backwards) {
  kernel_ = kernel;
  backwards_ = backwards;
  current_group = this;
  for (size_t i = 0; i < items_.size(); ++i) items_[i].number = static_cast<int>(i);
  std::memset(LocalMemory(), 0xff, kLocalBytes);
  size_t left = items_.size();
  while (left > 0 && problem_.empty()) {
    bool moved = false;
    for (size_t i = 0; i < items_.size() && problem_.empty(); ++i) {
      Item& item = items_[backwards ? items_.size() - 1 - i : i];
      if (item.done || item.waiting) continue;
      Resume(item);
      moved = true;
      if (item.done) --left;
    }
    if (!moved && problem_.empty())
      for (const Item& item : items_)
        if (item.waiting)
          problem_ = "item " + std::to_string(item.number) +
                     " waits forever for others at " + std::string(item.operation.name);
  }
  current_group = nullptr;
  for (const auto& [first, products] : wide_products_)
    if (problem_.empty() && !products.sets.empty())
      problem_ = "items end with products under way";
  if (problem_.empty()) return OkStatus();
  return Internal("group " + std::to_string(number_) + ": " + problem_);
}

// An item never returns to code after a problem: its stack is thrown away.
void Group::Execute(const Operation& operation) {
  const size_t size = Participants(operation.name, items_.size());
  running_->operation = operation;
  if (size > 0) {
    ExecuteTogether(size);
    return;
  }
  if (!ExecuteAlone(operation)) {
    problem_ = "no emulation of " + std::string(operation.name);
    Suspend(*running_);
  }
  Count(operation.name);
}

void Group::ExecuteTogether(size_t size) {
  Item& item = *running_;
  const size_t first = static_cast<size_t>(item.number) / size * size;
  const size_t end = std::min(first + size, items_.size());
  item.waiting = true;
  std::vector<Operation*> lanes;
  // One of them arrives last if items run in order.
  const bool may_be_all = items_[first].waiting && items_[end - 1].waiting;
  for (size_t i = first; may_be_all && i < end; ++i) {
    // Others may still be at an operation of fewer items.
    if (!items_[i].waiting || items_[i].operation.name != item.operation.name) break;
    lanes.push_back(&items_[i].operation);
  }
  if (lanes.size() == size) {
    if (!ExecuteMatrix(item.operation.name, lanes, wide_products_[first]))
      problem_ = "no emulation of " + std::string(item.operation.name);
    Count(item.operation.name);
    for (size_t i = first; i < first + size; ++i) items_[i].waiting = false;
    if (problem_.empty()) return;
  }
  Suspend(item);
}

void Group::Count(std::string_view name) {
  auto found = counts_.find(name);
  if (found == counts_.end()) found = counts_.emplace(name, 0).first;
  ++found->second;
}

bool Group::ExecuteAlone(const Operation& operation) {
  const std::string_view name = operation.name;
  if (Contains(name, "sreg.tid.x")) {
    operation.Result<int32_t>(0) = running_->number;
  } else if (Contains(name, "sreg.ctaid.x")) {
    operation.Result<int32_t>(0) = static_cast<int32_t>(number_);
  } else if (Contains(name, "cp.async.cg.shared.global.16.s")) {
    AsyncCopy copy{operation.Argument<char*>(0), operation.Argument<char*>(1),
                   operation.Argument<int32_t>(2)};
    if (reinterpret_cast<uintptr_t>(copy.to) % kSlot ||
        reinterpret_cast<uintptr_t>(copy.from) % kSlot || copy.bytes < 0 ||
        copy.bytes > static_cast<int>(kSlot))
      problem_ = "a copy of " + std::to_string(copy.bytes) + " bytes is not aligned";
    if (copy.to < LocalMemory() || copy.to + kSlot > LocalMemory() + local_bytes_)
      problem_ = "a copy goes beyond the group's local memory";
    running_->open_copies.push_back(copy);
    if (backwards_ && problem_.empty()) Perform({copy});
  } else if (Contains(name, "cp.async.commit.group")) {
    running_->copy_sets.push_back(std::move(running_->open_copies));
    running_->open_copies.clear();
  } else if (Contains(name, "cp.async.wait.group")) {
    while (running_->copy_sets.size() >
           static_cast<size_t>(operation.Argument<int32_t>(0))) {
      if (!backwards_) Perform(running_->copy_sets.front());
      running_->copy_sets.pop_front();
    }
  } else if (Contains(name, "f2tf32.rna")) {
    operation.Result<uint32_t>(0) = (operation.Argument<uint32_t>(0) + 0x1000) & ~0x1fffu;
  } else {
    // Memory is one here.
    return Contains(name, "fence.proxy.async");
  }
  if (!problem_.empty()) Suspend(*running_);
  return true;
}

}  // namespace tenon::gpu_test
