// Products of filter elements with zeros: padding, and the zeros that a dilated input has
// between its elements. No loop computes them. Zero times a finite number adds nothing.
// Zero times an infinity or NaN is NaN, and so is the sum. It is enough to know for each
// such tap whether one of its elements is not finite: the bits of w - w, which is 0 or
// NaN, are combined by `or`.
#include <algorithm>

#include "tenon/base/integer_division.h"
#include "tenon/compiler/codegen/contract/contraction_emitter.h"

namespace tenon::codegen {
namespace {

llvm::Type* BitsType(llvm::Type* type) {
  return type->getWithNewType(
      llvm::IntegerType::get(type->getContext(), type->getScalarSizeInBits()));
}

}  // namespace

// The bits of 0 where `value`, as a tile multiplies it, is finite, and the bits of a NaN
// elsewhere. A k-group holds two elements of bf16; each is the upper half of an f32.
llvm::Value* ContractionEmitter::NotFinite(const ElementValue& value) {
  auto bits = [&](llvm::Value* x) {
    llvm::Value* difference = b_.CreateFSub(x, x);
    return b_.CreateBitCast(difference, BitsType(x->getType()));
  };
  if (plan_.k_group_size > 1) {
    llvm::Type* type = value.re->getType();
    llvm::Type* floats = type->getWithNewType(b_.getFloatTy());
    llvm::Value* low = b_.CreateShl(value.re, llvm::ConstantInt::get(type, 16));
    llvm::Value* high = b_.CreateAnd(value.re, llvm::ConstantInt::get(type, 0xffff0000u));
    return b_.CreateOr(bits(b_.CreateBitCast(low, floats)),
                       bits(b_.CreateBitCast(high, floats)));
  }
  llvm::Value* result = bits(value.re);
  return value.im ? b_.CreateOr(result, bits(value.im)) : result;
}

ElementValue ContractionEmitter::FromBits(llvm::Value* bits) {
  ElementValue value;
  value.type = problem_.accumulate;
  llvm::Type* part =
      compiler::ElementLlvmType(b_.getContext(), compiler::RealType(problem_.accumulate));
  value.re = b_.CreateBitCast(bits, bits->getType()->getWithNewType(part));
  if (compiler::IsComplex(value.type)) value.im = value.re;
  return value;
}

// One k index of a tile's vectors of b.
Status ContractionEmitter::EmitZeroStep(const TileShape& shape, llvm::Value* b_columns,
                                        IrValues& bits) {
  int lanes = plan_.lanes;
  int64_t taps = plan_.taps ? problem_.k_dims.back().size : 1;
  int64_t stride = plan_.b_storage == OperandStorage::kMicroPanels ? 1 : problem_.lane.b;
  for (int64_t tap = 0; tap < taps; ++tap)
    for (int j = 0; j < problem_.group; ++j)
      for (int v = 0; v < shape.vectors; ++v) {
        int64_t offset =
            tap * problem_.k_dims.back().b + j * problem_.group_b + v * lanes * stride;
        llvm::Value* mask = v == shape.vectors - 1 ? shape.last_mask : nullptr;
        ElementValue column;
        if (plan_.b_storage == OperandStorage::kMicroPanels) {
          column = LoadPlanar(
              b_, plan_.operand_type,
              OffsetPointer(b_, b_columns, offset, PartBytes(plan_.operand_type)), lanes,
              TileWidth() * PartBytes(plan_.operand_type));
        } else {
          column = LoadElements(
              b_, problem_.b_type,
              OffsetPointer(b_, b_columns, offset, ElementBytes(problem_.b_type)), lanes,
              stride, mask);
          TENON_ASSIGN_OR_RETURN(column, ConvertElements(b_, column, plan_.operand_type,
                                                         plan_.target.elementwise));
        }
        bits[v] = b_.CreateOr(bits[v], NotFinite(column));
      }
  return OkStatus();
}

// The taps among k indices q0..q1-1 that an output dimension's index clips. All loops are
// emitted; the loop after the last such dimension executes only for clipped taps.
Status ContractionEmitter::EmitClippedLevel(const TileShape& shape, size_t level,
                                            llvm::Value* b_columns, llvm::Value* lower,
                                            llvm::Value* upper, llvm::Value* outside,
                                            IrValues& bits) {
  size_t end = problem_.k_dims.size() - (plan_.taps ? 1 : 0);
  auto is_cut = [](const KDim& dim) { return dim.window && dim.window->outer >= 0; };
  bool more = std::any_of(problem_.k_dims.begin() + level, problem_.k_dims.end(), is_cut);
  if (level == end) {
    if (!outside) return EmitZeroStep(shape, b_columns, bits);
    llvm::Value* once = b_.CreateZExt(outside, b_.getInt64Ty());
    return EmitLoop(b_, I64(0), once, 1, bits, [&](llvm::Value*, IrValues& carried) {
      return EmitZeroStep(shape, b_columns, carried);
    });
  }
  const KDim& dim = problem_.k_dims[level];
  if (!more && outside) {
    upper = b_.CreateSelect(outside, upper, lower);
    outside = nullptr;
  }
  return EmitLoop(b_, lower, upper, 1, bits, [&](llvm::Value* index, IrValues& carried) {
    llvm::Value* columns = OffsetPointer(b_, b_columns, MulI(b_, index, dim.b),
                                         ElementBytes(problem_.b_type));
    llvm::Value* out = outside;
    if (is_cut(dim)) {
      llvm::Value* cut = b_.CreateOr(b_.CreateICmpSLT(index, ranges_[level].lower),
                                     b_.CreateICmpSGE(index, ranges_[level].upper));
      out = out ? b_.CreateOr(out, cut) : cut;
    }
    int64_t size = level + 1 < end ? problem_.k_dims[level + 1].size : 0;
    return EmitClippedLevel(shape, level + 1, columns, I64(0), I64(size), out, carried);
  });
}

Status ContractionEmitter::EmitClippedTaps(const TileShape& shape, llvm::Value* b_columns,
                                           llvm::Value* q0, llvm::Value* q1,
                                           IrValues& values) {
  values.clear();
  if (!HasZeroProducts(problem_.accumulate)) return OkStatus();
  llvm::Value* any = nullptr;
  for (auto [level, dim] : llvm::enumerate(problem_.k_dims)) {
    if (!dim.window || dim.window->outer < 0) continue;
    llvm::Value* cut = b_.CreateOr(b_.CreateICmpSGT(ranges_[level].lower, I64(0)),
                                   b_.CreateICmpSLT(ranges_[level].upper, I64(dim.size)));
    any = any ? b_.CreateOr(any, cut) : cut;
  }
  if (!any) return OkStatus();
  ElementValue zero = ZeroElements(b_, problem_.accumulate, plan_.lanes);
  IrValues bits(shape.vectors,
                llvm::Constant::getNullValue(BitsType(zero.re->getType())));
  TENON_RETURN_IF_ERROR(EmitClippedLevel(
      shape, 0, b_columns, q0, b_.CreateSelect(any, q1, q0), b_.getFalse(), bits));
  values = bits;
  return OkStatus();
}

// The address in row `row` of the table of the values for the lanes from `index`.
llvm::Value* ContractionEmitter::ZeroTable(llvm::Value* row, llvm::Value* index) {
  return OffsetPointer(b_, OffsetPointer(b_, scratch_, plan_.zero_offset, 1),
                       AddI(b_, MulI(b_, row, plan_.zero_row), index),
                       ElementBytes(problem_.accumulate));
}

// The row of the table for the phases of a position.
llvm::Value* ContractionEmitter::ZeroTableRow(const Position& position) {
  llvm::Value* row = I64(0);
  llvm::Value* none = b_.getFalse();
  for (auto [phases, tap] : llvm::zip_equal(problem_.polyphases, position.first_tap)) {
    none = b_.CreateOr(none, b_.CreateICmpSGE(tap, I64(phases.window)));
    row = AddI(b_, MulI(b_, row, phases.residues()), tap);
  }
  return b_.CreateSelect(none, I64(ResidueCount(problem_)), row);
}

void ContractionEmitter::LoadInitialSums(const TileShape& shape, llvm::Value* initial,
                                         IrValues& sums) {
  ElementType type = problem_.accumulate;
  sums.clear();
  for (int r = 0; r < shape.rows; ++r)
    for (int v = 0; v < shape.vectors; ++v) {
      int64_t offset = r * problem_.row.zero + v * plan_.lanes * problem_.lane.zero;
      ElementValue sum =
          LoadElements(b_, type, OffsetPointer(b_, initial, offset, ElementBytes(type)),
                       plan_.lanes, problem_.lane.zero);
      sums.push_back(sum.re);
      if (sum.im) sums.push_back(sum.im);
    }
}

// Calls `leaf` at the k indices of one residue class of taps, which starts at
// `first_tap`, for the k dimensions from `level` to `end`.
Status ContractionEmitter::EmitResidueTaps(
    const Contraction& problem, llvm::ArrayRef<llvm::Value*> first_tap, size_t level,
    size_t end, const Position& position, llvm::Value*& bits,
    llvm::function_ref<Status(const Position&, llvm::Value*&)> leaf) {
  if (level == end) return leaf(position, bits);
  const KDim& dim = problem.k_dims[level];
  bool phased = dim.polyphase >= 0;
  llvm::Value* lower = phased ? first_tap[dim.polyphase] : I64(0);
  int64_t step = phased ? problem.polyphases[dim.polyphase].tap_step : 1;
  IrValues carried = {bits};
  TENON_RETURN_IF_ERROR(EmitLoop(b_, lower, I64(dim.size), step, carried,
                                 [&](llvm::Value* index, IrValues& inner) {
                                   Position current = position;
                                   Advance(current, dim, index);
                                   return EmitResidueTaps(problem, first_tap, level + 1,
                                                          end, current, inner[0], leaf);
                                 }));
  bits = carried[0];
  return OkStatus();
}

// Fills the table for the lanes from `index`, `stride` apart. `find_bits` combines
// the bits of one residue class. In a phase, the taps of all other residue classes are
// multiplied with inserted zeros: so a row combines the classes before it and after it.
Status ContractionEmitter::FillZeroTable(
    llvm::Value* index, int lanes, int64_t stride, llvm::Value* mask,
    llvm::function_ref<Status(llvm::ArrayRef<llvm::Value*>, llvm::Value*&)> find_bits) {
  ElementType type = problem_.accumulate;
  int64_t count = ResidueCount(problem_);
  llvm::SmallVector<int64_t> sizes;
  for (const Polyphase& phases : problem_.polyphases) sizes.push_back(phases.residues());
  llvm::Value* zero =
      llvm::Constant::getNullValue(BitsType(ZeroElements(b_, type, lanes).re->getType()));
  auto store = [&](llvm::Value* row, llvm::Value* bits) {
    StoreElements(b_, FromBits(bits), ZeroTable(row, index), lanes, stride, mask);
  };
  auto load = [&](llvm::Value* row) {
    return b_.CreateBitCast(
        LoadElements(b_, type, ZeroTable(row, index), lanes, stride, mask).re,
        zero->getType());
  };
  IrValues before = {zero};
  TENON_RETURN_IF_ERROR(EmitLoop(b_, I64(0), I64(count), 1, before,
                                 [&](llvm::Value* number, IrValues& carried) -> Status {
                                   llvm::Value* bits = zero;
                                   IrValues first_tap = Delinearize(b_, number, sizes);
                                   TENON_RETURN_IF_ERROR(find_bits(first_tap, bits));
                                   store(number, carried[0]);
                                   store(AddI(b_, number, count + 1), bits);
                                   carried[0] = b_.CreateOr(carried[0], bits);
                                   return OkStatus();
                                 }));
  store(I64(count), before[0]);
  IrValues after = {zero};
  return EmitLoop(
      b_, I64(0), I64(count), 1, after, [&](llvm::Value* i, IrValues& carried) -> Status {
        llvm::Value* number = b_.CreateSub(I64(count - 1), i);
        store(number, b_.CreateOr(load(number), carried[0]));
        carried[0] = b_.CreateOr(carried[0], load(AddI(b_, number, count + 1)));
        return OkStatus();
      });
}

// Uses the filter in micro-panels, or the operand in place if it is not packed.
Status ContractionEmitter::EmitColumnTileZeroProducts(llvm::Value* batch,
                                                      llvm::Value* column_tile) {
  int lanes = plan_.lanes;
  bool packed = plan_.b_storage == OperandStorage::kMicroPanels;
  Position current = Start(problem_);
  AdvanceAll(current, llvm::ArrayRef<OutDim>(problem_.batch), batch);
  llvm::Value* column = MulI(b_, column_tile, TileWidth());
  Advance(current, problem_.lane, column);
  llvm::Value* base = packed ? PackedMicroPanel(batch, column_tile) : b_tile_;
  int64_t element_bytes = ElementBytes(problem_.b_type);
  int64_t part_bytes = PartBytes(problem_.b_type);
  if (packed) current.b = I64(0);
  int64_t stride = packed ? 1 : problem_.lane.b;
  llvm::Value* columns =
      MinI(b_, b_.CreateSub(I64(problem_.lane.size), column), I64(TileWidth()));
  return EmitLoop(b_, I64(0), columns, lanes, [&](llvm::Value* first) {
    llvm::Value* mask = LaneMask(b_, b_.CreateSub(columns, first), lanes);
    llvm::Value* lane =
        OffsetPointer(b_, OffsetPointer(b_, base, current.b, element_bytes), first,
                      packed ? part_bytes : stride * element_bytes);
    Position filter = current;
    filter.b = I64(0);
    auto leaf = [&](const Position& position, llvm::Value*& bits) -> Status {
      for (int j = 0; j < problem_.group; ++j) {
        llvm::Value* pointer = OffsetPointer(
            b_, lane, AddI(b_, position.b, j * problem_.group_b), element_bytes);
        ElementValue value;
        if (packed) {
          value = LoadPlanar(b_, plan_.operand_type, pointer, lanes,
                             TileWidth() * part_bytes);
        } else {
          value = LoadElements(b_, problem_.b_type, pointer, lanes, stride, mask);
          TENON_ASSIGN_OR_RETURN(value, ConvertElements(b_, value, plan_.operand_type,
                                                        plan_.target.elementwise));
          value = ZeroOutside(b_, value, mask, lanes);
        }
        bits = b_.CreateOr(bits, NotFinite(value));
      }
      return OkStatus();
    };
    return FillZeroTable(AddI(b_, current.zero, MulI(b_, first, problem_.lane.zero)),
                         lanes, problem_.lane.zero, mask,
                         [&](llvm::ArrayRef<llvm::Value*> first_tap, llvm::Value*& bits) {
                           return EmitResidueTaps(problem_, first_tap, 0,
                                                  problem_.k_dims.size(), filter, bits,
                                                  leaf);
                         });
  });
}

// If lanes run along pixels, the filter is operand a: one output feature, in vectors
// along the innermost k dimension.
Status ContractionEmitter::EmitRowZeroProducts(llvm::Value* item) {
  const KDim& inner = source_.k_dims.back();
  llvm::SmallVector<OutDim, 4> dims;
  for (const OutDim& dim : source_.batch)
    if (dim.zero != 0) dims.push_back(dim);
  dims.push_back(source_.row);
  Position current = Start(source_);
  AdvanceAll(current, llvm::ArrayRef<OutDim>(dims), item);
  int lanes = inner.polyphase >= 0 || inner.size < plan_.lanes / 2 ? 1 : plan_.lanes;
  llvm::Value* none = llvm::Constant::getNullValue(
      BitsType(ZeroElements(b_, problem_.accumulate, lanes).re->getType()));
  auto leaf = [&](const Position& position, llvm::Value*& bits) -> Status {
    int64_t size = lanes == 1 ? 1 : inner.size;
    IrValues carried = {bits};
    TENON_RETURN_IF_ERROR(EmitLoop(
        b_, I64(0), I64(size), lanes, carried,
        [&](llvm::Value* first, IrValues& inner_bits) -> Status {
          Position at_lanes = position;
          if (lanes > 1) Advance(at_lanes, inner, first);
          llvm::Value* mask =
              lanes > 1 ? LaneMask(b_, b_.CreateSub(I64(size), first), lanes) : nullptr;
          TENON_ASSIGN_OR_RETURN(ElementValue value,
                                 LoadOperand(/*is_a=*/true, at_lanes, inner.a_index.dim,
                                             lanes, inner.a, mask));
          value = ZeroOutside(b_, value, mask, lanes);
          inner_bits[0] = b_.CreateOr(inner_bits[0], NotFinite(value));
          return OkStatus();
        }));
    bits = carried[0];
    return OkStatus();
  };
  return FillZeroTable(
      current.zero, 1, 1, nullptr,
      [&](llvm::ArrayRef<llvm::Value*> first_tap, llvm::Value*& bits) -> Status {
        llvm::Value* lane_bits = none;
        size_t end = source_.k_dims.size() - (lanes > 1 ? 1 : 0);
        TENON_RETURN_IF_ERROR(
            EmitResidueTaps(source_, first_tap, 0, end, current, lane_bits, leaf));
        bits = lanes > 1 ? b_.CreateOrReduce(lane_bits) : lane_bits;
        return OkStatus();
      });
}

Status ContractionEmitter::EmitZeroProducts(llvm::Value* item) {
  if (!problem_.a_is_lhs) return EmitRowZeroProducts(item);
  IrValues digits = Delinearize(b_, item, {BatchCount(problem_), plan_.column_tiles});
  return EmitColumnTileZeroProducts(digits[0], digits[1]);
}

}  // namespace tenon::codegen
