#include "tenon/compiler/kernels/products.h"

#include "tenon/compiler/plan/contract_plan.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::compiler {
namespace {

// Several dimensions collapsed into one: its size, and its stride if they are contiguous.
struct Group {
  int64_t size = 1;
  int64_t stride = 0;
};
std::optional<Group> Collapse(llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> shape,
                              llvm::ArrayRef<int64_t> strides) {
  Group group;
  for (size_t i = dims.size(); i-- > 0;) {
    int64_t dim = dims[i];
    if (shape[dim] == 1) continue;
    if (group.size == 1)
      group.stride = strides[dim];
    else if (strides[dim] != group.stride * group.size)
      return std::nullopt;
    group.size *= shape[dim];
  }
  return group;
}

llvm::SmallVector<int64_t> FreeDims(llvm::ArrayRef<int64_t> shape,
                                    llvm::ArrayRef<int64_t> batch,
                                    llvm::ArrayRef<int64_t> contracting) {
  llvm::SmallVector<int64_t> dims;
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d)
    if (!llvm::is_contained(batch, d) && !llvm::is_contained(contracting, d))
      dims.push_back(d);
  return dims;
}

}  // namespace

StatusOr<ProductViews> ViewsOfProduct(stablehlo::DotGeneralOp dot) {
  auto numbers = dot.getDotDimensionNumbers();
  llvm::ArrayRef<int64_t> lhs_shape = ShapeOf(dot.getLhs()),
                          rhs_shape = ShapeOf(dot.getRhs());
  auto lhs_strides = RowMajorStrides(lhs_shape), rhs_strides = RowMajorStrides(rhs_shape);
  llvm::ArrayRef<int64_t> lhs_batch = numbers.getLhsBatchingDimensions(),
                          rhs_batch = numbers.getRhsBatchingDimensions(),
                          lhs_sum = numbers.getLhsContractingDimensions(),
                          rhs_sum = numbers.getRhsContractingDimensions();
  auto lhs_free = FreeDims(lhs_shape, lhs_batch, lhs_sum);
  auto rhs_free = FreeDims(rhs_shape, rhs_batch, rhs_sum);
  auto lhs_b = Collapse(lhs_batch, lhs_shape, lhs_strides);
  auto lhs_m = Collapse(lhs_free, lhs_shape, lhs_strides);
  auto lhs_k = Collapse(lhs_sum, lhs_shape, lhs_strides);
  auto rhs_b = Collapse(rhs_batch, rhs_shape, rhs_strides);
  auto rhs_k = Collapse(rhs_sum, rhs_shape, rhs_strides);
  auto rhs_n = Collapse(rhs_free, rhs_shape, rhs_strides);
  if (!lhs_b || !lhs_m || !lhs_k || !rhs_b || !rhs_k || !rhs_n)
    return Internal("dot_general was not brought to collapsible dimensions");
  ProductViews views;
  views.lhs =
      StridedView(ElementOf(dot.getLhs()), {lhs_b->size, lhs_m->size, lhs_k->size},
                  {lhs_b->stride, lhs_m->stride, lhs_k->stride});
  views.rhs =
      StridedView(ElementOf(dot.getRhs()), {rhs_b->size, rhs_k->size, rhs_n->size},
                  {rhs_b->stride, rhs_k->stride, rhs_n->stride});
  for (int64_t d : lhs_batch) views.batch.push_back(lhs_shape[d]);
  for (int64_t d : lhs_free) views.m.push_back(lhs_shape[d]);
  for (int64_t d : rhs_free) views.n.push_back(rhs_shape[d]);
  return views;
}

mlir::Type AccumulateTypeOf(mlir::Type type) {
  ElementType element = AccumulateType(ir::ElementTypeOf(type));
  return ir::MlirTypeOf(element, type.getContext());
}

ir::ContractOp AddContract(mlir::Block* block, mlir::Location loc, mlir::Value lhs,
                           mlir::Value rhs, mlir::Value scratch, mlir::Type accumulate) {
  mlir::OpBuilder b = mlir::OpBuilder::atBlockEnd(block);
  auto contract = ir::ContractOp::create(b, loc, lhs, rhs, scratch, accumulate,
                                         /*packed=*/mlir::Value());
  mlir::Block* epilogue = b.createBlock(&contract.getEpilogue());
  for (int i = 0; i < 3; ++i) epilogue->addArgument(b.getIndexType(), loc);
  epilogue->addArgument(mlir::RankedTensorType::get({}, accumulate), loc);
  return contract;
}

mlir::Value AsElementOf(mlir::Value tensor, mlir::Value accumulated,
                        PointBuilder& points) {
  mlir::RankedTensorType type = ScalarTypeOf(tensor);
  if (accumulated.getType() == type) return accumulated;
  mlir::OpBuilder b = points.levels().InnermostBuilder();
  return stablehlo::ConvertOp::create(b, points.levels().loc(), type, accumulated);
}

Status BuildEpilogue(KernelFrame& frame, mlir::Block* block, mlir::Value hero,
                     IndicesOf indices_of, mlir::Value accumulated) {
  KernelBlock epilogue(frame, block);
  PointBuilder& points = epilogue.points();
  auto indices = indices_of(epilogue.index());
  points.BindPoint(hero, indices, AsElementOf(hero, accumulated, points));
  return StoreResults(frame, points, indices);
}

void AddOtherInputs(KernelFrame& frame, llvm::ArrayRef<mlir::Operation*> heroes) {
  for (mlir::BlockArgument argument : frame.region().getArguments()) {
    bool elsewhere = llvm::any_of(argument.getUsers(), [&](mlir::Operation* user) {
      return !llvm::is_contained(heroes, user);
    });
    if (!elsewhere) continue;
    auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(argument.getType());
    if (!tensor) continue;
    mlir::Type type =
        tensor.getRank() == 0 ? mlir::Type(tensor) : mlir::Type(ViewTypeOf(tensor));
    int64_t number = argument.getArgNumber();
    frame.BindInput(number, frame.AddInput(number, type));
  }
}

StatusOr<int64_t> HeroOperand(mlir::Operation* hero, unsigned number) {
  auto argument = llvm::dyn_cast<mlir::BlockArgument>(hero->getOperand(number));
  if (!argument)
    return Internal("operands of a product must come from outside its fusion");
  return static_cast<int64_t>(argument.getArgNumber());
}

}  // namespace tenon::compiler
