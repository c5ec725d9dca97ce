// The storage of each value of a fused function while its program is built. Arrays are in
// buffers; rank-0 values are in registers, in buffers, or in both.
#ifndef TENON_COMPILER_BUFFER_ASSIGNMENT_VALUE_BUFFERS_H_
#define TENON_COMPILER_BUFFER_ASSIGNMENT_VALUE_BUFFERS_H_

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

// The kind of storage that a view refers to. It decides who may write there.
// Only collectives write to kShared (shared_segments.h).
enum class Storage { kParameter, kConstant, kResult, kArena, kShared };

struct Buffer {
  mlir::Value view;  // row-major, of the tensor's shape
  Storage storage = Storage::kArena;
  mlir::Value root;  // the view of the storage itself: equal roots share it
};

class ValueBuffers {
 public:
  // Builds ops at the current insertion point of `builder`.
  ValueBuffers(mlir::func::FuncOp function, mlir::OpBuilder& builder)
      : b_(builder), uses_(function) {}

  void SetBuffer(mlir::Value value, const Buffer& buffer);
  void SetScalar(mlir::Value value, mlir::Value scalar) { scalars_[value] = scalar; }
  // Reads the element of a rank-0 value that has a buffer, so that it has a scalar, too.
  void ReadScalar(mlir::Value value, mlir::Location loc);

  // Null, or nullopt, if the value is not stored that way.
  mlir::Value FindScalar(mlir::Value value) const { return scalars_.lookup(value); }
  std::optional<Buffer> FindBuffer(mlir::Value value) const;
  // These build a read or a write if necessary. INTERNAL if the value is not built yet.
  StatusOr<mlir::Value> ScalarOf(mlir::Value value);
  StatusOr<Buffer> BufferOf(mlir::Value value);

  // The buffer to which `op` writes a new value of `value`'s type: the hinted buffer if
  // it is free by then, else a new slot. `elementwise`: each element is computed from the
  // same elements of the operands, so that the result may overwrite an operand.
  Buffer Destination(mlir::Value value, mlir::Operation* op, bool elementwise = false);
  // A new slot of a shared segment, for a value that only collectives write.
  Buffer NewSharedSlot(mlir::Value value, int64_t segment);
  // The buffer of an array result of a conditional. No other value in that buffer is read
  // after the conditional. Branches may read such values, and write the buffer only after
  // their last read. Prefers the storage of an array that a branch passes on or updates,
  // if it is not in `taken`, then the hinted buffer, then a new slot.
  Buffer BranchDestination(mlir::OpResult result,
                           llvm::ArrayRef<std::optional<Buffer>> taken);
  // States that `value` must end up in `buffer`. It is computed there if the buffer is
  // free by then, and so is the array that it updates.
  void Hint(mlir::Value value, const Buffer& buffer);
  bool IsHinted(mlir::Value value) const { return hints_.contains(value); }
  // Whether `op` may update the contents of `buffer` in place: none of its values is read
  // after `op` on any path.
  bool MayWriteOver(const Buffer& buffer, mlir::Operation* op);
  // Whether an op in the regions of `op` reads a value in `buffer`.
  bool IsReadInside(const Buffer& buffer, mlir::Operation* op);
  // The number of `values` that are in the storage of `buffer`, including views.
  int64_t CountIn(mlir::ValueRange values, const Buffer& buffer) const;
  // Returns `buffer` as a view of another type.
  mlir::Value View(const Buffer& buffer, mlir::Type type);

 private:
  Buffer NewSlot(mlir::Type tensor);
  // The values in the storage of `root` that `op` or later ops may read.
  llvm::SmallVector<mlir::Value, 2>& LiveValues(mlir::Value root, mlir::Operation* op);

  mlir::OpBuilder& b_;
  LastUses uses_;
  llvm::DenseMap<mlir::Value, Buffer> buffers_;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value, 2>> live_values_;  // by root
  llvm::DenseMap<mlir::Value, mlir::Value> scalars_;
  llvm::DenseMap<mlir::Value, Buffer> hints_;
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_BUFFER_ASSIGNMENT_VALUE_BUFFERS_H_
