#include "tenon/compiler/partition/sharding_table.h"

#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "tenon/compiler/diagnostics_to_status.h"
#include "tenon/compiler/partition/manual_axes.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler::partition {

using mlir::Operation;
using mlir::Value;

mlir::func::FuncOp MainFunction(mlir::ModuleOp module) {
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  if (main && !main.isExternal()) return main;
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    if (function.isPublic() && !function.isExternal()) return function;
  }
  return nullptr;
}

namespace {

// -1 for values that have no sharding, such as tokens.
int64_t RankOf(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() ? tensor.getRank() : -1;
}

Status At(Status status, Operation* op) {
  return status.ok() ? status : status.WithPrefix(DescribeLocation(op->getLoc()));
}

}  // namespace

Place ShardingTable::NewPlace(int64_t rank) {
  Place place = size();
  entries_.push_back({std::nullopt, place, 1, static_cast<int32_t>(rank)});
  return place;
}

// The first of consecutive places.
Place ShardingTable::PlacesOfResults(Operation* op) {
  Place first = size();
  for (Value result : op->getResults()) {
    Place place = NewPlace(std::max<int64_t>(RankOf(result.getType()), 0));
    entries_[place].first = first;
    entries_[place].count = static_cast<int32_t>(op->getNumResults());
    places_[result] = place;
  }
  return first;
}

Value ShardingTable::ShardableValue(Value value) {
  while (true) {
    if (auto edge = EdgeOf(value)) return edge.getResult();
    if (llvm::isa<mlir::OpResult>(value)) return value;
    Operation* op = OwningOp(value);
    if (llvm::isa<mlir::func::FuncOp, sdy::ManualComputationOp, sdy::NamedComputationOp>(
            op)) {
      return value;
    }
    if (!llvm::isa<stablehlo::AsyncStartOp>(op)) return {};
    value = op->getOperand(llvm::cast<mlir::BlockArgument>(value).getArgNumber());
  }
}

Place ShardingTable::PlaceOf(Value value) {
  if (auto it = places_.find(value); it != places_.end()) return it->second;
  Value shardable = ShardableValue(value);
  int64_t rank = shardable ? RankOf(shardable.getType()) : -1;
  if (rank < 0) return -1;
  auto it = places_.find(shardable);
  if (it != places_.end()) return it->second;
  if (auto result = llvm::dyn_cast<mlir::OpResult>(shardable)) {
    return PlacesOfResults(result.getOwner()) +
           static_cast<Place>(result.getResultNumber());
  }
  return places_[shardable] = NewPlace(rank);
}

const Sharding* ShardingTable::Find(Value value) {
  Place place = PlaceOf(value);
  return place >= 0 && entries_[place].sharding ? &*entries_[place].sharding : nullptr;
}

void ShardingTable::Set(Place place, Sharding sharding) {
  const Entry& entry = entries_[place];
  for (Place other = entry.first; other < entry.first + entry.count; ++other) {
    if (other != place && !entries_[other].sharding) {
      entries_[other].sharding =
          Sharding::Replicated(sharding.mesh, entries_[other].rank, /*open=*/true);
    }
  }
  entries_[place].sharding = std::move(sharding);
}

StatusOr<ShardingTable> ShardingTable::Read(mlir::ModuleOp module) {
  ShardingTable table;
  TENON_ASSIGN_OR_RETURN(table.meshes_, MeshTable::Read(module));
  mlir::func::FuncOp main = MainFunction(module);
  if (!main) return InvalidArgument("the program has no function to call");
  Status status;
  module.walk<mlir::WalkOrder::PreOrder>([&](Operation* op) {
    if (auto function = llvm::dyn_cast<mlir::func::FuncOp>(op)) {
      status = At(table.ReadFunction(function, function == main), op);
    } else {
      status = At(table.ReadOp(op), op);
    }
    return status.ok() ? mlir::WalkResult::advance() : mlir::WalkResult::interrupt();
  });
  TENON_RETURN_IF_ERROR(status);
  return table;
}

Status ShardingTable::ReadFunction(mlir::func::FuncOp function, bool is_main) {
  if (function.isExternal()) return OkStatus();
  for (mlir::BlockArgument argument : function.getArguments()) {
    auto attribute = function.getArgAttrOfType<sdy::TensorShardingAttr>(
        argument.getArgNumber(), kShardingAttr);
    Place place = PlaceOf(argument);
    if (!attribute || place < 0) continue;
    TENON_ASSIGN_OR_RETURN(Sharding sharding,
                           ReadSharding(attribute, RankOf(argument.getType()), meshes_));
    Replace(place, std::move(sharding));
  }
  if (!is_main) return OkStatus();
  for (auto [number, type] : llvm::enumerate(function.getResultTypes())) {
    int64_t rank = RankOf(type);
    results_.push_back(rank < 0 ? -1 : NewPlace(rank));
    auto attribute =
        function.getResultAttrOfType<sdy::TensorShardingAttr>(number, kShardingAttr);
    if (!attribute || rank < 0) continue;
    TENON_ASSIGN_OR_RETURN(Sharding sharding, ReadSharding(attribute, rank, meshes_));
    Replace(results_.back(), std::move(sharding));
  }
  return OkStatus();
}

