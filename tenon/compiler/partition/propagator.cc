#include "tenon/compiler/partition/propagator.h"

#include <numeric>
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler::partition {
namespace {

using mlir::Operation;
using mlir::Value;

bool IsScalar(Value value) {
  auto type = llvm::dyn_cast<mlir::ShapedType>(value.getType());
  return type && type.hasRank() && type.getRank() == 0;
}

bool SplitsSomething(const std::optional<Sharding>& sharding) {
  return sharding && llvm::any_of(sharding->dims, [](const DimSharding& dim) {
           return !dim.axes.empty();
         });
}

bool IsOffload(Operation* op) {
  auto call = llvm::dyn_cast<stablehlo::CustomCallOp>(op);
  return call && (call.getCallTargetName() == "MoveToHost" ||
                  call.getCallTargetName() == "MoveToDevice");
}

Direction EarlyDirection(Operation* op) {
  if (IsElementwiseForSharding(op) || IsOffload(op) ||
      llvm::isa<stablehlo::ReshapeOp, stablehlo::TransposeOp, sdy::DataFlowEdgeOp>(op)) {
    return Direction::kBoth;
  }
  if (llvm::isa<stablehlo::DynamicSliceOp, stablehlo::DynamicUpdateSliceOp>(op)) {
    return Direction::kForward;
  }
  return Direction::kNone;
}

Direction DirectionOf(sdy::PropagationDirection direction) {
  switch (direction) {
    case sdy::PropagationDirection::NONE:
      return Direction::kNone;
    case sdy::PropagationDirection::FORWARD:
      return Direction::kForward;
    case sdy::PropagationDirection::BACKWARD:
      return Direction::kBackward;
    case sdy::PropagationDirection::BOTH:
      return Direction::kBoth;
  }
  return Direction::kNone;
}

}  // namespace

Propagator::Propagator(mlir::ModuleOp module, ShardingTable& table, ShardingGroups groups)
    : module_(module), table_(table), groups_(std::move(groups)) {}

void Propagator::AddTensors(Node& node, mlir::ValueRange values) {
  for (Value value : values) {
    Place place = table_.PlaceOf(value);
    node.tensors.push_back(place);
    if (place < 0) continue;
    sdy::DataFlowEdgeOp edge = EdgeOf(value);
    value_at_[place] = edge ? edge.getResult() : value;
  }
}

Status Propagator::AddNode(Operation* op) {
  Node node;
  node.op = op;
  if (auto edge = llvm::dyn_cast<sdy::DataFlowEdgeOp>(op)) {
    node.is_edge = true;
    llvm::SmallVector<Value, 2> sources = SourcesOf(edge);
    node.rule = IdentityRule(edge.getType(), static_cast<int64_t>(sources.size()), 1);
    AddTensors(node, sources);
    AddTensors(node, edge.getResult());
  } else if (auto barrier = llvm::dyn_cast<sdy::PropagationBarrierOp>(op)) {
    node.fixed_direction = DirectionOf(barrier.getAllowedDirection());
    node.rule = IdentityRule(barrier.getType(), 1, 1);
  } else {
    TENON_ASSIGN_OR_RETURN(std::optional<Rule> rule, RuleOf(op));
    if (rule) node.rule = *std::move(rule);
  }
  if (!node.is_edge && !node.rule.factors.empty()) {
    AddTensors(node, op->getOperands());
    AddTensors(node, op->getResults());
  }
  node.is_elementwise = IsElementwiseForSharding(op);
  node.is_broadcast = llvm::isa<stablehlo::BroadcastInDimOp>(op);
  node.early = EarlyDirection(op);
  node_of_[op] = static_cast<NodeIndex>(nodes_.size());
  nodes_.push_back(std::move(node));
  return OkStatus();
}

Status Propagator::Prepare() {
  Status status;
  module_.walk<mlir::WalkOrder::PreOrder>([&](Operation* op) {
    status = AddNode(op);
    return status.ok() ? mlir::WalkResult::advance() : mlir::WalkResult::interrupt();
  });
  TENON_RETURN_IF_ERROR(status);
  is_listed_.resize(nodes_.size());
  for (auto [number, members] : llvm::enumerate(groups_.members)) {
    for (Value member : members) {
      Place place = table_.PlaceOf(member);
      if (place < 0) continue;
      group_at_[place] = static_cast<int32_t>(number);
      value_at_[place] = member;
    }
  }
  return OkStatus();
}

void Propagator::Run() {
  for (auto phase : {PropagationPhase::kSingleUse, PropagationPhase::kPassThrough,
                     PropagationPhase::kPassFactors, PropagationPhase::kAllFactors,
                     PropagationPhase::kEverything}) {
    RunPhase(phase);
  }
}

void Propagator::RunPhase(PropagationPhase phase) {
  phase_ = phase;
  PropagateFunctionResults();
  // The last of the list is taken first.
  for (auto index = static_cast<NodeIndex>(nodes_.size()) - 1; index >= 0; --index) {
    if (!nodes_[index].op) continue;
    worklist_.push_back(index);
    is_listed_[index] = true;
  }
  while (!worklist_.empty()) {
    NodeIndex index = worklist_.back();
    worklist_.pop_back();
    is_listed_[index] = false;
    if (nodes_[index].op && !EraseIfDead(index)) Step(index);
  }
  PropagateFunctionResults();
}

bool Propagator::EraseIfDead(NodeIndex index) {
  Operation* op = nodes_[index].op;
  if (!op->use_empty() || !mlir::isOpTriviallyDead(op)) return false;
  // An op that has few uses left may be dead now, or have a single use.
  for (Value operand : op->getOperands()) {
    Operation* source = operand.getDefiningOp();
    if (!source) continue;
    llvm::SmallPtrSet<Operation*, 4> others;
    for (Operation* user : operand.getUsers()) {
      if (user != op) others.insert(user);
      if (others.size() > 1) break;
    }
    if (others.size() <= 1) Push(source, index);
  }
  op->walk([&](Operation* inner) {
    if (auto it = node_of_.find(inner); it != node_of_.end()) {
      nodes_[it->second].op = nullptr;
      node_of_.erase(it);
    }
  });
  op->erase();
  return true;
}

Direction Propagator::DirectionAt(const Node& node, int32_t factor,
                                  PropagationPhase phase, bool single_uses) const {
  if (node.fixed_direction) return *node.fixed_direction;
  Direction direction = Direction::kNone;
  if (single_uses || phase >= PropagationPhase::kPassThrough) direction = node.early;
  Direction late = node.is_broadcast ? Direction::kBackward : Direction::kBoth;
  bool passes = node.rule.factors[factor].kind == FactorKind::kPassThrough;
  if (phase >= PropagationPhase::kPassFactors && (passes || node.is_edge)) {
    direction = direction | late;
  }
  if (phase >= PropagationPhase::kAllFactors) direction = direction | late;
  if (phase >= PropagationPhase::kEverything) direction = Direction::kBoth;
  return direction;
}

std::optional<int32_t> Propagator::CommonMesh(
    llvm::ArrayRef<std::optional<Sharding>> shardings) {
  const MeshTable& meshes = table_.meshes();
  int32_t mesh = -1;
  for (const std::optional<Sharding>& sharding : shardings) {
    if (!sharding) continue;
    if (mesh < 0 || meshes[mesh].IsEmpty()) {
      mesh = sharding->mesh;
    } else if (sharding->mesh != mesh && !meshes[sharding->mesh].IsEmpty()) {
      return std::nullopt;
    }
  }
  if (mesh < 0 || meshes[mesh].IsMaximal()) return std::nullopt;
  return mesh;
}

void Propagator::Step(NodeIndex index) {
  const Node& node = nodes_[index];
  auto edge = llvm::dyn_cast<sdy::DataFlowEdgeOp>(node.op);
  if (!edge && llvm::none_of(node.tensors, [&](Place place) {
        return place >= 0 && SplitsSomething(table_[place]);
      })) {
    return;
  }
  llvm::SmallVector<std::optional<Sharding>, 4> shardings;
  for (auto [i, place] : llvm::enumerate(node.tensors)) {
    auto& sharding = shardings.emplace_back();
    if (place < 0 || !table_[place]) continue;
    bool is_owner = edge && i + 1 == node.tensors.size();
    sharding = is_owner ? table_.ForSources(edge, *table_[place]) : *table_[place];
  }
  std::optional<int32_t> mesh = CommonMesh(shardings);
  if (!mesh) return;
  OpShardings op;
  op.num_operands = node.rule.operands.size();
  auto mapping = [&](size_t i) -> const Mapping& {
    return i < op.num_operands ? node.rule.operands[i]
                               : node.rule.results[i - op.num_operands];
  };
  for (size_t i = 0; i < shardings.size(); ++i) {
    op.tensors.push_back(ProjectToFactors(mapping(i), node.rule.factors,
                                          shardings[i] ? &*shardings[i] : nullptr));
  }
  bool single_uses = llvm::all_of(node.op->getOperands(), [](Value operand) {
    return operand.hasOneUse() || IsScalar(operand);
  });
  auto changed = PropagateFactors(
      op, node.rule.factors,
      [&](int32_t factor) { return DirectionAt(node, factor, phase_, single_uses); },
      node.is_elementwise);
  for (size_t i = 0; i < changed.size(); ++i) {
    if (!changed[i] || node.tensors[i] < 0) continue;
    bool is_owner = edge && i + 1 == changed.size();
    Update(node.tensors[i], op.tensors[i], mapping(i), node.rule.factors, shardings[i],
           *mesh, is_owner ? edge : nullptr, index);
  }
}

bool Propagator::Update(Place place, const TensorFactors& tensor, const Mapping& mapping,
                        llvm::ArrayRef<Factor> factors,
                        const std::optional<Sharding>& old, int32_t mesh,
                        sdy::DataFlowEdgeOp edge, NodeIndex source) {
  Sharding sharding =
      ProjectToDims(tensor, mapping, factors, old ? &*old : nullptr, mesh);
  if (old ? sharding == *old : sharding.HasNoAxes()) return false;
  table_.Set(place, edge ? table_.FromSources(edge, sharding) : sharding);
  auto value = value_at_.find(place);
  if (value == value_at_.end()) return true;  // a result of the function
  Notify(value->second, source);
  auto group = group_at_.find(place);
  if (group == group_at_.end()) return true;
  for (Value member : groups_.members[group->second]) {
    Place other = table_.PlaceOf(member);
    if (other < 0 || other == place) continue;
    table_.Set(other, sharding);
    Notify(member, source);
  }
  return true;
}

void Propagator::Notify(Value value, NodeIndex source) {
  if (auto edge = value.getDefiningOp<sdy::DataFlowEdgeOp>()) {
    for (Value target : OtherTargetsOf(edge)) NotifyUsers(target, source);
  }
  if (Operation* op = value.getDefiningOp()) Push(op, source);
  NotifyUsers(value, source);
}

void Propagator::NotifyUsers(Value value, NodeIndex source) {
  for (mlir::OpOperand& use : value.getUses()) {
    if (auto edge = EdgeOf(use)) {
      Push(edge, source);
    } else if (!use.getOwner()->hasTrait<mlir::OpTrait::IsTerminator>()) {
      Push(use.getOwner(), source);
    }
  }
}

// The op that is the source of a change has nothing more to propagate.
void Propagator::Push(Operation* op, NodeIndex source) {
  auto it = node_of_.find(op);
  if (it == node_of_.end() || it->second == source || source < 0 ||
      is_listed_[it->second]) {
    return;
  }
  is_listed_[it->second] = true;
  worklist_.push_back(it->second);
}

void Propagator::PropagateFunctionResults() {
  mlir::func::FuncOp main = MainFunction(module_);
  for (auto [number, value] :
       llvm::enumerate(main.getBody().front().getTerminator()->getOperands())) {
    Place operand = table_.PlaceOf(value), result = table_.PlaceOfResult(number);
    if (operand < 0 || result < 0) continue;
    std::optional<Sharding> shardings[] = {table_[operand], table_[result]};
    if (!SplitsSomething(shardings[0]) && !SplitsSomething(shardings[1])) continue;
    std::optional<int32_t> mesh = CommonMesh(shardings);
    if (!mesh) continue;
    Rule rule = IdentityRule(llvm::cast<mlir::ShapedType>(value.getType()), 1, 1);
    OpShardings op;
    op.num_operands = 1;
    for (const auto& sharding : shardings) {
      op.tensors.push_back(ProjectToFactors(rule.operands[0], rule.factors,
                                            sharding ? &*sharding : nullptr));
    }
    auto changed = PropagateFactors(
        op, rule.factors, [](int32_t) { return Direction::kBoth; },
        /*is_elementwise=*/false);
    for (int i = 0; i < 2; ++i) {
      if (!changed[i]) continue;
      Update(i == 0 ? operand : result, op.tensors[i], rule.operands[0], rule.factors,
             shardings[i], *mesh, nullptr, /*source=*/-1);
    }
  }
}

}  // namespace tenon::compiler::partition
