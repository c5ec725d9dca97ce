#include "tenon/runtime/fork.h"

#include <pthread.h>

#include <atomic>

namespace tenon::runtime {
namespace {

std::atomic<uint64_t>& Generation() {
  // The handler stays registered for good, so the plugin must never be unloaded.
  static std::atomic<uint64_t> generation{0};
  [[maybe_unused]] static const int registered = pthread_atfork(
      nullptr, nullptr, [] { generation.fetch_add(1, std::memory_order_relaxed); });
  return generation;
}

}  // namespace

uint64_t ForkGeneration() { return Generation().load(std::memory_order_relaxed); }

}  // namespace tenon::runtime
