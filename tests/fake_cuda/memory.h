// Memory of an emulated GPU, or memory of the host that the GPU can access.
#ifndef TESTS_FAKE_CUDA_MEMORY_H_
#define TESTS_FAKE_CUDA_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace tenon::fake_cuda {

// Blocks of a range of addresses that is reserved for this memory, so that addresses of
// freed blocks are known as such. No page belongs to two blocks and a page without access
// follows each, so that kernels that leave their blocks end the process. Thread-safe.
class Memory {
 public:
  explicit Memory(size_t limit);
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory();

  // Null if the limit leaves no room. The address is a multiple of 256 and of no larger
  // power of two. The bytes are 0xff.
  void* Allocate(size_t size);
  // False if no block begins at `address`.
  bool Free(void* address);
  // Whether the address is one of this memory's, in a block or not.
  bool Owns(const void* address) const;
  // Whether all bytes are in one block. The end of a block is in it if `size` is 0.
  bool Contains(const void* address, size_t size) const;

 private:
  // The first place for `bytes` between two offsets; `to` if there is none.
  size_t FindGap(size_t from, size_t to, size_t bytes) const;

  const size_t limit_, range_;
  char* const base_;
  mutable std::mutex mutex_;
  std::map<size_t, size_t> blocks_;  // offset of the first page -> size
  size_t used_ = 0, next_ = 0;
};

}  // namespace tenon::fake_cuda

#endif  // TESTS_FAKE_CUDA_MEMORY_H_
