#include "tenon/compiler/buffer_assignment/value_places.h"

#include "tenon/compiler/dialects/stablehlo/ops.h"
#include "tenon/compiler/dialects/tenon/tenon_ops.h"
#include "tenon/compiler/kernels/kernel_frame.h"

namespace tenon::compiler {

void ValuePlaces::SetBuffer(mlir::Value value, const Buffer& buffer) {
  buffers_[value] = buffer;
  holders_[buffer.root].push_back(value);
}

void ValuePlaces::ReadScalar(mlir::Value value, mlir::Location loc) {
  scalars_[value] =
      ir::ReadOp::create(b_, loc, value.getType(), buffers_.lookup(value).view);
}

std::optional<Buffer> ValuePlaces::FindBuffer(mlir::Value value) const {
  auto found = buffers_.find(value);
  if (found == buffers_.end()) return std::nullopt;
  return found->second;
}

mlir::Value ValuePlaces::View(const Buffer& buffer, mlir::Type type) {
  if (buffer.view.getType() == type) return buffer.view;
  return ir::CastViewOp::create(b_, buffer.view.getLoc(), type, buffer.view);
}

Buffer ValuePlaces::NewSlot(mlir::Type tensor) {
  mlir::Value view =
      ir::ArenaViewOp::create(b_, b_.getUnknownLoc(), ViewTypeOf(tensor), 0);
  return {view, Storage::kArena, view};
}

void ValuePlaces::Hint(mlir::Value value, const Buffer& buffer) {
  // Through views: the storage is that of the value they are views of.
  mlir::Value root = LastUses::ViewRoot(value);
  if (root.getParentBlock() != value.getParentBlock() || hints_.contains(root)) return;
  if (!root.getDefiningOp()) return;
  Buffer place = buffer;
  mlir::Type type = ViewTypeOf(root.getType());
  if (place.view.getType() != type)
    place.view = ir::CastViewOp::create(b_, b_.getUnknownLoc(), type, place.view);
  hints_[root] = place;
  // A loop works where its initial value lies.
  if (auto loop = root.getDefiningOp<stablehlo::WhileOp>()) {
    mlir::Value init =
        loop.getOperand()[llvm::cast<mlir::OpResult>(root).getResultNumber()];
    if (init.hasOneUse() && init.getParentBlock() == root.getParentBlock())
      Hint(init, place);
  }
}

Buffer ValuePlaces::Destination(mlir::Value value, int64_t position, bool flat) {
  if (auto hint = hints_.find(value); hint != hints_.end()) {
    // Whatever lies there must be dead: the value it is hinted after, and those that took
    // over its storage by updates in place.
    const Buffer& place = hint->second;
    bool held = llvm::any_of(holders_[place.root], [&](mlir::Value other) {
      return uses_.Of(other) >= position + (flat ? 1 : 0);
    });
    if (!held) return place;
  }
  return NewSlot(value.getType());
}

bool ValuePlaces::MayWriteOver(mlir::Value value, const Buffer& buffer,
                               int64_t position) {
  if (buffer.storage != Storage::kArena && buffer.storage != Storage::kResult)
    return false;
  mlir::Value root = LastUses::ViewRoot(value);
  // What a loop's body finds in storage from outside it must still be there the next
  // time.
  if (root.getParentBlock() != value.getParentBlock()) return false;
  mlir::Operation* at = nullptr;
  for (mlir::Operation* user : value.getUsers())
    if (uses_.PositionOf(user) == position) at = user;
  if (!at || at->getBlock() != root.getParentBlock()) return false;
  if (uses_.Of(value) > position) return false;
  // Another value may live on in the same storage.
  return llvm::none_of(holders_[buffer.root], [&](mlir::Value other) {
    return LastUses::ViewRoot(other) != root && uses_.Of(other) > position;
  });
}

int64_t ValuePlaces::CountIn(mlir::ValueRange values, const Buffer& buffer) const {
  return llvm::count_if(values, [&](mlir::Value value) {
    auto found = buffers_.find(value);
    return found != buffers_.end() && found->second.root == buffer.root;
  });
}

StatusOr<mlir::Value> ValuePlaces::ScalarOf(mlir::Value value) {
  if (auto found = scalars_.find(value); found != scalars_.end()) return found->second;
  auto buffer = buffers_.find(value);
  if (buffer == buffers_.end()) return Internal("a scalar is used before it is made");
  return mlir::Value(
      ir::ReadOp::create(b_, value.getLoc(), value.getType(), buffer->second.view));
}

StatusOr<Buffer> ValuePlaces::BufferOf(mlir::Value value) {
  if (auto found = buffers_.find(value); found != buffers_.end()) return found->second;
  auto scalar = scalars_.find(value);
  if (scalar == scalars_.end()) return Internal("a value is used before it is made");
  Buffer buffer = NewSlot(value.getType());
  ir::WriteOp::create(b_, value.getLoc(), scalar->second, buffer.view);
  return buffer;
}

}  // namespace tenon::compiler
