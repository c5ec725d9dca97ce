// A panel (LAPACK's term): some columns of a matrix as vectors, stored row by row without
// gaps, with real and imaginary parts in separate vectors; and the arithmetic on its
// numbers. Builds into one LLVM function under construction.
#ifndef TENON_COMPILER_CODEGEN_LINALG_PANEL_H_
#define TENON_COMPILER_CODEGEN_LINALG_PANEL_H_

#include "tenon/compiler/codegen/ir/loops.h"
#include "tenon/compiler/codegen/ir/plan_names.h"

namespace tenon::codegen {

// A scalar or a vector; `im` is null for reals.
struct Number {
  llvm::Value* re = nullptr;
  llvm::Value* im = nullptr;
};

class PanelEmitter {
 public:
  PanelEmitter(IrBuilder& b, ElementType type, const LinalgPlan& plan,
               const TargetTraits& target);

  IrBuilder& b() { return b_; }
  int64_t element_bytes() const { return parts_ * bytes_; }
  llvm::Type* real() { return real_; }
  llvm::FixedVectorType* vector() { return vector_; }
  bool is_complex() const { return parts_ == 2; }
  bool ieee_denormals() const { return target_.elementwise.ieee_denormals; }

  // ---- elements of a panel ----
  llvm::Value* Vectors(llvm::Value* panel, llvm::Value* row, int vector);
  Number Load(llvm::Value* panel, llvm::Value* row, int vector);
  void Store(Number value, llvm::Value* panel, llvm::Value* row, int vector);
  // One number; the column is less than the width.
  Number LoadScalar(llvm::Value* panel, llvm::Value* row, llvm::Value* column);
  void StoreScalar(Number value, llvm::Value* panel, llvm::Value* row,
                   llvm::Value* column);

  // The address of an element; `matrix` is the address of element 0, 0.
  llvm::Value* Element(llvm::Value* matrix, const MatrixShape& shape, llvm::Value* row,
                       llvm::Value* column);
  Number LoadElement(llvm::Value* address);
  void StoreElement(Number value, llvm::Value* address);
  // Copies rows [0, rows) of the panel, which starts at `column`, from the matrix.
  // Columns that the matrix lacks are zeros or repeat the last one.
  Status Read(llvm::Value* matrix, const MatrixShape& shape, llvm::Value* column,
              llvm::Value* rows, llvm::Value* panel);
  Status Write(llvm::Value* panel, llvm::Value* matrix, const MatrixShape& shape,
               llvm::Value* column, llvm::Value* rows);
  // The columns of the panel's first vector that the matrix has; null: all.
  llvm::Value* ColumnMask(const MatrixShape& shape, llvm::Value* column);
  // Writes zeros to rows [first, last).
  Status Clear(llvm::Value* panel, llvm::Value* first, llvm::Value* last);

  // ---- arithmetic ----
  Number Zero();  // a vector
  Number One();   // a scalar
  Number Splat(Number scalar);
  Number Conjugate(Number x);
  // x - a * y, or x - conj(a) * y.
  Number MulSub(Number x, Number a, Number y, bool conjugate);
  // x * y + z, of reals.
  llvm::Value* Fma(llvm::Value* x, llvm::Value* y, llvm::Value* z);
  Number Add(Number x, Number y);
  Number Multiply(Number x, Number y);
  StatusOr<Number> Divide(Number x, Number y);
  // |re| + |im|.
  llvm::Value* Size(Number x);
  Number Select(llvm::Value* condition, Number x, Number y);
  // 0, 1, 2, ... as integers of the lanes' width.
  llvm::Value* LaneNumbers();
  llvm::IntegerType* lane_integer() { return b_.getIntNTy(8 * bytes_); }

  // The values as parts, for loops that carry them.
  static void Append(Number value, IrValues& parts);
  Number Take(llvm::ArrayRef<llvm::Value*> parts, size_t number) const;
  size_t parts() const { return parts_; }

 private:
  Status ForEachVector(llvm::Value* matrix, const MatrixShape& shape, llvm::Value* column,
                       llvm::Value* rows,
                       llvm::function_ref<void(llvm::Value* row, int vector,
                                               llvm::Value* address, llvm::Value* mask)>
                           body);
  llvm::Value* Mask(const MatrixShape& shape, llvm::Value* column, int vector,
                    int64_t parts);
  Status ReadRows(llvm::Value* matrix, const MatrixShape& shape, llvm::Value* column,
                  llvm::Value* rows, llvm::Value* panel);
  Status ReadAcross(llvm::Value* matrix, const MatrixShape& shape, llvm::Value* column,
                    llvm::Value* rows, llvm::Value* panel);
  Status WriteRows(llvm::Value* panel, llvm::Value* matrix, const MatrixShape& shape,
                   llvm::Value* column, llvm::Value* rows);
  Status WriteAcross(llvm::Value* panel, llvm::Value* matrix, const MatrixShape& shape,
                     llvm::Value* column, llvm::Value* rows);
  // A number whose imaginary part is stored one `apart` after its real part.
  Number LoadParts(llvm::Value* address, llvm::Type* apart);
  void StoreParts(Number value, llvm::Value* address, llvm::Type* apart);
  Number Split(llvm::Value* low, llvm::Value* high);
  llvm::Value* Pairs(Number value, int first, int count);
  llvm::Value* NegFma(llvm::Value* x, llvm::Value* y, llvm::Value* z);

  IrBuilder& b_;
  ElementType type_;
  const LinalgPlan& plan_;
  const TargetTraits& target_;
  int lanes_;
  int64_t parts_, bytes_;
  llvm::Type* real_;
  llvm::FixedVectorType* vector_;
};

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_LINALG_PANEL_H_
