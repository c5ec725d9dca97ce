#include "tenon/runtime/affinity.h"

#include <sched.h>
#include <unistd.h>

#include <charconv>
#include <set>

#include "tenon/runtime/futex.h"

namespace tenon::runtime {
namespace {

// Parses a number at the front of `text` and removes it.
bool TakeNumber(std::string_view& text, int& value) {
  const char* end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || value < 0 || value >= CPU_SETSIZE) return false;
  text.remove_prefix(static_cast<size_t>(stop - text.data()));
  return true;
}

// `thread` is 0 for the calling thread.
std::vector<int> AllowedProcessorsOf(pid_t thread) {
  std::vector<int> processors;
  cpu_set_t set;
  if (sched_getaffinity(thread, sizeof set, &set) != 0) return processors;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &set)) processors.push_back(i);
  }
  return processors;
}

void Bind(pid_t thread, std::span<const int> processors) {
  if (processors.empty()) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int processor : processors) CPU_SET(processor, &set);
  sched_setaffinity(thread, sizeof set, &set);
}

}  // namespace

std::optional<std::vector<int>> ParseProcessors(std::string_view text) {
  std::set<int> processors;
  for (;;) {
    int first = 0;
    if (!TakeNumber(text, first)) return std::nullopt;
    int last = first;
    if (text.starts_with('-')) {
      text.remove_prefix(1);
      if (!TakeNumber(text, last) || last < first) return std::nullopt;
    }
    for (int i = first; i <= last; ++i) processors.insert(i);
    if (text.empty()) return std::vector<int>(processors.begin(), processors.end());
    if (!text.starts_with(',')) return std::nullopt;
    text.remove_prefix(1);
  }
}

std::string ProcessorsText(std::span<const int> processors) {
  std::string text;
  for (size_t i = 0; i < processors.size();) {
    size_t last = i;
    while (last + 1 < processors.size() && processors[last + 1] == processors[last] + 1) {
      ++last;
    }
    if (!text.empty()) text += ",";
    text += std::to_string(processors[i]);
    if (last > i) text += "-" + std::to_string(processors[last]);
    i = last + 1;
  }
  return text;
}

std::vector<int> AllowedProcessors() { return AllowedProcessorsOf(0); }

void BindToProcessors(std::span<const int> processors) { Bind(0, processors); }

int CurrentProcessor() { return sched_getcpu(); }

void MovableThread::FallAsleep() {
  if (id_ == 0) id_ = gettid();
  state_.store(kAsleep);
}

void MovableThread::WakeUp() {
  State state = kAsleep;
  while (!state_.compare_exchange_weak(state, kAwake)) {
    if (state == kKeptOff) {
      if (AllowedProcessors() == left_) Bind(0, allowed_);
      state_.store(kAwake);
      return;
    }
    CpuRelax();  // another thread is moving this one
    state = kAsleep;
  }
}

void MovableThread::KeepOff(int processor) {
  State state = kAsleep;
  if (!state_.compare_exchange_strong(state, kBeingMoved)) return;
  allowed_ = AllowedProcessorsOf(id_);
  left_ = allowed_;
  std::erase(left_, processor);
  const bool moves = !left_.empty() && left_.size() < allowed_.size();
  if (moves) Bind(id_, left_);
  state_.store(moves ? kKeptOff : kAsleep);
}

}  // namespace tenon::runtime
