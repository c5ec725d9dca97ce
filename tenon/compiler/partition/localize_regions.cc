// The local forms of loops, branches, manual computations and moves.
#include <utility>

#include "tenon/compiler/partition/localizer.h"
#include "tenon/compiler/partition/redistribute.h"
#include "tenon/compiler/partition/rule_builder.h"

namespace tenon::compiler::partition {

Status Localizer::RunRegion(mlir::Region& from, mlir::Region& to,
                            llvm::ArrayRef<Sharding> arguments,
                            llvm::ArrayRef<Sharding> results, mlir::OpBuilder& b) {
  mlir::Block& block = from.front();
  mlir::OpBuilder::InsertionGuard guard(b);
  mlir::Block* local = b.createBlock(&to);
  for (auto [argument, sharding] : llvm::zip_equal(block.getArguments(), arguments)) {
    Define(argument,
           local->addArgument(LocalType(argument.getType(), sharding), argument.getLoc()),
           sharding);
  }
  TENON_RETURN_IF_ERROR(RunBlock(block, b));
  mlir::Operation* terminator = block.getTerminator();
  TENON_ASSIGN_OR_RETURN(
      Values values, GetAll(terminator->getOperands(), results, b, terminator->getLoc(),
                            ShortName(from.getParentOp()) + " returns value"));
  stablehlo::ReturnOp::create(b, terminator->getLoc(), values);
  return OkStatus();
}

Status Localizer::RunLoop(stablehlo::WhileOp op, mlir::OpBuilder& b) {
  const std::vector<Sharding> state = WantedForAll(op->getResults());
  TENON_ASSIGN_OR_RETURN(Values operands,
                         GetAll(op->getOperands(), state, b, op.getLoc(), OperandOf(op)));
  mlir::OperationState loop(op.getLoc(), op->getName());
  loop.addOperands(operands);
  for (mlir::Value operand : operands) loop.addTypes(operand.getType());
  loop.addRegion();
  loop.addRegion();
  mlir::Operation* local = b.create(loop);
  const Sharding scalar = Sharding::Replicated(0, 0, /*open=*/false);
  TENON_RETURN_IF_ERROR(RunRegion(op.getCond(), local->getRegion(0), state, {scalar}, b));
  TENON_RETURN_IF_ERROR(RunRegion(op.getBody(), local->getRegion(1), state, state, b));
  for (auto [global, value, sharding] :
       llvm::zip_equal(op->getResults(), local->getResults(), state)) {
    Define(global, value, sharding);
  }
  return OkStatus();
}

Status Localizer::RunBranches(mlir::Operation* op, mlir::OpBuilder& b) {
  const std::vector<Sharding> results = WantedForAll(op->getResults());
  const Sharding scalar = Sharding::Replicated(0, 0, /*open=*/false);
  TENON_ASSIGN_OR_RETURN(mlir::Value index,
                         Get(op->getOperand(0), scalar, b, op->getLoc()));
  mlir::OperationState branches(op->getLoc(), op->getName());
  branches.addOperands(index);
  for (auto [type, sharding] : llvm::zip_equal(op->getResultTypes(), results)) {
    branches.addTypes(LocalType(type, sharding));
  }
  for (unsigned i = 0; i < op->getNumRegions(); ++i) branches.addRegion();
  mlir::Operation* local = b.create(branches);
  for (auto [from, to] : llvm::zip_equal(op->getRegions(), local->getRegions())) {
    TENON_RETURN_IF_ERROR(RunRegion(from, to, {}, results, b));
  }
  for (auto [global, value, sharding] :
       llvm::zip_equal(op->getResults(), local->getResults(), results)) {
    Define(global, value, sharding);
  }
  return OkStatus();
}

Status Localizer::RunReshard(mlir::Operation* op, mlir::OpBuilder& b) {
  mlir::Value global = op->getOperand(0), result = op->getResult(0);
  const Sharding wanted = shardings_.Find(result) ? WantedFor(result) : CurrentOf(global);
  const mlir::Location location =
      code_.Explain(op->getLoc(), [&] { return ShortName(op) + " asks for it"; });
  TENON_ASSIGN_OR_RETURN(mlir::Value local, Get(global, wanted, b, location));
  Define(result, local, wanted);
  return OkStatus();
}

Status Localizer::RunBarrier(mlir::Operation* op, mlir::OpBuilder& b) {
  std::vector<Sharding> shardings;
  for (auto [operand, result] : llvm::zip_equal(op->getOperands(), op->getResults())) {
    shardings.push_back(shardings_.Find(result) ? WantedFor(result) : CurrentOf(operand));
  }
  TENON_ASSIGN_OR_RETURN(Values operands, GetAll(op->getOperands(), shardings, b,
                                                 op->getLoc(), OperandOf(op)));
  TENON_ASSIGN_OR_RETURN(mlir::Operation * local,
                         Clone(op, operands, mlir::ValueRange(operands).getTypes(), b));
  for (auto [global, value, sharding] :
       llvm::zip_equal(op->getResults(), local->getResults(), shardings)) {
    Define(global, value, sharding);
  }
  return OkStatus();
}

Status Localizer::RunNamed(sdy::NamedComputationOp op, mlir::OpBuilder& b) {
  mlir::Block& body = op.getBody().front();
  for (auto [argument, operand] :
       llvm::zip_equal(body.getArguments(), op->getOperands())) {
    const Sharding current = CurrentOf(operand);
    TENON_ASSIGN_OR_RETURN(mlir::Value local, Get(operand, current, b, op.getLoc()));
    Define(argument, local, current);
  }
  TENON_RETURN_IF_ERROR(RunBlock(body, b));
  for (auto [result, value] :
       llvm::zip_equal(op->getResults(), body.getTerminator()->getOperands())) {
    const Sharding sharding =
        shardings_.Find(result) ? WantedFor(result) : CurrentOf(value);
    TENON_ASSIGN_OR_RETURN(mlir::Value local, Get(value, sharding, b, op.getLoc()));
    Define(result, local, sharding);
  }
  return OkStatus();
}

Status Localizer::RunManual(sdy::ManualComputationOp op, mlir::OpBuilder& b) {
  const ManualShardings& manual = shardings_.manual.find(op)->second;
  mlir::Block& body = op.getBody().front();
  // Moves in the body would be between devices in the program's order.
  const bool is_fully_manual = SizeOf(manual.axes) == code_.mesh().num_devices();
  auto check_order = [&](int32_t order) {
    return order == 0 || is_fully_manual
               ? OkStatus()
               : Unimplemented(
                     "a computation that is manual along some axes of a mesh "
                     "whose devices are in another order");
  };
  for (auto [argument, operand, sharding] :
       llvm::zip_equal(body.getArguments(), op->getOperands(), manual.operands)) {
    Sharding outside = MakeDivisible(sharding, ShapeOf(operand));
    const int32_t order = std::exchange(outside.mesh, 0);
    const Sharding inside = WithoutAxes(outside, manual.axes);
    if (LocalType(operand.getType(), outside) != LocalType(argument.getType(), inside)) {
      return InvalidArgument("the body's argument " +
                             std::to_string(argument.getArgNumber()) +
                             " does not have the shape of its operand's part");
    }
    TENON_RETURN_IF_ERROR(check_order(order));
    const mlir::Location location = code_.Explain(op.getLoc(), [&] {
      return OperandOf(op) + " " + std::to_string(argument.getArgNumber());
    });
    TENON_ASSIGN_OR_RETURN(mlir::Value local, Get(operand, outside, b, location));
    Define(argument, ChangeOrder(local, 0, order, b, location), inside);
  }
  const bool was_manual = std::exchange(is_manual_, true);
  const Axes outer_axes = manual_axes_;
  manual_axes_.append(manual.axes);
  Status status = RunBlock(body, b);
  manual_axes_ = outer_axes;
  is_manual_ = was_manual;
  TENON_RETURN_IF_ERROR(status);
  for (auto [result, value, sharding] : llvm::zip_equal(
           op->getResults(), body.getTerminator()->getOperands(), manual.results)) {
    Sharding outside = MakeDivisible(sharding, ShapeOf(result));
    const int32_t order = std::exchange(outside.mesh, 0);
    TENON_RETURN_IF_ERROR(check_order(order));
    const Sharding inside = WithoutAxes(outside, manual.axes);
    if (LocalType(result.getType(), outside) != LocalType(value.getType(), inside)) {
      return InvalidArgument(
          "the body does not return parts of the shape of its results");
    }
    const mlir::Location location =
        code_.Explain(op.getLoc(), [&] { return "result of " + ShortName(op); });
    TENON_ASSIGN_OR_RETURN(mlir::Value local, Get(value, inside, b, location));
    Define(result, ChangeOrder(local, order, 0, b, location), outside);
  }
  return OkStatus();
}

Status Localizer::RunAction(stablehlo::CustomCallOp op, AxesRef free,
                            mlir::OpBuilder& b) {
  const mlir::Location location = op.getLoc();
  if (op.getCallTargetName().contains("partitioned")) {
    // Each device calls with its part.
    if (op->getNumResults() > 0) {
      return Unimplemented("results of calls with each device's part");
    }
    std::vector<Sharding> current;
    for (mlir::Value operand : op->getOperands()) current.push_back(CurrentOf(operand));
    TENON_ASSIGN_OR_RETURN(
        Values operands, GetAll(op->getOperands(), current, b, location, OperandOf(op)));
    return Clone(op, operands, {}, b).status();
  }
  Values operands;
  for (mlir::Value operand : op->getOperands()) {
    const auto rank = static_cast<int64_t>(ShapeOf(operand).size());
    TENON_ASSIGN_OR_RETURN(operands.emplace_back(),
                           Get(operand, Sharding::Replicated(0, rank, /*open=*/false), b,
                               code_.Explain(location, [&] {
                                 return "one device calls " +
                                        op.getCallTargetName().str() +
                                        " with whole operands";
                               })));
  }
  llvm::SmallVector<mlir::Attribute> zeros;
  for (mlir::Type type : op->getResultTypes()) {
    auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
    mlir::Attribute zero = tensor ? b.getZeroAttr(tensor.getElementType()) : nullptr;
    if (!zero) return Unimplemented("a call with side effects that returns this type");
    zeros.push_back(mlir::DenseElementsAttr::get(tensor, zero));
  }
  mlir::Value is_first =
      stablehlo::CompareOp::create(b, location, code_.ShardNumber(free),
                                   code_.Constant(0), stablehlo::ComparisonDirection::EQ);
  mlir::OperationState state(location, stablehlo::IfOp::getOperationName());
  state.addOperands(is_first);
  state.addTypes(op->getResultTypes());
  state.addRegion();
  state.addRegion();
  mlir::Operation* branches = b.create(state);
  {
    mlir::OpBuilder::InsertionGuard guard(b);
    b.createBlock(&branches->getRegion(0));
    TENON_ASSIGN_OR_RETURN(mlir::Operation * call,
                           Clone(op, operands, op->getResultTypes(), b));
    stablehlo::ReturnOp::create(b, location, call->getResults());
    b.createBlock(&branches->getRegion(1));
    Values others;
    for (mlir::Attribute zero : zeros) {
      others.push_back(stablehlo::ConstantOp::create(
          b, location, llvm::cast<mlir::ElementsAttr>(zero)));
    }
    stablehlo::ReturnOp::create(b, location, others);
  }
  if (op->getNumResults() == 0) return OkStatus();
  mlir::OperationState broadcast(code_.Explain(location,
                                               [&] {
                                                 return "one device calls " +
                                                        op.getCallTargetName().str() +
                                                        ", all use its results";
                                               }),
                                 stablehlo::CollectiveBroadcastOp::getOperationName());
  broadcast.addOperands(branches->getResults());
  broadcast.addTypes(op->getResultTypes());
  broadcast.addAttribute("replica_groups", code_.PartitionGroups(free));
  broadcast.addAttribute("channel_handle", stablehlo::ChannelHandleAttr::get(
                                               b.getContext(), /*handle=*/1, /*type=*/1));
  mlir::Operation* received = b.create(broadcast);
  for (auto [global, local] : llvm::zip_equal(op->getResults(), received->getResults())) {
    const auto rank = static_cast<int64_t>(ShapeOf(global).size());
    const Sharding whole = Sharding::Replicated(0, rank, /*open=*/false);
    if (shardings_.Find(global)) delayed_[global] = WantedFor(global);
    Define(global, local, whole);
  }
  return OkStatus();
}

}  // namespace tenon::compiler::partition
