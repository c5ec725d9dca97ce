// collective_reduce on several devices: an all_reduce whose result only the root keeps.
#include "tenon/compiler/legalize/graph_builder.h"
#include "tenon/compiler/legalize/legalize.h"
#include "tenon/compiler/legalize/process_table.h"

namespace tenon::compiler {
namespace {

using mlir::LogicalResult;
using mlir::PatternRewriter;
using mlir::Value;
using stablehlo::ProcessGroup;

class LowerCollectiveReduce
    : public mlir::OpRewritePattern<stablehlo::CollectiveReduceOp> {
 public:
  LowerCollectiveReduce(mlir::MLIRContext* context, stablehlo::ProcessGrid grid)
      : OpRewritePattern(context), grid_(grid) {}

  LogicalResult matchAndRewrite(stablehlo::CollectiveReduceOp op,
                                PatternRewriter& rewriter) const override {
    auto groups = stablehlo::ProcessGroupsOf(op, grid_);
    if (!groups.ok()) return mlir::failure();
    std::vector<int32_t> positions(static_cast<size_t>(grid_.size()), -1);
    for (const ProcessGroup& group : *groups) {
      for (auto [position, process] : llvm::enumerate(group)) {
        int32_t& known = positions[static_cast<size_t>(process)];
        if (known >= 0) return mlir::failure();  // in two groups
        known = static_cast<int32_t>(position);
      }
    }
    for (size_t process = 0; process < positions.size(); ++process)
      if (positions[process] < 0) groups->push_back({static_cast<int64_t>(process)});

    GraphBuilder g(rewriter, op.getLoc());
    const bool has_roots = op.getHasDynamicRoot();
    auto data = op.getOperands().drop_back(has_roots ? 1 : 0);
    auto flattened = stablehlo::ChannelHandleAttr::get(op.getContext(), 1, 1);
    auto reduce = stablehlo::AllReduceOp::create(
        rewriter, op.getLoc(), op.getResultTypes(), data, GroupsAttr(rewriter, *groups),
        flattened, /*use_global_device_ids=*/true);
    rewriter.inlineRegionBefore(op.getComputation(), reduce.getComputation(),
                                reduce.getComputation().end());
    Value roots = has_roots ? CheckedRoots(op, g) : Value();
    const Value position = NumberOfProcess(g, grid_, positions);
    Values results;
    for (auto [number, sum] : llvm::enumerate(reduce.getResults())) {
      auto i = static_cast<int64_t>(number);
      Value root = roots ? g.Reshape(g.SliceDim(roots, 0, i, i + 1), {}) : g.Index(0);
      Value is_root = g.Compare(position, root, stablehlo::ComparisonDirection::EQ);
      results.push_back(g.Select(is_root, sum, g.Like(sum, 0)));
    }
    rewriter.replaceOp(op, results);
    return mlir::success();
  }

 private:
  // The roots, broadcast from themselves: the runtime checks that they are positions in
  // the group, and the same on all of its members.
  Value CheckedRoots(stablehlo::CollectiveReduceOp op, GraphBuilder& g) const {
    Value roots = op.getOperands().back();
    Values data(op.getNumResults(), roots);
    data.push_back(roots);
    llvm::SmallVector<mlir::Type> types(op.getNumResults(), roots.getType());
    return stablehlo::CollectiveBroadcastOp::create(
               g.builder(), g.loc(), types, data, op.getReplicaGroups(),
               op.getChannelHandleAttr(), /*has_dynamic_root=*/true)
        .getResult(0);
  }

  stablehlo::ProcessGrid grid_;
};

}  // namespace

void PopulateCollectiveReducePatterns(mlir::RewritePatternSet& patterns,
                                      const stablehlo::ProcessGrid& grid) {
  patterns.add<LowerCollectiveReduce>(patterns.getContext(), grid);
}

}  // namespace tenon::compiler
