// Loops and branches. The arrays that they carry stay in one buffer while they run.
#include <limits>

#include "tenon/compiler/buffer_assignment/block_builder.h"
#include "tenon/compiler/diagnostics_to_status.h"
#include "tenon/dialects/stablehlo/loop_counter.h"

namespace tenon::compiler {

namespace {

// Infinite if the trip count is not known.
double TripCountOf(stablehlo::WhileOp loop) {
  if (auto count = loop->getAttrOfType<mlir::IntegerAttr>(ir::kTripCountAttr))
    return static_cast<double>(count.getInt());
  if (auto counter = stablehlo::CounterOf(loop))
    return static_cast<double>(counter->trip_count);
  return std::numeric_limits<double>::infinity();
}

}  // namespace

Status BlockBuilder::BuildYield(llvm::ArrayRef<mlir::Value> values,
                                llvm::ArrayRef<std::optional<Buffer>> targets,
                                llvm::SmallVector<mlir::Value>& scalars) {
  llvm::SmallVector<Move> moves, writes;
  for (auto [value, target] : llvm::zip_equal(values, targets)) {
    if (!target) {
      TENON_ASSIGN_OR_RETURN(mlir::Value scalar, value_buffers_.ScalarOf(value));
      scalars.push_back(scalar);
      continue;
    }
    if (mlir::Value scalar = value_buffers_.FindScalar(value)) {
      std::optional<Buffer> held = value_buffers_.FindBuffer(value);
      if (!held || held->root != target->root)
        writes.push_back({{scalar, Storage::kConstant, nullptr}, *target});
      continue;
    }
    TENON_ASSIGN_OR_RETURN(Buffer from, value_buffers_.BufferOf(value));
    if (from.root == target->root) continue;
    moves.push_back({from, *target});
  }
  BuildMoves(moves);
  for (Move& write : writes)
    ir::WriteOp::create(b_, b_.getUnknownLoc(), write.from.view, write.to.view);
  return OkStatus();
}

void BlockBuilder::BuildMoves(llvm::MutableArrayRef<Move> moves) {
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Move*, 2>> leaving;  // by root
  llvm::DenseMap<mlir::Value, Move*> arriving;                       // by root
  for (Move& move : moves) {
    leaving[move.from.root].push_back(&move);
    arriving[move.to.root] = &move;
  }
  auto copy = [&](const Buffer& from, const Buffer& to) {
    BuildCopy(b_.getUnknownLoc(), from.view,
              value_buffers_.View(to, from.view.getType()));
  };
  // A buffer is overwritten only after all moves from it are done.
  llvm::SmallVector<Move*> ready;
  auto leave = [&](mlir::Value root) {
    auto next = arriving.find(root);
    if (next != arriving.end()) ready.push_back(next->second);
  };
  auto finish = [&] {
    while (!ready.empty()) {
      Move& move = *ready.pop_back_val();
      copy(move.from, move.to);
      arriving.erase(move.to.root);
      auto& others = leaving[move.from.root];
      llvm::erase(others, &move);
      if (others.empty()) leave(move.from.root);
    }
  };
  for (Move& move : moves)
    if (leaving.lookup(move.to.root).empty()) ready.push_back(&move);
  finish();
  // The remaining moves form cycles. Saving one array of each to a new slot breaks them.
  for (Move& move : moves) {
    auto left = arriving.find(move.to.root);
    if (left == arriving.end() || left->second != &move) continue;
    mlir::Value root = move.from.root;
    auto type = llvm::cast<mlir::MemRefType>(move.from.view.getType());
    mlir::Value view = ir::ArenaViewOp::create(
        b_, b_.getUnknownLoc(),
        mlir::MemRefType::get(type.getShape(), type.getElementType()), 0,
        mlir::IntegerAttr());
    Buffer saved{view, Storage::kArena, view};
    copy(move.from, saved);
    for (Move* other : leaving[root])
      other->from = {value_buffers_.View(saved, other->from.view.getType()),
                     Storage::kArena, view};
    llvm::SmallVector<Move*, 2> others = std::move(leaving[root]);
    leaving.erase(root);
    leaving[view] = std::move(others);
    leave(root);
    finish();
  }
}

Status BlockBuilder::BuildWhile(stablehlo::WhileOp op) {
  llvm::SmallVector<std::optional<Buffer>> carried;
  llvm::SmallVector<mlir::Value> inits;
  for (auto [init, result] : llvm::zip_equal(op.getOperand(), op.getResults())) {
    if (!IsTensor(init)) return UnsupportedOp(*op, "a loop can only carry tensors");
    if (IsRankZero(init) && hosts_.Contains(result)) {
      TENON_ASSIGN_OR_RETURN(mlir::Value scalar, value_buffers_.ScalarOf(init));
      inits.push_back(scalar);
      carried.push_back(std::nullopt);
      continue;
    }
    TENON_ASSIGN_OR_RETURN(Buffer from, value_buffers_.BufferOf(init));
    bool repeated = value_buffers_.CountIn(op.getOperand(), from) > 1;
    // Ops inside the loop that read the initial value must not see its storage change.
    if (!repeated && !value_buffers_.IsReadInside(from, op) &&
        value_buffers_.MayWriteOver(from, op)) {
      carried.push_back(from);
      continue;
    }
    Buffer to = value_buffers_.Destination(result, op);
    BuildCopy(op.getLoc(), from.view, to.view);
    carried.push_back(to);
  }
  llvm::SmallVector<mlir::Type> types;
  for (mlir::Value init : inits) types.push_back(init.getType());
  auto loop = ir::WhileOp::create(b_, op.getLoc(), types, inits);
  double outer_factor = loop_factor_;
  loop_factor_ *= TripCountOf(op);
  AddCost(cost_.iteration_ns);
  auto build_region = [&](mlir::Region& from, mlir::Region& to, bool is_body) -> Status {
    mlir::OpBuilder::InsertionGuard guard(b_);
    mlir::Block* block = b_.createBlock(&to);
    for (auto [argument, buffer] : llvm::zip_equal(from.getArguments(), carried)) {
      if (buffer)
        value_buffers_.SetBuffer(argument, *buffer);
      else
        value_buffers_.SetScalar(argument,
                                 block->addArgument(argument.getType(), op.getLoc()));
    }
    mlir::Operation* terminator = from.front().getTerminator();
    if (is_body) {
      for (auto [value, buffer] : llvm::zip_equal(terminator->getOperands(), carried))
        if (buffer) value_buffers_.Hint(value, *buffer);
    }
    TENON_RETURN_IF_ERROR(BuildBlock(from.front()));
    llvm::SmallVector<mlir::Value> scalars;
    if (is_body) {
      TENON_RETURN_IF_ERROR(BuildYield(
          llvm::SmallVector<mlir::Value>(terminator->getOperands()), carried, scalars));
    } else {
      TENON_ASSIGN_OR_RETURN(mlir::Value condition,
                             value_buffers_.ScalarOf(terminator->getOperand(0)));
      scalars.push_back(condition);
    }
    ir::YieldOp::create(b_, op.getLoc(), scalars);
    return OkStatus();
  };
  TENON_RETURN_IF_ERROR(build_region(op.getCond(), loop.getCondition(), false));
  TENON_RETURN_IF_ERROR(build_region(op.getBody(), loop.getBody(), true));
  loop_factor_ = outer_factor;
  SetResults(op.getResults(), carried, loop.getResults());
  return OkStatus();
}

void BlockBuilder::SetResults(mlir::ResultRange results,
                              llvm::ArrayRef<std::optional<Buffer>> buffers,
                              mlir::ValueRange scalars) {
  for (auto [result, buffer] : llvm::zip_equal(results, buffers)) {
    if (buffer) {
      value_buffers_.SetBuffer(result, *buffer);
    } else {
      value_buffers_.SetScalar(result, scalars.front());
      scalars = scalars.drop_front();
    }
  }
}

Status BlockBuilder::BuildBranches(mlir::Operation& op, mlir::Value index,
                                   llvm::MutableArrayRef<mlir::Region> branches) {
  llvm::SmallVector<std::optional<Buffer>> targets;
  llvm::SmallVector<mlir::Type> types;
  for (mlir::OpResult result : op.getResults()) {
    if (!IsTensor(result)) return UnsupportedOp(op, "branches can only return tensors");
    if (IsRankZero(result) && hosts_.Contains(result)) {
      types.push_back(result.getType());
      targets.push_back(std::nullopt);
    } else {
      targets.push_back(value_buffers_.BranchDestination(result, targets));
    }
  }
  auto choice = ir::CaseOp::create(b_, op.getLoc(), types, index, branches.size());
  for (auto [number, branch] : llvm::enumerate(branches)) {
    mlir::OpBuilder::InsertionGuard guard(b_);
    b_.createBlock(&choice.getBranches()[number]);
    mlir::Operation* terminator = branch.front().getTerminator();
    for (auto [value, target] : llvm::zip_equal(terminator->getOperands(), targets))
      if (target) value_buffers_.Hint(value, *target);
    TENON_RETURN_IF_ERROR(BuildBlock(branch.front()));
    llvm::SmallVector<mlir::Value> scalars;
    TENON_RETURN_IF_ERROR(BuildYield(
        llvm::SmallVector<mlir::Value>(terminator->getOperands()), targets, scalars));
    ir::YieldOp::create(b_, op.getLoc(), scalars);
  }
  SetResults(op.getResults(), targets, choice.getResults());
  return OkStatus();
}

}  // namespace tenon::compiler
