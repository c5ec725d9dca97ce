// Loads and stores of points: contiguous elements as vectors, others lane by lane.
#include <cstdlib>

#include "llvm/IR/Constants.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tenon/compiler/codegen/ir/interleave.h"
#include "tenon/compiler/codegen/ir/loops.h"
#include "tenon/compiler/codegen/point/point_emitter.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::codegen {

using compiler::ElementMemoryType;

// Stores to arrays of at least this size stall on each cache line in turn. Prefetching
// the next lines for writing hides that (docs/design/0005-elementwise.md).
constexpr int64_t kFetchedBytes = 8 << 20;

// Elements with a stride of up to kMaxShuffledStride are loaded as whole vectors and
// shuffled. Narrower elements than kMinShuffledBytes are not: many processors have no
// shuffle of two registers for them.
constexpr int64_t kMaxShuffledStride = 8, kMinShuffledBytes = 4;

namespace {

// `index` as quotient + sign * more. `more` may be null.
struct QuotientSum {
  mlir::arith::DivUIOp quotient;
  mlir::Value more;
  int64_t sign = 1;
};

QuotientSum SplitQuotient(mlir::Value index) {
  if (auto quotient = index.getDefiningOp<mlir::arith::DivUIOp>())
    return {quotient, nullptr};
  if (auto sum = index.getDefiningOp<mlir::arith::AddIOp>()) {
    if (auto quotient = sum.getLhs().getDefiningOp<mlir::arith::DivUIOp>())
      return {quotient, sum.getRhs()};
    return {sum.getRhs().getDefiningOp<mlir::arith::DivUIOp>(), sum.getLhs()};
  }
  if (auto difference = index.getDefiningOp<mlir::arith::SubIOp>())
    return {difference.getLhs().getDefiningOp<mlir::arith::DivUIOp>(),
            difference.getRhs(), -1};
  return {};
}

}  // namespace

IndexValue PointEmitter::Offset(mlir::MemRefType view, mlir::OperandRange indices) {
  auto strides = ir::ViewStrides(view);
  IndexEmitter ie = Indices();
  IndexValue sum = ie.Constant(0);
  auto add = [&](mlir::Value index, int64_t stride) {
    sum = ie.Add(sum, ie.Mul(Index(index), ie.Constant(stride)));
  };
  // Simplifies neighbouring dimensions that are contiguous. Indices x / size and x % size
  // address element x. Indices x / size + y and x % size address element x plus y times
  // the first stride.
  mlir::Value pending;
  int64_t pending_stride = 0;
  for (size_t d = 0; d < indices.size(); ++d) {
    mlir::Value index = indices[d];
    if (pending) {
      auto [quotient, more, sign] = SplitQuotient(pending);
      auto remainder = index.getDefiningOp<mlir::arith::RemUIOp>();
      if (quotient && remainder && quotient.getLhs() == remainder.getLhs() &&
          quotient.getRhs() == remainder.getRhs() &&
          pending_stride == strides[d] * view.getDimSize(d) &&
          ConstantIndex(Index(quotient.getRhs())) == view.getDimSize(d)) {
        if (more) add(more, sign * pending_stride);
        pending = quotient.getLhs();
        pending_stride = strides[d];
        continue;
      }
      add(pending, pending_stride);
    }
    pending = index;
    pending_stride = strides[d];
  }
  if (pending) add(pending, pending_stride);
  return ie.WithStride(sum);
}

llvm::Value* PointEmitter::AccessMask(mlir::Value mask) {
  if (!mask) return lanes_.mask;
  llvm::Value* own = preds_.lookup(mask);
  if (lanes_.width > 1 && !own->getType()->isVectorTy())
    own = b_.CreateVectorSplat(lanes_.width, own);
  return lanes_.mask ? b_.CreateAnd(own, lanes_.mask) : own;
}

llvm::Value* PointEmitter::StoredMask(llvm::Value* mask) {
  if (!lanes_.stored) return mask;
  llvm::SmallVector<llvm::Constant*> lanes;
  for (int lane = 0; lane < lanes_.width; ++lane)
    lanes.push_back(b_.getInt64(lanes_.width - lane));
  llvm::Value* stored =
      b_.CreateICmpULE(llvm::ConstantVector::get(lanes),
                       b_.CreateVectorSplat(lanes_.width, lanes_.stored));
  return mask ? b_.CreateAnd(mask, stored) : stored;
}

llvm::Value* PointEmitter::SafePointer(llvm::Type* type) {
  // The memory is not initialized: the result of a masked-out load is never used.
  return EmitEntryAlloca(b_, type, 16);
}

