#include "tenon/compiler/partition/localizer.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "tenon/compiler/diagnostics_to_status.h"
#include "tenon/compiler/partition/localize_indices.h"
#include "tenon/compiler/partition/localize_selections.h"
#include "tenon/compiler/partition/localize_windows.h"
#include "tenon/compiler/partition/redistribute.h"
#include "tenon/compiler/partition/rule_builder.h"
#include "tenon/dialects/stablehlo/process_groups.h"

namespace tenon::compiler::partition {
namespace {

Sharding WholeOf(mlir::Value value) {
  return Sharding::Replicated(0, static_cast<int64_t>(ShapeOf(value).size()),
                              /*open=*/false);
}

// Shardings are for the partitioner alone. Those in computations of scalars say nothing.
void DropShardings(mlir::Operation* op) {
  op->walk([](mlir::Operation* inner) {
    inner->removeDiscardableAttr("sdy.sharding");
    inner->removeDiscardableAttr(kShardingRuleAttr);
    if (llvm::isa<sdy::ShardingConstraintOp, sdy::ReshardOp>(inner)) {
      inner->getResult(0).replaceAllUsesWith(inner->getOperand(0));
      inner->erase();
    }
  });
}

// Whether the call may act on something outside of the program. Devices that compute the
// same would act several times.
bool Acts(stablehlo::CustomCallOp call) {
  return call.getHasSideEffect() || call.getCallTargetName().contains("callback");
}

// The elements of a constant or of a broadcast of one, if all are equal; else null.
mlir::DenseElementsAttr SplatOf(mlir::Value value) {
  if (auto broadcast = value.getDefiningOp<stablehlo::BroadcastInDimOp>()) {
    value = broadcast.getOperand();
  }
  auto constant = value.getDefiningOp<stablehlo::ConstantOp>();
  auto dense = constant ? llvm::dyn_cast<mlir::DenseElementsAttr>(constant.getValue())
                        : mlir::DenseElementsAttr();
  return dense && dense.isSplat() ? dense : mlir::DenseElementsAttr();
}

// Whether all elements are zero, so that partial sums of the value are the value.
bool IsZero(mlir::Value value) {
  auto constant = value.getDefiningOp<stablehlo::ConstantOp>();
  auto dense = constant ? llvm::dyn_cast<mlir::DenseElementsAttr>(constant.getValue())
                        : mlir::DenseElementsAttr();
  return dense && (mlir::matchPattern(constant.getResult(), mlir::m_Zero()) ||
                   mlir::matchPattern(constant.getResult(), mlir::m_AnyZeroFloat()));
}

}  // namespace

std::string ShortName(mlir::Operation* op) { return op->getName().stripDialect().str(); }

std::string OperandOf(mlir::Operation* op) { return ShortName(op) + " reads operand"; }

void Localizer::Define(mlir::Value global, mlir::Value local, const Sharding& sharding) {
  parts_[global].push_back({sharding, local});
}

bool Localizer::IsRecomputed(mlir::Value global) const {
  mlir::Operation* op = global.getDefiningOp();
  return op && (llvm::isa<stablehlo::IotaOp>(op) || SplatOf(global));
}

mlir::Value Localizer::Recompute(mlir::Value global, const Sharding& sharding,
                                 mlir::OpBuilder& b) {
  mlir::Operation* op = global.getDefiningOp();
  auto type = llvm::cast<mlir::RankedTensorType>(LocalType(global.getType(), sharding));
  if (mlir::DenseElementsAttr splat = SplatOf(global)) {
    return stablehlo::ConstantOp::create(b, op->getLoc(), splat.resizeSplat(type));
  }
  auto iota = llvm::cast<stablehlo::IotaOp>(op);
  const auto dim = static_cast<int64_t>(iota.getIotaDimension());
  mlir::Value local =
      stablehlo::IotaOp::create(b, op->getLoc(), type, iota.getIotaDimension());
  const Axes& axes = sharding.dims[dim].axes;
  if (axes.empty()) return local;
  mlir::Value offset = code_.ShardOffset(axes, type.getDimSize(dim));
  auto scalar = mlir::RankedTensorType::get({}, type.getElementType());
  offset = stablehlo::ConvertOp::create(b, op->getLoc(), scalar, offset);
  offset = stablehlo::BroadcastInDimOp::create(b, op->getLoc(), type, offset,
                                               b.getDenseI64ArrayAttr({}));
  return stablehlo::AddOp::create(b, op->getLoc(), local, offset);
}

StatusOr<mlir::Value> Localizer::Get(mlir::Value global, const Sharding& wanted,
                                     mlir::OpBuilder& b, mlir::Location location) {
  llvm::SmallVector<Part, 1>& parts = parts_[global];
  Part* source = nullptr;
  for (Part& part : parts) {
    // Parts that were computed in another region cannot be used here.
    if (!part.local.getParentRegion()->isAncestor(b.getInsertionBlock()->getParent())) {
      continue;
    }
    if (SamePlacement(part.sharding, wanted)) return part.local;
    if (!source || part.sharding.IsReplicated()) source = &part;
  }
  mlir::Value local;
  if (IsRecomputed(global) && (wanted.unreduced.empty() || IsZero(global))) {
    local = Recompute(global, wanted, b);
  } else if (source) {
    mlir::OpBuilder::InsertionGuard guard(b);
    LeaveLoops(b, source->local.getParentRegion());
    location = code_.Explain(location, [&] {
      return ToString(source->sharding, code_.mesh()) + " to " +
             ToString(wanted, code_.mesh());
    });
    TENON_ASSIGN_OR_RETURN(local, Move(source->local, source->sharding, wanted,
                                       ShapeOf(global), {}, b, location));
  } else if (IsRecomputed(global)) {
    const Sharding whole = WholeOf(global);
    TENON_ASSIGN_OR_RETURN(local,
                           Redistribute(b, location, Recompute(global, whole, b),
                                        {whole, wanted, ShapeOf(global), {}}, code_));
  } else {
    return Internal("a value is used before it is partitioned");
  }
  Define(global, local, wanted);
  return local;
}

StatusOr<Localizer::Values> Localizer::GetAll(mlir::ValueRange globals,
                                              llvm::ArrayRef<Sharding> shardings,
                                              mlir::OpBuilder& b, mlir::Location location,
                                              llvm::StringRef user) {
  Values locals;
  for (auto [global, sharding] : llvm::zip_equal(globals, shardings)) {
    const mlir::Location explained = code_.Explain(
        location, [&] { return user.str() + " " + std::to_string(locals.size()); });
    TENON_ASSIGN_OR_RETURN(mlir::Value local, Get(global, sharding, b, explained));
    locals.push_back(local);
  }
  return locals;
}

Sharding Localizer::WantedFor(mlir::Value global) const {
  const Sharding* wanted = shardings_.Find(global);
  return wanted ? MakeDivisible(*wanted, ShapeOf(global)) : WholeOf(global);
}

std::vector<Sharding> Localizer::WantedForAll(mlir::ValueRange globals) const {
  std::vector<Sharding> wanted;
  for (mlir::Value global : globals) wanted.push_back(WantedFor(global));
  return wanted;
}

Sharding Localizer::CurrentOf(mlir::Value global) const {
  auto found = parts_.find(global);
  if (found == parts_.end() || found->second.empty() || IsRecomputed(global)) {
    return WholeOf(global);
  }
  if (auto wanted = delayed_.find(global); wanted != delayed_.end()) {
    return wanted->second;
  }
  return found->second.front().sharding;
}

StatusOr<mlir::Operation*> Localizer::Clone(mlir::Operation* op,
                                            mlir::ValueRange operands,
                                            mlir::TypeRange types, mlir::OpBuilder& b) {
  mlir::IRMapping mapping;
  llvm::SetVector<mlir::Value> captured;
  mlir::getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (mlir::Value value : captured) {
    TENON_ASSIGN_OR_RETURN(mlir::Value local,
                           Get(value, WholeOf(value), b, op->getLoc()));
    mapping.map(value, local);
  }
  mlir::Operation* clone = op->clone(mapping);
  b.insert(clone);
  clone->setOperands(operands);
  for (auto [result, type] : llvm::zip_equal(clone->getResults(), types)) {
    result.setType(type);
  }
  DropShardings(clone);
  return clone;
}

Status Localizer::DefineResult(mlir::OpResult global, const PartialResult& partial,
                               const Sharding& produced, mlir::OpBuilder& b) {
  const mlir::Location location = code_.Explain(global.getLoc(), [&] {
    return "each device along " + ToString(produced.unreduced, code_.mesh()) +
           " has a part of the result of " + ShortName(global.getOwner());
  });
  Sharding complete = produced;
  complete.unreduced.clear();
  const Sharding wanted = shardings_.Find(global) ? WantedFor(global) : complete;
  const llvm::ArrayRef<int64_t> shape = ShapeOf(global);
  if (!llvm::isa<mlir::RankedTensorType>(global.getType())) {
    Define(global, partial.local, wanted);
    return OkStatus();
  }
  mlir::Value local = partial.local;
  if (produced.unreduced.empty() && wanted.unreduced.empty()) {
    if (!SamePlacement(produced, wanted)) delayed_[global] = wanted;
    Define(global, local, produced);
    return OkStatus();
  }
  const bool is_sum = partial.combiner.empty() || partial.combiner == "stablehlo.add";
  const bool stays_partial =
      !wanted.unreduced.empty() && is_sum && wanted.reduction == sdy::ReductionOp::SUM;
  if (stays_partial && partial.only_rounds) {
    local = partial.finish(b, local);
    TENON_ASSIGN_OR_RETURN(
        local, Move(local, produced, wanted, shape, partial.combiner, b, location));
  } else if (wanted.unreduced.empty() || (stays_partial && !partial.finish)) {
    TENON_ASSIGN_OR_RETURN(
        local, Move(local, produced, wanted, shape, partial.combiner, b, location));
    if (partial.finish) local = partial.finish(b, local);
  } else {
    // The rest applies once, to the combined result.
    TENON_ASSIGN_OR_RETURN(
        local, Move(local, produced, complete, shape, partial.combiner, b, location));
    if (partial.finish) local = partial.finish(b, local);
    TENON_ASSIGN_OR_RETURN(local, Move(local, complete, wanted, shape, {}, b, location));
  }
  Define(global, local, wanted);
  return OkStatus();
}

Axes Localizer::FreeAxes() const {
  Axes all;
  for (size_t i = 0; i < code_.mesh().sizes.size(); ++i) {
    all.push_back(code_.mesh().WholeAxis(static_cast<int32_t>(i)));
  }
  Axes free;
  for (Axis axis : SplitAt(all, manual_axes_)) {
    if (!OverlapsAny(axis, manual_axes_)) AppendAxis(free, axis);
  }
  return free;
}

StatusOr<llvm::SmallVector<PartialResult>> Localizer::SetPartial(mlir::Operation* whole,
                                                                 mlir::Operation* part,
                                                                 const Decision& decision,
                                                                 mlir::OpBuilder& b) {
  if (auto gather = llvm::dyn_cast<stablehlo::GatherOp>(part)) {
    return llvm::SmallVector<PartialResult>{SetPartialGather(
        gather, llvm::cast<stablehlo::GatherOp>(whole), decision.operands, code_, b)};
  }
  if (auto slice = llvm::dyn_cast<stablehlo::DynamicSliceOp>(part)) {
    return llvm::SmallVector<PartialResult>{
        SetPartialSlice(slice, llvm::cast<stablehlo::DynamicSliceOp>(whole),
                        decision.operands[0], code_, b)};
  }
  if (auto scatter = llvm::dyn_cast<stablehlo::ScatterOp>(part)) {
    return SetPartialScatter(scatter, decision.results[0].unreduced, code_, b);
  }
  return SetPartialSums(part, b);
}

Status Localizer::RunByRule(mlir::Operation* op, mlir::OpBuilder& b) {
  TENON_ASSIGN_OR_RETURN(std::optional<Rule> rule, RuleOf(op));
  if (!rule) rule = BatchRule(op);
  auto slice = llvm::dyn_cast<stablehlo::DynamicSliceOp>(op);
  if (slice && rule && !rule->custom) AllowPartialSlices(slice, *rule);
  std::vector<Sharding> current;
  for (mlir::Value operand : op->getOperands()) current.push_back(CurrentOf(operand));
  std::vector<std::optional<Sharding>> wanted;
  for (mlir::Value result : op->getResults()) {
    wanted.emplace_back();
    if (shardings_.Find(result)) wanted.back() = WantedFor(result);
  }
  // Outside of manual computations a collective is one of whole tensors.
  const bool is_whole = !rule || (!is_manual_ && stablehlo::IsCollective(op));
  Decision decision = is_whole ? Replicated(op) : Decide(op, *rule, current, wanted);
  if (llvm::isa<stablehlo::SliceOp>(op) && NeedsExchange(op, decision)) {
    // The operand may have been produced with the dimension whole: a slice of a sort.
    for (const Part& part : parts_[op->getOperand(0)]) {
      Decision in_place = Decide(op, *rule, part.sharding, {std::nullopt});
      if (NeedsExchange(op, in_place)) continue;
      decision = std::move(in_place);
      break;
    }
  }
  const bool keeps_partial = !is_whole && KeepPartial(op, decision);
  if (auto concatenate = llvm::dyn_cast<stablehlo::ConcatenateOp>(op);
      concatenate && !decision.results[0].dims[concatenate.getDimension()].axes.empty()) {
    return RunJoin(concatenate, JoinOfOperands(concatenate, decision), b);
  }
  TENON_ASSIGN_OR_RETURN(Values operands, GetAll(op->getOperands(), decision.operands, b,
                                                 op->getLoc(), OperandOf(op)));
  if (auto update = llvm::dyn_cast<stablehlo::DynamicUpdateSliceOp>(op);
      update && UpdatesSplitDim(update, decision.operands[0])) {
    PartialResult result;
    result.local = UpdatePart(update, decision.operands[0], operands, code_, b);
    return DefineResult(op->getResult(0), result, decision.results[0], b);
  }
  const bool exchanges = NeedsExchange(op, decision);
  if (exchanges) ExchangeOperands(op, decision, code_, b, operands);
  llvm::SmallVector<mlir::Type> types;
  bool is_partial = false;
  for (auto [type, sharding] : llvm::zip_equal(op->getResultTypes(), decision.results)) {
    types.push_back(LocalType(type, sharding));
    is_partial |= !keeps_partial && !sharding.unreduced.empty();
  }
  TENON_ASSIGN_OR_RETURN(mlir::Operation * local, Clone(op, operands, types, b));
  if (exchanges) SetWindows(local, op, decision);
  SetLocalSizes(local);
  llvm::SmallVector<PartialResult> results(op->getNumResults());
  for (auto [result, value] : llvm::zip_equal(results, local->getResults())) {
    result.local = value;
  }
  if (auto scatter = llvm::dyn_cast<stablehlo::ScatterOp>(local)) {
    ShiftScatter(scatter, llvm::cast<stablehlo::ScatterOp>(op), decision.operands, code_,
                 b);
  }
  if (is_partial && IsSelection(op)) {
    return CombineSelections(llvm::cast<stablehlo::ReduceOp>(op), local, decision, b);
  }
  if (is_partial) {
    TENON_ASSIGN_OR_RETURN(results, SetPartial(op, local, decision, b));
  }
  for (auto [global, result, sharding] :
       llvm::zip_equal(op->getResults(), results, decision.results)) {
    TENON_RETURN_IF_ERROR(DefineResult(global, result, sharding, b));
  }
  return OkStatus();
}

Status Localizer::RunJoin(stablehlo::ConcatenateOp op, const Join& join,
                          mlir::OpBuilder& b) {
  llvm::SmallVector<mlir::Value> sources;
  for (const Joined& piece : join.pieces) sources.push_back(piece.source);
  TENON_ASSIGN_OR_RETURN(Values locals,
                         GetAll(sources, join.sources, b, op.getLoc(), OperandOf(op)));
  PartialResult result;
  result.local = JoinParts(join, locals, code_, b, op.getLoc());
  return DefineResult(op->getResult(0), result, join.result, b);
}

const Join* Localizer::JoinFor(stablehlo::ConcatenateOp op) {
  auto [known, is_new] = joins_.try_emplace(op);
  if (is_new && shardings_.Find(op.getResult())) {
    known->second = JoinOf(op, WantedFor(op.getResult()));
  }
  return known->second ? &*known->second : nullptr;
}

bool Localizer::IsReadByJoins(stablehlo::SliceOp op) {
  return llvm::all_of(op.getResult().getUsers(), [&](mlir::Operation* user) {
    auto concatenate = llvm::dyn_cast<stablehlo::ConcatenateOp>(user);
    const Join* join = concatenate ? JoinFor(concatenate) : nullptr;
    return join && llvm::none_of(join->pieces, [&](const Joined& piece) {
             return piece.source == op.getResult();
           });
  });
}

Status Localizer::RunOp(mlir::Operation* op, mlir::OpBuilder& b) {
  if (llvm::isa<sdy::ShardingConstraintOp, sdy::ReshardOp, sdy::PropagationBarrierOp>(
          op)) {
    return RunReshard(op, b);
  }
  if (llvm::isa<sdy::ShardingGroupOp>(op)) return OkStatus();
  if (auto manual = llvm::dyn_cast<sdy::ManualComputationOp>(op)) {
    return RunManual(manual, b);
  }
  if (auto loop = llvm::dyn_cast<stablehlo::WhileOp>(op)) return RunLoop(loop, b);
  if (llvm::isa<stablehlo::IfOp, stablehlo::CaseOp>(op)) return RunBranches(op, b);
  if (auto named = llvm::dyn_cast<sdy::NamedComputationOp>(op)) return RunNamed(named, b);
  if (llvm::isa<stablehlo::OptimizationBarrierOp>(op)) return RunBarrier(op, b);
  if (op->getNumResults() == 1 && IsRecomputed(op->getResult(0))) return OkStatus();
  if (auto slice = llvm::dyn_cast<stablehlo::SliceOp>(op);
      slice && IsReadByJoins(slice)) {
    return OkStatus();
  }
  if (auto concatenate = llvm::dyn_cast<stablehlo::ConcatenateOp>(op)) {
    if (const Join* join = JoinFor(concatenate)) return RunJoin(concatenate, *join, b);
  }
  if (auto top_k = llvm::dyn_cast<chlo::TopKOp>(op);
      top_k && SelectsFromParts(top_k, CurrentOf(top_k.getOperand()))) {
    return RunTopK(top_k, b);
  }
  if (llvm::isa<mlir::func::CallOp>(op)) {
    return Unimplemented("calls in programs over several devices");
  }
  auto call = llvm::dyn_cast<stablehlo::CustomCallOp>(op);
  if (call && call.getCallTargetName() == "InspectSharding") return Inspect(call);
  if (call && framework_.partitioner && !is_manual_ &&
      framework_.partitioner->Partitions(call.getCallTargetName())) {
    return RunPartitioned(call, b);
  }
  if (const Axes free = FreeAxes(); call && Acts(call) && SizeOf(free) > 1) {
    return RunAction(call, free, b);
  }
  if (call && Acts(call) && !is_manual_) {
    return Unimplemented("calls with side effects in a program without a mesh");
  }
  return RunByRule(op, b);
}

Status Localizer::RunBlock(mlir::Block& block, mlir::OpBuilder& b) {
  for (mlir::Operation& op : block.without_terminator()) {
    Status status = RunOp(&op, b);
    if (!status.ok()) {
      return status.WithPrefix("'" + op.getName().getStringRef().str() + "' op at " +
                               DescribeLocation(op.getLoc()));
    }
  }
  return OkStatus();
}

}  // namespace tenon::compiler::partition
