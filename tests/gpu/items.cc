#include "tests/gpu/items.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace tenon::gpu_test {
namespace {

constexpr size_t kStackBytes = 256 << 10;
Group* current_group = nullptr;

// Where the kernel runs for one item of each group in turn. To start a context takes two
// system calls, so it goes on with the next group's item.
struct Coroutine {
  std::unique_ptr<char[]> stack;
  jmp_buf resume;
  bool started = false;
};

Coroutine& CoroutineOf(size_t item) {
  static std::deque<Coroutine> coroutines;
  while (coroutines.size() <= item)
    coroutines.emplace_back().stack = std::make_unique_for_overwrite<char[]>(kStackBytes);
  return coroutines[item];
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
  for (;;) {
    Group& group = *current_group;
    group.kernel_();
    Item& item = *group.running_;
    item.done = true;
    if (!item.copy_sets.empty() || !item.open_copies.empty())
      group.problem_ = "an item ends with copies under way";
    group.Suspend(item);
  }
}

// swapcontext would save the mask of signals: two system calls each time.
void Group::Resume(Item& item) {
  running_ = &item;
  Coroutine& coroutine = CoroutineOf(static_cast<size_t>(item.number));
  if (_setjmp(scheduler_)) return;
  if (std::exchange(coroutine.started, true)) _longjmp(coroutine.resume, 1);
  ucontext_t context;
  getcontext(&context);
  context.uc_stack.ss_sp = coroutine.stack.get();
  context.uc_stack.ss_size = kStackBytes;
  context.uc_link = nullptr;
  makecontext(&context, Start, 0);
  setcontext(&context);
}

void Group::Suspend(Item& item) {
  Coroutine& coroutine = CoroutineOf(static_cast<size_t>(item.number));
  if (!_setjmp(coroutine.resume)) _longjmp(scheduler_, 1);
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
                     " waits forever for others at " + item.operation.instruction->name;
  }
  current_group = nullptr;
  for (const Item& item : items_)
    if (!item.done) CoroutineOf(static_cast<size_t>(item.number)).started = false;
  for (const auto& [first, products] : wide_products_)
    if (problem_.empty() && !products.sets.empty())
      problem_ = "items end with products under way";
  if (problem_.empty()) return OkStatus();
  return Internal("group " + std::to_string(number_) + ": " + problem_);
}

// An item never returns to code after a problem: its stack is thrown away.
void Group::Execute(const Operation& operation) {
  Instruction& instruction = *operation.instruction;
  running_->operation = operation;
  if (instruction.participants > 0) {
    ExecuteTogether(std::min(instruction.participants, items_.size()));
    return;
  }
  if (instruction.alone)
    instruction.alone(*this, operation);
  else
    problem_ = "no emulation of " + instruction.name;
  if (!problem_.empty()) Suspend(*running_);
  ++instruction.count;
}

void Group::ExecuteTogether(size_t size) {
  Item& item = *running_;
  Instruction& instruction = *item.operation.instruction;
  const size_t first = static_cast<size_t>(item.number) / size * size;
  const size_t end = std::min(first + size, items_.size());
  item.waiting = true;
  lanes_.clear();
  // One of them arrives last if items run in order.
  const bool may_be_all = items_[first].waiting && items_[end - 1].waiting;
  for (size_t i = first; may_be_all && i < end; ++i) {
    // Others may still be at an operation of fewer items.
    if (!items_[i].waiting || items_[i].operation.instruction != &instruction) break;
    lanes_.push_back(&items_[i].operation);
  }
  if (lanes_.size() == size) {
    if (!instruction.together || !instruction.together(lanes_, wide_products_[first]))
      problem_ = "no emulation of " + instruction.name;
    ++instruction.count;
    for (size_t i = first; i < first + size; ++i) items_[i].waiting = false;
    if (problem_.empty()) return;
  }
  Suspend(item);
}

void Group::ReadItem(const Operation& operation) {
  operation.Result<int32_t>(0) = running_->number;
}

void Group::ReadGroup(const Operation& operation) {
  operation.Result<int32_t>(0) = static_cast<int32_t>(number_);
}

void Group::StartCopy(const Operation& operation) {
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
}

void Group::CommitCopies(const Operation& operation) {
  running_->copy_sets.push_back(std::move(running_->open_copies));
  running_->open_copies.clear();
}

void Group::WaitForCopies(const Operation& operation) {
  while (running_->copy_sets.size() >
         static_cast<size_t>(operation.Argument<int32_t>(0))) {
    if (!backwards_) Perform(running_->copy_sets.front());
    running_->copy_sets.pop_front();
  }
}

Instruction::Instruction(std::string of) : name(std::move(of)) {
  if (Contains(name, "barrier.cta.sync"))
    participants = kWholeGroup;
  else if (Contains(name, "llvm.nvvm.mma.") || Contains(name, "ldmatrix") ||
           Contains(name, "shfl.sync.") || Contains(name, "bar.warp.sync"))
    participants = kWarp;
  else if (Contains(name, "wgmma"))
    participants = size_t{4} * kWarp;
  if (participants > 0) {
    together = FindTogether(name);
  } else if (Contains(name, "sreg.tid.x")) {
    alone = &Group::ReadItem;
  } else if (Contains(name, "sreg.ctaid.x")) {
    alone = &Group::ReadGroup;
  } else if (Contains(name, "cp.async.cg.shared.global.16.s")) {
    alone = &Group::StartCopy;
  } else if (Contains(name, "cp.async.commit.group")) {
    alone = &Group::CommitCopies;
  } else if (Contains(name, "cp.async.wait.group")) {
    alone = &Group::WaitForCopies;
  } else if (Contains(name, "f2tf32.rna")) {
    alone = [](Group&, const Operation& operation) {
      operation.Result<uint32_t>(0) =
          (operation.Argument<uint32_t>(0) + 0x1000) & ~0x1fffu;
    };
  } else if (Contains(name, "fence.proxy.async")) {
    alone = [](Group&, const Operation&) {};  // memory is one here
  }
}

}  // namespace tenon::gpu_test