llvm::Value* PointEmitter::FilledPointer(const ElementValue& scalar) {
  llvm::Function* function = b_.GetInsertBlock()->getParent();
  llvm::Value*& memory = filled_[{scalar.re, lanes_.width, function}];
  if (memory) return memory;
  // The memory is filled right after the value's definition, which may be outside of
  // loops.
  llvm::IRBuilder<> b(b_.getContext());
  if (auto* made = llvm::dyn_cast<llvm::Instruction>(scalar.re)) {
    b.SetInsertPoint(*made->getInsertionPointAfterDef());
  } else {
    b.SetInsertPoint(&function->getEntryBlock(), function->getEntryBlock().begin());
  }
  llvm::Value* all = b.CreateVectorSplat(
      lanes_.width, compiler::ValueToStored(b, scalar.type, scalar.re));
  memory = EmitEntryAlloca(b_, all->getType(), 64);
  b.CreateAlignedStore(all, memory, llvm::Align(64));
  return memory;
}

llvm::Value* PointEmitter::LanePointers(llvm::Value* pointer, int64_t bytes,
                                        IndexValue offset) {
  llvm::Type* unit = llvm::ArrayType::get(b_.getInt8Ty(), bytes);
  return b_.CreateGEP(unit, pointer, Indices().Vector(offset));
}

// Loads part `part` of `parts` (a complex number has two) of the elements at `offset`.
// `type` is the scalar type in memory, `bytes` the size of a whole element. Masked-out
// lanes get `other`.
llvm::Value* PointEmitter::LoadPart(llvm::Value* pointer, llvm::Type* type, int64_t bytes,
                                    IndexValue offset, llvm::Value* mask,
                                    llvm::Value* other, int part, int parts) {
  llvm::Type* unit = llvm::ArrayType::get(b_.getInt8Ty(), bytes);
  llvm::Align align(bytes / parts);
  llvm::Value* start = pointer;
  if (part > 0) start = b_.CreateConstInBoundsGEP1_64(type, pointer, part);
  if (offset.uniform()) {
    llvm::Value* address = b_.CreateGEP(unit, start, offset.base);
    if (!mask) return b_.CreateAlignedLoad(type, address, align);
    llvm::Value* any = mask;
    if (mask->getType()->isVectorTy()) any = b_.CreateOrReduce(mask);
    address = b_.CreateSelect(any, address, SafePointer(type));
    llvm::Value* value = b_.CreateAlignedLoad(type, address, align);
    if (!other) return value;
    if (mask->getType()->isVectorTy()) value = b_.CreateVectorSplat(lanes_.width, value);
    return b_.CreateSelect(mask, value, other);
  }
  auto* vector = llvm::FixedVectorType::get(type, lanes_.width);
  if (offset.stride == 1 && parts == 1) {
    llvm::Value* address = b_.CreateGEP(unit, start, offset.base);
    if (!mask) return b_.CreateAlignedLoad(vector, address, align);
    return b_.CreateMaskedLoad(vector, address, align, mask,
                               other ? other : llvm::Constant::getNullValue(vector));
  }
  if (offset.stride == -1 && parts == 1) {
    llvm::Value* first = b_.CreateSub(offset.base, b_.getInt64(lanes_.width - 1));
    llvm::Value* address = b_.CreateGEP(unit, start, first);
    if (!mask)
      return b_.CreateVectorReverse(b_.CreateAlignedLoad(vector, address, align));
    // The elements of masked-out lanes may lie before the view, so only a masked load may
    // touch them.
    llvm::Value* fill =
        other ? b_.CreateVectorReverse(other) : llvm::Constant::getNullValue(vector);
    return b_.CreateVectorReverse(
        b_.CreateMaskedLoad(vector, address, align, b_.CreateVectorReverse(mask), fill));
  }
  if (parts == 1 && bytes >= kMinShuffledBytes && !offset.varying() &&
      offset.stride > 1 && offset.stride <= kMaxShuffledStride && lanes_.width > 2)
    return LoadStrided(start, type, bytes, offset, mask, other);
  if (!offset.lanes.empty())
    if (auto* value = LoadLanes(pointer, type, offset, mask, other, part, parts))
      return value;
  return GatherLanes(start, type, bytes, align, offset, mask, other);
}

