// Reductions between devices whose reducer is no formula of scalars: every device gathers
// the arrays of its group, and combines them as the runtime does.
#include "tenon/compiler/legalize/element_loops.h"
#include "tenon/compiler/legalize/process_table.h"

namespace tenon::compiler {
namespace {

using mlir::Value;
using stablehlo::ProcessGroup;

class CollectiveExpander {
 public:
  CollectiveExpander(mlir::Operation* op, const stablehlo::ProcessGrid& grid,
                     std::vector<ProcessGroup> groups)
      : op_(op),
        grid_(grid),
        groups_(std::move(groups)),
        builder_(op),
        g_(builder_, op->getLoc()) {
    for (const ProcessGroup& group : groups_) members_ = std::max(members_, group.size());
    positions_.assign(static_cast<size_t>(grid.size()), -1);
    sizes_.assign(positions_.size(), 0);
  }

  bool Expand() {
    for (const ProcessGroup& group : groups_) {
      for (auto [position, process] : llvm::enumerate(group)) {
        int32_t& known = positions_[static_cast<size_t>(process)];
        if (known >= 0) return false;  // in two groups
        known = static_cast<int32_t>(position);
        sizes_[static_cast<size_t>(process)] = static_cast<int32_t>(group.size());
      }
    }
    if (llvm::is_contained(positions_, -1)) return false;
    Values results;
    for (auto [operand, result] : llvm::zip_equal(op_->getOperands(), op_->getResults()))
      results.push_back(OwnPart(Reduce(operand), ShapeOf(result)));
    op_->replaceAllUsesWith(results);
    op_->erase();
    return true;
  }

 private:
  bool IsEven() const {
    return llvm::all_of(
        groups_, [&](const ProcessGroup& group) { return group.size() == members_; });
  }

  // The arrays of all members of the group, flattened. Places behind the last member of a
  // smaller group are any array.
  Values Gather(Value x) {
    const int64_t count = CountElements(x);
    std::vector<ProcessGroup> groups = groups_;
    if (!IsEven()) {
      groups.assign(1, {});
      for (int64_t process = 0; process < grid_.size(); ++process)
        groups[0].push_back(process);
    }
    const auto size = static_cast<int64_t>(groups[0].size());
    Value all =
        stablehlo::AllGatherOp::create(
            builder_, g_.loc(),
            mlir::TypeRange(mlir::RankedTensorType::get({size, count}, ElementOf(x))),
            mlir::ValueRange(g_.Reshape(x, {1, count})), 0, GroupsAttr(builder_, groups),
            stablehlo::ChannelHandleAttr::get(builder_.getContext(), 1, 1),
            /*use_global_device_ids=*/true)
            .getResult(0);
    Values arrays;
    for (size_t m = 0; m < members_; ++m) {
      auto place = static_cast<int64_t>(m);
      Value array = IsEven() ? g_.SliceDim(all, 0, place, place + 1)
                             : g_.DynamicSliceDim(all, Member(m), 0, 1);
      arrays.push_back(g_.Reshape(array, {count}));
    }
    return arrays;
  }

  // The number of member `m` of this process's group.
  Value Member(size_t m) {
    std::vector<int32_t> numbers(positions_.size(), 0);
    for (const ProcessGroup& group : groups_)
      for (int64_t process : group)
        if (m < group.size())
          numbers[static_cast<size_t>(process)] = static_cast<int32_t>(group[m]);
    return NumberOfProcess(g_, grid_, numbers);
  }

  // The same tree as that of PerformCollective.
  Value Reduce(Value x) {
    if (CountElements(x) == 0) return x;
    Values arrays = Gather(x);
    for (size_t stride = 1; stride < members_; stride *= 2)
      for (size_t m = 0; m + stride < members_; m += 2 * stride)
        arrays[m] = Combine(arrays[m], arrays[m + stride], m + stride);
    return g_.Reshape(arrays[0], ShapeOf(x));
  }

  // `right` is that of member `m` and those behind. The reducer sees no array of another
  // group, for which it may not end.
  Value Combine(Value left, Value right, size_t m) {
    const int64_t count = CountElements(left);
    auto body = [&](Value i, mlir::ValueRange carried) {
      const Values elements = {LoadElement(g_, carried[0], i), LoadElement(g_, right, i)};
      Value sum = InlineComputation(g_, op_->getRegion(0).front(), elements)[0];
      return Values{StoreElement(g_, carried[0], sum, i)};
    };
    if (IsEven()) return g_.For(count, {left}, body)[0];
    Value exists = g_.Compare(NumberOfProcess(g_, grid_, sizes_), g_.Index(m),
                              stablehlo::ComparisonDirection::GT);
    Value end = g_.Select(exists, g_.Index(static_cast<uint64_t>(count)), g_.Index(0));
    return g_.ForBelow(end, {left}, body)[0];
  }

  // Of a reduce_scatter, the part of this process.
  Value OwnPart(Value whole, Dims shape) {
    auto scatter = llvm::dyn_cast<stablehlo::ReduceScatterOp>(op_);
    if (!scatter) return whole;
    auto dim = static_cast<int64_t>(scatter.getScatterDimension());
    const int64_t size = shape[static_cast<size_t>(dim)];
    Value position = NumberOfProcess(g_, grid_, positions_);
    Value start = g_.Mul(position, g_.IntegerLike(position, static_cast<uint64_t>(size)));
    return g_.DynamicSliceDim(whole, start, dim, size);
  }

  mlir::Operation* op_;
  const stablehlo::ProcessGrid& grid_;
  const std::vector<ProcessGroup> groups_;
  mlir::OpBuilder builder_;
  GraphBuilder g_;
  size_t members_ = 0;                      // of the largest group
  std::vector<int32_t> positions_, sizes_;  // by process
};

}  // namespace

bool ExpandCollective(mlir::Operation* op, const stablehlo::ProcessGrid& grid) {
  auto groups = stablehlo::ProcessGroupsOf(op, grid);
  if (!groups.ok() || groups->empty()) return false;
  return CollectiveExpander(op, grid, *std::move(groups)).Expand();
}

}  // namespace tenon::compiler
