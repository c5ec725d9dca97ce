// Loops and branches: what they carry stays in one place while they run.
#include "tenon/compiler/buffer_assignment/block_builder.h"
#include "tenon/compiler/codegen/emitter/point_emitter.h"

namespace tenon::compiler {

using codegen::UnsupportedOp;

Status BlockBuilder::BuildYield(llvm::ArrayRef<mlir::Value> values,
                                llvm::ArrayRef<std::optional<Buffer>> targets,
                                llvm::SmallVector<mlir::Value>& scalars) {
  // Arrays that lie where another one has to go leave first.
  struct Move {
    Buffer from, to;
  };
  llvm::SmallVector<Move> moves;
  for (auto [value, target] : llvm::zip_equal(values, targets)) {
    if (!target) {
      TENON_ASSIGN_OR_RETURN(mlir::Value scalar, places_.ScalarOf(value));
      scalars.push_back(scalar);
      continue;
    }
    if (mlir::Value scalar = places_.FindScalar(value)) {
      std::optional<Buffer> held = places_.FindBuffer(value);
      if (!held || held->root != target->root)
        moves.push_back({{scalar, Storage::kConstant, nullptr}, *target});
      continue;
    }
    TENON_ASSIGN_OR_RETURN(Buffer from, places_.BufferOf(value));
    if (from.root == target->root) continue;
    moves.push_back({from, *target});
  }
  for (Move& move : moves) {
    bool overwritten = llvm::any_of(moves, [&](const Move& other) {
      return move.from.root && other.to.root == move.from.root;
    });
    if (!overwritten) continue;
    auto type = llvm::cast<mlir::MemRefType>(move.from.view.getType());
    mlir::Value saved = ir::ArenaViewOp::create(
        b_, b_.getUnknownLoc(),
        mlir::MemRefType::get(type.getShape(), type.getElementType()), 0);
    ir::CopyOp::create(b_, b_.getUnknownLoc(), move.from.view, saved);
    move.from = {saved, Storage::kArena, saved};
  }
  for (Move& move : moves) {
    if (llvm::isa<mlir::RankedTensorType>(move.from.view.getType()))
      ir::WriteOp::create(b_, b_.getUnknownLoc(), move.from.view, move.to.view);
    else
      ir::CopyOp::create(b_, b_.getUnknownLoc(), move.from.view,
                         places_.View(move.to, move.from.view.getType()));
  }
  return OkStatus();
}

Status BlockBuilder::BuildWhile(stablehlo::WhileOp op) {
  int64_t position = places_.uses().PositionOf(op);
  llvm::SmallVector<std::optional<Buffer>> carried;
  llvm::SmallVector<mlir::Value> inits;
  for (auto [init, result] : llvm::zip_equal(op.getOperand(), op.getResults())) {
    if (!IsTensor(init)) return UnsupportedOp(*op, "a loop can carry tensors only");
    if (IsRankZero(init)) {
      TENON_ASSIGN_OR_RETURN(mlir::Value scalar, places_.ScalarOf(init));
      inits.push_back(scalar);
      carried.push_back(std::nullopt);
      continue;
    }
    TENON_ASSIGN_OR_RETURN(Buffer from, places_.BufferOf(init));
    bool repeated = llvm::count(op.getOperand(), init) > 1 ||
                    llvm::any_of(carried, [&](const std::optional<Buffer>& other) {
                      return other && other->root == from.root;
                    });
    // Uses inside of the loop see the init's storage change under them.
    bool used_inside = llvm::any_of(init.getUsers(), [&](mlir::Operation* user) {
      return op->isProperAncestor(user);
    });
    if (!repeated && !used_inside && places_.MayWriteOver(init, from, position)) {
      carried.push_back(from);
      continue;
    }
    Buffer to = places_.Destination(result, position);
    ir::CopyOp::create(b_, op.getLoc(), from.view, to.view);
    carried.push_back(to);
  }
  llvm::SmallVector<mlir::Type> types;
  for (mlir::Value init : inits) types.push_back(init.getType());
  auto loop = ir::WhileOp::create(b_, op.getLoc(), types, inits);
  double outer_factor = loop_factor_;
  loop_factor_ *= 16;  // a guess: the trip count is not looked for
  auto build_region = [&](mlir::Region& from, mlir::Region& to, bool is_body) -> Status {
    mlir::OpBuilder::InsertionGuard guard(b_);
    mlir::Block* block = b_.createBlock(&to);
    for (auto [argument, buffer] : llvm::zip_equal(from.getArguments(), carried)) {
      if (buffer)
        places_.SetBuffer(argument, *buffer);
      else
        places_.SetScalar(argument, block->addArgument(argument.getType(), op.getLoc()));
    }
    mlir::Operation* terminator = from.front().getTerminator();
    if (is_body) {
      for (auto [value, buffer] : llvm::zip_equal(terminator->getOperands(), carried))
        if (buffer) places_.Hint(value, *buffer);
    }
    TENON_RETURN_IF_ERROR(BuildBlock(from.front()));
    llvm::SmallVector<mlir::Value> scalars;
    if (is_body) {
      TENON_RETURN_IF_ERROR(BuildYield(
          llvm::SmallVector<mlir::Value>(terminator->getOperands()), carried, scalars));
    } else {
      TENON_ASSIGN_OR_RETURN(mlir::Value condition,
                             places_.ScalarOf(terminator->getOperand(0)));
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
      places_.SetBuffer(result, *buffer);
    } else {
      places_.SetScalar(result, scalars.front());
      scalars = scalars.drop_front();
    }
  }
}

Status BlockBuilder::BuildBranches(mlir::Operation& op, mlir::Value index,
                                   llvm::MutableArrayRef<mlir::Region> branches) {
  int64_t position = places_.uses().PositionOf(&op);
  llvm::SmallVector<std::optional<Buffer>> targets;
  llvm::SmallVector<mlir::Type> types;
  for (mlir::Value result : op.getResults()) {
    if (!IsTensor(result)) return UnsupportedOp(op, "branches can give tensors only");
    if (IsRankZero(result)) {
      types.push_back(result.getType());
      targets.push_back(std::nullopt);
    } else {
      targets.push_back(places_.Destination(result, position));
    }
  }
  auto choice = ir::CaseOp::create(b_, op.getLoc(), types, index, branches.size());
  for (auto [number, branch] : llvm::enumerate(branches)) {
    mlir::OpBuilder::InsertionGuard guard(b_);
    b_.createBlock(&choice.getBranches()[number]);
    mlir::Operation* terminator = branch.front().getTerminator();
    for (auto [value, target] : llvm::zip_equal(terminator->getOperands(), targets))
      if (target) places_.Hint(value, *target);
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
