#include "tenon/compiler/fusion/recomputation.h"

#include "tenon/compiler/analysis/point_ops.h"
#include "tenon/compiler/fusion/op_roles.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/element_types.h"
#include "tenon/dialects/tenon/tensor_types.h"
#include "tenon/types/element_type.h"

namespace tenon::compiler {
namespace {

constexpr int64_t kMinBytes = 1 << 16;  // smaller arrays stay in the first-level cache
// Longer chains would gain, too, but kernels that differ in their lengths are not equal,
// and compile once each.
constexpr int64_t kMaxInstructions = 10;
constexpr size_t kMaxArrays = 4, kMaxOperands = 16;

int64_t ElementBytesOf(mlir::Value value) {
  return ElementBytes(ir::ElementTypeOf(TypeOf(value).getElementType()));
}

// Vector instructions of an elementwise op. Arithmetic of narrow floats rounds its result
// (docs/design/0005).
int64_t InstructionsOf(mlir::Operation* op) {
  mlir::Type element = TypeOf(op->getResult(0)).getElementType();
  const bool is_narrow =
      llvm::isa<mlir::FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
  return is_narrow ? 4 : llvm::isa<mlir::ComplexType>(element) ? 3 : 1;
}

// Vector instructions that it takes to read a broadcast value. Along rows its elements
// are consecutive or all the same. Lanes of short rows are gathered.
int64_t BroadcastInstructions(mlir::Value value) {
  constexpr int64_t kShortRow = 16, kGather = kMaxInstructions + 1;
  auto broadcast = value.getDefiningOp<stablehlo::BroadcastInDimOp>();
  if (!broadcast || ElementCountOf(broadcast.getOperand()) == 1) return 0;
  return ShapeOf(value).back() < kShortRow ? kGather : 0;
}

// Whether an op updates parts of the array, in place unless the array is read afterwards.
bool IsUpdated(mlir::Value array) {
  return llvm::any_of(array.getUses(), [](mlir::OpOperand& use) {
    return use.getOperandNumber() == 0 &&
           llvm::isa<stablehlo::DynamicUpdateSliceOp, stablehlo::ScatterOp>(
               use.getOwner());
  });
}

}  // namespace

std::optional<Recomputation::Sources> Recomputation::SourcesOf(mlir::Value value) const {
  Sources sources;
  const int64_t count = ElementCountOf(value);
  llvm::SmallSetVector<mlir::Value, 16> values;
  values.insert(value);
  for (size_t i = 0; i < values.size(); ++i) {
    mlir::Operation* def = values[i].getDefiningOp();
    const bool is_in_block = def && def->getBlock() == value.getParentBlock();
    if (def && IsSplatConstant(def)) continue;
    if (ElementCountOf(values[i]) < count || (is_in_block && IsBroadcast(def))) {
      // Few elements, which stay in the cache.
      sources.instructions += BroadcastInstructions(values[i]);
    } else if (is_in_block && IsElementwise(def) && IsCheap(def) &&
               def->getNumResults() == 1) {
      sources.instructions += InstructionsOf(def);
      for (mlir::Value operand : def->getOperands()) values.insert(operand);
    } else if (is_in_block && llvm::isa<stablehlo::ReshapeOp>(def)) {
      values.insert(def->getOperand(0));
    } else {
      sources.arrays.insert(values[i]);
    }
    if (sources.instructions > kMaxInstructions || sources.arrays.size() > kMaxArrays)
      return std::nullopt;
  }
  auto is_computed = [&](mlir::Operation* user) {
    return llvm::any_of(user->getResults(),
                        [&](mlir::Value result) { return values.contains(result); });
  };
  for (mlir::Value array : sources.arrays) {
    mlir::Operation* def = array.getDefiningOp();
    if (def && (IsPointOp(def) || HeroKind(def)) &&
        llvm::all_of(array.getUsers(), is_computed))
      sources.stored_bytes += ElementBytesOf(array);
  }
  return sources;
}

llvm::SmallSetVector<mlir::Value, 8> Recomputation::ArraysOf(
    const Cluster& cluster, mlir::Operation* without) const {
  llvm::SmallSetVector<mlir::Value, 8> arrays;
  llvm::SmallPtrSet<mlir::Value, 16> seen;
  for (mlir::Operation* member : cluster.members) {
    for (mlir::Value operand : member->getOperands()) {
      mlir::Operation* def = operand.getDefiningOp();
      if ((def && (def == without || clusters_.Of(def) == &cluster)) ||
          !llvm::isa<mlir::RankedTensorType>(operand.getType()) ||
          !seen.insert(operand).second)
        continue;
      if (seen.size() > kMaxOperands) return arrays;
      if (auto sources = SourcesOf(operand))
        arrays.insert(sources->arrays.begin(), sources->arrays.end());
      else
        arrays.insert(operand);
    }
  }
  return arrays;
}

bool Recomputation::Pays(mlir::Operation* op, llvm::ArrayRef<Cluster*> users) const {
  mlir::Value value = op->getResult(0);
  const int64_t bytes = ElementBytesOf(value);
  if (ElementCountOf(value) * bytes < kMinBytes) return false;
  auto sources = SourcesOf(value);
  if (!sources || llvm::any_of(sources->arrays, IsUpdated)) return false;
  // A stored line is also read before. Per element, in bytes:
  int64_t saved = 2 * (bytes - sources->stored_bytes);
  for (Cluster* user : users) {
    saved += bytes;
    auto arrays = ArraysOf(*user, op);
    for (mlir::Value array : sources->arrays)
      if (!arrays.contains(array)) saved -= ElementBytesOf(array);
  }
  // The cost model has the instructions that take as long as storing an f32 and loading
  // it.
  constexpr int64_t kBytesOfStoreAndLoad = 12;
  const CostModel& cost = target_.cost;
  const int64_t instructions = ElementCountOf(value) * bytes <= target_.l2_bytes
                                   ? cost.cached_element_instructions
                                   : cost.uncached_element_instructions;
  const auto again = static_cast<int64_t>(users.size()) - 1;
  return again * sources->instructions * kBytesOfStoreAndLoad < saved * instructions;
}

}  // namespace tenon::compiler
