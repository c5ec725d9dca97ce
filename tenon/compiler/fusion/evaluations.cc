#include "tenon/compiler/fusion/evaluations.h"

#include "tenon/compiler/analysis/point_ops.h"
#include "tenon/compiler/fusion/op_roles.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/stablehlo/window_attributes.h"
#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::compiler {
namespace {

// Limit of evaluations in one kernel, so that its code fits the instruction cache.
constexpr size_t kMaxEvaluations = 384;

// Data movement costs nothing itself, but each evaluated point is a load.
constexpr int64_t kMaxPointsOfMove = 16;

// Whether evaluating `op` takes instructions of its own, unlike data movement.
bool Computes(mlir::Operation* op) {
  return !llvm::isa<stablehlo::IotaOp, stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp,
                    stablehlo::TransposeOp, stablehlo::SliceOp, stablehlo::ReverseOp,
                    stablehlo::PadOp, stablehlo::ConcatenateOp, stablehlo::ConstantOp>(
      op);
}

}  // namespace

bool MovesRows(mlir::Operation* op) {
  auto transpose = llvm::dyn_cast<stablehlo::TransposeOp>(op);
  return transpose && transpose.getPermutation().back() !=
                          static_cast<int64_t>(transpose.getPermutation().size()) - 1;
}

DemandPoints Evaluations::Start(Cluster* cluster) {
  bool splits_rows = cluster->kind == ir::FusionKind::kLoop;
  return demands_.try_emplace(cluster, cluster->shape, splits_rows).first->second.Root();
}

void Evaluations::Record(mlir::Operation* op, Cluster* cluster, DemandPoints points) {
  if (Computes(op)) cluster->evaluations += points.points().size();
  points_[op] = std::move(points);
}

DemandPoints Evaluations::PointsOf(mlir::Operation* op, Cluster* cluster,
                                   bool is_result) const {
  const Demand& demand = demands_.at(cluster);
  DemandPoints result;
  if (is_result) result = demand.Root();
  for (mlir::OpOperand& use : op->getUses()) {
    mlir::Operation* user = use.getOwner();
    if (clusters_.Of(user) != cluster) continue;
    const DemandPoints& of_user = points_.at(user);
    if (of_user.saturated()) return of_user;
    bool by_hero = user == cluster->hero && cluster->kind != ir::FusionKind::kLoop;
    DemandPoints points = by_hero
                              ? Demand::OfHeroOperand(user, use.getOperandNumber())
                              : demand.OfOperand(user, use.getOperandNumber(), of_user);
    if (points.saturated()) return points;
    for (const DemandPoint& point : points.points()) result.Insert(point);
  }
  return result;
}

// Estimates the instructions of `op` and of the producers that would join its cluster.
// Stops counting once there are enough to decide.
int64_t Evaluations::InstructionsOf(mlir::Operation* op) const {
  constexpr int64_t kCostly = 8, kMaxCounted = 32;
  llvm::SmallVector<mlir::Operation*> work{op};
  llvm::SmallPtrSet<mlir::Operation*, 16> seen{op};
  int64_t total = 0;
  while (!work.empty() && total < kMaxCounted) {
    mlir::Operation* current = work.pop_back_val();
    if (Computes(current)) total += IsCheap(current) ? 1 : kCostly;
    for (mlir::Value operand : current->getOperands()) {
      mlir::Operation* def = operand.getDefiningOp();
      if (!def || def->getBlock() != op->getBlock() || IsScalarOp(def) ||
          IsBroadcast(def))
        continue;
      if (!IsPointOp(def) || HeroKind(def) || clusters_.Of(def)) continue;
      if (seen.insert(def).second) work.push_back(def);
    }
  }
  return total;
}

