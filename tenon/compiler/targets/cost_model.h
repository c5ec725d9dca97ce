// What work costs on a target: every number that depends on the machine and that fusion,
// kernels, plans and code generation decide by. Plain values; any thread.
//
// The defaults are of one core of a processor with registers of 512 bits at about 3.5
// GHz, and every target has them: docs/design/0018 says what they leave out. How often an
// algorithm pays (a row's length, a number of registers) stays with the algorithm.
#ifndef TENON_COMPILER_TARGETS_COST_MODEL_H_
#define TENON_COMPILER_TARGETS_COST_MODEL_H_

#include <cstdint>

#include "llvm/ADT/StringRef.h"

namespace tenon::compiler {

struct CostModel {
  // Threads. Work below these limits is not worth a second one: independent points of a
  // loop, and phases of transforms and factorisations, whose barriers come on top.
  double min_parallel_ns = 12e3;
  double min_parallel_phase_ns = 30e3;
  // A chunk of a loop: long beside the time to claim it, short beside the whole.
  double chunk_ns = 8e3;
  // Copies of arrays, which the memory limits.
  int64_t min_parallel_copy_bytes = 2 << 20;
  int64_t copy_chunk_bytes = 256 << 10;

  // What is between kernels. Of scalar code by order of magnitude: these tell programs of
  // microseconds from longer ones. Few processors wait longer than costly_scalar_ns for a
  // function (exp, sin) or a division.
  double launch_ns = 3;     // a call and its arguments
  double iteration_ns = 1;  // the branches of a loop's iteration, and its counter
  double scalar_ns = 0.5, costly_scalar_ns = 10;
  double copied_bytes_per_ns = 8;
  // A call of a library. Too short for the caller's thread is worse than too long: an
  // eigenvalue problem of 64 takes 280 us, of 4 takes 1.5 us.
  double library_call_ns = 20e3, library_product_ns = 1;

  // Elements of 32-bit floats in loops; docs/design/0005 says how they were measured.
  double simple_ns = 0.012;  // an operation of one instruction
  double memory_ns = 0.03;   // an element read or written
  double gather_ns = 0.4;
  double loaded_element_ns = 0.05;  // read from several places and combined
  double moved_element_ns = 0.1;    // read and written, or filled
  // A row that an index chooses, and each of its elements.
  double scattered_row_ns = 0.5, scattered_element_ns = 0.1;
  // A vector instruction of a chain that waits for its operands.
  double chained_instruction_ns = 0.15;

  // Products: a core multiplies and adds this many vectors a cycle, and has this many
  // bytes of operands a cycle.
  double gigahertz = 3.5;
  double vector_products_per_cycle = 2;
  double operand_bytes_per_cycle = 8;

  // Nanoseconds an element of the elementwise op `name` (no dialect prefix).
  double ElementNs(llvm::StringRef name) const;
  // Points a chunk of a phase with `points` points of `point_ns` each: all of them if the
  // work is small.
  int64_t Grain(int64_t points, double point_ns) const;
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TARGETS_COST_MODEL_H_
