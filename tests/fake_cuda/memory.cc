#include "tests/fake_cuda/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace tenon::fake_cuda {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kOffset = 256;          // of a block in its first page
constexpr size_t kFilled = 64u << 20;    // of a block: more would only take time
constexpr size_t kAddressesPerByte = 8;  // addresses are used again as late as possible

size_t Pages(size_t size) { return (kOffset + size + kPage - 1) / kPage * kPage; }

char* Reserve(size_t bytes) {
  void* base =
      mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) std::abort();
  return static_cast<char*>(base);
}

}  // namespace

Memory::Memory(size_t limit)
    : limit_(limit),
      range_(Pages(limit) * kAddressesPerByte + (size_t{1} << 30)),
      base_(Reserve(range_)) {}

Memory::~Memory() { munmap(base_, range_); }

size_t Memory::FindGap(size_t from, size_t to, size_t bytes) const {
  auto block = blocks_.lower_bound(from);
  for (; block != blocks_.end() && block->first < from + bytes; ++block)
    from = block->first + Pages(block->second) + kPage;
  return from + bytes <= to ? from : to;
}

void* Memory::Allocate(size_t size) {
  std::lock_guard lock(mutex_);
  if (size > limit_ - used_) return nullptr;
  const size_t bytes = Pages(size) + kPage;
  size_t place = FindGap(next_, range_, bytes);
  if (place == range_) place = FindGap(0, range_, bytes);
  if (place == range_) return nullptr;
  next_ = place + bytes;
  used_ += size;
  blocks_[place] = size;
  if (mprotect(base_ + place, Pages(size), PROT_READ | PROT_WRITE)) std::abort();
  char* address = base_ + place + kOffset;
  std::memset(address, 0xff, std::min(size, kFilled));
  return address;
}

bool Memory::Free(void* address) {
  std::lock_guard lock(mutex_);
  if (!Owns(address)) return false;
  const auto block =
      blocks_.find(static_cast<size_t>(static_cast<char*>(address) - base_) - kOffset);
  if (block == blocks_.end()) return false;
  char* const first = base_ + block->first;
  madvise(first, Pages(block->second), MADV_DONTNEED);
  mprotect(first, Pages(block->second), PROT_NONE);
  used_ -= block->second;
  blocks_.erase(block);
  return true;
}

bool Memory::Owns(const void* address) const {
  return address >= base_ && address < base_ + range_;
}

bool Memory::Contains(const void* address, size_t size) const {
  if (!Owns(address)) return false;
  const auto offset = static_cast<size_t>(static_cast<const char*>(address) - base_);
  std::lock_guard lock(mutex_);
  auto block = blocks_.upper_bound(offset);
  if (block == blocks_.begin()) return false;
  --block;
  const size_t first = block->first + kOffset;
  return offset >= first && offset - first <= block->second &&
         size <= block->second - (offset - first);
}

}  // namespace tenon::fake_cuda
