#include "tenon/runtime/affinity.h"

#include <sched.h>
#include <unistd.h>

#include <charconv>
#include <set>
#include <thread>

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

std::vector<int> AllowedProcessors() {
  std::vector<int> processors;
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return processors;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &set)) processors.push_back(i);
  }
  return processors;
}

void BindToProcessors(std::span<const int> processors) {
  if (processors.empty()) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int processor : processors) CPU_SET(processor, &set);
  sched_setaffinity(0, sizeof set, &set);
}

int CurrentProcessor() { return sched_getcpu(); }

void MovableThread::FallAsleep() {
  if (id_ == 0) id_ = gettid();
  state_.store(kAsleep);
}

void MovableThread::WakeUp() {
  State state = state_.load();
  while (state == kBeingMoved || !state_.compare_exchange_weak(state, kAwake)) {
    std::this_thread::yield();
    state = state_.load();
  }
  cpu_set_t now;
  if (state == kKeptOff && sched_getaffinity(0, sizeof now, &now) == 0 &&
      CPU_EQUAL(&now, &left_)) {
    sched_setaffinity(0, sizeof allowed_, &allowed_);
  }
}

void MovableThread::KeepOff(int processor) {
  State state = state_.load();
  do {
    if (state != kAsleep && state != kKeptOff) return;
  } while (!state_.compare_exchange_weak(state, kBeingMoved));
  cpu_set_t now;
  if (processor < 0 || sched_getaffinity(id_, sizeof now, &now) != 0) {
    state_.store(state);
    return;
  }
  if (state == kAsleep || !CPU_EQUAL(&now, &left_)) allowed_ = now;
  left_ = allowed_;
  CPU_CLR(static_cast<size_t>(processor), &left_);
  if (CPU_COUNT(&left_) == 0) left_ = allowed_;
  if (!CPU_EQUAL(&now, &left_)) sched_setaffinity(id_, sizeof left_, &left_);
  state_.store(CPU_EQUAL(&left_, &allowed_) ? kAsleep : kKeptOff);
}

}  // namespace tenon::runtime
