// Sorts of whole rows, or of a prefix of each row.
#include "tenon/compiler/analysis/sort_order.h"
#include "tenon/compiler/analysis/sort_parts.h"
#include "tenon/compiler/kernels/kernel_frame.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::compiler {
Status BuildSortKernel(KernelFrame& frame) {
  stablehlo::SortOp sort;
  for (mlir::Operation& op : frame.region())
    if (auto found = llvm::dyn_cast<stablehlo::SortOp>(op)) sort = found;
  if (!sort) return Internal("a sort fusion lacks its sort");
  int64_t dim = SortedDimension(sort);
  // A view of rows along the sorted dimension: [outer, inner, row] with any strides.
  auto row_view = [&](mlir::Value tensor) {
    llvm::ArrayRef<int64_t> shape = ShapeOf(tensor);
    int64_t inner = Product(shape.drop_front(dim + 1));
    int64_t outer = Product(shape.take_front(dim));
    return StridedView(ElementOf(tensor), {outer, inner, shape[dim]},
                       {inner * shape[dim], 1, inner});
  };
  llvm::SmallVector<mlir::Value> inputs, outputs;
  llvm::SmallVector<int64_t> sources, targets(sort.getInputs().size(), -1), taken;
  for (auto [operand, value] : llvm::enumerate(sort.getInputs())) {
    auto argument = llvm::dyn_cast<mlir::BlockArgument>(value);
    if (!argument) {
      if (!ArePositions(sort, operand))
        return Internal("operands of a sort must come from outside its fusion");
      sources.push_back(-1);
      continue;
    }
    sources.push_back(inputs.size());
    taken.push_back(argument.getArgNumber());
    inputs.push_back(frame.AddInput(argument.getArgNumber(), row_view(value)));
  }
  for (auto [number, value] : llvm::enumerate(frame.yields())) {
    mlir::Value sorted = value;
    if (auto slice = value.getDefiningOp<stablehlo::SliceOp>())
      sorted = slice.getOperand();
    auto result = llvm::dyn_cast<mlir::OpResult>(sorted);
    if (!result || result.getOwner() != sort || targets[result.getResultNumber()] >= 0)
      return Internal("a sort fusion has a result that is not the sort's");
    targets[result.getResultNumber()] = outputs.size();
    outputs.push_back(frame.AddOutput(number, row_view(value)));
  }
  // Scalars from outside that the comparator uses.
  frame.AddInputs(taken);
  mlir::Value scratch = frame.AddScratch(1);
  mlir::OpBuilder b =
      mlir::OpBuilder::atBlockEnd(&frame.built().kernel.getBody().front());
  auto op =
      ir::SortOp::create(b, frame.loc(), inputs, outputs, scratch, sources, targets);
  mlir::Block* block = b.createBlock(&op.getComparator());
  for (mlir::BlockArgument argument : sort.getComparator().getArguments())
    block->addArgument(argument.getType(), frame.loc());
  KernelBlock comparator(frame, block);
  TENON_ASSIGN_OR_RETURN(auto before, comparator.points().InlineRegion(
                                          sort.getComparator(), comparator.arguments()));
  mlir::OpBuilder end = comparator.levels().InnermostBuilder();
  ir::YieldOp::create(end, frame.loc(), before);
  return PlanKernel(frame, *op, scratch).status();
}

}  // namespace tenon::compiler
