// Packs operands into k-groups.
#include <algorithm>
#include <cstdlib>

#include "tenon/base/integer_division.h"
#include "tenon/compiler/codegen/contract/contraction_emitter.h"

namespace tenon::codegen {
namespace {

constexpr int kKGroupBytes = 4;

}  // namespace

ElementValue ContractionEmitter::OffsetKGroups(bool is_a, ElementValue value) {
  constexpr uint32_t kSignBits = 0x80808080;
  if (is_a && plan_.k_group_product.unsigned_x)
    value.re =
        b_.CreateXor(value.re, llvm::ConstantInt::get(value.re->getType(), kSignBits));
  return value;
}

// The bits of elements, as integers.
llvm::Value* ContractionEmitter::ElementBits(const ElementValue& value) {
  llvm::Value* stored = compiler::ValueToStored(b_, value.type, value.re);
  llvm::Type* type = stored->getType();
  return b_.CreateBitCast(
      stored, type->getWithNewType(b_.getIntNTy(type->getScalarSizeInBits())));
}

void ContractionEmitter::StoreKGroups(bool is_a, llvm::Value* k_groups, llvm::Value* to,
                                      int lanes, int64_t stride, llvm::Value* mask) {
  ElementValue value{ElementType::kU32, k_groups};
  StoreElements(b_, OffsetKGroups(is_a, value), to, lanes, stride, mask);
}

// Loads k-group `k_group`, of `count` elements, of the lanes from `first`.
StatusOr<llvm::Value*> ContractionEmitter::LoadKGroups(bool is_a, const Position& first,
                                                       llvm::Value* k_group, int count,
                                                       int lanes, llvm::Value* mask) {
  const Contraction& from = plan_.elements;
  const OutDim& lane = is_a ? from.row : from.lane;
  const IndexTerm& lane_term = is_a ? lane.a_index : lane.b_index;
  llvm::Type* type = b_.getInt32Ty();
  if (lanes > 1) type = llvm::FixedVectorType::get(type, lanes);
  llvm::Value* k_groups = llvm::Constant::getNullValue(type);
  for (int j = 0; j < count; ++j) {
    Position current = first;
    Advance(current, from.k_dims.back(),
            AddI(b_, MulI(b_, k_group, plan_.k_group_size), j));
    TENON_ASSIGN_OR_RETURN(ElementValue value,
                           LoadAsGiven(from, is_a, current, lane_term.dim, lanes,
                                       is_a ? lane.a : lane.b, mask));
    llvm::Value* part = ElementBits(value);
    int size = part->getType()->getScalarSizeInBits();
    part = b_.CreateZExt(part, type);
    part = b_.CreateShl(part, llvm::ConstantInt::get(type, j * size));
    k_groups = b_.CreateOr(k_groups, part);
  }
  return k_groups;
}

// Packs all k-groups of one lane, `stride` k-groups apart.
Status ContractionEmitter::EmitKGroupsAlongK(bool is_a, const Position& column,
                                             llvm::Value* to, int64_t stride) {
  const KDim& inner = plan_.elements.k_dims.back();
  const IndexTerm& k_term = is_a ? inner.a_index : inner.b_index;
  int lanes = plan_.lanes, group = plan_.k_group_size;
  int64_t k_groups = source_.k_dims.back().size;
  return EmitLoop(
      b_, I64(0), I64(k_groups), lanes, [&](llvm::Value* first_group) -> Status {
        Position current = column;
        llvm::Value* k = MulI(b_, first_group, group);
        Advance(current, inner, k);
        llvm::Value* mask = nullptr;
        if (inner.size % (lanes * group) != 0)
          mask = LaneMask(b_, b_.CreateSub(I64(inner.size), k), lanes * group);
        TENON_ASSIGN_OR_RETURN(
            ElementValue value,
            LoadAsGiven(plan_.elements, is_a, current, k_term.dim, lanes * group,
                        is_a ? inner.a : inner.b, mask));
        value = ZeroOutside(b_, value, mask, lanes * group);
        llvm::Value* k_group = b_.CreateBitCast(
            ElementBits(value), llvm::FixedVectorType::get(b_.getInt32Ty(), lanes));
        llvm::Value* store_mask =
            k_groups % lanes == 0
                ? nullptr
                : LaneMask(b_, b_.CreateSub(I64(k_groups), first_group), lanes);
        StoreKGroups(is_a, k_group,
                     OffsetPointer(b_, to, first_group, stride * kKGroupBytes), lanes,
                     stride, store_mask);
        return OkStatus();
      });
}

// Packs k-group `k_group`, of `count` elements, of the lanes from `column`, `remaining`
// of which exist.
Status ContractionEmitter::EmitKGroupRow(bool is_a, const Position& column,
                                         llvm::Value* k_group, int count,
                                         llvm::Value* remaining, int width,
                                         llvm::Value* to) {
  const Contraction& from = plan_.elements;
  const OutDim& lane = is_a ? from.row : from.lane;
  int64_t lane_stride = is_a ? lane.a : lane.b;
  // Lanes that are adjacent in memory.
  auto pack_lanes = [&](const Position& first, int lanes, llvm::Value* mask,
                        llvm::Value* dest) -> Status {
    TENON_ASSIGN_OR_RETURN(llvm::Value * k_groups,
                           LoadKGroups(is_a, first, k_group, count, lanes, mask));
    StoreKGroups(is_a, k_groups, dest, lanes, 1, mask);
    return OkStatus();
  };
  if (lane_stride != 1 && !(is_a ? from.a_hook : from.b_hook)) {
    return EmitLoop(b_, I64(0), remaining, 1, [&](llvm::Value* l) {
      Position current = column;
      Advance(current, lane, l);
      return pack_lanes(current, 1, nullptr, OffsetPointer(b_, to, l, kKGroupBytes));
    });
  }
  bool partial = is_a || lane.size % width != 0;
  for (int v = 0; v < width; v += plan_.lanes) {
    Position current = column;
    Advance(current, lane, I64(v));
    llvm::Value* mask =
        partial ? LaneMask(b_, AddI(b_, remaining, -v), plan_.lanes) : nullptr;
    TENON_RETURN_IF_ERROR(
        pack_lanes(current, plan_.lanes, mask, OffsetPointer(b_, to, v, kKGroupBytes)));
  }
  return OkStatus();
}

Status ContractionEmitter::EmitPackKGroups(bool is_a, Position position,
                                           llvm::Value* first, int width,
                                           llvm::Value* dest) {
  const Contraction& from = plan_.elements;
  const OutDim& lane = is_a ? from.row : from.lane;
  const KDim& inner = from.k_dims.back();
  int group = plan_.k_group_size;
  int64_t k_groups = source_.k_dims.back().size;
  int64_t row_bytes = int64_t{width} * kKGroupBytes;
  TENON_ASSIGN_OR_RETURN(bool along_k, PacksAlongK(from, is_a));
  Position at_lane = position;
  Advance(at_lane, lane, first);
  llvm::Value* remaining = MinI(b_, b_.CreateSub(I64(lane.size), first), I64(width));
  llvm::SmallVector<KDim, 4> outer(from.k_dims.begin(), from.k_dims.end() - 1);
  int64_t count = 1;
  for (const KDim& dim : outer) count *= dim.size;
  return EmitLoop(b_, I64(0), I64(count), 1, [&](llvm::Value* index) -> Status {
    Position at_k = at_lane;
    AdvanceAll(at_k, llvm::ArrayRef<KDim>(outer), index);
    llvm::Value* rows = OffsetPointer(b_, dest, index, row_bytes * k_groups);
    if (along_k) {
      return EmitLoop(b_, I64(0), remaining, 1, [&](llvm::Value* l) {
        Position column = at_k;
        Advance(column, lane, l);
        return EmitKGroupsAlongK(is_a, column, OffsetPointer(b_, rows, l, kKGroupBytes),
                                 width);
      });
    }
    int64_t whole = inner.size / group;
    TENON_RETURN_IF_ERROR(EmitLoop(b_, I64(0), I64(whole), 1, [&](llvm::Value* k_group) {
      return EmitKGroupRow(is_a, at_k, k_group, group, remaining, width,
                           OffsetPointer(b_, rows, k_group, row_bytes));
    }));
    // The k-group that is partly padding, and those that are only padding.
    for (int64_t k_group = whole; k_group < k_groups; ++k_group)
      TENON_RETURN_IF_ERROR(EmitKGroupRow(
          is_a, at_k, I64(k_group),
          static_cast<int>(std::max<int64_t>(inner.size - k_group * group, 0)), remaining,
          width, OffsetPointer(b_, rows, k_group, row_bytes)));
    return OkStatus();
  });
}

}  // namespace tenon::codegen
