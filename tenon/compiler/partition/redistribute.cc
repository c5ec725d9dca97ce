#include "tenon/compiler/partition/redistribute.h"

#include <map>
#include <utility>

#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::compiler::partition {
namespace {

// Bytes of an element in memory, for comparisons.
int64_t ElementBytes(mlir::Value value) {
  const mlir::Type element = TypeOf(value).getElementType();
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(element)) {
    return 2 * static_cast<int64_t>(complex.getElementType().getIntOrFloatBitWidth()) / 8;
  }
  return element.isIntOrFloat() ? (element.getIntOrFloatBitWidth() + 7) / 8 : 1;
}

// Emits the steps of a plan (move_plan.h).
class Mover {
 public:
  Mover(mlir::OpBuilder& builder, mlir::Location location, mlir::Value local,
        const Redistribution& moved, MeshCode& code)
      : b_(builder), location_(location), value_(local), code_(code), moved_(moved) {
    combiner_ =
        moved.combiner.empty() ? CombinerOf(moved.from.reduction) : moved.combiner.str();
  }

  StatusOr<mlir::Value> Run() {
    Axes all = moved_.from.UsedAxes();
    all.append(moved_.to.UsedAxes());
    all.append(moved_.from.unreduced);
    all.append(moved_.to.unreduced);
    has_ = PlacementOf(moved_.from, all);
    // Plans are kept until the planner is destroyed.
    const MovePlan& plan =
        code_.planner().Plan(moved_.from, moved_.to, moved_.shape, ElementBytes(value_));
    for (const MoveStep& step : plan.steps) {
      if (step.kind != MoveKind::kSlice) EmitSlices();
      TENON_RETURN_IF_ERROR(Emit(step));
      has_ = step.after;
    }
    EmitSlices();
    TENON_RETURN_IF_ERROR(MakePartial());
    return value_;
  }

 private:
  static std::string CombinerOf(sdy::ReductionOp reduction) {
    switch (reduction) {
      case sdy::ReductionOp::SUM:
        return "stablehlo.add";
      case sdy::ReductionOp::MAX:
        return "stablehlo.maximum";
      case sdy::ReductionOp::MIN:
        return "stablehlo.minimum";
    }
    return "";
  }

  mlir::RankedTensorType TypeWith(llvm::ArrayRef<int64_t> shape) const {
    return TypeOf(value_).clone(shape);
  }

  // Creates `name` with one result and the attributes that all collectives have.
  mlir::Operation* Collective(llvm::StringRef name, llvm::ArrayRef<int64_t> shape,
                              llvm::ArrayRef<mlir::NamedAttribute> attributes,
                              bool has_computation = false) {
    mlir::OperationState state(location_, name);
    state.addOperands(value_);
    state.addTypes(TypeWith(shape));
    state.addAttributes(attributes);
    state.addAttribute("channel_handle", stablehlo::ChannelHandleAttr::get(
                                             b_.getContext(), /*handle=*/1, /*type=*/1));
    if (has_computation) AddComputation(*state.addRegion());
    mlir::Operation* op = b_.create(state);
    value_ = op->getResult(0);
    return op;
  }

  void AddComputation(mlir::Region& region) {
    mlir::OpBuilder::InsertionGuard guard(b_);
    mlir::Type scalar = ScalarTypeOf(value_);
    mlir::Block* block =
        b_.createBlock(&region, region.end(), {scalar, scalar}, {location_, location_});
    mlir::OperationState state(location_, combiner_);
    state.addOperands(block->getArguments());
    state.addTypes(scalar);
    stablehlo::ReturnOp::create(b_, location_, b_.create(state)->getResults());
  }

  mlir::NamedAttribute Attribute(llvm::StringRef name, int64_t value) {
    return b_.getNamedAttr(name, b_.getI64IntegerAttr(value));
  }
  mlir::NamedAttribute GroupsOf(AxesRef axes) {
    return b_.getNamedAttr("replica_groups", code_.GlobalGroups(axes));
  }
  mlir::NamedAttribute GlobalIds() {
    return b_.getNamedAttr("use_global_device_ids", b_.getUnitAttr());
  }

  Status Emit(const MoveStep& step) {
    llvm::SmallVector<int64_t> shape(ShapeOf(value_));
    const int64_t count = SizeOf(step.axes);
    switch (step.kind) {
      case MoveKind::kSlice:
        slices_.push_back(&step);
        break;
      case MoveKind::kReduceScatter:
        shape[step.dim] /= count;
        Collective(
            "stablehlo.reduce_scatter", shape,
            {Attribute("scatter_dimension", step.dim), GroupsOf(step.axes), GlobalIds()},
            /*has_computation=*/true);
        break;
      case MoveKind::kAllReduce:
        Collective("stablehlo.all_reduce", shape, {GroupsOf(step.axes), GlobalIds()},
                   /*has_computation=*/true);
        break;
      case MoveKind::kAllToAll:
        shape[step.to_dim] /= count;
        shape[step.dim] *= count;
        Collective(
            "stablehlo.all_to_all", shape,
            {Attribute("split_dimension", step.to_dim),
             Attribute("concat_dimension", step.dim), Attribute("split_count", count),
             b_.getNamedAttr("replica_groups", code_.PartitionGroups(step.axes))});
        break;
      case MoveKind::kPermute:
        return Permute(step);
      case MoveKind::kAllGather:
        shape[step.dim] *= count;
        Collective(
            "stablehlo.all_gather", shape,
            {Attribute("all_gather_dim", step.dim), GroupsOf(step.axes), GlobalIds()});
        break;
    }
    return OkStatus();
  }

