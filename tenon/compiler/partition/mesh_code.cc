#include "tenon/compiler/partition/mesh_code.h"

#include "tenon/compiler/partition/explain.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler::partition {
namespace {

mlir::RankedTensorType I64(mlir::MLIRContext* context, llvm::ArrayRef<int64_t> shape) {
  return mlir::RankedTensorType::get(shape, mlir::IntegerType::get(context, 64));
}

}  // namespace

void LeaveLoops(mlir::OpBuilder& b, mlir::Region* region) {
  while (b.getInsertionBlock()->getParent() != region) {
    mlir::Operation* op = b.getInsertionBlock()->getParentOp();
    if (!llvm::isa<stablehlo::WhileOp>(op)) return;
    b.setInsertionPoint(op);
  }
}

mlir::OpBuilder MeshCode::Builder() {
  mlir::OpBuilder builder(entry_.getParentOp()->getContext());
  if (last_) {
    builder.setInsertionPointAfter(last_);
  } else {
    builder.setInsertionPointToStart(&entry_);
  }
  return builder;
}

mlir::Location MeshCode::Explain(mlir::Location location,
                                 llvm::function_ref<std::string()> reason) const {
  return explains_ ? WithReason(location, reason()) : location;
}

mlir::Value MeshCode::Keep(mlir::Value value) {
  last_ = value.getDefiningOp();
  return value;
}

mlir::Value MeshCode::Constant(int64_t value) {
  mlir::Value& known = constants_[value];
  if (!known) {
    mlir::OpBuilder b = Builder();
    auto attribute = mlir::DenseElementsAttr::get(I64(b.getContext(), {}), {value});
    known = Keep(stablehlo::ConstantOp::create(b, location_, attribute));
  }
  return known;
}

mlir::Value MeshCode::Position() {
  if (position_) return position_;
  mlir::MLIRContext* context = entry_.getParentOp()->getContext();
  auto number_type = mlir::RankedTensorType::get(
      {}, mlir::IntegerType::get(context, 32, mlir::IntegerType::Unsigned));
  mlir::OpBuilder b = Builder();
  mlir::Value number = stablehlo::PartitionIdOp::create(b, location_, number_type);
  position_ = stablehlo::ConvertOp::create(b, location_, I64(context, {}), number);
  Keep(position_);
  if (mesh_.device_ids.empty()) return position_;
  // The position of each partition.
  llvm::SmallVector<int64_t> positions(mesh_.device_ids.size(), 0);
  for (auto [position, device] : llvm::enumerate(mesh_.device_ids)) {
    if (device >= 0 && device < static_cast<int64_t>(positions.size())) {
      positions[device] = static_cast<int64_t>(position);
    }
  }
  auto table = stablehlo::ConstantOp::create(
      b, location_,
      mlir::DenseElementsAttr::get(I64(context, {static_cast<int64_t>(positions.size())}),
                                   llvm::ArrayRef<int64_t>(positions)));
  auto found = stablehlo::DynamicSliceOp::create(b, location_, I64(context, {1}), table,
                                                 mlir::ValueRange{position_},
                                                 b.getDenseI64ArrayAttr({1}));
  position_ = stablehlo::ReshapeOp::create(b, location_, I64(context, {}), found);
  return Keep(position_);
}

mlir::Value MeshCode::ShardNumber(AxesRef axes) {
  if (auto known = numbers_.find(axes.vec()); known != numbers_.end()) {
    return known->second;
  }
  mlir::Value number;
  for (Axis axis : axes) {
    // position / stride % size
    const int64_t whole = mesh_.sizes[axis.index];
    const int64_t stride = mesh_.Stride(axis.index) * (whole / axis.next());
    mlir::Value position = Position();
    mlir::Value divisor = Constant(stride), size = Constant(axis.size);
    mlir::Value factor = number ? Constant(axis.size) : mlir::Value();
    mlir::OpBuilder b = Builder();
    mlir::Value coordinate = position;
    if (stride > 1) {
      coordinate = Keep(stablehlo::DivOp::create(b, location_, coordinate, divisor));
    }
    coordinate = Keep(stablehlo::RemOp::create(b, location_, coordinate, size));
    if (number) {
      number = Keep(stablehlo::MulOp::create(b, location_, number, factor));
      number = Keep(stablehlo::AddOp::create(b, location_, number, coordinate));
    } else {
      number = coordinate;
    }
  }
  if (!number) number = Constant(0);
  return numbers_[axes.vec()] = number;
}

mlir::Value MeshCode::ShardOffset(AxesRef axes, int64_t shard_size) {
  mlir::Value& known = offsets_[{axes.vec(), shard_size}];
  if (!known) {
    mlir::Value number = ShardNumber(axes), size = Constant(shard_size);
    mlir::OpBuilder b = Builder();
    known = Keep(stablehlo::MulOp::create(b, location_, number, size));
  }
  return known;
}

int64_t MeshCode::ShardAt(AxesRef axes, int64_t position) const {
  int64_t shard = 0;
  for (Axis axis : axes) shard = shard * axis.size + mesh_.Coordinate(position, axis);
  return shard;
}

int64_t MeshCode::PositionWithShard(AxesRef axes, int64_t position, int64_t shard) const {
  for (Axis axis : llvm::reverse(axes)) {
    const int64_t stride =
        mesh_.Stride(axis.index) * (mesh_.sizes[axis.index] / axis.next());
    position += (shard % axis.size - mesh_.Coordinate(position, axis)) * stride;
    shard /= axis.size;
  }
  return position;
}

int64_t MeshCode::DeviceAt(int64_t position) const {
  return mesh_.device_ids.empty() ? position : mesh_.device_ids[position];
}

mlir::DenseIntElementsAttr MeshCode::PartitionGroups(AxesRef axes) {
  return Groups(axes, /*replicas=*/1);
}

mlir::DenseIntElementsAttr MeshCode::GlobalGroups(AxesRef axes) {
  return Groups(axes, grid_.replicas);
}

mlir::DenseIntElementsAttr MeshCode::Groups(AxesRef axes, int64_t replicas) {
  mlir::DenseIntElementsAttr& known = groups_[{axes.vec(), replicas}];
  if (known) return known;
  const int64_t devices = mesh_.num_devices(), size = SizeOf(axes);
  // The position of the first member identifies a group.
  std::map<int64_t, std::vector<int64_t>> groups;
  for (int64_t position = 0; position < devices; ++position) {
    int64_t first = position;
    for (Axis axis : axes) {
      const int64_t stride =
          mesh_.Stride(axis.index) * (mesh_.sizes[axis.index] / axis.next());
      first -= mesh_.Coordinate(position, axis) * stride;
    }
    std::vector<int64_t>& group = groups[first];
    group.resize(size);
    group[ShardAt(axes, position)] = DeviceAt(position);
  }
  std::vector<int64_t> members;
  for (int64_t replica = 0; replica < replicas; ++replica) {
    for (auto& [first, group] : groups) {
      for (int64_t device : group) members.push_back(replica * grid_.partitions + device);
    }
  }
  return known = mlir::DenseIntElementsAttr::get(
             I64(entry_.getParentOp()->getContext(), {replicas * (devices / size), size}),
             llvm::ArrayRef<int64_t>(members));
}

}  // namespace tenon::compiler::partition