bool Evaluations::AreTooMany(mlir::Operation* op, Cluster* cluster,
                             const DemandPoints& points) const {
  if (points.saturated()) return true;
  int64_t count = points.MaxPerIteration();
  if (count <= 1) return false;
  if (!Computes(op)) return count > kMaxPointsOfMove;
  if (cluster->evaluations + points.points().size() > kMaxEvaluations) return true;
  int64_t bytes = 0;
  if (auto type = TypeOf(op->getResult(0)); type.getElementType().isIntOrFloat())
    bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8;
  const CostModel& cost = target_.cost;
  return (count - 1) * InstructionsOf(op) > (bytes <= target_.l2_bytes
                                                 ? cost.cached_element_instructions
                                                 : cost.uncached_element_instructions);
}

bool Evaluations::SplitRows(mlir::Operation* op, Cluster* cluster,
                            const DemandPoints& points) const {
  if (!llvm::isa<stablehlo::ConcatenateOp, stablehlo::PadOp>(op)) return true;
  const Demand& demand = demands_.at(cluster);
  if (!demand.splits_rows()) return true;
  llvm::SmallVector<int64_t> starts(cluster->row_starts);
  for (unsigned number = 0; number < op->getNumOperands(); ++number)
    if (!IsRankZero(op->getOperand(number).getType()))
      AddRowStarts(demand.OfOperand(op, number, points), demand.row_length(), starts);
  return SplitRowsAt(std::move(starts), demand.row_length(), cluster);
}

void Evaluations::SplitWindowRows(stablehlo::ReduceWindowOp window, Cluster* cluster,
                                  const DemandPoints& points) const {
  constexpr int64_t kMaskedBits = 32, kLongRow = 256;
  // An item of a device has a point of its own, and branches instead of masks.
  const Demand& demand = demands_.at(cluster);
  if (target_.device || !demand.splits_rows()) return;
  const size_t row = ShapeOf(window.getInputs()[0]).size() - 1;
  const bool is_strided = stablehlo::EntryOr1(window.getWindowStrides(), row) > 1;
  int64_t bits = kMaskedBits;
  bool is_narrow = false;
  for (mlir::Value input : window.getInputs()) {
    mlir::Type type = TypeOf(input).getElementType();
    if (!type.isIntOrFloat()) continue;
    is_narrow |= type.getIntOrFloatBitWidth() < kMaskedBits;
    bits = std::max<int64_t>(bits, type.getIntOrFloatBitWidth());
  }
  if (!is_strided && !is_narrow && demand.row_length() < kLongRow) return;
  // The parts begin at whole registers of the row.
  const int64_t lanes = std::max<int64_t>(1, target_.vector_bits / bits);
  llvm::SmallVector<int64_t> starts(cluster->row_starts);
  starts.push_back(0);
  for (const DemandPoint& point : demand.WithWholeWindows(window, points).points()) {
    const int64_t first = llvm::alignTo(point.first, lanes);
    const int64_t end = point.last + 1 == demand.row_length()
                            ? point.last + 1
                            : (point.last + 1) / lanes * lanes;
    if (end - first < 2 * lanes) return;
    starts.push_back(first);
    if (end < demand.row_length()) starts.push_back(end);
  }
  llvm::sort(starts);
  starts.erase(llvm::unique(starts), starts.end());
  SplitRowsAt(std::move(starts), demand.row_length(), cluster);
}

bool Evaluations::SplitRowsAt(llvm::SmallVector<int64_t> starts, int64_t row_length,
                              Cluster* cluster) {
  if (starts.size() <= 1) return true;
  if (starts.size() > kMaxRowParts || cluster->has_column_reduce || cluster->moves_rows)
    return false;
  // A part takes a register of every op, however short it is.
  constexpr size_t kMaxCostlyParts = 2;
  constexpr int64_t kMinCostlyRow = 256;
  if (starts.size() > kMaxCostlyParts && row_length < kMinCostlyRow &&
      llvm::any_of(
          cluster->members,
          [](mlir::Operation* member) {
            return IsElementwise(member) && !IsCheap(member);
          }))
    return false;
  cluster->row_starts = std::move(starts);
  return true;
}

}  // namespace tenon::compiler
