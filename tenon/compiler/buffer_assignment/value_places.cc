#include "tenon/compiler/buffer_assignment/value_places.h"

#include "tenon/compiler/buffer_assignment/update_sources.h"
#include "tenon/dialects/tenon/tenon_ops.h"
#include "tenon/dialects/tenon/tensor_types.h"

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
  while (value) {
    // Views share the storage of the value that they view, so hint that value.
    mlir::Value root = LastUses::ViewRoot(value);
    auto result = llvm::dyn_cast<mlir::OpResult>(root);
    if (!result || root.getParentBlock() != value.getParentBlock() ||
        hints_.contains(root))
      return;
    Buffer place = buffer;
    mlir::Type type = ViewTypeOf(root.getType());
    if (place.view.getType() != type)
      place.view = ir::CastViewOp::create(b_, b_.getUnknownLoc(), type, place.view);
    hints_[root] = place;
    // An in-place update should already run in the hinted buffer, so hint its source,
    // too.
    value = {};
    for (mlir::Value source : UpdateSources(result)) {
      if (!IsTensor(source) || source.getParentBlock() != root.getParentBlock() ||
          uses_.IsLiveAfter(source, result.getOwner()))
        continue;
      value = source;
      break;
    }
  }
}

llvm::SmallVector<mlir::Value, 2>& ValuePlaces::Holders(mlir::Value root,
                                                        mlir::Operation* op) {
  auto& holders = holders_[root];
  llvm::erase_if(holders, [&](mlir::Value value) { return uses_.IsDeadFrom(value, op); });
  return holders;
}

Buffer ValuePlaces::Destination(mlir::Value value, mlir::Operation* op, bool flat) {
  if (auto hint = hints_.find(value); hint != hints_.end()) {
    // All values in that buffer must be dead, including those that in-place updates put
    // there.
    const Buffer& place = hint->second;
    bool held = llvm::any_of(Holders(place.root, op), [&](mlir::Value other) {
      return uses_.IsLiveAfter(other, op) || (!flat && uses_.IsReadBy(other, op));
    });
    if (!held) return place;
  }
  return NewSlot(value.getType());
}

Buffer ValuePlaces::BranchDestination(mlir::OpResult result,
                                      llvm::ArrayRef<std::optional<Buffer>> taken) {
  mlir::Operation* conditional = result.getOwner();
  auto is_free = [&](const Buffer& place) {
    return MayWriteOver(place, conditional) &&
           llvm::none_of(taken, [&](const std::optional<Buffer>& other) {
             return other && other->root == place.root;
           });
  };
  for (mlir::Value source : UpdateSources(result)) {
    std::optional<Buffer> place = FindBuffer(source);
    if (place && is_free(*place))
      return {View(*place, ViewTypeOf(result.getType())), place->storage, place->root};
  }
  if (auto hint = hints_.find(result); hint != hints_.end() && is_free(hint->second))
    return hint->second;
  return NewSlot(result.getType());
}

bool ValuePlaces::MayWriteOver(const Buffer& buffer, mlir::Operation* op) {
  if (buffer.storage != Storage::kArena && buffer.storage != Storage::kResult)
    return false;
  return llvm::none_of(Holders(buffer.root, op),
                       [&](mlir::Value value) { return uses_.IsLiveAfter(value, op); });
}

bool ValuePlaces::IsReadInside(const Buffer& buffer, mlir::Operation* op) {
  return llvm::any_of(Holders(buffer.root, op),
                      [&](mlir::Value value) { return uses_.IsReadInside(value, op); });
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
  if (buffer == buffers_.end()) return Internal("a scalar is used before it is defined");
  return mlir::Value(
      ir::ReadOp::create(b_, value.getLoc(), value.getType(), buffer->second.view));
}

StatusOr<Buffer> ValuePlaces::BufferOf(mlir::Value value) {
  if (auto found = buffers_.find(value); found != buffers_.end()) return found->second;
  auto scalar = scalars_.find(value);
  if (scalar == scalars_.end()) return Internal("a value is used before it is defined");
  Buffer buffer = NewSlot(value.getType());
  ir::WriteOp::create(b_, value.getLoc(), scalar->second, buffer.view);
  return buffer;
}

}  // namespace tenon::compiler
