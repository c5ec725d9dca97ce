#include "tenon/devices/streams/memory.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "tenon/device/memory_report.h"
#include "tenon/runtime/size_classes.h"

namespace tenon::streams {

using runtime::ClassBytes;
using runtime::SizeClass;

Memory::Memory(Options options)
    : MemorySpace(options.host_addressable),
      options_(std::move(options)),
      kept_(runtime::kNumClasses) {
  usage_.limit = static_cast<int64_t>(options_.limit);
}

Memory::~Memory() { Trim(); }

StatusOr<void*> Memory::Allocate(size_t size) {
  std::lock_guard lock(mutex_);
  const auto limit = static_cast<int64_t>(options_.limit);
  if (size > runtime::kLargestClass ||
      usage_.in_use + static_cast<int64_t>(ClassBytes(SizeClass(size))) > limit) {
    return OutOfMemory(size, OkStatus());
  }
  const int size_class = SizeClass(size);
  const size_t bytes = ClassBytes(size_class);
  std::vector<void*>& kept = kept_[static_cast<size_t>(size_class)];
  void* block = nullptr;
  if (!kept.empty()) {
    block = kept.back();
    kept.pop_back();
    usage_.cached -= static_cast<int64_t>(bytes);
  } else {
    if (usage_.in_use + usage_.cached + static_cast<int64_t>(bytes) > limit) Trim();
    StatusOr<void*> allocated = options_.allocate(bytes);
    const auto is_full = [&] {
      return !allocated.ok() &&
             (allocated.status().code() == StatusCode::kResourceExhausted ||
              bytes > options_.largest_block);
    };
    if (is_full()) {
      Trim();
      allocated = options_.allocate(bytes);
    }
    if (is_full()) return OutOfMemory(size, allocated.status());
    if (!allocated.ok()) return allocated.status();
    block = *allocated;
    blocks_[static_cast<const char*>(block)] = bytes;
  }
  usage_.in_use += static_cast<int64_t>(bytes);
  usage_.peak_in_use = std::max(usage_.peak_in_use, usage_.in_use);
  usage_.largest = std::max(usage_.largest, static_cast<int64_t>(bytes));
  ++usage_.allocations;
  return block;
}

void Memory::Free(void* block, size_t size) {
  std::lock_guard lock(mutex_);
  const int size_class = SizeClass(size);
  const auto bytes = static_cast<int64_t>(ClassBytes(size_class));
  kept_[static_cast<size_t>(size_class)].push_back(block);
  usage_.in_use -= bytes;
  usage_.cached += bytes;
}

void Memory::Trim() {
  for (std::vector<void*>& kept : kept_) {
    for (void* block : kept) {
      blocks_.erase(static_cast<const char*>(block));
      options_.free(block);
    }
    kept.clear();
  }
  usage_.cached = 0;
}

device::MemoryUsage Memory::Usage() const {
  std::lock_guard lock(mutex_);
  return usage_;
}

void Memory::ClearPeaks() {
  std::lock_guard lock(mutex_);
  usage_.peak_in_use = usage_.in_use;
  usage_.allocations = usage_.largest = 0;
}

bool Memory::Contains(const void* address) const {
  const auto* byte = static_cast<const char*>(address);
  std::lock_guard lock(mutex_);
  const auto after = blocks_.upper_bound(byte);
  if (after == blocks_.begin()) return false;
  const auto block = std::prev(after);
  return byte < block->first + block->second;
}

Status Memory::OutOfMemory(size_t wanted, const Status& reason) const {
  std::map<const char*, size_t> used = blocks_;
  for (const std::vector<void*>& kept : kept_) {
    for (void* block : kept) used.erase(static_cast<const char*>(block));
  }
  std::vector<size_t> sizes;
  for (const auto& [address, size] : used) sizes.push_back(size);
  std::string text = options_.owner + " is out of memory: " + device::ByteCount(wanted) +
                     " asked for; of " + device::ByteCount(options_.limit) + ", " +
                     device::ByteCount(static_cast<size_t>(usage_.in_use)) +
                     " are in use in " + std::to_string(sizes.size()) + " blocks";
  if (wanted > options_.largest_block) {
    text +=
        "; the driver's largest block is " + device::ByteCount(options_.largest_block);
  } else if (!reason.ok()) {
    text += "; " + std::string(reason.message());
  }
  return ResourceExhausted(text + device::LargestBlocks(std::move(sizes)));
}

}  // namespace tenon::streams
