// Packing: converts operands to the accumulate type and lays them out as the register
// tile reads them.
#include <algorithm>
#include <cstdlib>

#include "tenon/base/integer_division.h"
#include "tenon/compiler/codegen/contract/contraction_emitter.h"
#include "tenon/compiler/codegen/ir/shared_function.h"

namespace tenon::codegen {
namespace {

int64_t Stride(bool is_a, const KDim& dim) { return is_a ? dim.a : dim.b; }
const IndexTerm& Term(bool is_a, const KDim& dim) {
  return is_a ? dim.a_index : dim.b_index;
}

}  // namespace

StatusOr<bool> ContractionEmitter::PacksAlongK(const Contraction& from, bool is_a) {
  const OutDim& lane = is_a ? from.row : from.lane;
  const KDim& inner = from.k_dims.back();
  int64_t lane_stride = is_a ? lane.a : lane.b;
  bool along_k = Stride(is_a, inner) == 1 && lane_stride != 1 && inner.size > 1;
  if (!(is_a ? from.a_hook : from.b_hook)) return along_k;
  bool k_forward = Term(is_a, inner).scale == 1;
  bool lane_forward = (is_a ? lane.a_index : lane.b_index).scale == 1;
  if (along_k ? k_forward : lane_forward) return along_k;
  if (along_k ? lane_forward : k_forward) return !along_k;
  return Unimplemented(
      "matrix product: a fused operand that is reversed in all of its dimensions is not "
      "supported");
}

StatusOr<ElementValue> ContractionEmitter::LoadAsGiven(const Contraction& from, bool is_a,
                                                       const Position& position,
                                                       int lane_dim, int lanes,
                                                       int64_t stride,
                                                       llvm::Value* mask) {
  ElementType type = is_a ? from.a_type : from.b_type;
  if (is_a ? from.a_hook : from.b_hook) {
    VectorAccess access;
    const auto& index = is_a ? position.a_index : position.b_index;
    access.index.assign(index.begin(), index.end());
    access.lane_dim = lane_dim;
    access.lanes = lanes;
    access.mask = mask;
    bool lhs = is_a == from.a_is_lhs;
    return (lhs ? hooks_.load_lhs : hooks_.load_rhs)(b_, access);
  }
  llvm::Value* pointer = OffsetPointer(
      b_, is_a ? a_ : b_pointer_, is_a ? position.a : position.b, ElementBytes(type));
  return LoadElements(b_, type, pointer, lanes, stride, mask);
}

StatusOr<ElementValue> ContractionEmitter::LoadOperand(bool is_a,
                                                       const Position& position,
                                                       int lane_dim, int lanes,
                                                       int64_t stride,
                                                       llvm::Value* mask) {
  TENON_ASSIGN_OR_RETURN(ElementValue value, LoadAsGiven(source_, is_a, position,
                                                         lane_dim, lanes, stride, mask));
  TENON_ASSIGN_OR_RETURN(
      value, ConvertElements(b_, value, plan_.operand_type, plan_.target.elementwise));
  return OffsetKGroups(is_a, value);
}

// Stores `lanes` consecutive elements of a row (dest_stride 1) or a column of a
// micro-panel.
Status ContractionEmitter::EmitMicroPanelElements(bool is_a, const Position& position,
                                                  int lane_dim, int lanes,
                                                  llvm::Value* mask, llvm::Value* dest,
                                                  int64_t dest_stride, int width) {
  int64_t stride = 1;
  if (dest_stride == 1) stride = is_a ? source_.row.a : source_.lane.b;
  TENON_ASSIGN_OR_RETURN(ElementValue value,
                         LoadOperand(is_a, position, lane_dim, lanes, stride, mask));
  if (is_a || !value.im) {
    StoreElements(b_, value, dest, lanes, dest_stride, mask);
    return OkStatus();
  }
  // The parts of b are separate planes of a row of the micro-panel.
  ElementType part = compiler::RealType(value.type);
  int64_t part_stride = dest_stride == 1 ? 1 : 2 * dest_stride;
  StoreElements(b_, {part, value.re}, dest, lanes, part_stride, mask);
  StoreElements(b_, {part, value.im}, OffsetPointer(b_, dest, width, PartBytes(part)),
                lanes, part_stride, mask);
  return OkStatus();
}

// Emits `body` at each index of the outer k dimensions, for the rows of the micro-panel
// from `rows` on.
Status ContractionEmitter::EmitOuterKLoop(
    const Position& position, llvm::Value* dest, int64_t row_bytes,
    llvm::function_ref<Status(const Position&, llvm::Value* rows)> body) {
  llvm::SmallVector<KDim, 4> outer(source_.k_dims.begin(), source_.k_dims.end() - 1);
  int64_t count = 1;
  for (const KDim& dim : outer) count *= dim.size;
  return EmitLoop(b_, I64(0), I64(count), 1, [&](llvm::Value* index) {
    Position at_k = position;
    AdvanceAll(at_k, llvm::ArrayRef<KDim>(outer), index);
    return body(at_k,
                OffsetPointer(b_, dest, index, row_bytes * source_.k_dims.back().size));
  });
}

// Packs `count` lanes by vectors along the innermost k dimension.
Status ContractionEmitter::EmitPackColumns(bool is_a, const Position& position,
                                           llvm::Value* count, int width,
                                           llvm::Value* rows) {
  const OutDim& lane = is_a ? source_.row : source_.lane;
  const KDim& inner = source_.k_dims.back();
  int64_t bytes = ElementBytes(plan_.operand_type);
  int64_t lane_bytes = is_a ? bytes : PartBytes(plan_.operand_type);
  int lanes = plan_.lanes;
  return EmitLoop(b_, I64(0), count, 1, [&](llvm::Value* l) {
    Position column = position;
    Advance(column, lane, l);
    llvm::Value* out = OffsetPointer(b_, rows, l, lane_bytes);
    return EmitLoop(b_, I64(0), I64(inner.size), lanes, [&](llvm::Value* k) {
      Position current = column;
      Advance(current, inner, k);
      llvm::Value* mask = inner.size % lanes == 0
                              ? nullptr
                              : LaneMask(b_, b_.CreateSub(I64(inner.size), k), lanes);
      return EmitMicroPanelElements(is_a, current, Term(is_a, inner).dim, lanes, mask,
                                    OffsetPointer(b_, out, k, width * bytes), width,
                                    width);
    });
  });
}

// Packs lanes one element at a time; `remaining` of them exist.
Status ContractionEmitter::EmitPackElements(bool is_a, const Position& position,
                                            llvm::Value* remaining, int width,
                                            llvm::Value* rows) {
  const OutDim& lane = is_a ? source_.row : source_.lane;
  const KDim& inner = source_.k_dims.back();
  int64_t bytes = ElementBytes(plan_.operand_type);
  int64_t lane_bytes = is_a ? bytes : PartBytes(plan_.operand_type);
  return EmitLoop(b_, I64(0), I64(inner.size), 1, [&](llvm::Value* k) {
    Position at_k = position;
    Advance(at_k, inner, k);
    llvm::Value* row = OffsetPointer(b_, rows, k, width * bytes);
    return EmitLoop(b_, I64(0), MinI(b_, remaining, I64(width)), 1, [&](llvm::Value* l) {
      Position current = at_k;
      Advance(current, lane, l);
      return EmitMicroPanelElements(is_a, current,
                                    (is_a ? lane.a_index : lane.b_index).dim, 1, nullptr,
                                    OffsetPointer(b_, row, l, lane_bytes), 1, width);
    });
  });
}

Status ContractionEmitter::EmitPackMicroPanel(bool is_a, Position position,
                                              llvm::Value* first, int width,
                                              llvm::Value* dest) {
  if (is_a ? plan_.pack_k_groups_a : plan_.pack_k_groups_b)
    return EmitPackKGroups(is_a, position, first, width, dest);
  const OutDim& lane = is_a ? source_.row : source_.lane;
  const KDim& inner = source_.k_dims.back();
  int64_t lane_stride = is_a ? lane.a : lane.b;
  bool hook = is_a ? source_.a_hook : source_.b_hook;
  ElementType type = plan_.operand_type;
  ElementType from = is_a ? source_.a_type : source_.b_type;
  int64_t row_bytes = width * ElementBytes(type);
  bool transposable = from != ElementType::kPred && type != ElementType::kPred &&
                      !compiler::IsComplex(from) && !compiler::IsComplex(type) &&
                      plan_.lanes % kTransposedBlock == 0;
  TENON_ASSIGN_OR_RETURN(bool along_k, PacksAlongK(source_, is_a));
  Position at_lane = position;
  Advance(at_lane, lane, first);
  llvm::Value* remaining = b_.CreateSub(I64(lane.size), first);
  auto outer_k_loop =
      [&](llvm::function_ref<Status(const Position&, llvm::Value*)> body) {
        return EmitOuterKLoop(at_lane, dest, row_bytes, body);
      };

  if (along_k && !hook && transposable && !is_a) {
    return outer_k_loop([&](const Position& at_k, llvm::Value* rows) {
      return EmitTransposedRows(at_k, inner, first, width, rows, row_bytes);
    });
  }
  if (along_k) {
    return outer_k_loop([&](const Position& at_k, llvm::Value* rows) {
      llvm::Value* count = MinI(b_, remaining, I64(width));
      return EmitPackColumns(is_a, at_k, count, width, rows);
    });
  }
  if (PacksWholeVectors(source_, is_a)) {
    return outer_k_loop([&](const Position& at_k, llvm::Value* rows) {
      return CallPackRows(source_, at_k, I64(inner.size), remaining, rows);
    });
  }
  if (lane_stride == 1 || hook) {
    return outer_k_loop([&](const Position& at_k, llvm::Value* rows) {
      return EmitLoop(b_, I64(0), I64(inner.size), 1, [&](llvm::Value* k) {
        Position current = at_k;
        Advance(current, inner, k);
        return EmitMicroPanelRow(is_a, current, remaining, width,
                                 OffsetPointer(b_, rows, k, row_bytes));
      });
    });
  }
  // Neither dimension is contiguous, but the taps of a filter may be.
  std::optional<TapRun> run = FindTapRun(source_, is_a);
  if (run && transposable) return EmitTapRuns(*run, at_lane, first, width, dest);
  return outer_k_loop([&](const Position& at_k, llvm::Value* rows) {
    return EmitPackElements(is_a, at_k, remaining, width, rows);
  });
}

// Whether rows of a micro-panel are copies of adjacent numbers in memory.
bool ContractionEmitter::PacksWholeVectors(const Contraction& from, bool is_a) const {
  const ElementType type = plan_.operand_type;
  return !is_a && !from.b_hook && from.lane.b == 1 && from.b_type == type &&
         (type == ElementType::kF32 || type == ElementType::kF64) &&
         plan_.target.shared_tiles && !plan_.pack_k_groups_b;
}

// Packs `count` rows, which are one index of the innermost k dimension apart, by a shared
// function. Where less than a row of numbers remains, it is filled up with zeros: only
// loads have masks, because masked stores take 20 cycles on some processors.
Status ContractionEmitter::CallPackRows(const Contraction& from, const Position& position,
                                        llvm::Value* count, llvm::Value* remaining,
                                        llvm::Value* dest) {
  const int64_t bytes = ElementBytes(plan_.operand_type);
  const int lanes = plan_.lanes, width = static_cast<int>(TileWidth());
  auto* vector = llvm::FixedVectorType::get(
      compiler::ElementMemoryType(b_.getContext(), plan_.operand_type), lanes);
  const std::string name =
      (llvm::Twine("pack_rows.") + llvm::Twine(width / lanes) + "." +
       ElementTypeName(plan_.operand_type) + "x" + llvm::Twine(lanes))
          .str();
  IrValues arguments{OffsetPointer(b_, b_pointer_, position.b, bytes),
                     I64(from.k_dims.back().b * bytes), dest, count, remaining};
  return CallShared(b_, name, arguments, [&](IrValues& p) {
    auto rows = [&](bool whole) {
      return EmitLoop(b_, I64(0), p[3], 1, [&](llvm::Value* k) {
        llvm::Value* source =
            b_.CreateGEP(b_.getInt8Ty(), p[0], b_.CreateNSWMul(k, p[1]));
        llvm::Value* target = OffsetPointer(b_, p[2], k, width * bytes);
        const llvm::Align align(bytes);
        for (int v = 0; v < width; v += lanes) {
          llvm::Value* at = OffsetPointer(b_, source, v, bytes);
          llvm::Value* loaded =
              whole ? static_cast<llvm::Value*>(b_.CreateAlignedLoad(vector, at, align))
                    : b_.CreateMaskedLoad(vector, at, align,
                                          LaneMask(b_, AddI(b_, p[4], -v), lanes),
                                          llvm::Constant::getNullValue(vector));
          b_.CreateAlignedStore(loaded, OffsetPointer(b_, target, v, bytes), align);
        }
        return OkStatus();
      });
    };
    return EmitIfElse(
        b_, b_.CreateICmpSGE(p[4], I64(width)), [&] { return rows(true); },
        [&] { return rows(false); });
  });
}

// Packs one row of a micro-panel from consecutive lanes, of which `remaining` exist.
Status ContractionEmitter::EmitMicroPanelRow(bool is_a, const Position& position,
                                             llvm::Value* remaining, int width,
                                             llvm::Value* dest) {
  const OutDim& lane = is_a ? source_.row : source_.lane;
  const IndexTerm& lane_term = is_a ? lane.a_index : lane.b_index;
  ElementType type = plan_.operand_type;
  int64_t lane_bytes = is_a ? ElementBytes(type) : PartBytes(type);
  bool partial = is_a || lane.size % width != 0;
  int lanes = plan_.lanes;
  for (int v = 0; v < width; v += lanes) {
    Position current = position;
    Advance(current, lane, I64(v));
    llvm::Value* count =
        partial ? MinI(b_, AddI(b_, remaining, -v), I64(width - v)) : I64(lanes);
    TENON_RETURN_IF_ERROR(EmitMicroPanelElements(
        is_a, current, lane_term.dim, lanes, LaneMask(b_, count, lanes),
        OffsetPointer(b_, dest, v, lane_bytes), 1, width));
  }
  return OkStatus();
}

// Packs k indices k0..k1-1 of the only k dimension for micro-panels tile0..tile1-1.
// The loop over k is outside: one or a few k indices of all micro-panels are packed
// before the next ones, so that rows of the operand are read whole. `dest` is at the
// first k index of the first micro-panel; micro-panels are `micro_panel_bytes` apart.
Status ContractionEmitter::EmitPackAcross(bool is_a, const Position& position,
                                          llvm::Value* tile0, llvm::Value* tile1,
                                          llvm::Value* k0, llvm::Value* k1,
                                          llvm::Value* dest,
                                          llvm::Value* micro_panel_bytes) {
  const Contraction& from = PackSource(is_a);
  const OutDim& lane = is_a ? from.row : from.lane;
  bool k_groups = is_a ? plan_.pack_k_groups_a : plan_.pack_k_groups_b;
  int width = is_a ? plan_.rows : static_cast<int>(TileWidth());
  int64_t row_bytes = width * ElementBytes(plan_.operand_type);
  // A row of a micro-panel is short: less than a cache line of a, less than two of b
  // without registers of 512 bits. Some rows are packed before the next micro-panel, but
  // not many, because those that share a cache set do not stay in the cache.
  const int64_t group_size = is_a || row_bytes < 128 ? 8 : 1;
  return EmitLoop(b_, k0, k1, group_size, [&](llvm::Value* group) {
    return EmitLoop(b_, tile0, tile1, 1, [&](llvm::Value* tile) {
      llvm::Value* first = is_a ? RowTileStart(tile) : MulI(b_, tile, width);
      llvm::Value* remaining = MinI(b_, b_.CreateSub(I64(lane.size), first), I64(width));
      llvm::Value* rows = OffsetPointer(
          b_, dest, b_.CreateNSWMul(b_.CreateNSWSub(tile, tile0), micro_panel_bytes), 1);
      Position at_tile = position;
      Advance(at_tile, lane, first);
      if (PacksWholeVectors(from, is_a)) {
        Advance(at_tile, from.k_dims.back(), group);
        return CallPackRows(
            from, at_tile, b_.CreateSub(MinI(b_, AddI(b_, group, group_size), k1), group),
            remaining, OffsetPointer(b_, rows, b_.CreateNSWSub(group, k0), row_bytes));
      }
      auto row = [&](llvm::Value* k) {
        llvm::Value* to = OffsetPointer(b_, rows, b_.CreateNSWSub(k, k0), row_bytes);
        if (k_groups)
          return EmitKGroupRow(is_a, at_tile, k, plan_.k_group_size, remaining, width,
                               to);
        Position current = at_tile;
        Advance(current, from.k_dims.back(), k);
        return EmitMicroPanelRow(is_a, current, remaining, width, to);
      };
      if (group_size == 1) return row(group);
      return EmitLoop(b_, group, MinI(b_, AddI(b_, group, group_size), k1), 1, row);
    });
  });
}

int64_t ContractionEmitter::MicroPanelBytes() const {
  return TileWidth() * KCount(source_) * ElementBytes(plan_.operand_type);
}

llvm::Value* ContractionEmitter::KeptMicroPanel(llvm::Value* batch,
                                                llvm::Value* column_tile) {
  llvm::Value* index = AddI(b_, MulI(b_, batch, plan_.column_tiles), column_tile);
  return OffsetPointer(b_, kept_panels_, index, MicroPanelBytes());
}

llvm::Value* ContractionEmitter::PackedMicroPanel(llvm::Value* batch,
                                                  llvm::Value* column_tile) {
  llvm::Value* panel;
  if (plan_.pack_blocks) {
    panel = OffsetPointer(b_, packed_block_, column_tile,
                          TileWidth() * plan_.k_block * ElementBytes(plan_.operand_type));
  } else {
    llvm::Value* index = plan_.micro_panel_at_a_time
                             ? chunk_
                             : AddI(b_, MulI(b_, batch, plan_.column_tiles), column_tile);
    panel = OffsetPointer(b_, b_tile_, index, MicroPanelBytes());
  }
  if (!keeps_) return panel;
  return b_.CreateSelect(keeps_, KeptMicroPanel(batch, column_tile), panel);
}

Status ContractionEmitter::EmitUnlessKept(llvm::function_ref<Status()> pack) {
  return is_packed_ ? EmitIfElse(b_, b_.CreateNot(is_packed_), pack) : pack();
}

Status ContractionEmitter::EmitPackB(llvm::Value* batch, llvm::Value* column_tile) {
  return EmitUnlessKept([&] {
    const Contraction& source = PackSource(/*is_a=*/false);
    Position position = Start(source);
    AdvanceAll(position, llvm::ArrayRef<OutDim>(source.batch), batch);
    return EmitPackMicroPanel(
        /*is_a=*/false, position, MulI(b_, column_tile, TileWidth()),
        static_cast<int>(TileWidth()), PackedMicroPanel(batch, column_tile));
  });
}

// Packs k indices q0..q1-1 of the micro-panels tile0..tile1-1, into the chunk's own part
// of scratch unless the micro-panels are kept.
Status ContractionEmitter::EmitPackBlock(llvm::Value* batch, llvm::Value* tile0,
                                         llvm::Value* tile1, llvm::Value* q0,
                                         llvm::Value* q1) {
  int64_t row_bytes = TileWidth() * ElementBytes(plan_.operand_type);
  int64_t block_bytes = row_bytes * plan_.k_block;
  llvm::Value* dest =
      OffsetPointer(b_, b_tile_, chunk_, block_bytes * plan_.chunk_column_tiles);
  // The address that k index 0 of micro-panel 0 would have.
  packed_block_ = OffsetPointer(b_, dest, b_.CreateNeg(tile0), block_bytes);
  packed_block_ = OffsetPointer(b_, packed_block_, b_.CreateNeg(q0), row_bytes);
  return EmitUnlessKept([&] {
    const Contraction& source = PackSource(/*is_a=*/false);
    Position position = Start(source);
    AdvanceAll(position, llvm::ArrayRef<OutDim>(source.batch), batch);
    llvm::Value *to = dest, *stride = I64(block_bytes);
    if (keeps_) {
      to = OffsetPointer(b_, KeptMicroPanel(batch, tile0), q0, row_bytes);
      to = b_.CreateSelect(keeps_, to, dest);
      stride = b_.CreateSelect(keeps_, I64(MicroPanelBytes()), stride);
    }
    return EmitPackAcross(/*is_a=*/false, position, tile0, tile1, q0, q1, to, stride);
  });
}

// Packs some k indices of all micro-panels of a.
Status ContractionEmitter::EmitPackAKRange(llvm::Value* chunk) {
  int64_t batches = BatchCount(source_), outers = OuterCount(source_);
  int64_t k_count = KCount(source_), size = plan_.pack_a_k_count;
  IrValues digits = Delinearize(b_, chunk, {batches, outers, CeilDiv(k_count, size)});
  const Contraction& source = PackSource(/*is_a=*/true);
  Position position = Start(source);
  AdvanceAll(position, llvm::ArrayRef<OutDim>(source.batch), digits[0]);
  AdvanceAll(position, llvm::ArrayRef<OutDim>(source.outer), digits[1]);
  int64_t bytes = ElementBytes(plan_.operand_type);
  llvm::Value* k0 = MulI(b_, digits[2], size);
  llvm::Value* k1 = MinI(b_, AddI(b_, k0, size), I64(k_count));
  llvm::Value* row_tiles = AddI(b_, MulI(b_, digits[0], outers), digits[1]);
  llvm::Value* dest = OffsetPointer(
      b_, a_tile_, row_tiles, plan_.row_tiles * plan_.a_micro_panel_elements * bytes);
  dest = OffsetPointer(b_, dest, k0, plan_.rows * bytes);
  return EmitPackAcross(/*is_a=*/true, position, I64(0), I64(plan_.row_tiles), k0, k1,
                        dest, I64(plan_.a_micro_panel_elements * bytes));
}

// Packs one micro-panel of a.
Status ContractionEmitter::EmitPackA(llvm::Value* chunk) {
  if (plan_.pack_a_k_count > 0) return EmitPackAKRange(chunk);
  int64_t batches = BatchCount(source_), outers = OuterCount(source_);
  IrValues digits = Delinearize(b_, chunk, {batches, outers, plan_.row_tiles});
  const Contraction& source = PackSource(/*is_a=*/true);
  Position position = Start(source);
  AdvanceAll(position, llvm::ArrayRef<OutDim>(source.batch), digits[0]);
  AdvanceAll(position, llvm::ArrayRef<OutDim>(source.outer), digits[1]);
  llvm::Value* dest =
      OffsetPointer(b_, a_tile_, MulI(b_, chunk, plan_.a_micro_panel_elements),
                    ElementBytes(plan_.operand_type));
  llvm::Value* first = RowTileStart(digits[2]);
  if (plan_.multiply_matrices) return EmitPackMatrixRows(position, first, dest);
  return EmitPackMicroPanel(/*is_a=*/true, position, first, plan_.rows, dest);
}

// Copies one row of the innermost dimension of a, in the order of its copy.
Status ContractionEmitter::EmitCopyA(llvm::Value* chunk) {
  // The dimensions in which a moves, with its strides before and after, outermost first.
  struct Dim {
    OutDim dim;
    int64_t dest;
  };
  std::vector<Dim> dims;
  auto add = [&](const OutDim& from, const OutDim& to) {
    if (from.a != 0 && from.size > 1) dims.push_back({from, to.a});
  };
  for (size_t i = 0; i < source_.batch.size(); ++i)
    add(source_.batch[i], problem_.batch[i]);
  for (size_t i = 0; i < source_.outer.size(); ++i)
    add(source_.outer[i], problem_.outer[i]);
  add(source_.row, problem_.row);
  add(source_.lane, problem_.lane);
  for (size_t i = 0; i < source_.k_dims.size(); ++i) {
    const KDim& k_dim = source_.k_dims[i];
    OutDim dim;
    dim.size = k_dim.size;
    dim.a = k_dim.a;
    dim.a_index = k_dim.a_index;
    OutDim to;
    to.a = plan_.copy_k_strides[i];
    add(dim, to);
  }
  std::stable_sort(dims.begin(), dims.end(),
                   [](const Dim& x, const Dim& y) { return x.dest > y.dest; });
  Position position = Start(source_);
  llvm::Value* offset = I64(0);
  int64_t bytes = ElementBytes(plan_.operand_type);
  Dim inner{OutDim(), 1};
  if (!dims.empty()) {
    inner = dims.back();
    dims.pop_back();
  }
  llvm::SmallVector<int64_t> sizes;
  for (const Dim& dim : dims) sizes.push_back(dim.dim.size);
  IrValues digits = Delinearize(b_, chunk, sizes);
  for (size_t i = 0; i < dims.size(); ++i) {
    Advance(position, dims[i].dim, digits[i]);
    offset = AddI(b_, offset, MulI(b_, digits[i], dims[i].dest));
  }
  llvm::Value* row = OffsetPointer(b_, a_tile_, offset, bytes);
  bool scalar = source_.a_hook && inner.dim.a_index.scale != 1;
  int lanes = scalar || inner.dim.size == 1 ? 1 : plan_.lanes;
  return EmitLoop(b_, I64(0), I64(inner.dim.size), lanes, [&](llvm::Value* i) -> Status {
    Position current = position;
    Advance(current, inner.dim, i);
    llvm::Value* mask = inner.dim.size % lanes == 0
                            ? nullptr
                            : LaneMask(b_, b_.CreateSub(I64(inner.dim.size), i), lanes);
    TENON_ASSIGN_OR_RETURN(
        ElementValue value,
        LoadOperand(/*is_a=*/true, current, std::max(inner.dim.a_index.dim, 0), lanes,
                    inner.dim.a, mask));
    StoreElements(b_, value, OffsetPointer(b_, row, i, bytes), lanes, 1, mask);
    return OkStatus();
  });
}

}  // namespace tenon::codegen
