#include "tenon/compiler/fusion/share_kernels.h"

#include <map>

#include "mlir/IR/Builders.h"
#include "tenon/compiler/analysis/fusion_equality.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler {
namespace {

// A constant inside a kernel is faster than an operand, and a few kernels are acceptable.
constexpr size_t kMaxUnsharedKernels = 4, kMaxOperands = 8;

// The positions, in the fusion's block, of constants that are not equal in all `fusions`.
llvm::SmallVector<size_t> DifferingConstants(llvm::ArrayRef<ir::FusionOp> fusions) {
  llvm::SmallVector<size_t> positions;
  ir::FusionOp one = fusions[0];
  for (auto [position, op] : llvm::enumerate(one.getBody().front())) {
    mlir::DenseElementsAttr first = SplatValueOf(op);
    if (!first) continue;
    bool differs = llvm::any_of(fusions, [&, position = position](ir::FusionOp other) {
      return SplatValueOf(*std::next(other.getBody().front().begin(), position)) != first;
    });
    if (differs) positions.push_back(position);
  }
  return positions;
}

void ReplaceConstantsByOperands(ir::FusionOp fusion, llvm::ArrayRef<size_t> positions) {
  mlir::Block& body = fusion.getBody().front();
  llvm::SmallVector<mlir::Operation*> constants;
  for (size_t position : positions)
    constants.push_back(&*std::next(body.begin(), position));
  for (mlir::Operation* op : constants) {
    mlir::DenseElementsAttr number = SplatValueOf(*op);
    auto scalar = mlir::RankedTensorType::get({}, number.getElementType());
    mlir::OpBuilder outside(fusion), inside(op);
    mlir::Value operand =
        stablehlo::ConstantOp::create(outside, op->getLoc(), number.resizeSplat(scalar));
    fusion.getInputsMutable().append(operand);
    mlir::Value value = body.addArgument(scalar, op->getLoc());
    if (op->getResult(0).getType() != scalar)
      value = stablehlo::BroadcastInDimOp::create(inside, op->getLoc(),
                                                  op->getResult(0).getType(), value,
                                                  llvm::ArrayRef<int64_t>());
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  }
}

}  // namespace

void ShareKernels(mlir::func::FuncOp function) {
  std::map<size_t, std::vector<llvm::SmallVector<ir::FusionOp>>> buckets;
  function.walk([&](ir::FusionOp fusion) {
    // Ops with regions are rarely repeated with other constants.
    for (mlir::Operation& op : fusion.getBody().front())
      if (op.getNumRegions() > 0) return;
    auto& bucket = buckets[HashOfFusion(fusion, SplatValues::kIgnored)];
    auto group = llvm::find_if(bucket, [&](llvm::ArrayRef<ir::FusionOp> known) {
      return EqualFusions(known[0], fusion, SplatValues::kIgnored);
    });
    if (group == bucket.end()) group = bucket.insert(bucket.end(), {{}});
    group->push_back(fusion);
  });
  for (auto& [hash, bucket] : buckets) {
    for (llvm::ArrayRef<ir::FusionOp> fusions : bucket) {
      if (fusions.size() <= kMaxUnsharedKernels) continue;
      auto positions = DifferingConstants(fusions);
      if (positions.empty() || positions.size() > kMaxOperands) continue;
      for (ir::FusionOp fusion : fusions) ReplaceConstantsByOperands(fusion, positions);
    }
  }
}

}  // namespace tenon::compiler
