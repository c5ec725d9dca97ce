#include "tenon/compiler/partition/redistribute.h"

#include <map>
#include <utility>

#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::compiler::partition {
namespace {

// Axes are cut so finely that an axis of `from` and one of `to` are equal or have nothing
// in common (or cannot coexist, in which case they are gathered).
class Mover {
 public:
  Mover(mlir::OpBuilder& builder, mlir::Location location, mlir::Value local,
        const Redistribution& moved, MeshCode& code)
      : b_(builder), location_(location), value_(local), code_(code) {
    Axes all = moved.from.UsedAxes();
    all.append(moved.to.UsedAxes());
    all.append(moved.from.unreduced);
    all.append(moved.to.unreduced);
    for (const DimSharding& dim : moved.from.dims) has_.push_back(SplitAt(dim.axes, all));
    for (const DimSharding& dim : moved.to.dims) wants_.push_back(SplitAt(dim.axes, all));
    partial_ = SplitAt(moved.from.unreduced, all);
    keeps_partial_ = SplitAt(moved.to.unreduced, all);
    combiner_ =
        moved.combiner.empty() ? CombinerOf(moved.from.reduction) : moved.combiner.str();
    to_reduction_ = moved.to.reduction;
  }

  StatusOr<mlir::Value> Run() {
    Slice();
    ReducePartial();
    // Every step brings a dimension nearer to its axes.
    for (int step = 0; step < kMaxSteps; ++step) {
      Slice();
      if (has_ == wants_) {
        TENON_RETURN_IF_ERROR(MakePartial());
        return value_;
      }
      if (AllToAll()) continue;
      if (Permute()) continue;
      Gather();
    }
    return Internal("a tensor could not be moved to its sharding");
  }

 private:
  static constexpr int kMaxSteps = 1024;  // more than dimensions times axes

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

  size_t CommonPrefix(size_t dim) const {
    size_t common = 0;
    while (common < has_[dim].size() && common < wants_[dim].size() &&
           has_[dim][common] == wants_[dim][common]) {
      ++common;
    }
    return common;
  }

