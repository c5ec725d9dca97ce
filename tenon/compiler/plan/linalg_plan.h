// Triangular systems and factorizations of dense matrices as generated code: the panels
// (LAPACK) that a matrix is divided into, and the phases. Plain values; any thread.
#ifndef TENON_COMPILER_PLAN_LINALG_PLAN_H_
#define TENON_COMPILER_PLAN_LINALG_PLAN_H_

#include "tenon/compiler/plan/kernel_plan.h"
#include "tenon/types/element_type.h"

namespace tenon::compiler {

// A batch of matrices in memory. Strides are in elements, and the batch is dense. If
// there are several rows and several columns, one of the two strides is 1.
struct MatrixShape {
  int64_t rows = 0, columns = 0;
  int64_t row_stride = 0, column_stride = 0;
};

enum class LinalgAlgorithm {
  kCholesky,         // a = u^H u: rows of u on and above the diagonal, zeros below
  kLu,               // p a = l u, as LAPACK's getrf
  kTriangularSolve,  // a x = b
  // One matrix per lane, real numbers, with the results of LAPACK's geqrf, orgqr, syevd
  // and gesdd:
  kQr,
  kHouseholderProduct,
  kEigh,
  kSvd,
};

struct LinalgSpec {
  LinalgAlgorithm algorithm;
  ElementType type;  // kF32, kF64, kC64 or kC128
  int64_t batch = 1;
  MatrixShape a;               // kCholesky: only u's triangle is read
  MatrixShape b;               // right-hand sides and solutions; kTriangularSolve only
  bool lower = false;          // kTriangularSolve: the triangle of a that is read
  bool unit_diagonal = false;  // kTriangularSolve: the diagonal of a counts as ones
  bool conjugate = false;      // kTriangularSolve: a's elements are conjugated
  int64_t reflections = 0;     // kQr, kHouseholderProduct
  bool vectors = false;        // kEigh, kSvd: compute vectors, not values alone
  bool full = false;           // kSvd: square factors
};

// Cholesky factors of matrices up to this size have one lane each.
inline constexpr int64_t kMaxAcrossBatch = 16;

struct LinalgPlan {
  int lanes = 1;
  int vectors = 1;     // vectors per row of a panel
  int group = 1;       // rows whose sums are kept in registers together
  int64_t rows = 0;    // rows of a panel, in whole groups
  int64_t panels = 0;  // of one matrix
  // One matrix per lane: a "panel" holds all elements of `lanes` matrices.
  bool across_batch = false;
  // A chunk computes a whole matrix; else one panel in a phase.
  bool whole_matrices = true;
  int64_t units = 0;  // matrices or panels that the chunks of a phase share
  int64_t panel_bytes = 0;
  int64_t scratch_bytes = 0;
  std::vector<int64_t> phase_chunks;
  std::vector<int> function_of;  // as in StructuredPlan
  double estimated_ns = 0;

  int64_t width() const { return int64_t{lanes} * vectors; }
};

LinalgPlan PlanLinalg(const LinalgSpec& spec, const TargetTraits& target);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PLAN_LINALG_PLAN_H_
