// Lays out the temporaries of a program in one arena. Slots with disjoint lifetimes share
// bytes.
#ifndef TENON_COMPILER_BUFFER_ASSIGNMENT_ARENA_H_
#define TENON_COMPILER_BUFFER_ASSIGNMENT_ARENA_H_

#include <cstdint>
#include <vector>

#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::compiler {

struct Lifetime {
  int64_t bytes = 0;
  int64_t first = 0;  // positions in the program, both inclusive
  int64_t last = 0;
};

struct ArenaLayout {
  std::vector<int64_t> offsets;  // one per lifetime, 64-byte aligned
  int64_t bytes = 0;
};

// Best fit, in the order of first use; O(n log n).
ArenaLayout LayOutArena(const std::vector<Lifetime>& lifetimes);

// Sets the offset of every tenon.arena_view of `program`, each of which is a slot of its
// own, and the sizes of the program's arena and of its shared segments.
void AssignArenaOffsets(ir::ProgramOp program);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_BUFFER_ASSIGNMENT_ARENA_H_
