// When the values of a fused function are used for the last time.
#ifndef TENON_COMPILER_BUFFER_ASSIGNMENT_LAST_USE_H_
#define TENON_COMPILER_BUFFER_ASSIGNMENT_LAST_USE_H_

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon::compiler {

class LastUses {
 public:
  explicit LastUses(mlir::func::FuncOp function);

  int64_t PositionOf(mlir::Operation* op) const { return starts_.lookup(op); }
  // The last position at which the storage of `value` is read through it or through a
  // view (reshape) of it or of what it is a view of.
  int64_t Of(mlir::Value value) const;
  // The value whose storage `value` is a view of: itself, unless made by reshape.
  static mlir::Value ViewRoot(mlir::Value value);

 private:
  void Number(mlir::Region& region);
  int64_t Direct(mlir::Value value) const;

  int64_t next_ = 0;
  llvm::DenseMap<mlir::Operation*, int64_t> starts_, ends_;
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_BUFFER_ASSIGNMENT_LAST_USE_H_
