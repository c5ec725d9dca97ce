#include "tenon/compiler/codegen/point/point_memory.h"

#include <cstdlib>
#include <numeric>

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tenon/compiler/codegen/ir/interleave.h"
#include "tenon/compiler/codegen/ir/loops.h"
#include "tenon/compiler/diagnostics_to_status.h"
#include "tenon/dialects/tenon/atomic_store.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::codegen {

using compiler::ElementMemoryType;
using compiler::UnsupportedOp;

// Stores to arrays of at least this size stall on each cache line in turn. Prefetching
// the next lines for writing hides that (docs/design/0005-elementwise.md).
constexpr int64_t kMinPrefetchBytes = 8 << 20;

namespace {

// An index is a sum of addends.
struct Addend {
  mlir::Value value;
  int64_t sign = 1;
};
using Addends = llvm::SmallVector<Addend, 4>;

void AppendAddends(mlir::Value index, int64_t sign, Addends& addends) {
  if (auto sum = index.getDefiningOp<mlir::arith::AddIOp>()) {
    AppendAddends(sum.getLhs(), sign, addends);
    AppendAddends(sum.getRhs(), sign, addends);
  } else if (auto difference = index.getDefiningOp<mlir::arith::SubIOp>()) {
    AppendAddends(difference.getLhs(), sign, addends);
    AppendAddends(difference.getRhs(), -sign, addends);
  } else {
    addends.push_back({index, sign});
  }
}

// If x / size is an addend of `outer` and x % size one of `inner`, removes both and
// returns x, else null.
mlir::Value TakeDividend(Addends& outer, Addends& inner, mlir::Value& size) {
  for (Addend& quotient_addend : outer) {
    auto quotient = quotient_addend.value.getDefiningOp<mlir::arith::DivUIOp>();
    if (!quotient || quotient_addend.sign != 1) continue;
    for (Addend& remainder_addend : inner) {
      auto remainder = remainder_addend.value.getDefiningOp<mlir::arith::RemUIOp>();
      if (!remainder || remainder_addend.sign != 1 ||
          remainder.getLhs() != quotient.getLhs() ||
          remainder.getRhs() != quotient.getRhs())
        continue;
      size = quotient.getRhs();
      outer.erase(&quotient_addend);
      inner.erase(&remainder_addend);
      return quotient.getLhs();
    }
  }
  return nullptr;
}

}  // namespace

bool PointMemory::IsAtKnownOffset(mlir::MemRefType view, llvm::ArrayRef<int64_t> strides,
                                  mlir::OperandRange indices) const {
  size_t next = 0;
  for (auto [size, stride, index] : llvm::zip_equal(view.getShape(), strides, indices)) {
    if (size == 1) continue;  // the index is 0
    if (next == known_->indices.size() || index != known_->indices[next] ||
        stride != known_->strides[next])
      return false;
    ++next;
  }
  return next == known_->indices.size();
}

