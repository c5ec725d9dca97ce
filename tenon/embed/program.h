// An open .tenon file: what a tenon_program is.
//
// Written by Open; immutable afterwards, apart from the arenas that it keeps. Allocates
// with malloc and throws nothing, so that the C library needs no C++ library.
#ifndef TENON_EMBED_PROGRAM_H_
#define TENON_EMBED_PROGRAM_H_

#include <atomic>
#include <cstdint>

#include "tenon/embed/error.h"
#include "tenon/embed/mapping.h"
#include "tenon/executable/run_context.h"
#include "tenon/format/reader.h"

namespace tenon::embed {

// An array from calloc.
template <typename T>
class Array {
 public:
  Array() = default;
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() { __builtin_free(data_); }

  // False if there is no memory.
  bool Resize(size_t size) {
    data_ = static_cast<T*>(__builtin_calloc(size ? size : 1, sizeof(T)));
    size_ = data_ ? size : 0;
    return data_ != nullptr;
  }
  T* data() const { return data_; }
  size_t size() const { return size_; }
  T& operator[](size_t i) const { return data_[i]; }

 private:
  T* data_ = nullptr;
  size_t size_ = 0;
};

// Memory for runs without an arena of the caller's. Thread-safe.
class ArenaPool {
 public:
  ~ArenaPool();
  // Null if there is no memory.
  void* Take(size_t bytes);
  void Return(void* arena);

 private:
  std::atomic<void*> kept_[8] = {};
};

}  // namespace tenon::embed

struct tenon_program {
  tenon::embed::FileMapping file;
  tenon::embed::CodeMapping code;
  tenon::embed::Array<tenon_tensor> inputs, outputs;
  tenon_signature signature = {};
  const char *target = "", *note = "";
  tenon::EntryPoint entry = nullptr;
  const uint8_t* constants = nullptr;
  size_t arena_bytes = 0;
  bool ieee_denormals = false;
  bool copy_unaligned = false;
  mutable tenon::embed::ArenaPool arenas;
};

namespace tenon::embed {

// Fills `program` in from the bytes of a file. `descriptor` is -1 if they are not mapped.
int ReadProgram(std::string_view bytes, int descriptor, uint32_t flags,
                tenon_program* program, tenon_error* error);

// The code object that uses most features of this processor; of several the first. An
// error names for each the first feature that is missing.
int ChooseCode(const format::Records& records, const format::Program& program,
               uint32_t* chosen, tenon_error* error);

}  // namespace tenon::embed

#endif  // TENON_EMBED_PROGRAM_H_