  // Takes the device's part along the axes of all slices that are not emitted yet.
  void EmitSlices() {
    if (slices_.empty()) return;
    llvm::SmallVector<int64_t> shape(ShapeOf(value_));
    llvm::SmallVector<Axes, 4> taken(shape.size());
    for (const MoveStep* step : slices_) {
      taken[step->dim].append(step->axes);
      shape[step->dim] /= SizeOf(step->axes);
    }
    slices_.clear();
    llvm::SmallVector<mlir::Value> starts;
    for (auto [axes, size] : llvm::zip_equal(taken, shape)) {
      starts.push_back(axes.empty() ? code_.Constant(0) : code_.ShardOffset(axes, size));
    }
    value_ = stablehlo::DynamicSliceOp::create(b_, location_, TypeWith(shape), value_,
                                               starts, b_.getDenseI64ArrayAttr(shape));
  }

  // Sends each device the part that it wants, from a device that has it. Devices that
  // have it themselves keep it.
  Status Permute(const MoveStep& step) {
    const auto part = [&](const Placement& placement, int64_t position) {
      std::vector<int64_t> shards = {code_.ShardAt(placement.partial, position)};
      for (const Axes& axes : placement.dims) {
        shards.push_back(code_.ShardAt(axes, position));
      }
      return shards;
    };
    std::map<std::vector<int64_t>, std::vector<int64_t>> holders;
    std::vector<std::pair<int64_t, std::vector<int64_t>>> others;
    std::vector<int64_t> pairs;
    for (int64_t position = 0; position < code_.mesh().num_devices(); ++position) {
      std::vector<int64_t> wanted = part(step.after, position);
      std::vector<int64_t> held = part(has_, position);
      if (wanted == held) {
        pairs.insert(pairs.end(), 2, code_.DeviceAt(position));
        continue;
      }
      holders[held].push_back(position);
      others.emplace_back(position, std::move(wanted));
    }
    for (auto& [position, wanted] : others) {
      std::vector<int64_t>& sources = holders[wanted];
      if (sources.empty()) return Internal("no device can send a part that one wants");
      pairs.push_back(code_.DeviceAt(sources.back()));
      pairs.push_back(code_.DeviceAt(position));
      sources.pop_back();
    }
    auto type = mlir::RankedTensorType::get({static_cast<int64_t>(pairs.size()) / 2, 2},
                                            b_.getI64Type());
    Collective("stablehlo.collective_permute", ShapeOf(value_),
               {b_.getNamedAttr("source_target_pairs",
                                mlir::DenseIntElementsAttr::get(
                                    type, llvm::ArrayRef<int64_t>(pairs)))});
    return OkStatus();
  }

  // The first device of each group keeps its value, the others get the identity.
  Status MakePartial() {
    Axes added;
    for (Axis axis : SplitAt(moved_.to.unreduced, has_.partial)) {
      if (!llvm::is_contained(has_.partial, axis)) added.push_back(axis);
    }
    if (added.empty()) return OkStatus();
    if (moved_.to.reduction != sdy::ReductionOp::SUM) {
      return Unimplemented("unreduced results of max or min from reduced ones");
    }
    mlir::Value number = code_.ShardNumber(added), zero = code_.Constant(0);
    mlir::Value is_first = stablehlo::CompareOp::create(
        b_, location_, number, zero, stablehlo::ComparisonDirection::EQ);
    auto type = TypeOf(value_);
    auto element = b_.getZeroAttr(type.getElementType());
    if (!element) {
      return Unimplemented("unreduced results of this type from reduced ones");
    }
    mlir::Value zeros = stablehlo::ConstantOp::create(
        b_, location_, mlir::DenseElementsAttr::get(type, element));
    value_ = stablehlo::SelectOp::create(b_, location_, type, is_first, value_, zeros);
    return OkStatus();
  }

  mlir::OpBuilder& b_;
  mlir::Location location_;
  mlir::Value value_;
  MeshCode& code_;
  const Redistribution& moved_;
  Placement has_;
  llvm::SmallVector<const MoveStep*, 4> slices_;  // that are not emitted yet
  std::string combiner_;
};

}  // namespace

StatusOr<mlir::Value> Redistribute(mlir::OpBuilder& builder, mlir::Location location,
                                   mlir::Value local, const Redistribution& moved,
                                   MeshCode& code) {
  return Mover(builder, location, local, moved, code).Run();
}

}  // namespace tenon::compiler::partition
