#include "tenon/compiler/legalize/process_table.h"

#include <algorithm>

namespace tenon::compiler {

using mlir::Value;

mlir::DenseIntElementsAttr GroupsAttr(mlir::OpBuilder& b,
                                      llvm::ArrayRef<stablehlo::ProcessGroup> groups) {
  size_t width = 0;
  for (const stablehlo::ProcessGroup& group : groups)
    width = std::max(width, group.size());
  llvm::SmallVector<int64_t> ids;
  for (const stablehlo::ProcessGroup& group : groups) {
    ids.append(group.begin(), group.end());
    ids.append(width - group.size(), -1);
  }
  auto type = mlir::RankedTensorType::get(
      {static_cast<int64_t>(groups.size()), static_cast<int64_t>(width)}, b.getI64Type());
  return mlir::DenseIntElementsAttr::get(type, ids);
}

Value NumberOfProcess(GraphBuilder& g, const stablehlo::ProcessGrid& grid,
                      llvm::ArrayRef<int32_t> numbers) {
  mlir::OpBuilder& b = g.builder();
  auto id = mlir::RankedTensorType::get({}, b.getIntegerType(32, false));
  Value partitions = g.Integer(id.getElementType(), {}, grid.partitions);
  Value process = g.Add(g.Mul(stablehlo::ReplicaIdOp::create(b, g.loc(), id), partitions),
                        stablehlo::PartitionIdOp::create(b, g.loc(), id));
  auto type = mlir::RankedTensorType::get({grid.size()}, b.getI32Type());
  Value table = stablehlo::ConstantOp::create(
      b, g.loc(), mlir::DenseIntElementsAttr::get(type, numbers));
  return g.Reshape(g.DynamicSliceDim(table, g.Convert(process, b.getI32Type()), 0, 1),
                   {});
}

}  // namespace tenon::compiler