IndexValue PointMemory::Offset(mlir::MemRefType view, mlir::OperandRange indices) {
  auto strides = ir::ViewStrides(view);
  if (known_ && IsAtKnownOffset(view, strides, indices)) return known_->offset;
  IndexEmitter ie = values_.Indices();
  IndexValue sum = ie.Constant(0);
  auto add = [&](mlir::Value index, int64_t stride) {
    sum = ie.Add(sum, ie.Mul(values_.Index(index), ie.Constant(stride)));
  };
  // Simplifies neighbouring dimensions that are contiguous; dimensions of size 1 between
  // them do not matter. Indices x / size and x % size address element x. Indices
  // x / size + y and x % size + z address element x plus y times the first stride and z
  // times the second.
  mlir::Value pending;
  int64_t pending_stride = 0;
  for (size_t d = 0; d < indices.size(); ++d) {
    mlir::Value index = indices[d];
    if (view.getDimSize(d) == 1 && ConstantIndex(values_.Index(index)) == 0) continue;
    if (pending) {
      Addends outer, inner;
      AppendAddends(pending, 1, outer);
      AppendAddends(index, 1, inner);
      mlir::Value size;
      const bool contiguous = pending_stride == strides[d] * view.getDimSize(d);
      mlir::Value dividend = contiguous ? TakeDividend(outer, inner, size) : nullptr;
      if (dividend && ConstantIndex(values_.Index(size)) == view.getDimSize(d)) {
        for (auto [value, sign] : outer) add(value, sign * pending_stride);
        for (auto [value, sign] : inner) add(value, sign * strides[d]);
        pending = dividend;
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

llvm::Align PointMemory::AlignmentAt(mlir::Value view, const IndexValue& offset) const {
  const ElementType type = ir::ElementTypeOfShaped(view.getType());
  const int64_t bytes = ElementBytes(type);
  const int64_t known =
      std::gcd(values_.FactsOf(view).alignment, offset.multiple * bytes);
  return llvm::Align(static_cast<uint64_t>(std::max(known, bytes / ElementParts(type))));
}

void PointMemory::MarkReadOnly(llvm::Value* loaded, mlir::Value view) {
  auto* load = llvm::dyn_cast<llvm::LoadInst>(loaded);
  if (!load || !values_.FactsOf(view).is_read_only) return;
  load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                    llvm::MDNode::get(b_.getContext(), {}));
}

llvm::Value* PointMemory::AccessMask(mlir::Value mask) {
  if (!mask) return lanes().mask;
  llvm::Value* own = values_.Pred(mask);
  if (lanes().width > 1 && !own->getType()->isVectorTy())
    own = b_.CreateVectorSplat(lanes().width, own);
  return lanes().mask ? b_.CreateAnd(own, lanes().mask) : own;
}

llvm::Value* PointMemory::StoredMask(llvm::Value* mask) {
  if (!lanes().stored) return mask;
  llvm::SmallVector<llvm::Constant*> from_end;
  for (int lane = 0; lane < lanes().width; ++lane)
    from_end.push_back(b_.getInt64(lanes().width - lane));
  llvm::Value* stored =
      b_.CreateICmpULE(llvm::ConstantVector::get(from_end),
                       b_.CreateVectorSplat(lanes().width, lanes().stored));
  return mask ? b_.CreateAnd(mask, stored) : stored;
}

llvm::Value* PointMemory::SafePointer(llvm::Type* type) {
  // The memory is not initialized: the result of a masked-out load is never used.
  return EmitEntryAlloca(b_, type, 16);
}

llvm::Value* PointMemory::FilledPointer(const ElementValue& scalar) {
  llvm::Function* function = b_.GetInsertBlock()->getParent();
  llvm::Value*& memory = filled_[{scalar.re, lanes().width, function}];
  if (memory) return memory;
  // The memory is filled right after the value's definition, which may be outside of
  // loops.
  llvm::IRBuilder<> b(b_.getContext());
  if (auto* definition = llvm::dyn_cast<llvm::Instruction>(scalar.re)) {
    b.SetInsertPoint(*definition->getInsertionPointAfterDef());
  } else {
    b.SetInsertPoint(&function->getEntryBlock(), function->getEntryBlock().begin());
  }
  llvm::Value* all = b.CreateVectorSplat(
      lanes().width, compiler::ValueToStored(b, scalar.type, scalar.re));
  memory = EmitEntryAlloca(b_, all->getType(), 64);
  b.CreateAlignedStore(all, memory, llvm::Align(64));
  return memory;
}

llvm::Value* PointMemory::LanePointers(llvm::Value* pointer, int64_t bytes,
                                       IndexValue offset) {
  llvm::Type* unit = llvm::ArrayType::get(b_.getInt8Ty(), bytes);
  return b_.CreateGEP(unit, pointer, values_.Indices().Vector(offset));
}

// Loads the elements at `access.offset`, of one part.
llvm::Value* PointMemory::LoadPart(const LaneAccess& access) {
  const int width = lanes().width;
  const IndexValue& offset = access.offset;
  llvm::Type* unit = llvm::ArrayType::get(b_.getInt8Ty(), access.bytes);
  if (offset.uniform()) return LoadUniform(access);
  auto* vector = llvm::FixedVectorType::get(access.type, width);
  if (std::abs(offset.stride) == 1 && access.parts == 1) {
    const bool reversed = offset.stride < 0;
    auto in_order = [&](llvm::Value* lanes) {
      return reversed && lanes ? b_.CreateVectorReverse(lanes) : lanes;
    };
    llvm::Value* first = offset.base;
    if (reversed) first = b_.CreateSub(first, b_.getInt64(width - 1));
    llvm::Value* address = b_.CreateGEP(unit, access.start, first);
    auto load_all = [&] {
      return in_order(b_.CreateAlignedLoad(vector, address,
                                           reversed ? access.align() : access.first));
    };
    if (!access.mask) return load_all();
    if (access.bytes < 4 && !values_.options().narrow_masks &&
        KnownLanes(access.mask, width))
      return LoadScattered(values_, access);
    if (BranchesOnEachLane(access.bytes, access.mask)) {
      auto load_any = [&] {
        return EmitChoice(
            b_, b_.CreateOrReduce(access.mask),
            [&] { return LoadScattered(values_, access); },
            [&] {
              return access.other ? access.other : llvm::Constant::getNullValue(vector);
            });
      };
      return EmitChoice(b_, b_.CreateAndReduce(access.mask), load_all, load_any);
    }
    // Elements of masked-out lanes may lie outside of the view.
    return in_order(LoadMasked(access, vector, address, in_order(access.mask),
                               in_order(access.other)));
  }
  return LoadScattered(values_, access);
}

llvm::Value* PointMemory::LoadMasked(const LaneAccess& access, llvm::Type* vector,
                                     llvm::Value* address, llvm::Value* mask,
                                     llvm::Value* other) {
  if (!other) other = llvm::Constant::getNullValue(vector);
  return b_.CreateMaskedLoad(vector, AddressUnlessAllOff(b_, mask, address, access.start),
                             access.align(), mask, other);
}

bool PointMemory::BranchesOnEachLane(int64_t bytes, llvm::Value* mask) const {
  const PointOptions& options = values_.options();
  return bytes < 4 && !options.narrow_masks && !options.on_device &&
         !llvm::isa<llvm::Constant>(mask);
}

llvm::Value* PointMemory::LoadUniform(const LaneAccess& access) {
  llvm::Type* unit = llvm::ArrayType::get(b_.getInt8Ty(), access.bytes);
  llvm::Value* mask = access.mask;
  llvm::Value* address = b_.CreateGEP(unit, access.start, access.offset.base);
  if (!mask) return b_.CreateAlignedLoad(access.type, address, access.align());
  llvm::Value* any = mask;
  if (mask->getType()->isVectorTy()) any = b_.CreateOrReduce(mask);
  // On a device a pointer to either kind of memory is slow. The view has an element.
  address = b_.CreateSelect(
      any, address,
      values_.options().on_device ? access.start : SafePointer(access.type));
  llvm::Value* value = b_.CreateAlignedLoad(access.type, address, access.align());
  if (!access.other) return value;
  if (mask->getType()->isVectorTy()) value = b_.CreateVectorSplat(lanes().width, value);
  return b_.CreateSelect(mask, value, access.other);
}

llvm::Value* PointMemory::Address(mlir::Value view, mlir::OperandRange indices) {
  auto type = llvm::cast<mlir::MemRefType>(view.getType());
  int64_t bytes = ElementBytes(ir::ElementTypeOf(type.getElementType()));
  return b_.CreateGEP(llvm::ArrayType::get(b_.getInt8Ty(), bytes), values_.View(view),
                      Offset(type, indices).base);
}

StatusOr<llvm::SmallVector<llvm::Value*>> PointMemory::LoadTransposeTile(ir::LoadOp load,
                                                                         int count,
                                                                         int64_t stride) {
  mlir::MemRefType view = load.getView().getType();
  ElementType type = ir::ElementTypeOf(view.getElementType());
  llvm::Type* memory = ElementMemoryType(b_.getContext(), type);
  if (!memory)
    return UnsupportedOp(*load, "values of this element type cannot be stored");
  int parts = ElementParts(type);
  int64_t bytes = ElementBytes(type);
  auto* vector = llvm::FixedVectorType::get(memory, count * parts);
  llvm::Type* unit = llvm::ArrayType::get(b_.getInt8Ty(), bytes);
  llvm::Value* first = Address(load.getView(), load.getIndices());
  llvm::SmallVector<llvm::Value*> vectors;
  for (int lane = 0; lane < count; ++lane) {
    llvm::Value* address = b_.CreateGEP(unit, first, b_.getInt64(stride * lane));
    vectors.push_back(b_.CreateAlignedLoad(vector, address, llvm::Align(bytes / parts)));
  }
  return vectors;
}

void PointMemory::SetFromMemory(ir::LoadOp load, llvm::Value* vector) {
  ElementType type = ir::ElementTypeOfShaped(load.getType());
  if (ElementParts(type) == 1) {
    values_.SetScalar(load, {type, compiler::LoadedToValue(b_, type, vector), nullptr});
    return;
  }
  auto [re, im] = Deinterleave(b_, vector, nullptr, lanes().width);
  values_.SetScalar(load, {type, re, im});
}

void PointMemory::LoadPairs(ir::LoadOp op, const IndexValue& offset, llvm::Type* memory) {
  const ElementType type = ir::ElementTypeOfShaped(op.getType());
  const auto bytes = static_cast<uint64_t>(ElementBytes(type));
  const int width = lanes().width;
  auto* pairs = llvm::FixedVectorType::get(memory, 2 * width);
  const bool reversed = offset.stride < 0;
  llvm::Value* first = offset.base;
  if (reversed) first = b_.CreateSub(first, b_.getInt64(width - 1));
  llvm::Value* address = b_.CreateGEP(llvm::ArrayType::get(b_.getInt8Ty(), bytes),
                                      values_.View(op.getView()), first);
  llvm::Value* loaded = b_.CreateAlignedLoad(pairs, address, llvm::Align(bytes / 2));
  auto [re, im] = Deinterleave(b_, loaded, nullptr, width);
  if (reversed) {
    re = b_.CreateVectorReverse(re);
    im = b_.CreateVectorReverse(im);
  }
  values_.SetScalar(op, {type, re, im});
}

llvm::Value* PointMemory::Both(llvm::Value* x, llvm::Value* y) {
  return x && y ? b_.CreateAnd(x, y) : x ? x : y;
}

PointMemory::MaskParts PointMemory::PartsOf(mlir::Value mask) {
  llvm::Value* whole = values_.Pred(mask);
  if (!whole->getType()->isVectorTy()) return {whole, nullptr};
  auto conjunction = mask.getDefiningOp<mlir::arith::AndIOp>();
  if (!conjunction) return {nullptr, whole};
  const MaskParts x = PartsOf(conjunction.getLhs()), y = PartsOf(conjunction.getRhs());
  return {Both(x.uniform, y.uniform), Both(x.lanes, y.lanes)};
}

std::optional<IndexValue> PointMemory::OffsetInside(mlir::MemRefType view,
                                                    IndexValue offset,
                                                    const MaskParts& mask) {
  if (!mask.uniform || llvm::isa<llvm::Constant>(mask.uniform) || offset.uniform() ||
      offset.varying())
    return std::nullopt;
  const auto active = KnownLanes(mask.lanes, lanes().width);
  if (!active) return std::nullopt;
  // Lanes that are left out may be anywhere.
  std::optional<int64_t> low, high;
  for (auto [is_active, lane] :
       llvm::zip_equal(*active, values_.Indices().LanesOf(offset))) {
    if (!is_active) continue;
    low = std::min(low.value_or(lane), lane);
    high = std::max(high.value_or(lane), lane);
  }
  int64_t distance;
  if (!low || llvm::SubOverflow(*high, *low, distance) ||
      distance >= view.getNumElements())
    return std::nullopt;
  offset.base = b_.CreateSelect(mask.uniform, offset.base, b_.getInt64(-*low));
  offset.multiple = std::gcd(offset.multiple, *low);
  return offset;
}

Status PointMemory::EmitLoad(ir::LoadOp op) {
  mlir::MemRefType view = op.getView().getType();
  ElementType type = ir::ElementTypeOf(view.getElementType());
  llvm::Type* memory = ElementMemoryType(b_.getContext(), type);
  if (!memory) return UnsupportedOp(*op, "values of this element type cannot be stored");
  if (op.getMask() && view.getNumElements() == 0) {
    values_.SetScalar(op, values_.Broadcast(values_.Scalar(op.getOther())));
    return OkStatus();
  }
  IndexValue offset = Offset(view, op.getIndices());
  llvm::Value* mask = AccessMask(op.getMask());
  bool vector = lanes().width > 1 && (!offset.uniform() || op.getMask());
  ElementValue other;
  if (op.getMask()) {
    other = values_.Scalar(op.getOther());
    if (vector) other = values_.Broadcast(other);
  } else if (offset.uniform() && lanes().width > 1) {
    mask = nullptr;  // at least one lane is active, and all lanes load the same element
  }
  int parts = ElementParts(type);
  int64_t bytes = ElementBytes(type);
  llvm::Value* pointer = values_.View(op.getView());

  // The mask is the same for all lanes: selects the address instead of masking the load.
  // A masked load is slow if its address is on a page that is not present or not yet in
  // the TLB.
  if (parts == 1 && vector && offset.stride == 1 && op.getMask() && !lanes().mask &&
      !values_.Pred(op.getMask())->getType()->isVectorTy() &&
      !values_.Scalar(op.getOther()).re->getType()->isVectorTy()) {
    llvm::Value* address =
        b_.CreateGEP(llvm::ArrayType::get(b_.getInt8Ty(), bytes), pointer, offset.base);
    address = b_.CreateSelect(values_.Pred(op.getMask()), address,
                              FilledPointer(values_.Scalar(op.getOther())));
    auto* type_of_lanes = llvm::FixedVectorType::get(memory, lanes().width);
    llvm::Value* loaded =
        b_.CreateAlignedLoad(type_of_lanes, address, llvm::Align(bytes));
    values_.SetScalar(op, {type, compiler::LoadedToValue(b_, type, loaded), nullptr});
    return OkStatus();
  }

  if (parts == 2 && vector && std::abs(offset.stride) == 1 && !mask) {
    LoadPairs(op, offset, memory);
    return OkStatus();
  }

  if (llvm::Value* column = rows_.Load(op, offset, memory)) {
    values_.SetScalar(op, {type, compiler::LoadedToValue(b_, type, column), nullptr});
    return OkStatus();
  }

  // Where a condition of the mask that all lanes share does not hold, they are loaded
  // from elsewhere in the view.
  llvm::Value* condition = nullptr;
  if (vector && op.getMask()) {
    const MaskParts own = PartsOf(op.getMask());
    if (const auto inside = OffsetInside(view, offset, own)) {
      condition = b_.CreateVectorSplat(lanes().width, own.uniform);
      offset = *inside;
      mask = Both(own.lanes, lanes().mask);
    }
  }

  ElementValue result{type, nullptr, nullptr};
  for (int part = 0; part < parts; ++part) {
    llvm::Value* fill = part == 0 ? other.re : other.im;
    if (fill) fill = compiler::ValueToStored(b_, type, fill);
    llvm::Value* start = pointer;
    if (part > 0) start = b_.CreateConstInBoundsGEP1_64(memory, pointer, part);
    llvm::Value* loaded = LoadPart({pointer, start, memory, bytes, offset, mask, fill,
                                    part, parts, AlignmentAt(op.getView(), offset)});
    MarkReadOnly(loaded, op.getView());
    llvm::Value*& value = part == 0 ? result.re : result.im;
    value = compiler::LoadedToValue(b_, type, loaded);
    if (condition)
      value = b_.CreateSelect(condition, value, part == 0 ? other.re : other.im);
  }
  values_.SetScalar(op, result);
  return OkStatus();
}

void PointMemory::PrefetchForStores(llvm::Value* pointer, int64_t bytes,
                                    IndexValue offset) {
  constexpr int64_t kLine = 64, kAhead = 4 * kLine;
  llvm::Type* unit = llvm::ArrayType::get(b_.getInt8Ty(), bytes);
  llvm::Value* address = b_.CreateGEP(unit, pointer, offset.base);
  for (int64_t line = 0; line < lanes().width * bytes; line += kLine) {
    llvm::Value* ahead = b_.CreatePtrAdd(address, b_.getInt64(kAhead + line));
    b_.CreateIntrinsic(llvm::Intrinsic::prefetch, {pointer->getType()},
                       {ahead, b_.getInt32(/*write=*/1), b_.getInt32(/*locality=*/3),
                        b_.getInt32(/*data=*/1)});
  }
}

void PointMemory::StorePart(llvm::Value* value, llvm::Value* pointer, int64_t bytes,
                            IndexValue offset, llvm::Align first, llvm::Value* mask,
                            int part, int parts) {
  llvm::Type* unit = llvm::ArrayType::get(b_.getInt8Ty(), bytes);
  llvm::Align align(bytes / parts);
  llvm::Type* type = value->getType()->getScalarType();
  llvm::Value* start = pointer;
  if (part > 0) start = b_.CreateConstInBoundsGEP1_64(type, pointer, part);
  if (lanes().width == 1) {
    llvm::Value* address = b_.CreateGEP(unit, start, offset.base);
    if (mask && values_.options().on_device) {
      EmitIf(b_, mask, [&] { b_.CreateAlignedStore(value, address, align); });
      return;
    }
    if (mask) address = b_.CreateSelect(mask, address, SafePointer(type));
    b_.CreateAlignedStore(value, address, align);
    return;
  }
  // Masked stores are slow, or branches, on processors without mask registers.
  const bool contiguous = offset.stride == 1 && parts == 1;
  const bool is_cheap = contiguous && (!mask || values_.options().narrow_masks ||
                                       values_.options().on_device);
  if (!is_cheap && !offset.varying() && KnownLanes(mask, lanes().width))
    return StoreScattered(
        values_, {pointer, start, type, bytes, offset, mask, nullptr, part, parts, first},
        value);
  if (contiguous) {
    llvm::Value* address = b_.CreateGEP(unit, start, offset.base);
    auto store_all = [&] { b_.CreateAlignedStore(value, address, first); };
    if (!mask)
      store_all();
    else if (BranchesOnEachLane(bytes, mask))
      EmitIf(b_, b_.CreateAndReduce(mask), store_all, [&] {
        EmitIf(b_, b_.CreateOrReduce(mask),
               [&] { StoreActiveLanes(value, address, mask); });
      });
    else if (lanes().mostly_active && !values_.options().narrow_masks)
      EmitIf(b_, b_.CreateAndReduce(mask), store_all,
             [&] { b_.CreateMaskedStore(value, address, align, mask); });
    else
      b_.CreateMaskedStore(value, address, align, mask);
    return;
  }
  b_.CreateMaskedScatter(value, LanePointers(start, bytes, offset), align, mask);
}

void PointMemory::StoreActiveLanes(llvm::Value* value, llvm::Value* address,
                                   llvm::Value* mask) {
  llvm::Type* type = value->getType()->getScalarType();
  llvm::Value* elsewhere = SafePointer(type);
  for (int lane = 0; lane < lanes().width; ++lane)
    b_.CreateStore(
        b_.CreateExtractElement(value, lane),
        b_.CreateSelect(b_.CreateExtractElement(mask, lane),
                        b_.CreateGEP(type, address, b_.getInt64(lane)), elsewhere));
}

Status PointMemory::EmitAtomicStore(ir::StoreOp op, llvm::StringRef operation) {
  const ElementType type = ir::ElementTypeOf(op.getView().getType().getElementType());
  const bool is_signed = compiler::IsSignedInteger(type);
  using Rmw = llvm::AtomicRMWInst;
  const auto kind = llvm::StringSwitch<Rmw::BinOp>(operation)
                        .Case("add", Rmw::Add)
                        .Case("maximum", is_signed ? Rmw::Max : Rmw::UMax)
                        .Case("minimum", is_signed ? Rmw::Min : Rmw::UMin)
                        .Case("and", Rmw::And)
                        .Case("or", Rmw::Or)
                        .Case("xor", Rmw::Xor)
                        .Default(Rmw::BAD_BINOP);
  if (kind == Rmw::BAD_BINOP || op.getMask() || lanes().width > 1)
    return UnsupportedOp(*op, "it cannot be one atomic operation");
  rows_.ForgetLoads();
  b_.CreateAtomicRMW(kind, Address(op.getView(), op.getIndices()),
                     values_.Scalar(op.getValue()).re,
                     llvm::Align(static_cast<uint64_t>(ElementBytes(type))),
                     llvm::AtomicOrdering::Monotonic);
  return OkStatus();
}

Status PointMemory::EmitStore(ir::StoreOp op) {
  if (auto operation = op->getAttrOfType<mlir::StringAttr>(ir::kAtomicAttr))
    return EmitAtomicStore(op, operation.getValue());
  mlir::MemRefType view = op.getView().getType();
  ElementType type = ir::ElementTypeOf(view.getElementType());
  IndexValue offset = Offset(view, op.getIndices());
  llvm::Value* mask = AccessMask(op.getMask());
  ElementValue value = values_.Broadcast(values_.Scalar(op.getValue()));
  if (ElementParts(type) == 1 &&
      rows_.Store(op, offset, compiler::ValueToStored(b_, type, value.re)))
    return OkStatus();
  rows_.ForgetLoads();
  mask = StoredMask(mask);
  int parts = ElementParts(type);
  int64_t bytes = ElementBytes(type);
  llvm::Value* pointer = values_.View(op.getView());
  if (lanes().width > 1 && offset.stride == 1 && !mask && !values_.options().on_device &&
      view.getNumElements() * bytes >= kMinPrefetchBytes)
    PrefetchForStores(pointer, bytes, offset);
  if (parts == 2 && lanes().width > 1 && offset.stride == 1 && !mask) {
    llvm::Value* pairs = Interleave(b_, value.re, value.im, 0, lanes().width);
    llvm::Value* address =
        b_.CreateGEP(llvm::ArrayType::get(b_.getInt8Ty(), bytes), pointer, offset.base);
    b_.CreateAlignedStore(pairs, address, llvm::Align(bytes / 2));
    return OkStatus();
  }
  const llvm::Align first = AlignmentAt(op.getView(), offset);
  StorePart(compiler::ValueToStored(b_, type, value.re), pointer, bytes, offset, first,
            mask, 0, parts);
  if (parts == 2) StorePart(value.im, pointer, bytes, offset, first, mask, 1, parts);
  return OkStatus();
}

}  // namespace tenon::codegen
