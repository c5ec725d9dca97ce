#include "tenon/compiler/fusion/share_kernels.h"

#include <map>

#include "mlir/IR/Builders.h"
#include "tenon/compiler/dialects/stablehlo/ops.h"
#include "tenon/compiler/dialects/tenon/tenon_ops.h"

namespace tenon::compiler {
namespace {

// A constant in a kernel is worth more than an operand; a few kernels are not too many.
constexpr size_t kFewKernels = 4, kMostOperands = 8;

mlir::DenseElementsAttr NumberOf(mlir::Operation& op) {
  auto constant = llvm::dyn_cast<stablehlo::ConstantOp>(op);
  if (!constant) return nullptr;
  auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(constant.getValue());
  return dense && dense.isSplat() && dense.getElementType().isIntOrFloat() ? dense
                                                                           : nullptr;
}

// Of everything but the values of constants.
size_t Hash(ir::FusionOp fusion) {
  llvm::hash_code hash =
      llvm::hash_combine(fusion.getKind(), fusion->getDiscardableAttrDictionary(),
                         fusion.getInputs().size());
  for (mlir::Operation& op : fusion.getBody().front()) {
    hash = llvm::hash_combine(hash, op.getName(), op.getNumOperands());
    if (!NumberOf(op)) hash = llvm::hash_combine(hash, op.hashProperties());
    for (mlir::Type type : op.getResultTypes()) hash = llvm::hash_combine(hash, type);
  }
  return hash;
}

bool EqualButNumbers(ir::FusionOp a, ir::FusionOp b) {
  if (a.getKind() != b.getKind() || a->getAttrDictionary() != b->getAttrDictionary() ||
      a.getInputs().getTypes() != b.getInputs().getTypes())
    return false;
  mlir::Block &x = a.getBody().front(), &y = b.getBody().front();
  if (x.getOperations().size() != y.getOperations().size()) return false;
  llvm::DenseMap<mlir::Value, mlir::Value> same;
  for (auto [p, q] : llvm::zip_equal(x.getArguments(), y.getArguments())) same[p] = q;
  for (auto [p, q] : llvm::zip_equal(x, y)) {
    if (p.getName() != q.getName() || p.getResultTypes() != q.getResultTypes() ||
        p.getNumOperands() != q.getNumOperands() ||
        p.getDiscardableAttrDictionary() != q.getDiscardableAttrDictionary())
      return false;
    bool numbers = NumberOf(p) && NumberOf(q);
    if (!numbers && !p.getName().compareOpProperties(p.getPropertiesStorage(),
                                                     q.getPropertiesStorage()))
      return false;
    for (auto [left, right] : llvm::zip_equal(p.getOperands(), q.getOperands()))
      if (same.lookup(left) != right) return false;
    for (auto [left, right] : llvm::zip_equal(p.getResults(), q.getResults()))
      same[left] = right;
  }
  return true;
}

// The ops of constants in which not all of `fusions` agree, by position in the region.
llvm::SmallVector<size_t> DifferentNumbers(llvm::ArrayRef<ir::FusionOp> fusions) {
  llvm::SmallVector<size_t> positions;
  ir::FusionOp one = fusions[0];
  for (auto [position, op] : llvm::enumerate(one.getBody().front())) {
    mlir::DenseElementsAttr first = NumberOf(op);
    if (!first) continue;
    bool differs = llvm::any_of(fusions, [&, position = position](ir::FusionOp other) {
      return NumberOf(*std::next(other.getBody().front().begin(), position)) != first;
    });
    if (differs) positions.push_back(position);
  }
  return positions;
}

void MakeOperands(ir::FusionOp fusion, llvm::ArrayRef<size_t> positions) {
  mlir::Block& body = fusion.getBody().front();
  llvm::SmallVector<mlir::Operation*> constants;
  for (size_t position : positions)
    constants.push_back(&*std::next(body.begin(), position));
  for (mlir::Operation* op : constants) {
    mlir::DenseElementsAttr number = NumberOf(*op);
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
    // Ops with regions of their own are rarely repeated with other numbers.
    for (mlir::Operation& op : fusion.getBody().front())
      if (op.getNumRegions() > 0) return;
    auto& bucket = buckets[Hash(fusion)];
    auto group = llvm::find_if(bucket, [&](llvm::ArrayRef<ir::FusionOp> known) {
      return EqualButNumbers(known[0], fusion);
    });
    if (group == bucket.end()) group = bucket.insert(bucket.end(), {{}});
    group->push_back(fusion);
  });
  for (auto& [hash, bucket] : buckets) {
    for (llvm::ArrayRef<ir::FusionOp> fusions : bucket) {
      if (fusions.size() <= kFewKernels) continue;
      auto positions = DifferentNumbers(fusions);
      if (positions.empty() || positions.size() > kMostOperands) continue;
      for (ir::FusionOp fusion : fusions) MakeOperands(fusion, positions);
    }
  }
}

}  // namespace tenon::compiler
