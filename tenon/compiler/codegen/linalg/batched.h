// Shared parts of the kernels with one matrix per lane. Every element of a matrix is a
// vector that holds that element of `lanes` matrices of the batch. Real numbers only.
// Builds into one LLVM function under construction.
#ifndef TENON_COMPILER_CODEGEN_LINALG_BATCHED_H_
#define TENON_COMPILER_CODEGEN_LINALG_BATCHED_H_

#include "tenon/compiler/codegen/linalg/linalg_emitter.h"
#include "tenon/compiler/codegen/linalg/panel.h"

namespace tenon::codegen {

// A matrix of vectors; strides are in vectors.
struct LaneMatrix {
  llvm::Value* base = nullptr;
  int64_t rows = 0, columns = 0;
  int64_t row_stride = 0, column_stride = 0;

  LaneMatrix Transposed() const {
    return {base, columns, rows, column_stride, row_stride};
  }
};

// The vectors of a plane rotation. Lanes that do not rotate have an angle of zero.
struct Rotation {
  llvm::Value *cosine, *sine, *tangent;
};

class LaneEmitter {
 public:
  LaneEmitter(IrBuilder& builder, const LinalgSpec& spec, const LinalgPlan& plan,
              const LinalgPointers& pointers, const TargetTraits& target)
      : b(builder),
        spec_(spec),
        plan_(plan),
        pointers_(pointers),
        panel_(builder, spec.type, plan, target) {}

  // Calls body() for every vector of matrices of `chunk`.
  Status ForUnits(llvm::Value* chunk, llvm::function_ref<Status()> body);
  // Reserves the next `rows` x `columns` vectors of the chunk's memory, row-major.
  LaneMatrix Take(int64_t rows, int64_t columns);

  // ---- elements ----
  llvm::Value* At(const LaneMatrix& m, llvm::Value* row, llvm::Value* column);
  llvm::Value* Load(const LaneMatrix& m, llvm::Value* row, llvm::Value* column);
  void Store(llvm::Value* x, const LaneMatrix& m, llvm::Value* row, llvm::Value* column);
  // Copies a whole dense matrix in memory to a row-major matrix of vectors, and back.
  Status Read(llvm::Value* array, const LaneMatrix& m);
  Status Write(const LaneMatrix& m, llvm::Value* array);
  // Writes a status of 1 for the lanes of `failed`, else 0.
  void WriteStatus(llvm::Value* failed, llvm::Value* array);
  // Calls body for all elements.
  Status ForAll(const LaneMatrix& m,
                llvm::function_ref<Status(llvm::Value* row, llvm::Value* column)> body);
  Status SetIdentity(const LaneMatrix& m);

  // ---- arithmetic ----
  llvm::Value* Number(double x) { return llvm::ConstantFP::get(vector(), x); }
  llvm::Value* Abs(llvm::Value* x);
  llvm::Value* Sqrt(llvm::Value* x);
  llvm::Value* Max(llvm::Value* x, llvm::Value* y);
  llvm::Value* Fma(llvm::Value* x, llvm::Value* y, llvm::Value* z);
  // x with the sign of y.
  llvm::Value* CopySign(llvm::Value* x, llvm::Value* y);
  // The power of two that scales numbers of `size` to about one, and its inverse. If the
  // size is zero, the inverse is zero.
  std::pair<llvm::Value*, llvm::Value*> Scales(llvm::Value* size);
  // Half the distance from 1 to the next number.
  double epsilon() const { return spec_.type == ElementType::kF64 ? 0x1p-53 : 0x1p-24; }
  llvm::FixedVectorType* vector() { return panel_.vector(); }

  // The largest absolute value in `m`. Lanes with an infinity or a NaN are in `infinite`,
  // and their whole matrix becomes zeros.
  Status Sizes(const LaneMatrix& m, llvm::Value*& largest, llvm::Value*& infinite);
  // The rotation that makes columns x and y orthogonal, given their squares xx and yy and
  // product xy; it also diagonalizes [xx xy; xy yy]. Lanes that are not `active` get the
  // identity.
  Rotation Rotate(llvm::Value* xx, llvm::Value* yy, llvm::Value* xy, llvm::Value* active);
  // Rotates `count` numbers from `x` with as many from `y`; steps are in vectors.
  Status Apply(const Rotation& rotation, llvm::Value* x, int64_t step_x, llvm::Value* y,
               int64_t step_y, llvm::Value* count);
  // Sorts `values` (a row). Exchanges columns of the matrices in `with` accordingly.
  Status Sort(const LaneMatrix& values, bool descending, llvm::ArrayRef<LaneMatrix> with);
  // Calls sweep(changed) until it leaves the memory at `changed` false, and at most
  // kMaxSweeps times.
  Status Sweeps(llvm::function_ref<Status(llvm::Value* changed)> sweep);
  // QR factors in place, in the form of LAPACK's geqrf, and its tau (a row).
  Status Factor(const LaneMatrix& m, const LaneMatrix& taus);
  // The product of the reflections in `m`, as LAPACK's orgqr, in place.
  Status Product(const LaneMatrix& m, const LaneMatrix& taus);

  IrBuilder& b;

 private:
  // Multiplies the columns of `m` after `pivot`, rows from `pivot`, by I - tau v v^T. v
  // is column `pivot` with a one on the diagonal. ReflectColumns multiplies only `count`
  // columns.
  Status Reflect(const LaneMatrix& m, llvm::Value* pivot, llvm::Value* tau);
  Status ReflectColumns(const LaneMatrix& m, llvm::Value* pivot, llvm::Value* tau,
                        llvm::Value* first, int count);

  const LinalgSpec& spec_;
  const LinalgPlan& plan_;
  const LinalgPointers& pointers_;
  PanelEmitter panel_;
  llvm::Value* memory_ = nullptr;
  int64_t taken_ = 0;
  llvm::Value* first_ = nullptr;  // the first matrix of the unit
};

// The vectors of memory that a unit needs.
int64_t BatchedVectors(const LinalgSpec& spec);

Status EmitBatched(IrBuilder& b, const LinalgSpec& spec, const LinalgPlan& plan,
                   const LinalgPointers& pointers, llvm::Value* chunk,
                   const TargetTraits& target);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_LINALG_BATCHED_H_
