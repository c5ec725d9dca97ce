// The cost model: every machine-dependent number by which fusion, kernels, plans and code
// generation decide. Plain values; any thread.
//
// The defaults describe one core with 512-bit registers at about 3.5 GHz. ForVectorBits
// gives those of narrower registers; docs/design/0018 says what both leave out. Limits of
// an algorithm (a row length, a number of registers) stay with the algorithm.
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
  // Arithmetic takes `vector_scale` times as long as with 512-bit registers; simple_ns
  // includes the factor.
  double vector_scale = 1;
  double simple_ns = 0.012;  // an operation of one instruction
  double memory_ns = 0.03;   // an element read or written
  double gather_ns = 0.4;
  double loaded_element_ns = 0.05;  // read from several places and combined
  double moved_element_ns = 0.1;    // read and written, or filled
  // A row chosen by an index, and each of its elements.
  double scattered_row_ns = 0.5, scattered_element_ns = 0.1;
  // Instructions that take as long as storing an element and loading it again: the
  // break-even of chains of multiply-adds that are read at 2, 3 and 5 points
  // (docs/design/0012), for arrays within the second-level cache and for larger ones.
  int64_t cached_element_instructions = 12;
  int64_t uncached_element_instructions = 28;
  // A vector instruction in a dependence chain.
  double chained_instruction_ns = 0.15;

  // Matrix products: vector multiply-adds a core executes per cycle, and bytes of
  // operands it loads per cycle.
  double gigahertz = 3.5;
  double vector_products_per_cycle = 2;
  double operand_bytes_per_cycle = 8;
  // Chunks of products, which start and end more cheaply than those of other loops. A
  // small product has 2 to 16 chunks of at least product_chunk_ns. From large_product_ns
  // on it has up to 256 of large_product_chunk_ns, to balance the team.
  double product_chunk_ns = 1.5e3;
  double large_product_ns = 250e3, large_product_chunk_ns = 15e3;
  // Products with few results are cut along the contracting dimension, from
  // min_sliced_product_ns on, into slices of at least product_slice_ns: their partial
  // sums must be added.
  double min_sliced_product_ns = 10e3, product_slice_ns = 2.5e3;

  // Estimates of whole sorts, transforms and factorizations, which decide whether threads
  // share the work. Per element, on one thread.
  //
  // Sorting rows of 32-bit keys by radix or by a network; 64-bit keys take twice as long.
  double radix_sort_ns = 5, network_sort_ns = 2;
  // Sorting by rank: an element, and each element of its row that it is compared with.
  double ranked_element_ns = 2, rank_comparison_ns = 0.05;
  // Merge sort with a comparator: sorted runs by insertion, and each pass of merging.
  // Elements of more than 8 bytes take twice as long.
  double sorted_run_ns = 8, merge_pass_ns = 2;
  // The best elements of a row: each element read, and each candidate sorted at the end.
  double scanned_key_ns = 0.3, candidate_ns = 60;
  // A Fourier transform of n complex numbers takes this times n log2(n + 1). As a
  // convolution, which has several transforms, it takes convolved_transform times as
  // long as one transform of the padded length.
  double transform_step_ns = 0.2, convolved_transform = 2.5;
  // Factorizations and triangular systems: a vector multiply-add, and an element copied
  // to a panel and back.
  double factorization_product_ns = 0.25, panel_element_ns = 0.2;
  // One n by n matrix per lane, per vector of elements: Householder reflections, and the
  // sweeps of Jacobi's methods. The first number is times n.
  double reflection_ns = 1, reflection_overhead_ns = 10;
  double jacobi_ns = 15, jacobi_overhead_ns = 100;

  // The costs of a core whose registers have `vector_bits` bits, at least 1.
  static CostModel ForVectorBits(int vector_bits);

  // Nanoseconds per element of the elementwise op `name` (without dialect prefix).
  double ElementNs(llvm::StringRef name) const;
  // Points per chunk of a phase with `points` points of `point_ns` each. Small work is
  // one chunk.
  int64_t Grain(int64_t points, double point_ns) const;
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TARGETS_COST_MODEL_H_