Status ShardingTable::ReadList(sdy::TensorShardingPerValueAttr list,
                               mlir::ValueRange values) {
  // Ops without results may name the device that runs them.
  if (values.empty()) return OkStatus();
  if (list.getShardings().size() != values.size()) {
    return InvalidArgument("an op has " + std::to_string(list.getShardings().size()) +
                           " shardings for " + std::to_string(values.size()) +
                           " results");
  }
  for (auto [attribute, value] : llvm::zip_equal(list.getShardings(), values)) {
    Place place = PlaceOf(value);
    if (place < 0) continue;
    TENON_ASSIGN_OR_RETURN(Sharding sharding,
                           ReadSharding(attribute, RankOf(value.getType()), meshes_));
    Replace(place, std::move(sharding));
  }
  return OkStatus();
}

Status ShardingTable::ReadOp(Operation* op) {
  sdy::TensorShardingAttr own;
  if (auto constraint = llvm::dyn_cast<sdy::ShardingConstraintOp>(op)) {
    own = constraint.getSharding();
  } else if (auto reshard = llvm::dyn_cast<sdy::ReshardOp>(op)) {
    own = reshard.getSharding();
  } else if (auto manual = llvm::dyn_cast<sdy::ManualComputationOp>(op)) {
    return ReadManual(manual);
  } else if (auto named = llvm::dyn_cast<sdy::NamedComputationOp>(op)) {
    return ReadNamed(named);
  }
  if (own) {
    auto list = sdy::TensorShardingPerValueAttr::get(op->getContext(), own);
    return ReadList(list, op->getResults());
  }
  if (auto list = op->getAttrOfType<sdy::TensorShardingPerValueAttr>(kShardingAttr)) {
    return ReadList(list, op->getResults());
  }
  return OkStatus();
}

Status ShardingTable::ReadNamed(sdy::NamedComputationOp op) {
  if (auto in = op.getInShardings()) {
    auto arguments = llvm::to_vector_of<Value>(op.getBody().getArguments());
    TENON_RETURN_IF_ERROR(ReadList(*in, arguments));
  }
  if (auto out = op.getOutShardings()) return ReadList(*out, op->getResults());
  return OkStatus();
}

Status ShardingTable::ReadManual(sdy::ManualComputationOp op) {
  Manual manual;
  int32_t mesh = -1;
  auto read = [&](sdy::TensorShardingPerValueAttr list, mlir::TypeRange types,
                  std::vector<Sharding>& shardings) -> Status {
    for (auto [attribute, type] : llvm::zip_equal(list.getShardings(), types)) {
      int64_t rank = std::max<int64_t>(RankOf(type), 0);
      TENON_ASSIGN_OR_RETURN(Sharding sharding, ReadSharding(attribute, rank, meshes_));
      if (mesh < 0 || meshes_[mesh].IsEmpty()) mesh = sharding.mesh;
      shardings.push_back(std::move(sharding));
    }
    return OkStatus();
  };
  TENON_RETURN_IF_ERROR(read(op.getInShardings(), op->getOperandTypes(), manual.in));
  TENON_RETURN_IF_ERROR(read(op.getOutShardings(), op->getResultTypes(), manual.out));
  if (mesh >= 0) {
    for (mlir::StringAttr name : op.getManualAxes()) {
      // Axes of size 1 are not in the mesh.
      if (auto axis = meshes_[mesh].FindAxis(name)) manual.axes.push_back(*axis);
    }
    for (auto* list : {&manual.in, &manual.out}) {
      for (Sharding& sharding : *list) {
        TENON_RETURN_IF_ERROR(
            CompleteManualSharding(sharding, mesh, meshes_, manual.axes));
      }
    }
  }
  for (auto [argument, sharding] :
       llvm::zip_equal(op.getBody().getArguments(), manual.in)) {
    Place place = PlaceOf(argument);
    if (place >= 0) Replace(place, WithoutManualAxes(sharding, manual.axes));
  }
  for (auto [result, sharding] : llvm::zip_equal(op->getResults(), manual.out)) {
    Place place = PlaceOf(result);
    if (place >= 0) Replace(place, sharding);
  }
  manual_[op] = std::move(manual);
  return OkStatus();
}

std::optional<Sharding> ShardingTable::InSharding(sdy::ManualComputationOp op,
                                                  unsigned number) {
  if (RankOf(op->getOperand(number).getType()) < 0) return std::nullopt;
  return manual_.find(op)->second.in[number];
}

const Sharding& ShardingTable::OuterSharding(sdy::DataFlowEdgeOp edge) const {
  const Manual& manual = manual_.find(OwningOp(edge.getInput()))->second;
  if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(edge.getInput())) {
    return manual.in[argument.getArgNumber()];
  }
  return manual.out[llvm::cast<mlir::OpResult>(edge.getInput()).getResultNumber()];
}

Sharding ShardingTable::ForSources(sdy::DataFlowEdgeOp edge,
                                   const Sharding& sharding) const {
  auto it = manual_.find(OwningOp(edge.getInput()));
  if (it == manual_.end()) return sharding;
  if (llvm::isa<mlir::OpResult>(edge.getInput())) {
    return WithoutManualAxes(sharding, it->second.axes);
  }
  return WithManualAxes(OuterSharding(edge), sharding, it->second.axes);
}

Sharding ShardingTable::FromSources(sdy::DataFlowEdgeOp edge,
                                    const Sharding& sharding) const {
  auto it = manual_.find(OwningOp(edge.getInput()));
  if (it == manual_.end()) return sharding;
  if (llvm::isa<mlir::BlockArgument>(edge.getInput())) {
    return WithoutManualAxes(sharding, it->second.axes);
  }
  return WithManualAxes(OuterSharding(edge), sharding, it->second.axes);
}

}  // namespace tenon::compiler::partition
