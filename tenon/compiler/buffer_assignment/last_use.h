// Liveness of the values of a fused function.
#ifndef TENON_COMPILER_BUFFER_ASSIGNMENT_LAST_USE_H_
#define TENON_COMPILER_BUFFER_ASSIGNMENT_LAST_USE_H_

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon::compiler {

// The function must not change while this is in use.
class LastUses {
 public:
  explicit LastUses(mlir::func::FuncOp function);

  // Whether `value`, or a view of its storage, may be read once `op` has ended, on some
  // path of execution. Branches of a conditional exclude each other. A loop around `op`
  // may start another iteration, which reads what is defined before the loop once more.
  bool IsLiveAfter(mlir::Value value, mlir::Operation* op) const;
  // Whether `op`, or an op in its regions, reads `value` or a view of its storage.
  bool IsReadBy(mlir::Value value, mlir::Operation* op) const;
  // Whether an op in the regions of `op` reads `value` or a view of its storage.
  bool IsReadInside(mlir::Value value, mlir::Operation* op) const;
  // Whether neither `op` nor any later op of the function can read `value`.
  bool IsDeadFrom(mlir::Value value, mlir::Operation* op) const;

  // The value whose storage `value` is a view of: the operand behind reshapes, or itself.
  static mlir::Value ViewRoot(mlir::Value value);

 private:
  void Number(mlir::Region& region);
  // The last position at which the storage of `root` is read, as seen from its own block:
  // a read inside a region counts as a read at the end of the op with that region.
  int64_t LastPosition(mlir::Value root) const;

  int64_t next_ = 0;
  llvm::DenseMap<mlir::Operation*, int64_t> starts_, ends_;
  mutable llvm::DenseMap<mlir::Value, int64_t> last_positions_;
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_BUFFER_ASSIGNMENT_LAST_USE_H_
