#include "tenon/compiler/partition/boundary.h"

#include <numeric>

#include "llvm/ADT/STLExtras.h"
#include "tenon/compiler/diagnostics_to_status.h"
#include "tenon/compiler/partition/rule_builder.h"
#include "tenon/compiler/partition/sharding_table.h"

namespace tenon::compiler::partition {

Sharding LargestDivisible(const Sharding& sharding, llvm::ArrayRef<int64_t> shape,
                          const Mesh& mesh) {
  Sharding result = sharding;
  for (auto [dim, size] : llvm::zip_equal(result.dims, shape)) {
    if (size % dim.num_shards() == 0) continue;
    Axes kept;
    int64_t rest = size;
    for (Axis axis : dim.axes) {
      auto common = static_cast<int32_t>(std::gcd(int64_t{axis.size}, rest));
      if (common == 1) break;
      rest /= common;
      kept.push_back({axis.index, axis.pre, common});
      if (common < axis.size) break;
    }
    dim.axes = std::move(kept);
    dim.priority = 0;
  }
  return result;
}

Sharding WithoutOpenSubAxes(const Sharding& sharding, const Mesh& mesh) {
  Sharding result = sharding;
  for (DimSharding& dim : result.dims) {
    if (!dim.open) continue;
    const Axis* first =
        llvm::find_if(dim.axes, [&](Axis axis) { return !mesh.IsWhole(axis); });
    dim.axes.truncate(first - dim.axes.begin());
  }
  return result;
}

namespace {

// Of an argument or a result of the main function.
StatusOr<sdy::TensorShardingAttr> Settle(sdy::TensorShardingAttr attribute,
                                         mlir::Type type, MeshTable& meshes) {
  llvm::ArrayRef<int64_t> shape = ShapeOf(type);
  TENON_ASSIGN_OR_RETURN(
      Sharding sharding,
      ReadSharding(attribute, static_cast<int64_t>(shape.size()), meshes));
  const Mesh& mesh = meshes[sharding.mesh];
  sharding = LargestDivisible(sharding, shape, mesh);
  sharding = WithoutOpenSubAxes(sharding, mesh).Closed();
  return WriteSharding(sharding, meshes, attribute.getContext());
}

StatusOr<sdy::TensorShardingPerValueAttr> MakeDivisible(
    sdy::TensorShardingPerValueAttr list, mlir::TypeRange types, MeshTable& meshes) {
  llvm::SmallVector<sdy::TensorShardingAttr> result;
  for (auto [attribute, type] : llvm::zip_equal(list.getShardings(), types)) {
    llvm::ArrayRef<int64_t> shape = ShapeOf(type);
    TENON_ASSIGN_OR_RETURN(
        Sharding sharding,
        ReadSharding(attribute, static_cast<int64_t>(shape.size()), meshes));
    sharding = LargestDivisible(sharding, shape, meshes[sharding.mesh]).Closed();
    result.push_back(WriteSharding(sharding, meshes, attribute.getContext()));
  }
  return sdy::TensorShardingPerValueAttr::get(list.getContext(), result);
}

}  // namespace

Status SettleBoundary(mlir::ModuleOp module) {
  TENON_ASSIGN_OR_RETURN(MeshTable meshes, MeshTable::Read(module));
  mlir::func::FuncOp main = MainFunction(module);
  if (!main) return InvalidArgument("the program has no function to call");
  for (auto [i, type] : llvm::enumerate(main.getArgumentTypes())) {
    auto given = main.getArgAttrOfType<sdy::TensorShardingAttr>(i, kShardingAttr);
    if (!given) continue;
    TENON_ASSIGN_OR_RETURN(auto settled, Settle(given, type, meshes));
    main.setArgAttr(i, kShardingAttr, settled);
  }
  for (auto [i, type] : llvm::enumerate(main.getResultTypes())) {
    auto given = main.getResultAttrOfType<sdy::TensorShardingAttr>(i, kShardingAttr);
    if (!given) continue;
    TENON_ASSIGN_OR_RETURN(auto settled, Settle(given, type, meshes));
    main.setResultAttr(i, kShardingAttr, settled);
  }
  Status status;
  main.walk([&](sdy::ManualComputationOp op) {
    auto in = MakeDivisible(op.getInShardings(), op->getOperandTypes(), meshes);
    auto out = MakeDivisible(op.getOutShardings(), op->getResultTypes(), meshes);
    if (!in.ok() || !out.ok()) {
      status = (in.ok() ? out.status() : in.status())
                   .WithPrefix(DescribeLocation(op.getLoc()));
      return mlir::WalkResult::interrupt();
    }
    op.setInShardingsAttr(*in);
    op.setOutShardingsAttr(*out);
    return mlir::WalkResult::advance();
  });
  return status;
}

}  // namespace tenon::compiler::partition
