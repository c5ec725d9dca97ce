#include "tenon/compiler/simplify/loops.h"

#include "llvm/ADT/BitVector.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/reference/same_bits.h"

namespace tenon::compiler {
namespace {

using mlir::Value;

mlir::Block& BodyOf(stablehlo::WhileOp loop) { return loop.getBody().front(); }

// Replaces `loop` by one that carries only values that change, and returns it.
stablehlo::WhileOp DropInvariantCarries(stablehlo::WhileOp loop) {
  mlir::Operation* next = BodyOf(loop).getTerminator();
  llvm::BitVector invariant(loop->getNumOperands());
  for (auto [number, value] : llvm::enumerate(next->getOperands()))
    if (value == BodyOf(loop).getArgument(number)) invariant.set(number);
  if (invariant.none() || invariant.all()) return loop;

  llvm::SmallVector<Value> inits;
  for (auto [number, init] : llvm::enumerate(loop.getOperand())) {
    if (!invariant[number]) {
      inits.push_back(init);
      continue;
    }
    for (mlir::Region* region : {&loop.getCond(), &loop.getBody()})
      region->getArgument(number).replaceAllUsesWith(init);
    loop.getResult(number).replaceAllUsesWith(init);
  }
  next->eraseOperands(invariant);
  for (mlir::Region* region : {&loop.getCond(), &loop.getBody()})
    region->front().eraseArguments(invariant);
  mlir::OpBuilder b(loop);
  auto smaller = stablehlo::WhileOp::create(b, loop.getLoc(),
                                            mlir::ValueRange(inits).getTypes(), inits);
  smaller->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  smaller.getCond().takeBody(loop.getCond());
  smaller.getBody().takeBody(loop.getBody());
  auto result = smaller->result_begin();
  for (Value old : loop.getResults())
    if (!invariant[llvm::cast<mlir::OpResult>(old).getResultNumber()])
      old.replaceAllUsesWith(*result++);
  loop.erase();
  return smaller;
}

// Ops that read their operands as arrays in memory, so that materializing a result pays.
bool ReadsOperandsFromMemory(mlir::Operation* op) {
  return llvm::isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp, stablehlo::FftOp,
                   stablehlo::SortOp>(op);
}

// Functions of constants that folding leaves to generated code. Hoisting computes them
// once instead of in every iteration. A splat constant is a single number, which a kernel
// computes before its loop anyway.
bool IsConstantFunction(mlir::Operation* op) {
  if (op->getNumRegions() > 0 || reference::HasExactResult(op)) return false;
  bool worth_memory = false;
  for (Value operand : op->getOperands()) {
    auto constant = operand.getDefiningOp<stablehlo::ConstantOp>();
    if (!constant) return false;
    auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(constant.getValue());
    worth_memory |= !dense || !dense.isSplat() || constant.getType().getRank() == 0;
  }
  return worth_memory;
}

// Whether `op` may not terminate, or may fail. Such an op must not run before a loop
// whose trip count may be zero.
bool IsUnsafeToSpeculate(mlir::Operation* op) {
  return op
      ->walk([](mlir::Operation* inner) {
        return llvm::isa<stablehlo::WhileOp, stablehlo::CustomCallOp>(inner)
                   ? mlir::WalkResult::interrupt()
                   : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

// The operands of `op` that are worth storing in memory if they are invariant:
// recomputing the elements that an iteration reads costs more than loading them.
llvm::SmallVector<Value> OperandsWorthMemory(mlir::Operation* op) {
  if (ReadsOperandsFromMemory(op)) return llvm::to_vector(op->getOperands());
  if (auto scatter = llvm::dyn_cast<stablehlo::ScatterOp>(op))
    return {scatter.getScatterIndices()};
  if (auto gather = llvm::dyn_cast<stablehlo::GatherOp>(op))
    return {gather.getStartIndices()};
  return {};
}

// Moves invariant ops that are worth storing in memory, and the invariant ops that they
// need, before `loop`.
void HoistInvariants(stablehlo::WhileOp loop) {
  llvm::SmallPtrSet<mlir::Operation*, 16> invariant, reads_memory, hoisted;
  auto is_invariant = [&](Value value) {
    mlir::Operation* def = value.getDefiningOp();
    return !loop.getBody().isAncestor(value.getParentRegion()) ||
           (def && invariant.contains(def));
  };
  // Indices computed from constants alone are cheaper to recompute than to load.
  auto is_from_memory = [&](Value value) {
    mlir::Operation* def = value.getDefiningOp();
    if (def && BodyOf(loop).findAncestorOpInBlock(*def))
      return reads_memory.contains(def);
    auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
    return type && type.getRank() > 0 &&
           !llvm::isa_and_nonnull<stablehlo::ConstantOp, stablehlo::IotaOp,
                                  stablehlo::BroadcastInDimOp>(def);
  };
  llvm::SmallVector<mlir::Operation*> work;
  for (mlir::Operation& op : BodyOf(loop).without_terminator()) {
    bool operands_known = true;
    op.walk([&](mlir::Operation* inner) {
      for (Value operand : inner->getOperands())
        operands_known &= op.isAncestor(operand.getParentBlock()->getParentOp()) ||
                          is_invariant(operand);
    });
    bool hoistable =
        operands_known && mlir::isMemoryEffectFree(&op) && !IsUnsafeToSpeculate(&op);
    if (hoistable) invariant.insert(&op);
    if (hoistable && llvm::any_of(op.getOperands(), is_from_memory))
      reads_memory.insert(&op);
    if (hoistable && IsConstantFunction(&op)) work.push_back(&op);
    if (ReadsOperandsFromMemory(&op) && hoistable) work.push_back(&op);
    for (Value operand : OperandsWorthMemory(&op)) {
      mlir::Operation* def = operand.getDefiningOp();
      if (def && invariant.contains(def) &&
          (ReadsOperandsFromMemory(&op) || reads_memory.contains(def)))
        work.push_back(def);
    }
  }
  while (!work.empty()) {
    mlir::Operation* op = work.pop_back_val();
    if (!hoisted.insert(op).second) continue;
    op->walk([&](mlir::Operation* inner) {
      for (Value operand : inner->getOperands())
        if (mlir::Operation* def = operand.getDefiningOp();
            def && invariant.contains(def))
          work.push_back(def);
    });
  }
  for (mlir::Operation& op : llvm::make_early_inc_range(BodyOf(loop)))
    if (hoisted.contains(&op)) op.moveBefore(loop);
}

bool IsControlFlow(mlir::Operation* op) {
  return llvm::isa<stablehlo::WhileOp, stablehlo::IfOp, stablehlo::CaseOp>(op);
}

// Whether `op` expands few numbers to an array: a splat constant, an iota or a broadcast.
bool IsBroadcast(mlir::Operation* op) {
  auto elements = [](Value value) {
    return llvm::cast<mlir::RankedTensorType>(value.getType()).getNumElements();
  };
  if (auto constant = llvm::dyn_cast<stablehlo::ConstantOp>(op)) {
    auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(constant.getValue());
    return dense && dense.isSplat() && elements(op->getResult(0)) > 1;
  }
  if (llvm::isa<stablehlo::IotaOp>(op)) return true;
  auto broadcast = llvm::dyn_cast<stablehlo::BroadcastInDimOp>(op);
  return broadcast && elements(broadcast.getOperand()) < elements(op->getResult(0));
}

// Whether elements of type `type` have the integers from 0 to `last`.
bool HasIntegers(mlir::Type type, int64_t last) {
  const int bits = static_cast<int>(llvm::Log2_64_Ceil(static_cast<uint64_t>(last) + 1));
  if (auto integer = llvm::dyn_cast<mlir::IntegerType>(type))
    return static_cast<int>(integer.getWidth()) - (integer.isUnsigned() ? 0 : 1) >= bits;
  auto real = llvm::dyn_cast<mlir::FloatType>(type);
  if (!real) return false;
  const llvm::fltSemantics& semantics = real.getFloatSemantics();
  return static_cast<int>(llvm::APFloat::semanticsPrecision(semantics)) >= bits &&
         llvm::APFloat::semanticsMaxExponent(semantics) >= bits;
}

// The scalar that `slice`, one element of an iota, consists of, if it can be computed
// from the index exactly, and null otherwise.
Value ElementOfIota(stablehlo::DynamicSliceOp slice) {
  auto iota = slice.getOperand().getDefiningOp<stablehlo::IotaOp>();
  if (!iota) return nullptr;
  const auto dim = static_cast<size_t>(iota.getIotaDimension());
  Value index = slice.getStartIndices()[dim];
  auto index_type = llvm::cast<mlir::RankedTensorType>(index.getType());
  mlir::Type element_type = slice.getType().getElementType();
  const int64_t last = llvm::cast<mlir::RankedTensorType>(iota.getType())
                           .getDimSize(static_cast<unsigned>(dim)) -
                       1;
  if (slice.getSliceSizes()[dim] != 1 ||
      !HasIntegers(index_type.getElementType(), last) || !HasIntegers(element_type, last))
    return nullptr;
  mlir::OpBuilder b(slice);
  const unsigned bits = index_type.getElementType().getIntOrFloatBitWidth();
  auto bound = [&](int64_t value) -> Value {
    return stablehlo::ConstantOp::create(
        b, slice.getLoc(),
        mlir::DenseElementsAttr::get(index_type,
                                     llvm::APInt(bits, static_cast<uint64_t>(value))));
  };
  Value clamped = stablehlo::ClampOp::create(b, slice.getLoc(), index_type, bound(0),
                                             index, bound(last));
  return stablehlo::ConvertOp::create(
      b, slice.getLoc(), mlir::RankedTensorType::get({}, element_type), clamped);
}

}  // namespace

void SimplifyLoops(mlir::func::FuncOp function) {
  // Inner loops first: ops hoisted out of them may leave the outer loops, too.
  llvm::SmallVector<stablehlo::WhileOp> loops;
  function.walk([&](stablehlo::WhileOp loop) { loops.push_back(loop); });
  for (stablehlo::WhileOp loop : loops) HoistInvariants(DropInvariantCarries(loop));
}

void IndexIotas(mlir::func::FuncOp function) {
  llvm::SmallVector<stablehlo::DynamicSliceOp> slices;
  function.walk([&](stablehlo::DynamicSliceOp slice) { slices.push_back(slice); });
  for (stablehlo::DynamicSliceOp slice : slices) {
    Value element = ElementOfIota(slice);
    if (!element) continue;
    for (mlir::Operation* user : llvm::make_early_inc_range(slice->getUsers())) {
      if (!llvm::isa<stablehlo::ReshapeOp>(user) ||
          user->getResult(0).getType() != element.getType())
        continue;
      user->replaceAllUsesWith(mlir::ValueRange(element));
      user->erase();
    }
    if (!slice->use_empty()) {
      mlir::OpBuilder b(slice);
      slice->replaceAllUsesWith(stablehlo::BroadcastInDimOp::create(
          b, slice.getLoc(), slice.getType(), element, llvm::ArrayRef<int64_t>()));
    }
    slice.erase();
  }
}

void SinkBroadcasts(mlir::func::FuncOp function) {
  llvm::SmallVector<mlir::Operation*> broadcasts;
  function.walk([&](mlir::Operation* op) {
    if (IsBroadcast(op)) broadcasts.push_back(op);
  });
  // In reverse order, so that a broadcast is cloned before the constant that it expands.
  for (mlir::Operation* op : llvm::reverse(broadcasts)) {
    llvm::SmallDenseMap<mlir::Block*, Value> copies;
    for (mlir::OpOperand& use : llvm::make_early_inc_range(op->getUses())) {
      mlir::Operation* user = use.getOwner();
      mlir::Block* block = user->getBlock();
      if (block == op->getBlock() || !IsControlFlow(block->getParentOp()) ||
          ReadsOperandsFromMemory(user) || user->hasTrait<mlir::OpTrait::IsTerminator>())
        continue;
      Value& copy = copies[block];
      if (!copy) copy = mlir::OpBuilder::atBlockBegin(block).clone(*op)->getResult(0);
      use.set(copy);
    }
    if (op->use_empty()) op->erase();
  }
}

}  // namespace tenon::compiler
