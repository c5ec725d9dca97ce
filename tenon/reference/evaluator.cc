#include "tenon/reference/evaluator.h"

#include <utility>

#include "mlir/IR/Matchers.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/reference/literal_from_attr.h"

namespace tenon::reference {
namespace {

bool IsControlFlow(mlir::Operation* op) {
  return llvm::isa<stablehlo::IfOp, stablehlo::CaseOp, stablehlo::WhileOp,
                   mlir::func::CallOp, stablehlo::CompositeOp, stablehlo::AsyncStartOp>(
      op);
}

}  // namespace

StatusOr<Evaluator::Frame> Evaluator::FunctionFrame(mlir::func::FuncOp function,
                                                    std::span<const Literal> arguments) {
  if (function.isExternal())
    return InvalidArgument("function '" + function.getName().str() + "' has no body");
  std::span<const Literal> leaves = arguments;
  for (mlir::Type type : function.getArgumentTypes()) {
    Status status = CheckLeaves(type, leaves);
    if (!status.ok())
      return status.WithPrefix("arguments of '" + function.getName().str() + "'");
  }
  if (!leaves.empty())
    return InvalidArgument("'" + function.getName().str() + "' takes " +
                           std::to_string(arguments.size() - leaves.size()) +
                           " arguments, not " + std::to_string(arguments.size()));
  Frame root;
  root.block = &function.getBody().front();
  root.own_environment = std::make_unique<Environment>();
  root.environment = root.own_environment.get();
  return root;
}

StatusOr<std::vector<Literal>> Evaluator::RunFunction(mlir::func::FuncOp function,
                                                      std::vector<Literal> arguments) {
  TENON_ASSIGN_OR_RETURN(Frame root, FunctionFrame(function, arguments));
  return Run(std::move(root), std::move(arguments));
}

Status Evaluator::Start(mlir::func::FuncOp function, std::vector<Literal> arguments) {
  TENON_ASSIGN_OR_RETURN(Frame root, FunctionFrame(function, arguments));
  stops_at_collectives_ = true;
  mlir::Block& block = *root.block;
  TENON_RETURN_IF_ERROR(Enter(stack_, std::move(root), block, std::move(arguments)));
  return Continue();
}

Status Evaluator::Resume(std::vector<Literal> results) {
  mlir::Operation* op = std::exchange(waits_in_, nullptr);
  std::span<const Literal> leaves = results;
  for (mlir::Type type : op->getResultTypes())
    if (Status fits = CheckLeaves(type, leaves); !fits.ok())
      return WithLocation(fits, op);
  Environment& environment = *stack_.back().environment;
  TENON_RETURN_IF_ERROR(Bind(op->getResults(), results, environment));
  Forget(op, environment);
  return Continue();
}

Status Evaluator::Continue() {
  while (!stack_.empty() && !waits_in_) TENON_RETURN_IF_ERROR(Step(stack_, values_));
  return OkStatus();
}

StatusOr<std::vector<Literal>> Evaluator::RunRegion(mlir::Region& region,
                                                    std::vector<Literal> arguments,
                                                    Environment& environment) {
  Frame root;
  root.block = &region.front();
  root.environment = &environment;
  return Run(std::move(root), std::move(arguments));
}

StatusOr<std::vector<Literal>> Evaluator::RunOp(mlir::Operation* op,
                                                std::vector<Literal> operands) {
  Environment environment;
  std::span<const Literal> leaves = operands;
  for (mlir::Type type : op->getOperandTypes())
    if (Status status = CheckLeaves(type, leaves); !status.ok())
      return WithLocation(status, op);
  std::vector<Literal> results;
  if (!IsControlFlow(op)) {
    TENON_RETURN_IF_ERROR(Dispatch(op, std::move(operands), results, environment));
    return results;
  }
  std::vector<Frame> stack;
  Status status = EnterControlFlow(stack, op, std::move(operands), environment);
  while (status.ok() && !stack.empty()) status = Step(stack, results);
  if (!status.ok()) return status;
  return results;
}

StatusOr<std::vector<Literal>> Evaluator::Run(Frame root,
                                              std::vector<Literal> arguments) {
  // The computations in regions of reductions, sorts and so on recurse on the native
  // stack.
  constexpr int kMaxNestedRuns = 64;
  if (nested_runs_ >= kMaxNestedRuns)
    return ResourceExhausted("computations nest deeper than " +
                             std::to_string(kMaxNestedRuns));
  ++nested_runs_;
  const int64_t outer_depth = depth_;
  std::vector<Frame> stack;
  std::vector<Literal> returned;
  mlir::Block& block = *root.block;
  Status status = Enter(stack, std::move(root), block, std::move(arguments));
  while (status.ok() && !stack.empty()) status = Step(stack, returned);
  depth_ = outer_depth;
  --nested_runs_;
  if (!status.ok()) return status;
  return returned;
}

Status Evaluator::Enter(std::vector<Frame>& stack, Frame frame, mlir::Block& block,
                        std::vector<Literal> arguments) {
  if (++depth_ > options_.max_depth)
    return ResourceExhausted("evaluation nests deeper than " +
                             std::to_string(options_.max_depth));
  Plan(block);
  frame.block = &block;
  frame.next = block.begin();
  TENON_RETURN_IF_ERROR(Bind(block.getArguments(), arguments, *frame.environment));
  stack.push_back(std::move(frame));
  return OkStatus();
}

Status Evaluator::Step(std::vector<Frame>& stack, std::vector<Literal>& returned) {
  Frame& frame = stack.back();
  mlir::Operation* op = &*frame.next++;
  if (++steps_ > options_.max_steps)
    return ResourceExhausted("evaluation takes more than " +
                             std::to_string(options_.max_steps) + " steps");
  std::vector<Literal> operands;
  Environment& environment = *frame.environment;
  if (Status status = TakeOperands(op, environment, operands); !status.ok())
    return WithLocation(status, op);

  if (op->hasTrait<mlir::OpTrait::IsTerminator>())
    return Return(stack, std::move(operands), returned);
  if (IsControlFlow(op)) {
    Status status = EnterControlFlow(stack, op, std::move(operands), environment);
    return status.ok() ? status : WithLocation(status, op);
  }
  if (stops_at_collectives_ && stablehlo::IsCollective(op)) {
    if (nested_runs_ > 0)
      return WithLocation(Unimplemented("a collective in the computation of another op"),
                          op);
    waits_in_ = op;
    values_ = std::move(operands);
    return OkStatus();
  }
  std::vector<Literal> results;
  TENON_RETURN_IF_ERROR(Dispatch(op, std::move(operands), results, environment));
  if (Status status = Bind(op->getResults(), results, environment); !status.ok())
    return WithLocation(status, op);
  Forget(op, environment);
  return OkStatus();
}

Status Evaluator::EnterControlFlow(std::vector<Frame>& stack, mlir::Operation* op,
                                   std::vector<Literal> operands,
                                   Environment& environment) {
  if (auto call = llvm::dyn_cast<mlir::func::CallOp>(op))
    return Call(stack, op, call.getCalleeAttr(), std::move(operands));
  if (auto composite = llvm::dyn_cast<stablehlo::CompositeOp>(op))
    return Call(stack, op, composite.getDecompositionAttr(), std::move(operands));
  Frame frame;
  frame.owner = op;
  if (auto start = llvm::dyn_cast<stablehlo::AsyncStartOp>(op)) {
    // Runs to its end at once; async_done forwards the results.
    frame.role = Role::kCall;
    frame.own_environment = std::make_unique<Environment>();
    frame.environment = frame.own_environment.get();
    return Enter(stack, std::move(frame), start.getBody().front(), std::move(operands));
  }
  frame.environment = &environment;
  if (auto loop = llvm::dyn_cast<stablehlo::WhileOp>(op)) {
    frame.role = Role::kWhileCondition;
    frame.state = operands;
    return Enter(stack, std::move(frame), loop.getCond().front(), std::move(operands));
  }
  frame.role = Role::kBranch;
  if (operands.empty() || operands[0].count() != 1)
    return InvalidArgument("the index of the branch is not a scalar");
  const int64_t index = operands[0].ValueAsInt(0);
  if (auto if_op = llvm::dyn_cast<stablehlo::IfOp>(op)) {
    mlir::Region& region = index ? if_op.getTrueBranch() : if_op.getFalseBranch();
    return Enter(stack, std::move(frame), region.front(), {});
  }
  mlir::MutableArrayRef<mlir::Region> branches =
      llvm::cast<stablehlo::CaseOp>(op).getBranches();
  if (branches.empty()) return InvalidArgument("there are no branches");
  const int64_t last = static_cast<int64_t>(branches.size()) - 1;
  return Enter(stack, std::move(frame),
               branches[index < 0 || index > last ? last : index].front(), {});
}

Status Evaluator::Return(std::vector<Frame>& stack, std::vector<Literal> values,
                         std::vector<Literal>& returned) {
  Frame& frame = stack.back();
  if (frame.role == Role::kWhileCondition || frame.role == Role::kWhileBody) {
    auto loop = llvm::cast<stablehlo::WhileOp>(frame.owner);
    bool again = true;
    if (frame.role == Role::kWhileBody) {
      frame.role = Role::kWhileCondition;
      frame.block = &loop.getCond().front();
      frame.state = values;
    } else if (values.empty() || values[0].count() < 1) {
      return WithLocation(InvalidArgument("the loop's condition has no result"), loop);
    } else if ((again = values[0].ValueAsInt(0))) {
      frame.role = Role::kWhileBody;
      frame.block = &loop.getBody().front();
      values = std::move(frame.state);
    }
    if (again) {
      Plan(*frame.block);
      frame.next = frame.block->begin();
      return Bind(frame.block->getArguments(), values, *frame.environment);
    }
    values = std::move(frame.state);
  }
  mlir::Operation* owner = frame.owner;
  stack.pop_back();
  --depth_;
  if (stack.empty()) {
    returned = std::move(values);
    return OkStatus();
  }
  Environment& environment = *stack.back().environment;
  if (Status status = Bind(owner->getResults(), values, environment); !status.ok())
    return WithLocation(status, owner);
  Forget(owner, environment);
  return OkStatus();
}

Status Evaluator::Call(std::vector<Frame>& stack, mlir::Operation* op,
                       mlir::SymbolRefAttr callee, std::vector<Literal> operands) {
  auto function = symbols_.lookupNearestSymbolFrom<mlir::func::FuncOp>(op, callee);
  if (!function || function.isExternal())
    return InvalidArgument("callee '" + callee.getRootReference().str() +
                           "' is not a function with a body");
  Frame frame;
  frame.role = Role::kCall;
  frame.owner = op;
  frame.own_environment = std::make_unique<Environment>();
  frame.environment = frame.own_environment.get();
  return Enter(stack, std::move(frame), function.getBody().front(), std::move(operands));
}

Status Evaluator::TakeOperands(mlir::Operation* op, Environment& environment,
                               std::vector<Literal>& operands) {
  for (mlir::Value value : op->getOperands()) {
    if (auto found = environment.find(value); found != environment.end()) {
      operands.insert(operands.end(), found->second.begin(), found->second.end());
      continue;
    }
    mlir::ElementsAttr constant;
    if (!mlir::matchPattern(value, mlir::m_Constant(&constant)))
      return InvalidArgument("a captured value of type " + TypeText(value.getType()) +
                             " is not a constant");
    TENON_ASSIGN_OR_RETURN(Literal literal, LiteralFromAttr(constant));
    operands.push_back(std::move(literal));
  }
  // Removing the environment's reference lets the operation work in place.
  if (auto plan = plans_.find(op); plan != plans_.end())
    for (unsigned i : plan->second.moved_operands) environment.erase(op->getOperand(i));
  return OkStatus();
}

Status Evaluator::Bind(mlir::ValueRange values, std::vector<Literal>& leaves,
                       Environment& environment) {
  size_t next = 0;
  for (mlir::Value value : values) {
    const size_t count = LeafCount(value.getType());
    if (next + count > leaves.size())
      return InvalidArgument("a value of type " + TypeText(value.getType()) +
                             " is missing");
    if (!value.use_empty()) {
      Leaves& bound = environment[value];
      bound.assign(std::make_move_iterator(leaves.begin() + next),
                   std::make_move_iterator(leaves.begin() + next + count));
    }
    next += count;
  }
  leaves.clear();
  return OkStatus();
}

void Evaluator::Forget(mlir::Operation* op, Environment& environment) {
  if (auto plan = plans_.find(op); plan != plans_.end())
    for (mlir::Value value : plan->second.erased_after) environment.erase(value);
}

void Evaluator::Plan(mlir::Block& block) {
  if (!planned_.insert(&block).second) return;
  struct LastUse {
    mlir::Operation* op;
    bool inside_region;
  };
  llvm::DenseMap<mlir::Value, LastUse> last_uses;
  for (mlir::Operation& op : block) {
    for (mlir::Value value : op.getOperands())
      if (value.getParentBlock() == &block) last_uses[value] = {&op, false};
    if (op.getNumRegions() == 0) continue;
    op.walk([&](mlir::Operation* inner) {
      if (inner == &op) return;
      for (mlir::Value value : inner->getOperands())
        if (value.getParentBlock() == &block) last_uses[value] = {&op, true};
    });
  }
  for (auto& [value, use] : last_uses) {
    OpPlan& plan = plans_[use.op];
    if (use.inside_region) {
      plan.erased_after.push_back(value);
      continue;
    }
    for (unsigned i = 0; i < use.op->getNumOperands(); ++i)
      if (use.op->getOperand(i) == value) {
        plan.moved_operands.push_back(i);
        break;
      }
  }
}

}  // namespace tenon::reference