// Loads elements with a small stride: loads all elements from the first to the last one
// and selects by shuffles. One load and one insertion a lane take several times as long.
llvm::Value* PointEmitter::LoadStrided(llvm::Value* start, llvm::Type* type,
                                       int64_t bytes, const IndexValue& offset,
                                       llvm::Value* mask, llvm::Value* other) {
  llvm::Type* unit = llvm::ArrayType::get(b_.getInt8Ty(), bytes);
  auto* vector = llvm::FixedVectorType::get(type, lanes_.width);
  const int64_t width = lanes_.width, stride = offset.stride;
  llvm::Value* none = llvm::Constant::getNullValue(vector);
  llvm::Value* result = nullptr;
  for (int64_t part = 0; part < stride; ++part) {
    // Without a mask the last load ends with the last element, because nothing behind it
    // may be read.
    bool ends = !mask && part + 1 == stride;
    int64_t first = ends ? (stride - 1) * (width - 1) : part * width;
    llvm::Value* address =
        b_.CreateGEP(unit, start, b_.CreateAdd(offset.base, b_.getInt64(first)));
    llvm::SmallVector<int> from_both, lane_of_mask;
    for (int64_t lane = 0; lane < width; ++lane) {
      int64_t element = lane * stride, position = part * width + lane;
      bool here = element >= part * width && element < (part + 1) * width;
      from_both.push_back(static_cast<int>(here ? width + element - first : lane));
      bool asked = position % stride == 0 && position / stride < width;
      lane_of_mask.push_back(static_cast<int>(asked ? position / stride : width));
    }
    llvm::Value* loaded;
    if (mask) {
      llvm::Value* off = llvm::Constant::getNullValue(mask->getType());
      loaded = b_.CreateMaskedLoad(vector, address, llvm::Align(bytes),
                                   b_.CreateShuffleVector(mask, off, lane_of_mask), none);
    } else {
      loaded = b_.CreateAlignedLoad(vector, address, llvm::Align(bytes));
    }
    result = b_.CreateShuffleVector(result ? result : none, loaded, from_both);
  }
  return mask && other ? b_.CreateSelect(mask, result, other) : result;
}

// Loads lane by lane. Gather instructions are not faster even on processors with fast
// gathers. They also stall on 4K aliasing: all lanes wait if one lane's address matches
// the low bits of an earlier store that has not completed.
llvm::Value* PointEmitter::GatherLanes(llvm::Value* start, llvm::Type* type,
                                       int64_t bytes, llvm::Align align,
                                       IndexValue offset, llvm::Value* mask,
                                       llvm::Value* other) {
  llvm::Type* unit = llvm::ArrayType::get(b_.getInt8Ty(), bytes);
  auto* vector = llvm::FixedVectorType::get(type, lanes_.width);
  llvm::Value* result = llvm::PoisonValue::get(vector);
  auto load_lane = [&](int lane, llvm::Value* position) {
    llvm::Value* address = b_.CreateGEP(unit, start, position);
    result = b_.CreateInsertElement(result, b_.CreateAlignedLoad(type, address, align),
                                    uint64_t(lane));
  };
  if (!offset.varying() && !mask) {
    for (auto [lane, more] : llvm::enumerate(Indices().LanesOf(offset)))
      load_lane(static_cast<int>(lane), b_.CreateAdd(offset.base, b_.getInt64(more)));
    return result;
  }
  llvm::Value* positions = Indices().Vector(offset);
  // Masked-out lanes read the first element.
  if (mask)
    positions = b_.CreateSelect(mask, positions,
                                llvm::Constant::getNullValue(positions->getType()));
  for (int lane = 0; lane < lanes_.width; ++lane) {
    // Extracts and extends each lane by itself. If two lanes are extended to 64 bits
    // together, LLVM 22 reads the lower one without clearing the upper half (found by the
    // fuzzer).
    llvm::Value* position =
        b_.CreateZExtOrTrunc(b_.CreateExtractElement(positions, lane), b_.getInt64Ty());
    load_lane(lane, position);
  }
  if (!mask || !other) return result;
  return b_.CreateSelect(mask, result, other);
}

llvm::Value* PointEmitter::Address(mlir::Value view, mlir::OperandRange indices) {
  auto type = llvm::cast<mlir::MemRefType>(view.getType());
  int64_t bytes = ElementBytes(ir::ElementTypeOf(type.getElementType()));
  return b_.CreateGEP(llvm::ArrayType::get(b_.getInt8Ty(), bytes), View(view),
                      Offset(type, indices).base);
}