  bool IsUsed(Axis axis) const {
    return OverlapsAny(axis, partial_) ||
           llvm::any_of(has_, [&](const Axes& axes) { return OverlapsAny(axis, axes); });
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

  // Takes the device's part along free axes that dimensions want next.
  void Slice() {
    llvm::SmallVector<int64_t> shape(ShapeOf(value_));
    llvm::SmallVector<mlir::Value> starts(shape.size());
    bool changed = false;
    for (size_t dim = 0; dim < has_.size(); ++dim) {
      if (CommonPrefix(dim) < has_[dim].size()) continue;
      Axes taken;
      for (Axis axis : AxesRef(wants_[dim]).drop_front(has_[dim].size())) {
        if (IsUsed(axis)) break;
        taken.push_back(axis);
        has_[dim].push_back(axis);
      }
      if (taken.empty()) continue;
      changed = true;
      shape[dim] /= SizeOf(taken);
      starts[dim] = code_.ShardOffset(taken, shape[dim]);
    }
    if (!changed) return;
    for (mlir::Value& start : starts) {
      if (!start) start = code_.Constant(0);
    }
    value_ = stablehlo::DynamicSliceOp::create(b_, location_, TypeWith(shape), value_,
                                               starts, b_.getDenseI64ArrayAttr(shape));
  }

  // Combines partial results, and scatters the result where a dimension wants the axes.
  void ReducePartial() {
    Axes reduced, kept;
    for (Axis axis : partial_) {
      (llvm::is_contained(keeps_partial_, axis) ? kept : reduced).push_back(axis);
    }
    for (size_t dim = 0; dim < has_.size(); ++dim) {
      if (CommonPrefix(dim) < has_[dim].size()) continue;
      Axes scattered;
      for (Axis axis : AxesRef(wants_[dim]).drop_front(has_[dim].size())) {
        if (!llvm::is_contained(reduced, axis)) break;
        scattered.push_back(axis);
      }
      if (scattered.empty()) continue;
      llvm::SmallVector<int64_t> shape(ShapeOf(value_));
      shape[dim] /= SizeOf(scattered);
      Collective("stablehlo.reduce_scatter", shape,
                 {Attribute("scatter_dimension", static_cast<int64_t>(dim)),
                  GroupsOf(scattered), GlobalIds()},
                 /*has_computation=*/true);
      has_[dim].append(scattered);
      llvm::erase_if(reduced,
                     [&](Axis axis) { return llvm::is_contained(scattered, axis); });
    }
    partial_ = kept;
    if (reduced.empty()) return;
    Collective("stablehlo.all_reduce", ShapeOf(value_), {GroupsOf(reduced), GlobalIds()},
               /*has_computation=*/true);
  }

  // Moves the minor axes of one dimension to another dimension that wants them next.
  bool AllToAll() {
    for (size_t from = 0; from < has_.size(); ++from) {
      const size_t common = CommonPrefix(from);
      for (size_t first = common; first < has_[from].size(); ++first) {
        const AxesRef moved = AxesRef(has_[from]).drop_front(first);
        for (size_t to = 0; to < has_.size(); ++to) {
          if (to == from || CommonPrefix(to) < has_[to].size()) continue;
          const AxesRef next = AxesRef(wants_[to]).drop_front(has_[to].size());
          if (next.take_front(moved.size()) != moved) continue;
          const Axes axes(moved);
          const int64_t count = SizeOf(axes);
          llvm::SmallVector<int64_t> shape(ShapeOf(value_));
          shape[to] /= count;
          shape[from] *= count;
          Collective("stablehlo.all_to_all", shape,
                     {Attribute("split_dimension", static_cast<int64_t>(to)),
                      Attribute("concat_dimension", static_cast<int64_t>(from)),
                      Attribute("split_count", count),
                      b_.getNamedAttr("replica_groups", code_.PartitionGroups(axes))});
          has_[from].truncate(first);
          has_[to].append(axes);
          return true;
        }
      }
    }
    return false;
  }

  // Exchanges whole parts, if the parts of both shardings have one size.
  bool Permute() {
    for (size_t dim = 0; dim < has_.size(); ++dim) {
      if (SizeOf(has_[dim]) != SizeOf(wants_[dim])) return false;
    }
    // Devices that want or have the same part, of the same partial result.
    const int64_t devices = code_.mesh().num_devices();
    auto part = [&](const llvm::SmallVector<Axes, 4>& dims, int64_t position) {
      std::vector<int64_t> shards = {code_.ShardAt(partial_, position)};
      for (const Axes& axes : dims) shards.push_back(code_.ShardAt(axes, position));
      return shards;
    };
    std::map<std::vector<int64_t>, std::vector<int64_t>> holders;
    std::vector<std::pair<int64_t, std::vector<int64_t>>> others;
    std::vector<int64_t> pairs;
    for (int64_t position = 0; position < devices; ++position) {
      std::vector<int64_t> wanted = part(wants_, position);
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
      if (sources.empty()) return false;
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
    has_ = wants_;
    return true;
  }

  // Gathers the axes of a dimension after those that it keeps.
  void Gather() {
    for (size_t dim = 0; dim < has_.size(); ++dim) {
      const size_t common = CommonPrefix(dim);
      if (common == has_[dim].size()) continue;
      const Axes axes(AxesRef(has_[dim]).drop_front(common));
      llvm::SmallVector<int64_t> shape(ShapeOf(value_));
      shape[dim] *= SizeOf(axes);
      Collective("stablehlo.all_gather", shape,
                 {Attribute("all_gather_dim", static_cast<int64_t>(dim)), GroupsOf(axes),
                  GlobalIds()});
      has_[dim].truncate(common);
      return;
    }
  }

  // The first device of each group keeps its value, the others get the identity.
  Status MakePartial() {
    Axes added;
    for (Axis axis : keeps_partial_) {
      if (!llvm::is_contained(partial_, axis)) added.push_back(axis);
    }
    if (added.empty()) return OkStatus();
    if (to_reduction_ != sdy::ReductionOp::SUM) {
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
  llvm::SmallVector<Axes, 4> has_, wants_;
  Axes partial_, keeps_partial_;
  std::string combiner_;
  sdy::ReductionOp to_reduction_;
};

}  // namespace

StatusOr<mlir::Value> Redistribute(mlir::OpBuilder& builder, mlir::Location location,
                                   mlir::Value local, const Redistribution& moved,
                                   MeshCode& code) {
  return Mover(builder, location, local, moved, code).Run();
}

}  // namespace tenon::compiler::partition
