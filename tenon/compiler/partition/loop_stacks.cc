#include "tenon/compiler/partition/loop_stacks.h"

#include "tenon/compiler/partition/box.h"
#include "tenon/compiler/partition/rule_builder.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler::partition {
namespace {

// Element `number` of the state of a loop, and the dimension along which it is a stack.
struct Stack {
  stablehlo::WhileOp loop;
  unsigned number;
  int64_t dim;
};

// The only dimension in which a slice is one element of a larger stack; -1 if it takes a
// part of another dimension, too.
int64_t StackDim(llvm::ArrayRef<int64_t> stack, llvm::ArrayRef<int64_t> slice) {
  int64_t found = -1;
  for (auto [dim, sizes] : llvm::enumerate(llvm::zip_equal(stack, slice))) {
    auto [whole, part] = sizes;
    if (whole == part) continue;
    if (found >= 0 || part != 1) return -1;
    found = static_cast<int64_t>(dim);
  }
  return found;
}

// Whether `inner` has the dimensions of a slice but for the one of the stack.
bool IsWithoutDim(mlir::Value inner, mlir::Value slice, int64_t dim) {
  llvm::SmallVector<int64_t> shape(ShapeOf(slice));
  shape.erase(shape.begin() + dim);
  return llvm::equal(shape, ShapeOf(inner));
}

// The value that `slice` is, without the dimension of the stack.
mlir::Value SliceSource(mlir::Value slice, int64_t dim) {
  mlir::Operation* op = slice.getDefiningOp();
  if (!llvm::isa_and_nonnull<stablehlo::ReshapeOp, stablehlo::BroadcastInDimOp>(op) ||
      !IsWithoutDim(op->getOperand(0), slice, dim)) {
    return nullptr;
  }
  if (auto broadcast = llvm::dyn_cast<stablehlo::BroadcastInDimOp>(op)) {
    int64_t expected = 0;
    for (int64_t target : broadcast.getBroadcastDimensions()) {
      if (expected == dim) ++expected;
      if (target != expected++) return nullptr;
    }
  }
  return op->getOperand(0);
}

// The one op that writes a slice to the stack; null if the loop also reads it.
stablehlo::DynamicUpdateSliceOp WriteOf(stablehlo::WhileOp loop, unsigned number) {
  mlir::Block& body = loop.getBody().front();
  auto write = body.getTerminator()
                   ->getOperand(number)
                   .getDefiningOp<stablehlo::DynamicUpdateSliceOp>();
  mlir::Value argument = body.getArgument(number);
  if (!write || write.getOperand() != argument || !argument.hasOneUse() ||
      !write.getResult().hasOneUse() ||
      !loop.getCond().front().getArgument(number).use_empty()) {
    return nullptr;
  }
  return write;
}

// Whether the loop only reads slices of the stack.
bool OnlyReads(const Stack& stack) {
  stablehlo::WhileOp loop = stack.loop;
  mlir::Block& body = loop.getBody().front();
  mlir::Value argument = body.getArgument(stack.number);
  if (body.getTerminator()->getOperand(stack.number) != argument ||
      !loop.getCond().front().getArgument(stack.number).use_empty() ||
      !loop->getResult(stack.number).use_empty()) {
    return false;
  }
  return llvm::all_of(argument.getUses(), [&](mlir::OpOperand& use) {
    if (use.getOwner() == body.getTerminator()) return true;
    auto read = llvm::dyn_cast<stablehlo::DynamicSliceOp>(use.getOwner());
    return read && StackDim(ShapeOf(argument), ShapeOf(read.getResult())) == stack.dim;
  });
}

// `slice` with a dimension that is not split.
Sharding WithDim(const Sharding& slice, int64_t dim) {
  Sharding stack = slice;
  stack.dims.insert(stack.dims.begin() + dim, DimSharding());
  return stack;
}

void SetState(const Stack& stack, const Sharding& sharding, ProgramShardings& shardings) {
  stablehlo::WhileOp loop = stack.loop;
  shardings.values[loop->getResult(stack.number)] = sharding;
  for (mlir::Region& region : loop->getRegions()) {
    mlir::Value argument = region.front().getArgument(stack.number);
    if (shardings.values.contains(argument)) shardings.values[argument] = sharding;
  }
}

void KeepStack(stablehlo::WhileOp loop, unsigned number, ProgramShardings& shardings) {
  stablehlo::DynamicUpdateSliceOp write = WriteOf(loop, number);
  if (!write) return;
  const int64_t dim = StackDim(ShapeOf(write.getOperand()), ShapeOf(write.getUpdate()));
  mlir::Value source = dim >= 0 ? SliceSource(write.getUpdate(), dim) : mlir::Value();
  const Sharding* computed = source ? shardings.Find(source) : nullptr;
  mlir::Value result = loop->getResult(number);
  const Sharding* given = shardings.Find(result);
  if (!computed || !given || computed->maximal >= 0 || !computed->unreduced.empty() ||
      !given->unreduced.empty()) {
    return;
  }
  const Sharding slice = *computed, kept = WithDim(slice, dim);
  if (SamePlacement(kept, *given) || !given->dims[dim].axes.empty() ||
      !IsDivisible(kept, ShapeOf(result)) || !result.hasOneUse()) {
    return;
  }
  mlir::OpOperand& use = *result.use_begin();
  Stack reader{llvm::dyn_cast<stablehlo::WhileOp>(use.getOwner()), use.getOperandNumber(),
               dim};
  if (!reader.loop || !OnlyReads(reader)) return;
  SetState({loop, number, dim}, kept, shardings);
  shardings.values[write.getResult()] = kept;
  shardings.values[write.getUpdate()] = kept;
  SetState(reader, kept, shardings);
  for (mlir::Operation* read :
       reader.loop.getBody().front().getArgument(reader.number).getUsers()) {
    if (!llvm::isa<stablehlo::DynamicSliceOp>(read)) continue;
    shardings.values[read->getResult(0)] = kept;
    for (mlir::Operation* user : read->getUsers()) {
      if (llvm::isa<stablehlo::ReshapeOp>(user) &&
          IsWithoutDim(user->getResult(0), read->getResult(0), dim)) {
        shardings.values[user->getResult(0)] = slice;
      }
    }
  }
}

}  // namespace

void KeepStacksAsWritten(mlir::func::FuncOp function, ProgramShardings& shardings) {
  function.walk([&](stablehlo::WhileOp loop) {
    for (unsigned number = 0; number < loop->getNumResults(); ++number) {
      KeepStack(loop, number, shardings);
    }
  });
}

}  // namespace tenon::compiler::partition
