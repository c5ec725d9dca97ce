#include "tenon/compiler/kernels/row_values.h"

#include "tenon/compiler/analysis/point_ops.h"
#include "tenon/compiler/targets/device_target.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::compiler {
namespace {

// Whether `user` reads `value` at its own indices in the row dimensions, the first
// `outer` ones. `same_row` holds the later ops for which this is true.
bool ReadsSameRow(mlir::Operation* user, mlir::Value value, size_t outer,
                  const llvm::SmallPtrSetImpl<mlir::Operation*>& same_row) {
  if (llvm::isa<ir::YieldOp>(user)) return true;
  if (!same_row.contains(user)) return false;
  if (IsElementwise(user)) return true;
  if (auto reduce = llvm::dyn_cast<stablehlo::ReduceOp>(user))
    return llvm::is_contained(reduce.getInputs(), value) &&
           llvm::all_of(reduce.getDimensions(),
                        [&](int64_t dim) { return dim >= static_cast<int64_t>(outer); });
  llvm::ArrayRef<int64_t> from = ShapeOf(value), to = ShapeOf(user->getResult(0));
  if (from.size() < outer || to.size() < outer) return false;
  if (auto broadcast = llvm::dyn_cast<stablehlo::BroadcastInDimOp>(user))
    return llvm::equal(broadcast.getBroadcastDimensions().take_front(outer),
                       llvm::seq<int64_t>(0, outer));
  return llvm::isa<stablehlo::ReshapeOp>(user) &&
         from.take_front(outer) == to.take_front(outer);
}

// The ops that are evaluated in the same row as the results. Other ops, such as operands
// of transposes, are evaluated in other rows.
llvm::SmallPtrSet<mlir::Operation*, 32> OpsInSameRow(KernelFrame& frame,
                                                     mlir::ValueRange results,
                                                     size_t outer) {
  llvm::SmallPtrSet<mlir::Operation*, 32> same_row;
  for (mlir::Operation& op : llvm::reverse(frame.region().without_terminator()))
    if (llvm::all_of(op.getResults(), [&](mlir::Value value) {
          // Products read results from memory.
          bool is_result = llvm::is_contained(results, value);
          return llvm::all_of(value.getUsers(), [&](mlir::Operation* user) {
            return (is_result && llvm::isa<stablehlo::DotGeneralOp>(user)) ||
                   ReadsSameRow(user, value, outer, same_row);
          });
        }))
      same_row.insert(&op);
  return same_row;
}

llvm::SmallVector<mlir::Operation*> RepeatedRowOps(KernelFrame& frame,
                                                   mlir::ValueRange results,
                                                   mlir::ValueRange known,
                                                   llvm::ArrayRef<int64_t> shape,
                                                   size_t outer) {
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
  auto same_row = OpsInSameRow(frame, results, outer);
  for (mlir::Operation& op : frame.region())
    if (auto reduce = llvm::dyn_cast<stablehlo::ReduceOp>(op)) count(reduce.getInputs());
  for (mlir::Operation& op : frame.region()) {
    if (loops.lookup(&op) < 2 || !IsElementwise(&op) || !IsCostly(&op)) continue;
    if (same_row.contains(&op) && ShapeOf(op.getResult(0)) == shape)
      repeated.push_back(&op);
  }
  return repeated;
}

}  // namespace

Status CacheRepeated(KernelFrame& frame, PointBuilder& points, mlir::ValueRange results,
                     mlir::ValueRange known, llvm::ArrayRef<int64_t> shape,
                     llvm::ArrayRef<mlir::Value> outer, int64_t device_share) {
  constexpr int64_t kMaxBytes = 32 << 10;  // stays in the first-level cache or near it
  llvm::ArrayRef<int64_t> inner = shape.drop_front(outer.size());
  const DeviceTarget* device = frame.target().device;
  int64_t left = device ? device->local_bytes / device_share : kMaxBytes;
  for (mlir::Operation* op : RepeatedRowOps(frame, results, known, shape, outer.size())) {
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