StatusOr<llvm::SmallVector<llvm::Value*>> PointEmitter::LoadSquare(ir::LoadOp load,
                                                                   int count,
                                                                   int64_t stride) {
  mlir::MemRefType view = load.getView().getType();
  ElementType type = ir::ElementTypeOf(view.getElementType());
  llvm::Type* memory = ElementMemoryType(b_.getContext(), type);
  if (!memory) return UnsupportedOp(*load, "element type has no storage");
  int parts = ElementParts(type);
  int64_t bytes = ElementBytes(type);
  auto* vector = llvm::FixedVectorType::get(memory, count * parts);
  llvm::Type* unit = llvm::ArrayType::get(b_.getInt8Ty(), bytes);
  llvm::Value* first = Address(load.getView(), load.getIndices());
  llvm::SmallVector<llvm::Value*> square;
  for (int lane = 0; lane < count; ++lane) {
    llvm::Value* address = b_.CreateGEP(unit, first, b_.getInt64(stride * lane));
    square.push_back(b_.CreateAlignedLoad(vector, address, llvm::Align(bytes / parts)));
  }
  return square;
}

void PointEmitter::SetFromMemory(ir::LoadOp load, llvm::Value* vector) {
  ElementType type = ir::ElementTypeOfShaped(load.getType());
  if (ElementParts(type) == 1) {
    SetScalar(load, {type, compiler::LoadedToValue(b_, type, vector), nullptr});
    return;
  }
  auto [re, im] = Deinterleave(b_, vector, nullptr, lanes_.width);
  SetScalar(load, {type, re, im});
}

Status PointEmitter::EmitLoad(ir::LoadOp op) {
  mlir::MemRefType view = op.getView().getType();
  ElementType type = ir::ElementTypeOf(view.getElementType());
  llvm::Type* memory = ElementMemoryType(b_.getContext(), type);
  if (!memory) return UnsupportedOp(*op, "element type has no storage");
  if (op.getMask() && view.getNumElements() == 0) {
    SetScalar(op, Broadcast(Scalar(op.getOther())));
    return OkStatus();
  }
  IndexValue offset = Offset(view, op.getIndices());
  llvm::Value* mask = AccessMask(op.getMask());
  bool vector = lanes_.width > 1 && (!offset.uniform() || op.getMask());
  ElementValue other;
  if (op.getMask()) {
    other = Scalar(op.getOther());
    if (vector) other = Broadcast(other);
  } else if (offset.uniform() && lanes_.width > 1) {
    mask = nullptr;  // at least one lane is active, and all lanes load the same element
  }
  int parts = ElementParts(type);
  int64_t bytes = ElementBytes(type);
  llvm::Value* pointer = View(op.getView());

  // The mask is the same for all lanes: selects the address instead of masking the load.
  // A masked load is slow if its address is on a page that is not present or not yet in
  // the TLB.
  if (parts == 1 && vector && offset.stride == 1 && op.getMask() && !lanes_.mask &&
      !preds_.lookup(op.getMask())->getType()->isVectorTy() &&
      !Scalar(op.getOther()).re->getType()->isVectorTy()) {
    llvm::Value* address =
        b_.CreateGEP(llvm::ArrayType::get(b_.getInt8Ty(), bytes), pointer, offset.base);
    address = b_.CreateSelect(preds_.lookup(op.getMask()), address,
                              FilledPointer(Scalar(op.getOther())));
    auto* lanes = llvm::FixedVectorType::get(memory, lanes_.width);
    llvm::Value* loaded = b_.CreateAlignedLoad(lanes, address, llvm::Align(bytes));
    SetScalar(op, {type, compiler::LoadedToValue(b_, type, loaded), nullptr});
    return OkStatus();
  }

  // Contiguous complex numbers, in either order: loads the pairs with one load, then
  // separates the parts.
  if (parts == 2 && vector && std::abs(offset.stride) == 1 && !mask) {
    auto* pairs = llvm::FixedVectorType::get(memory, 2 * lanes_.width);
    bool reversed = offset.stride < 0;
    llvm::Value* first = offset.base;
    if (reversed) first = b_.CreateSub(first, b_.getInt64(lanes_.width - 1));
    llvm::Value* address =
        b_.CreateGEP(llvm::ArrayType::get(b_.getInt8Ty(), bytes), pointer, first);
    llvm::Value* loaded = b_.CreateAlignedLoad(pairs, address, llvm::Align(bytes / 2));
    auto [re, im] = Deinterleave(b_, loaded, nullptr, lanes_.width);
    if (reversed) {
      re = b_.CreateVectorReverse(re);
      im = b_.CreateVectorReverse(im);
    }
    SetScalar(op, {type, re, im});
    return OkStatus();
  }

  if (llvm::Value* column = LoadFromRows(op, offset, memory)) {
    SetScalar(op, {type, compiler::LoadedToValue(b_, type, column), nullptr});
    return OkStatus();
  }

  ElementValue result{type, nullptr, nullptr};
  for (int part = 0; part < parts; ++part) {
    llvm::Value* fill = part == 0 ? other.re : other.im;
    if (fill) fill = compiler::ValueToStored(b_, type, fill);
    llvm::Value* loaded =
        LoadPart(pointer, memory, bytes, offset, mask, fill, part, parts);
    (part == 0 ? result.re : result.im) = compiler::LoadedToValue(b_, type, loaded);
  }
  SetScalar(op, result);
  return OkStatus();
}

