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
#include "tenon/embed/weights.h"
#include "tenon/executable/run_context.h"
#include "tenon/format/reader.h"

namespace tenon::embed {

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
  tenon::embed::Array<tenon_tensor> parameters, outputs;
  tenon::embed::Weights weights;
  tenon_signature signature = {};
  const char *target = "", *note = "";
  tenon::EntryPoint entry = nullptr;
  const uint8_t* constants = nullptr;
  size_t arena_bytes = 0;
  // Without memory: every run packs its operands.
  tenon::embed::Array<tenon::PackedOperand> packed_operands;
  bool ieee_denormals = false;
  bool copy_unaligned = false;
  mutable tenon::embed::ArenaPool arenas;
};

namespace tenon::embed {

// Where the bytes of a program come from, and how it is to be opened.
struct Source {
  std::string_view bytes;
  const char* path = nullptr;     // null: from memory
  int descriptor = -1;            // of the file; -1 if there is none
  const char* weights = nullptr;  // tenon_open_options::weights
  uint32_t flags = 0;             // of enum tenon_open_flags
};

// Fills `program` in from the source.
int ReadProgram(const Source& source, tenon_program* program, tenon_error* error);

// The code object that uses most features of this processor; of several the first. An
// error names for each the first feature that is missing.
int ChooseCode(const format::Records& records, const format::Program& program,
               uint32_t* chosen, tenon_error* error);

}  // namespace tenon::embed

#endif  // TENON_EMBED_PROGRAM_H_
