// Triangular systems and factorisations of dense matrices as generated code: how a matrix
// is cut into panels of columns, and in which phases. Plain values; any thread.
#ifndef TENON_COMPILER_PLAN_LINALG_PLAN_H_
#define TENON_COMPILER_PLAN_LINALG_PLAN_H_

#include "tenon/compiler/plan/kernel_plan.h"
#include "tenon/types/element_type.h"

namespace tenon::codegen {

// A batch of matrices in memory; strides in elements, the batch is dense. Rows or columns
// are contiguous where there is more than one of both.
struct MatrixShape {
  int64_t rows = 0, columns = 0;
  int64_t row_stride = 0, column_stride = 0;
};

enum class LinalgKind {
  kCholesky,         // a = u^H u: rows of u on and above the diagonal, zeros below
  kLu,               // p a = l u, as LAPACK's getrf
  kTriangularSolve,  // a x = b
  // With a lane a matrix, of real numbers, as LAPACK's geqrf, orgqr, syevd and gesdd:
  kQr,
  kHouseholderProduct,
  kEigh,
  kSvd,
};

struct LinalgSpec {
  LinalgKind kind;
  ElementType type;  // kF32, kF64, kC64 or kC128
  int64_t batch = 1;
  MatrixShape a;               // kCholesky: u's triangle of it is read
  MatrixShape b;               // right-hand sides, and solutions; kTriangularSolve only
  bool lower = false;          // kTriangularSolve: the triangle of a that is read
  bool unit_diagonal = false;  // kTriangularSolve: the diagonal of a counts as ones
  bool conjugate = false;      // kTriangularSolve: a's elements are conjugated
  int64_t reflections = 0;     // kQr, kHouseholderProduct
  bool vectors = false;        // kEigh, kSvd: they too, not values alone
  bool full = false;           // kSvd: square factors
};

struct LinalgPlan {
  int lanes = 1;
  int vectors = 1;     // that make up a panel's width
  int group = 1;       // rows whose sums are kept in registers together
  int64_t rows = 0;    // of a panel: whole groups
  int64_t panels = 0;  // of one matrix
  // A lane a matrix: one "panel" has all elements of some matrices.
  bool across_batch = false;
  bool whole_matrices = true;  // a chunk does all of a matrix; else one panel of a phase
  int64_t units = 0;           // matrices, or panels, that the chunks of a phase share
  int64_t panel_bytes = 0;
  int64_t scratch_bytes = 0;
  std::vector<int64_t> phase_chunks;
  std::vector<int> function_of;
  double estimated_ns = 0;

  int64_t width() const { return int64_t{lanes} * vectors; }
};

LinalgPlan PlanLinalg(const LinalgSpec& spec, const TargetTraits& target);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_PLAN_LINALG_PLAN_H_