void PointEmitter::FetchForStores(llvm::Value* pointer, int64_t bytes,
                                  IndexValue offset) {
  constexpr int64_t kLine = 64, kAhead = 4 * kLine;
  llvm::Type* unit = llvm::ArrayType::get(b_.getInt8Ty(), bytes);
  llvm::Value* address = b_.CreateGEP(unit, pointer, offset.base);
  for (int64_t line = 0; line < lanes_.width * bytes; line += kLine) {
    llvm::Value* ahead = b_.CreatePtrAdd(address, b_.getInt64(kAhead + line));
    b_.CreateIntrinsic(llvm::Intrinsic::prefetch, {pointer->getType()},
                       {ahead, b_.getInt32(/*write=*/1), b_.getInt32(/*locality=*/3),
                        b_.getInt32(/*data=*/1)});
  }
}

void PointEmitter::StorePart(llvm::Value* value, llvm::Value* pointer, int64_t bytes,
                             IndexValue offset, llvm::Value* mask, int part, int parts) {
  llvm::Type* unit = llvm::ArrayType::get(b_.getInt8Ty(), bytes);
  llvm::Align align(bytes / parts);
  llvm::Type* type = value->getType()->getScalarType();
  llvm::Value* start = pointer;
  if (part > 0) start = b_.CreateConstInBoundsGEP1_64(type, pointer, part);
  if (lanes_.width == 1) {
    llvm::Value* address = b_.CreateGEP(unit, start, offset.base);
    if (mask) address = b_.CreateSelect(mask, address, SafePointer(type));
    b_.CreateAlignedStore(value, address, align);
    return;
  }
  if (offset.stride == 1 && parts == 1) {
    llvm::Value* address = b_.CreateGEP(unit, start, offset.base);
    if (mask)
      b_.CreateMaskedStore(value, address, align, mask);
    else
      b_.CreateAlignedStore(value, address, align);
    return;
  }
  b_.CreateMaskedScatter(value, LanePointers(start, bytes, offset), align, mask);
}

Status PointEmitter::EmitStore(ir::StoreOp op) {
  mlir::MemRefType view = op.getView().getType();
  ElementType type = ir::ElementTypeOf(view.getElementType());
  IndexValue offset = Offset(view, op.getIndices());
  llvm::Value* mask = AccessMask(op.getMask());
  ElementValue value = Broadcast(Scalar(op.getValue()));
  if (ElementParts(type) == 1 &&
      StoreToRows(op, offset, compiler::ValueToStored(b_, type, value.re)))
    return OkStatus();
  loaded_rows_.clear();
  mask = StoredMask(mask);
  int parts = ElementParts(type);
  int64_t bytes = ElementBytes(type);
  llvm::Value* pointer = View(op.getView());
  if (lanes_.width > 1 && offset.stride == 1 && !mask &&
      view.getNumElements() * bytes >= kFetchedBytes)
    FetchForStores(pointer, bytes, offset);
  if (parts == 2 && lanes_.width > 1 && offset.stride == 1 && !mask) {
    llvm::Value* pairs = Interleave(b_, value.re, value.im, 0, lanes_.width);
    llvm::Value* address =
        b_.CreateGEP(llvm::ArrayType::get(b_.getInt8Ty(), bytes), pointer, offset.base);
    b_.CreateAlignedStore(pairs, address, llvm::Align(bytes / 2));
    return OkStatus();
  }
  StorePart(compiler::ValueToStored(b_, type, value.re), pointer, bytes, offset, mask, 0,
            parts);
  if (parts == 2) StorePart(value.im, pointer, bytes, offset, mask, 1, parts);
  return OkStatus();
}

}  // namespace tenon::codegen
