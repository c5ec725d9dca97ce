#include "tenon/compiler/partition/program_shardings.h"

#include "tenon/compiler/diagnostics_to_status.h"

namespace tenon::compiler::partition {
namespace {

constexpr char kShardingAttr[] = "sdy.sharding";

int64_t RankOf(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tensor ? tensor.getRank() : 0;
}

// Collects shardings over the meshes of the program, and then translates them to one.
class Reader {
 public:
  static StatusOr<ProgramShardings> Read(mlir::func::FuncOp function) {
    auto module = function->getParentOfType<mlir::ModuleOp>();
    TENON_ASSIGN_OR_RETURN(MeshTable meshes, MeshTable::Read(module));
    Reader reader(std::move(meshes));
    TENON_RETURN_IF_ERROR(reader.ReadFunction(function));
    mlir::WalkResult walk = function.getBody().walk([&](mlir::Operation* op) {
      reader.status_ = reader.ReadOp(op);
      if (!reader.status_.ok()) {
        reader.status_ =
            reader.status_.WithPrefix("'" + op->getName().getStringRef().str() +
                                      "' op at " + DescribeLocation(op->getLoc()));
        return mlir::WalkResult::interrupt();
      }
      return mlir::WalkResult::advance();
    });
    if (walk.wasInterrupted()) return reader.status_;
    return reader.Translated();
  }

 private:
  explicit Reader(MeshTable meshes) : meshes_(std::move(meshes)) {}

  StatusOr<Sharding> ReadOne(sdy::TensorShardingAttr attribute, mlir::Type type) {
    if (!attribute) return Sharding::Replicated(-1, RankOf(type), /*open=*/false);
    TENON_ASSIGN_OR_RETURN(Sharding sharding,
                           ReadSharding(attribute, RankOf(type), meshes_));
    if (sharding.maximal >= 0) {
      return Sharding::Replicated(-1, RankOf(type), /*open=*/false);
    }
    return sharding.Closed();
  }

  StatusOr<std::vector<Sharding>> ReadList(sdy::TensorShardingPerValueAttr attribute,
                                           mlir::TypeRange types) {
    if (attribute.getShardings().size() != types.size()) {
      return InvalidArgument("has " + std::to_string(attribute.getShardings().size()) +
                             " shardings for " + std::to_string(types.size()) +
                             " values");
    }
    std::vector<Sharding> shardings;
    for (auto [sharding, type] : llvm::zip_equal(attribute.getShardings(), types)) {
      TENON_ASSIGN_OR_RETURN(shardings.emplace_back(), ReadOne(sharding, type));
    }
    return shardings;
  }

  Status ReadFunction(mlir::func::FuncOp function) {
    for (mlir::BlockArgument argument : function.getArguments()) {
      auto attribute = function.getArgAttrOfType<sdy::TensorShardingAttr>(
          argument.getArgNumber(), kShardingAttr);
      if (!attribute) continue;
      TENON_ASSIGN_OR_RETURN(program_.values[argument],
                             ReadOne(attribute, argument.getType()));
    }
    for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
      auto attribute = function.getResultAttrOfType<sdy::TensorShardingAttr>(
          static_cast<unsigned>(i), kShardingAttr);
      std::optional<Sharding>& result = program_.results.emplace_back();
      if (!attribute) continue;
      TENON_ASSIGN_OR_RETURN(result, ReadOne(attribute, type));
    }
    return OkStatus();
  }

  Status ReadOp(mlir::Operation* op) {
    if (auto constraint = llvm::dyn_cast<sdy::ShardingConstraintOp>(op)) {
      TENON_ASSIGN_OR_RETURN(program_.values[constraint.getResult()],
                             ReadOne(constraint.getSharding(), constraint.getType()));
      return OkStatus();
    }
    if (auto reshard = llvm::dyn_cast<sdy::ReshardOp>(op)) {
      TENON_ASSIGN_OR_RETURN(program_.values[reshard.getResult()],
                             ReadOne(reshard.getSharding(), reshard.getType()));
      return OkStatus();
    }
    if (auto manual = llvm::dyn_cast<sdy::ManualComputationOp>(op)) {
      return ReadManual(manual);
    }
    auto attribute = op->getAttrOfType<sdy::TensorShardingPerValueAttr>(kShardingAttr);
    if (!attribute || op->getNumResults() == 0) return OkStatus();
    TENON_ASSIGN_OR_RETURN(auto shardings, ReadList(attribute, op->getResultTypes()));
    for (auto [result, sharding] : llvm::zip_equal(op->getResults(), shardings)) {
      program_.values[result] = sharding;
    }
    return OkStatus();
  }

