#include "tenon/devices/sim/sim_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>
#include <vector>

#include "tenon/device/memory_report.h"

namespace tenon::sim {
namespace {

using device::ByteCount;

size_t AlignUp(size_t size) {
  return (std::max<size_t>(size, 1) + device::kAlignment - 1) / device::kAlignment *
         device::kAlignment;
}

}  // namespace

StatusOr<std::unique_ptr<SimMemory>> SimMemory::Create(std::string owner, size_t size) {
  const auto failed = [&](const char* what) {
    return ResourceExhausted(owner + ": no " + ByteCount(size) +
                             " of memory to simulate: " + what + ": " +
                             std::strerror(errno));
  };
  // Both mappings take pages only where bytes are written.
  void* window =
      mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (window == MAP_FAILED) return failed("mmap of addresses");
  void* backing = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (backing == MAP_FAILED) {
    const Status status = failed("mmap");
    munmap(window, size);
    return status;
  }
  return std::unique_ptr<SimMemory>(new SimMemory(
      std::move(owner), size, static_cast<char*>(window), static_cast<char*>(backing)));
}

SimMemory::SimMemory(std::string owner, size_t size, char* window, char* backing)
    : MemorySpace(/*host_addressable=*/false),
      owner_(std::move(owner)),
      size_(size),
      window_(window),
      backing_(backing),
      free_{{0, size}} {
  usage_.limit = static_cast<int64_t>(size);
}

SimMemory::~SimMemory() {
  munmap(window_, size_);
  munmap(backing_, size_);
}

StatusOr<void*> SimMemory::Allocate(size_t size) {
  std::lock_guard lock(mutex_);
  if (size > size_) return ResourceExhausted(Report(size));
  const size_t bytes = AlignUp(size);
  // Best fit: taking the smallest piece that is large enough keeps large pieces whole.
  auto best = free_.end();
  for (auto piece = free_.begin(); piece != free_.end(); ++piece) {
    if (piece->second >= bytes && (best == free_.end() || piece->second < best->second)) {
      best = piece;
    }
  }
  if (best == free_.end()) return ResourceExhausted(Report(size));
  const size_t offset = best->first, left = best->second - bytes;
  free_.erase(best);
  if (left) free_[offset + bytes] = left;
  used_[offset] = bytes;
  usage_.in_use += static_cast<int64_t>(bytes);
  usage_.peak_in_use = std::max(usage_.peak_in_use, usage_.in_use);
  usage_.largest = std::max(usage_.largest, static_cast<int64_t>(bytes));
  ++usage_.allocations;
  return window_ + offset;
}

void SimMemory::Free(void* block, size_t) {
  std::lock_guard lock(mutex_);
  const size_t offset = static_cast<size_t>(static_cast<char*>(block) - window_);
  const auto used = used_.find(offset);
  usage_.in_use -= static_cast<int64_t>(used->second);
  auto piece = free_.emplace(offset, used->second).first;
  used_.erase(used);
  const auto next = std::next(piece);
  if (next != free_.end() && piece->first + piece->second == next->first) {
    piece->second += next->second;
    free_.erase(next);
  }
  if (piece == free_.begin()) return;
  const auto before = std::prev(piece);
  if (before->first + before->second != piece->first) return;
  before->second += piece->second;
  free_.erase(piece);
}

device::MemoryUsage SimMemory::Usage() const {
  std::lock_guard lock(mutex_);
  return usage_;
}

void SimMemory::ClearPeaks() {
  std::lock_guard lock(mutex_);
  usage_.peak_in_use = usage_.in_use;
  usage_.allocations = usage_.largest = 0;
}

void* SimMemory::Translate(const void* address) const {
  const auto* byte = static_cast<const char*>(address);
  if (byte < window_ || byte >= window_ + size_) return nullptr;
  return backing_ + (byte - window_);
}

std::string SimMemory::Report(size_t wanted) const {
  size_t largest_free = 0;
  for (const auto& [offset, size] : free_) largest_free = std::max(largest_free, size);
  std::vector<size_t> blocks;
  for (const auto& [offset, size] : used_) blocks.push_back(size);
  const size_t in_use = static_cast<size_t>(usage_.in_use);
  return owner_ + " is out of memory: " + ByteCount(wanted) + " asked for; of " +
         ByteCount(size_) + ", " + ByteCount(in_use) + " are in use in " +
         std::to_string(blocks.size()) + " blocks and " + ByteCount(size_ - in_use) +
         " free in " + std::to_string(free_.size()) + " pieces, the largest " +
         ByteCount(largest_free) + device::LargestBlocks(std::move(blocks));
}

}  // namespace tenon::sim
