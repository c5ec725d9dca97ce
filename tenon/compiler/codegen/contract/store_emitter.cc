// Results: from accumulators in memory to the output or the store hook.
#include "tenon/compiler/codegen/contract/contraction_emitter.h"
#include "tenon/compiler/codegen/ir/shared_function.h"
#include "tenon/compiler/codegen/ir/transpose_tile.h"

namespace tenon::codegen {

bool ContractionEmitter::DirectStore() const {
  return !problem_.store_hook && problem_.out_type == problem_.accumulate &&
         !compiler::IsComplex(problem_.out_type) && problem_.lane.c == 1 &&
         plan_.k_slices == 1 && !UnevenPhases(problem_.row);
}

const Polyphase* ContractionEmitter::UnevenPhases(const OutDim& dim) const {
  for (const Polyphase& phases : problem_.polyphases)
    if (phases.uneven() && dim.c_index.dim == phases.output_dim) return &phases;
  return nullptr;
}

llvm::Value* ContractionEmitter::LimitOutputs(const OutDim& dim, const Position& position,
                                              llvm::Value* count) {
  const Polyphase* phases = UnevenPhases(dim);
  if (!phases) return count;
  llvm::Value* left = b_.CreateSub(I64(phases->output + phases->count - 1),
                                   position.c_index[phases->output_dim]);
  return MinI(b_, count, b_.CreateSDiv(left, I64(phases->count)));
}

int64_t ContractionEmitter::PartialRowBytes() const {
  return plan_.column_tiles * TileWidth() * ElementBytes(problem_.accumulate);
}

llvm::Value* ContractionEmitter::PartialRow(llvm::Value* slice, llvm::Value* row,
                                            llvm::Value* column_tile) {
  int64_t rows = BatchCount(problem_) * OuterCount(problem_) * problem_.row.size;
  llvm::Value* base = OffsetPointer(b_, scratch_, plan_.partial_offset, 1);
  llvm::Value* index = AddI(b_, MulI(b_, slice, rows), row);
  base = OffsetPointer(b_, base, index, PartialRowBytes());
  return OffsetPointer(b_, base, column_tile,
                       TileWidth() * ElementBytes(problem_.accumulate));
}

VectorAccess ContractionEmitter::ResultAccess(const Position& position, const OutDim& dim,
                                              int lanes, llvm::Value* mask) {
  VectorAccess access;
  Position output = position;
  if (!problem_.row_digits.empty())
    AdvanceAll(output, llvm::ArrayRef<OutDim>(problem_.row_digits), position.row);
  access.index.assign(output.c_index.begin(), output.c_index.end());
  access.offset = position.c;
  access.lane_dim = dim.c_index.dim;
  // The results of a phase, or of groups, are not adjacent.
  access.lane_step = dim.c_index.scale;
  access.lanes = lanes;
  access.mask = mask;
  return access;
}

// Prefetches what the store hook reads for a tile of results that are adjacent along its
// lanes. Each row begins in another page, so the processor does not foresee it.
Status ContractionEmitter::EmitPrefetchResults(const Position& position) {
  constexpr int64_t kLine = 64;
  const int64_t step = std::max<int64_t>(1, kLine / ElementBytes(problem_.out_type));
  return EmitLoop(b_, I64(0), I64(plan_.rows), 1, [&](llvm::Value* row) {
    Position current = position;
    AdvanceRow(current, row);
    for (int64_t column = 0; column < TileWidth(); column += step) {
      Position line = current;
      Advance(line, problem_.lane, I64(column));
      for (llvm::Value* address :
           hooks_.read_by_store(b_, ResultAccess(line, problem_.lane, 1, nullptr)))
        EmitPrefetch(address);
    }
    return OkStatus();
  });
}

Status ContractionEmitter::EmitStore(const Position& position, bool along_rows, int lanes,
                                     llvm::Value* mask, const ElementValue& value) {
  const OutDim& dim = along_rows ? problem_.row : problem_.lane;
  if (problem_.store_hook)
    return hooks_.store(b_, ResultAccess(position, dim, lanes, mask), value);
  TENON_ASSIGN_OR_RETURN(
      ElementValue result,
      ConvertElements(b_, value, problem_.out_type, plan_.target.elementwise));
  llvm::Value* pointer =
      OffsetPointer(b_, out_, position.c, ElementBytes(problem_.out_type));
  StoreElements(b_, result, pointer, lanes, dim.c, mask);
  return OkStatus();
}

Status ContractionEmitter::EmitStoreTile(const Position& position,
                                         llvm::Value* column_tile, llvm::Value* buffer,
                                         int64_t row_bytes, llvm::Value* rows) {
  ElementType type = problem_.accumulate;
  int64_t part_bytes = PartBytes(type);
  int64_t plane_bytes = TileWidth() * part_bytes;
  int lanes = plan_.lanes;
  llvm::Value* columns = I64(TileWidth());
  if (problem_.lane.size % TileWidth() != 0)
    columns =
        MinI(b_, columns,
             b_.CreateSub(I64(problem_.lane.size), MulI(b_, column_tile, TileWidth())));
  columns = LimitOutputs(problem_.lane, position, columns);
  llvm::Value* last_row = b_.CreateSub(rows, I64(1));
  rows = LimitOutputs(problem_.row, position, rows);
  bool partial = HasPartialVector() || UnevenPhases(problem_.lane);
  if (plan_.target.shared_tiles && DirectStore() && problem_.row_digits.empty())
    return CallCopyTile(position, buffer, row_bytes, rows, columns, partial);

  // Rows of a phase are `scale` apart, which counts as contiguous, too.
  bool along_rows = problem_.row.c == problem_.row.c_index.scale &&
                    problem_.row.c < problem_.lane.c && plan_.rows > 1 &&
                    problem_.row_digits.empty();
  if (!along_rows) {
    return EmitLoop(b_, I64(0), rows, 1, [&](llvm::Value* r) {
      Position at_row = position;
      AdvanceRow(at_row, r);
      llvm::Value* row = OffsetPointer(b_, buffer, r, row_bytes);
      auto store = [&](llvm::Value* column) {
        Position current = at_row;
        Advance(current, problem_.lane, column);
        auto store_lanes = [&](llvm::Value* mask) {
          ElementValue value = LoadPlanar(
              b_, type, OffsetPointer(b_, row, column, part_bytes), lanes, plane_bytes);
          return EmitStore(current, false, lanes, mask, value);
        };
        if (!partial) return store_lanes(nullptr);
        llvm::Value* left = b_.CreateSub(columns, column);
        if (problem_.store_hook) return store_lanes(LaneMask(b_, left, lanes));
        return EmitIfElse(
            b_, b_.CreateICmpSGE(left, I64(lanes)), [&] { return store_lanes(nullptr); },
            [&] { return store_lanes(LaneMask(b_, left, lanes)); });
      };
      if (!hooks_.store_is_short || !llvm::isa<llvm::ConstantInt>(columns))
        return EmitLoop(b_, I64(0), columns, lanes, store);
      for (int64_t column = 0; column < TileWidth(); column += lanes)
        TENON_RETURN_IF_ERROR(store(I64(column)));
      return OkStatus();
    });
  }
  return EmitStoreColumns(position, buffer, row_bytes, last_row, rows, columns);
}

// Copies a tile as it is. The copy is a shared function, so that a kernel whose last tile
// is partial only calls others, and compiles as fast as one that has none.
Status ContractionEmitter::CallCopyTile(const Position& position, llvm::Value* buffer,
                                        int64_t row_bytes, llvm::Value* rows,
                                        llvm::Value* columns, bool partial) {
  const int64_t bytes = PartBytes(problem_.out_type);
  const int lanes = plan_.lanes;
  auto* vector = llvm::FixedVectorType::get(
      compiler::ElementMemoryType(b_.getContext(), problem_.out_type), lanes);
  const std::string name = (llvm::Twine("copy_tile") + (partial ? "_part." : ".") +
                            ElementTypeName(problem_.out_type) + "x" + llvm::Twine(lanes))
                               .str();
  IrValues arguments{buffer,
                     I64(row_bytes),
                     OffsetPointer(b_, out_, position.c, bytes),
                     I64(problem_.row.c * bytes),
                     rows,
                     columns};
  return CallShared(b_, name, arguments, [&](IrValues& p) {
    return EmitLoop(b_, I64(0), p[4], 1, [&](llvm::Value* row) {
      llvm::Value* from = b_.CreateGEP(b_.getInt8Ty(), p[0], b_.CreateNSWMul(row, p[1]));
      llvm::Value* to = b_.CreateGEP(b_.getInt8Ty(), p[2], b_.CreateNSWMul(row, p[3]));
      return EmitLoop(b_, I64(0), p[5], lanes, [&](llvm::Value* column) {
        const llvm::Align align(bytes);
        llvm::Value* loaded =
            b_.CreateAlignedLoad(vector, OffsetPointer(b_, from, column, bytes), align);
        llvm::Value* target = OffsetPointer(b_, to, column, bytes);
        auto store = [&] { b_.CreateAlignedStore(loaded, target, align); };
        if (!partial) {
          store();
          return OkStatus();
        }
        llvm::Value* left = b_.CreateNSWSub(p[5], column);
        EmitIf(b_, b_.CreateICmpSGE(left, I64(lanes)), store, [&] {
          b_.CreateMaskedStore(loaded, target, align, LaneMask(b_, left, lanes));
        });
        return OkStatus();
      });
    });
  });
}

// The output is contiguous along the rows of the tile. Transpose tiles are transposed in
// registers and stored column by column. The last row in memory is `last_row`.
Status ContractionEmitter::EmitStoreColumns(const Position& position, llvm::Value* buffer,
                                            int64_t row_bytes, llvm::Value* last_row,
                                            llvm::Value* rows, llvm::Value* columns) {
  ElementType type = problem_.accumulate;
  ElementType part = compiler::RealType(type);
  int64_t part_bytes = PartBytes(type);
  int64_t plane_bytes = TileWidth() * part_bytes;
  int lanes = plan_.lanes;
  llvm::Type* row_type = llvm::FixedVectorType::get(
      compiler::ElementMemoryType(b_.getContext(), part), lanes);
  int64_t vector_bytes = lanes * part_bytes;
  int parts = NumParts(type);
  llvm::Value* transposed = EmitEntryAlloca(b_, parts * lanes * vector_bytes);
  // Shorter row tiles load their last row again instead.
  int always = plan_.full_row_tiles == plan_.row_tiles ? plan_.rows : plan_.short_rows;
  // Writes the tile's columns from `column0`, of rows from `row0`, to the rows of
  // `transposed`.
  auto transpose = [&](int row0, llvm::Value* column0) {
    for (int p = 0; p < parts; ++p) {
      llvm::SmallVector<llvm::Value*> vectors(lanes,
                                              llvm::Constant::getNullValue(row_type));
      llvm::Value* from = OffsetPointer(b_, buffer, column0, part_bytes);
      from = OffsetPointer(b_, from, p, plane_bytes);
      for (int i = 0; i < lanes && row0 + i < plan_.rows; ++i) {
        llvm::Value* row = I64(row0 + i);
        if (row0 + i >= always) row = MinI(b_, row, last_row);
        vectors[i] = b_.CreateAlignedLoad(
            row_type, OffsetPointer(b_, from, row, row_bytes), llvm::Align(part_bytes));
      }
      TransposeTile(b_, vectors, 1);
      for (int c = 0; c < lanes; ++c)
        b_.CreateAlignedStore(vectors[c],
                              OffsetPointer(b_, transposed, p * lanes + c, vector_bytes),
                              llvm::Align(part_bytes));
    }
  };
  auto store = [&](int row0, llvm::Value* column0) {
    llvm::Value* count = MinI(b_, b_.CreateSub(columns, column0), I64(lanes));
    return EmitLoop(b_, I64(0), count, 1, [&](llvm::Value* c) {
      Position current = position;
      Advance(current, problem_.lane, b_.CreateAdd(column0, c));
      AdvanceRow(current, I64(row0));
      llvm::Value* mask = LaneMask(b_, AddI(b_, rows, -row0), lanes);
      llvm::Value* pointer = OffsetPointer(b_, transposed, c, vector_bytes);
      ElementValue value = LoadPlanar(b_, type, pointer, lanes, lanes * vector_bytes);
      return EmitStore(current, true, lanes, mask, value);
    });
  };
  return EmitLoop(b_, I64(0), columns, lanes, [&](llvm::Value* column0) -> Status {
    for (int row0 = 0; row0 < plan_.rows; row0 += lanes) {
      transpose(row0, column0);
      TENON_RETURN_IF_ERROR(store(row0, column0));
    }
    return OkStatus();
  });
}

// Adds the partial sums of one output row in the order of the slices.
Status ContractionEmitter::EmitReduce(llvm::Value* chunk) {
  ElementType type = problem_.accumulate;
  int64_t part_bytes = PartBytes(type);
  int64_t plane_bytes = TileWidth() * part_bytes;
  int lanes = plan_.lanes;
  int64_t rows = BatchCount(problem_) * OuterCount(problem_) * problem_.row.size;
  IrValues digits = Delinearize(
      b_, chunk, {BatchCount(problem_), OuterCount(problem_), problem_.row.size});
  Position at_row = Start(problem_);
  AdvanceAll(at_row, llvm::ArrayRef<OutDim>(problem_.batch), digits[0]);
  AdvanceAll(at_row, llvm::ArrayRef<OutDim>(problem_.outer), digits[1]);
  AdvanceRow(at_row, digits[2]);
  return EmitLoop(
      b_, I64(0), I64(problem_.lane.size), lanes, [&](llvm::Value* column) -> Status {
        llvm::Value* column_tile = b_.CreateUDiv(column, I64(TileWidth()));
        llvm::Value* within = b_.CreateURem(column, I64(TileWidth()));
        IrValues sums;
        ElementValue zero = ZeroElements(b_, type, lanes);
        sums.push_back(zero.re);
        if (zero.im) sums.push_back(zero.im);
        sums.push_back(OffsetPointer(b_, PartialRow(I64(0), chunk, column_tile), within,
                                     part_bytes));
        TENON_RETURN_IF_ERROR(EmitLoop(
            b_, I64(0), I64(plan_.k_slices), 1, sums,
            [&](llvm::Value*, IrValues& carried) -> Status {
              llvm::Value* pointer = carried.pop_back_val();
              ElementValue sum =
                  AddElements(b_, Accumulator(carried, 0),
                              LoadPlanar(b_, type, pointer, lanes, plane_bytes));
              carried[0] = sum.re;
              if (sum.im) carried[1] = sum.im;
              carried.push_back(OffsetPointer(b_, pointer, rows * PartialRowBytes(), 1));
              return OkStatus();
            }));
        Position current = at_row;
        Advance(current, problem_.lane, column);
        llvm::Value* mask =
            HasPartialVector()
                ? LaneMask(b_, b_.CreateSub(I64(problem_.lane.size), column), lanes)
                : nullptr;
        return EmitStore(current, false, lanes, mask, Accumulator(sums, 0));
      });
}

}  // namespace tenon::codegen