  Status ReadManual(sdy::ManualComputationOp op) {
    ManualShardings& manual = program_.manual[op];
    TENON_ASSIGN_OR_RETURN(manual.operands,
                           ReadList(op.getInShardings(), op->getOperandTypes()));
    TENON_ASSIGN_OR_RETURN(manual.results,
                           ReadList(op.getOutShardings(), op->getResultTypes()));
    int32_t mesh = -1;
    for (const Sharding& sharding : manual.operands) mesh = std::max(mesh, sharding.mesh);
    for (const Sharding& sharding : manual.results) mesh = std::max(mesh, sharding.mesh);
    manual_meshes_[op] = mesh;
    for (mlir::StringAttr name : op.getManualAxes()) {
      if (mesh < 0) break;
      // Axes of size 1 are not in the mesh.
      if (auto axis = meshes_[mesh].FindAxis(name.getValue())) {
        manual.axes.push_back(meshes_[mesh].WholeAxis(*axis));
      }
    }
    return OkStatus();
  }

  StatusOr<ProgramShardings> Translated() {
    TENON_ASSIGN_OR_RETURN(CommonMesh common, FindCommonMesh(meshes_));
    auto translate = [&](Sharding& sharding) {
      const int32_t order = sharding.mesh >= 0 ? common.order_of[sharding.mesh] : 0;
      if (sharding.mesh >= 0) sharding = Translate(sharding, common);
      // What is whole on every device has no order.
      sharding.mesh = sharding.IsReplicated() ? 0 : order;
    };
    for (auto& [value, sharding] : program_.values) {
      translate(sharding);
      const auto argument = llvm::dyn_cast<mlir::BlockArgument>(value);
      if (!argument || !llvm::isa<mlir::func::FuncOp>(argument.getOwner()->getParentOp()))
        sharding.mesh = 0;
    }
    for (std::optional<Sharding>& sharding : program_.results) {
      if (sharding) translate(*sharding);
    }
    for (auto& [op, manual] : program_.manual) {
      for (Sharding& sharding : manual.operands) translate(sharding);
      for (Sharding& sharding : manual.results) translate(sharding);
      Axes axes;
      for (Axis axis : manual.axes) {
        AppendAxes(axes, common.Translate(manual_meshes_[op], axis));
      }
      manual.axes = std::move(axes);
    }
    program_.mesh = std::move(common.mesh);
    program_.orders = std::move(common.orders);
    return std::move(program_);
  }

  MeshTable meshes_;
  ProgramShardings program_;
  llvm::DenseMap<mlir::Operation*, int32_t> manual_meshes_;
  Status status_;
};

}  // namespace

const Sharding* ProgramShardings::Find(mlir::Value value) const {
  auto found = values.find(value);
  return found == values.end() ? nullptr : &found->second;
}

Mesh ProgramShardings::MeshOf(const Sharding& sharding) const {
  Mesh result = mesh;
  result.device_ids = orders[sharding.mesh];
  return result;
}

StatusOr<ProgramShardings> ReadProgramShardings(mlir::func::FuncOp function) {
  return Reader::Read(function);
}

Sharding WithoutAxes(const Sharding& sharding, AxesRef axes) {
  Sharding result = sharding;
  auto drop = [&](Axes& list) {
    Axes kept;
    for (Axis axis : SplitAt(list, axes)) {
      if (!OverlapsAny(axis, axes)) AppendAxis(kept, axis);
    }
    list = std::move(kept);
  };
  for (DimSharding& dim : result.dims) drop(dim.axes);
  drop(result.replicated);
  drop(result.unreduced);
  return result;
}

}  // namespace tenon::compiler::partition
