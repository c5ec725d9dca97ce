#include "tenon/compiler/buffer_assignment/value_buffers.h"

#include "tenon/compiler/buffer_assignment/update_sources.h"
#include "tenon/dialects/tenon/tenon_ops.h"
#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::compiler {

void ValueBuffers::SetBuffer(mlir::Value value, const Buffer& buffer) {
  buffers_[value] = buffer;
  live_values_[buffer.root].push_back(value);
}

void ValueBuffers::ReadScalar(mlir::Value value, mlir::Location loc) {
  scalars_[value] =
      ir::ReadOp::create(b_, loc, value.getType(), buffers_.lookup(value).view);
}

std::optional<Buffer> ValueBuffers::FindBuffer(mlir::Value value) const {
  auto found = buffers_.find(value);
  if (found == buffers_.end()) return std::nullopt;
  return found->second;
}

mlir::Value ValueBuffers::View(const Buffer& buffer, mlir::Type type) {
  if (buffer.view.getType() == type) return buffer.view;
  return ir::CastViewOp::create(b_, buffer.view.getLoc(), type, buffer.view);
}

Buffer ValueBuffers::NewSlot(mlir::Type tensor) {
  mlir::Value view = ir::ArenaViewOp::create(b_, b_.getUnknownLoc(), ViewTypeOf(tensor),
                                             0, mlir::IntegerAttr());
  return {view, Storage::kArena, view};
}

Buffer ValueBuffers::NewSharedSlot(mlir::Value value, int64_t segment) {
  Buffer slot = NewSlot(value.getType());
  slot.view.getDefiningOp<ir::ArenaViewOp>().setSegment(segment);
  slot.storage = Storage::kShared;
  return slot;
}

void ValueBuffers::Hint(mlir::Value value, const Buffer& buffer) {
  while (value) {
    // Views share the storage of the value that they view, so hint that value.
    mlir::Value root = LastUses::ViewRoot(value);
    auto result = llvm::dyn_cast<mlir::OpResult>(root);
    if (!result || root.getParentBlock() != value.getParentBlock() ||
        hints_.contains(root))
      return;
    Buffer hinted = buffer;
    mlir::Type type = ViewTypeOf(root.getType());
    if (hinted.view.getType() != type)
      hinted.view = ir::CastViewOp::create(b_, b_.getUnknownLoc(), type, hinted.view);
    hints_[root] = hinted;
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

llvm::SmallVector<mlir::Value, 2>& ValueBuffers::LiveValues(mlir::Value root,
                                                            mlir::Operation* op) {
  auto& live_values = live_values_[root];
  llvm::erase_if(live_values,
                 [&](mlir::Value value) { return uses_.IsDeadFrom(value, op); });
  return live_values;
}

Buffer ValueBuffers::Destination(mlir::Value value, mlir::Operation* op,
                                 bool elementwise) {
  if (auto hint = hints_.find(value); hint != hints_.end()) {
    // All values in that buffer must be dead, including those that in-place updates put
    // there.
    const Buffer& buffer = hint->second;
    bool is_occupied = llvm::any_of(LiveValues(buffer.root, op), [&](mlir::Value other) {
      return uses_.IsLiveAfter(other, op) || (!elementwise && uses_.IsReadBy(other, op));
    });
    if (!is_occupied) return buffer;
  }
  return NewSlot(value.getType());
}

Buffer ValueBuffers::BranchDestination(mlir::OpResult result,
                                       llvm::ArrayRef<std::optional<Buffer>> taken) {
  mlir::Operation* conditional = result.getOwner();
  auto is_free = [&](const Buffer& buffer) {
    return MayWriteOver(buffer, conditional) &&
           llvm::none_of(taken, [&](const std::optional<Buffer>& other) {
             return other && other->root == buffer.root;
           });
  };
  for (mlir::Value source : UpdateSources(result)) {
    std::optional<Buffer> buffer = FindBuffer(source);
    if (buffer && is_free(*buffer))
      return {View(*buffer, ViewTypeOf(result.getType())), buffer->storage, buffer->root};
  }
  if (auto hint = hints_.find(result); hint != hints_.end() && is_free(hint->second))
    return hint->second;
  return NewSlot(result.getType());
}

bool ValueBuffers::MayWriteOver(const Buffer& buffer, mlir::Operation* op) {
  if (buffer.storage != Storage::kArena && buffer.storage != Storage::kResult)
    return false;
  return llvm::none_of(LiveValues(buffer.root, op),
                       [&](mlir::Value value) { return uses_.IsLiveAfter(value, op); });
}

bool ValueBuffers::IsReadInside(const Buffer& buffer, mlir::Operation* op) {
  return llvm::any_of(LiveValues(buffer.root, op),
                      [&](mlir::Value value) { return uses_.IsReadInside(value, op); });
}

int64_t ValueBuffers::CountIn(mlir::ValueRange values, const Buffer& buffer) const {
  return llvm::count_if(values, [&](mlir::Value value) {
    auto found = buffers_.find(value);
    return found != buffers_.end() && found->second.root == buffer.root;
  });
}

StatusOr<mlir::Value> ValueBuffers::ScalarOf(mlir::Value value) {
  if (auto found = scalars_.find(value); found != scalars_.end()) return found->second;
  auto buffer = buffers_.find(value);
  if (buffer == buffers_.end()) return Internal("a scalar is used before it is defined");
  return mlir::Value(
      ir::ReadOp::create(b_, value.getLoc(), value.getType(), buffer->second.view));
}

StatusOr<Buffer> ValueBuffers::BufferOf(mlir::Value value) {
  if (auto found = buffers_.find(value); found != buffers_.end()) return found->second;
  auto scalar = scalars_.find(value);
  if (scalar == scalars_.end()) return Internal("a value is used before it is defined");
  Buffer buffer = NewSlot(value.getType());
  ir::WriteOp::create(b_, value.getLoc(), scalar->second, buffer.view);
  return buffer;
}

}  // namespace tenon::compiler
