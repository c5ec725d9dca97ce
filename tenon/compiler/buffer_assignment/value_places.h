// Where each value of a fused function lies while its program is built: arrays in
// storage, rank-0 values in registers, in storage or in both.
#ifndef TENON_COMPILER_BUFFER_ASSIGNMENT_VALUE_PLACES_H_
#define TENON_COMPILER_BUFFER_ASSIGNMENT_VALUE_PLACES_H_

#include <optional>

#include "mlir/IR/Builders.h"
#include "tenon/base/status.h"
#include "tenon/compiler/buffer_assignment/last_use.h"
#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::compiler {

inline bool IsTensor(mlir::Value value) {
  return llvm::isa<mlir::RankedTensorType>(value.getType());
}
inline bool IsRankZero(mlir::Value value) { return IsRankZero(value.getType()); }

// What a view stands in; used to know who may write it.
enum class Storage { kParameter, kConstant, kResult, kArena };

struct Buffer {
  mlir::Value view;  // row-major, of the tensor's shape
  Storage storage = Storage::kArena;
  mlir::Value root;  // the view of the storage itself: equal roots share it
};

class ValuePlaces {
 public:
  // What is built goes where `builder` then stands.
  ValuePlaces(mlir::func::FuncOp function, mlir::OpBuilder& builder)
      : b_(builder), uses_(function) {}

  void SetBuffer(mlir::Value value, const Buffer& buffer);
  void SetScalar(mlir::Value value, mlir::Value scalar) { scalars_[value] = scalar; }
  // Reads the element of a rank-0 value with a buffer: it has a scalar, too.
  void ReadScalar(mlir::Value value, mlir::Location loc);

  // Null, or none, where it lies elsewhere.
  mlir::Value FindScalar(mlir::Value value) const { return scalars_.lookup(value); }
  std::optional<Buffer> FindBuffer(mlir::Value value) const;
  // Reads or writes it if need be. INTERNAL if it is not made yet.
  StatusOr<mlir::Value> ScalarOf(mlir::Value value);
  StatusOr<Buffer> BufferOf(mlir::Value value);

  // Where `op` writes a fresh value of `value`'s type: its hinted place, if free by now,
  // or a new slot. `flat`: it is computed element by element from the same elements of
  // its operands, so that it may overwrite one of them.
  Buffer Destination(mlir::Value value, mlir::Operation* op, bool flat = false);
  // Where a conditional's array result goes. Nothing else that lies there is read after
  // the conditional, but its branches may read it: they write there only once they do so
  // no more. The storage of an array that a branch hands on or updates, if that is not in
  // `taken`, comes before the hinted place and a new slot.
  Buffer BranchDestination(mlir::OpResult result,
                           llvm::ArrayRef<std::optional<Buffer>> taken);
  // `value` is to end in `buffer`: it is computed there if nothing else lives there by
  // then, and so is the array that it is an update of.
  void Hint(mlir::Value value, const Buffer& buffer);
  // Whether `op` may change in place what lies in `buffer`: nothing that lies there is
  // read after it, on any path.
  bool MayWriteOver(const Buffer& buffer, mlir::Operation* op);
  // Whether an op in the regions of `op` reads what lies in `buffer`.
  bool IsReadInside(const Buffer& buffer, mlir::Operation* op);
  // How many of `values` lie in the storage of `buffer`, as views of it perhaps.
  int64_t CountIn(mlir::ValueRange values, const Buffer& buffer) const;
  // `buffer` as a view of another type.
  mlir::Value View(const Buffer& buffer, mlir::Type type);

 private:
  Buffer NewSlot(mlir::Type tensor);
  // The values in the storage of `root` that `op` or later ops may read.
  llvm::SmallVector<mlir::Value, 2>& Holders(mlir::Value root, mlir::Operation* op);

  mlir::OpBuilder& b_;
  LastUses uses_;
  llvm::DenseMap<mlir::Value, Buffer> buffers_;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value, 2>> holders_;  // by root
  llvm::DenseMap<mlir::Value, mlir::Value> scalars_;
  llvm::DenseMap<mlir::Value, Buffer> hints_;
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_BUFFER_ASSIGNMENT_VALUE_PLACES_H_
