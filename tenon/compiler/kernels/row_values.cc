#include "tenon/compiler/kernels/row_values.h"

#include "tenon/compiler/dialects/tenon/element_types.h"
#include "tenon/compiler/kernels/point_ops.h"

namespace tenon::compiler {
namespace {

llvm::SmallVector<mlir::Operation*> RepeatedRowOps(KernelFrame& frame,
                                                   mlir::ValueRange results,
                                                   mlir::ValueRange known,
                                                   llvm::ArrayRef<int64_t> shape) {
  llvm::DenseMap<mlir::Operation*, int> loops;
  auto count = [&](mlir::ValueRange roots) {
    llvm::SmallPtrSet<mlir::Operation*, 16> seen;
    llvm::SmallVector<mlir::Value> work(roots);
    while (!work.empty()) {
      mlir::Value value = work.pop_back_val();
      mlir::Operation* op =
          llvm::is_contained(known, value) ? nullptr : value.getDefiningOp();
      if (!op || llvm::isa<stablehlo::ReduceOp>(op) || !seen.insert(op).second) continue;
      ++loops[op];
      llvm::append_range(work, op->getOperands());
    }
  };
  count(results);
  llvm::SmallVector<mlir::Operation*> repeated;
  for (mlir::Operation& op : frame.region())
    if (auto reduce = llvm::dyn_cast<stablehlo::ReduceOp>(op)) count(reduce.getInputs());
  for (mlir::Operation& op : frame.region()) {
    if (loops.lookup(&op) < 2 || !IsElementwise(&op) || !IsCostly(&op)) continue;
    bool same_point = llvm::all_of(op.getUsers(), [](mlir::Operation* user) {
      return IsElementwise(user) || llvm::isa<stablehlo::ReduceOp, ir::YieldOp>(user);
    });
    if (same_point && ShapeOf(op.getResult(0)) == shape) repeated.push_back(&op);
  }
  return repeated;
}

}  // namespace

Status KeepRepeated(KernelFrame& frame, PointBuilder& points, mlir::ValueRange results,
                    mlir::ValueRange known, llvm::ArrayRef<int64_t> shape,
                    llvm::ArrayRef<mlir::Value> outer) {
  constexpr int64_t kMostBytes = 32 << 10;
  llvm::ArrayRef<int64_t> inner = shape.drop_front(outer.size());
  int64_t left = kMostBytes;
  for (mlir::Operation* op : RepeatedRowOps(frame, results, known, shape)) {
    mlir::Type element = ElementOf(op->getResult(0));
    left -= Product(inner) * ElementBytes(ir::ElementTypeOf(element));
    if (left < 0) break;
    llvm::SmallVector<int64_t> strides(outer.size(), 0);
    llvm::append_range(strides, RowMajorStrides(inner));
    mlir::OpBuilder b = points.levels().InnermostBuilder();
    mlir::Value local =
        ir::LocalOp::create(b, frame.loc(), StridedView(element, shape, strides));
    TENON_RETURN_IF_ERROR(
        BuildLoops(points, inner, [&](llvm::ArrayRef<mlir::Value> rest) -> Status {
          llvm::SmallVector<mlir::Value> all(outer);
          llvm::append_range(all, rest);
          TENON_ASSIGN_OR_RETURN(mlir::Value value,
                                 points.At(op->getResult(0), all, nullptr));
          BuildStore(points, value, local, all);
          return OkStatus();
        }));
    points.Bind(op->getResult(0), local);
  }
  return OkStatus();
}

}  // namespace tenon::compiler
