// The cost model: every machine-dependent number by which fusion, kernels, plans and code
// generation decide. Plain values; any thread.
//
// The defaults describe one core with 512-bit registers at about 3.5 GHz, and every
// target uses them; docs/design/0018 says what they leave out. Limits of an algorithm (a
// row length, a number of registers) stay with the algorithm.
#ifndef TENON_COMPILER_TARGETS_COST_MODEL_H_
#define TENON_COMPILER_TARGETS_COST_MODEL_H_

#include <cstdint>

#include "llvm/ADT/StringRef.h"

namespace tenon::compiler {

struct CostModel {
  // Threads. Work below these limits is not worth a second thread: independent points of
  // a loop, and phases of transforms and factorizations, which also pay for a barrier.
  double min_parallel_ns = 12e3;
  double min_parallel_phase_ns = 30e3;
  // Target length of a chunk: long compared with claiming it, short compared with the
  // loop.
  double chunk_ns = 8e3;
  // Copies of arrays, which memory bandwidth limits.
  int64_t min_parallel_copy_bytes = 2 << 20;
  int64_t copy_chunk_bytes = 256 << 10;

  // Work between kernels. The scalar costs are orders of magnitude: they tell programs of
  // microseconds from longer ones. Hardly any processor waits longer than
  // costly_scalar_ns for a function (exp, sin) or a division.
  double launch_ns = 3;     // a call and its arguments
  double iteration_ns = 1;  // the branches and the counter of one loop iteration
  double scalar_ns = 0.5, costly_scalar_ns = 10;
  double copied_bytes_per_ns = 8;
  // A library call. Too low an estimate would run a long call on the caller's thread,
  // which is worse than handing over a short one. An eigenvalue problem of size 64 takes
  // 280 us, one of size 4 takes 1.5 us.
  double library_call_ns = 20e3, library_product_ns = 1;

  // Per 32-bit float in vectorized loops; see docs/design/0005 for the measurements.
  double simple_ns = 0.012;  // an operation of one instruction
  double memory_ns = 0.03;   // an element read or written
  double gather_ns = 0.4;
  double loaded_element_ns = 0.05;  // read from several places and combined
  double moved_element_ns = 0.1;    // read and written, or filled
  // A row chosen by an index, and each of its elements.
  double scattered_row_ns = 0.5, scattered_element_ns = 0.1;
  // A vector instruction in a dependence chain.
  double chained_instruction_ns = 0.15;

  // Matrix products: vector multiply-adds a core executes per cycle, and bytes of
  // operands it loads per cycle.
  double gigahertz = 3.5;
  double vector_products_per_cycle = 2;
  double operand_bytes_per_cycle = 8;

  // Nanoseconds per element of the elementwise op `name` (without dialect prefix).
  double ElementNs(llvm::StringRef name) const;
  // Points per chunk of a phase with `points` points of `point_ns` each. Small work is
  // one chunk.
  int64_t Grain(int64_t points, double point_ns) const;
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TARGETS_COST_MODEL_H_
