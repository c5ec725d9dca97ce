// Results: from accumulators kept in memory to the output or the store hook.
#include "tenon/compiler/codegen/contract/contraction_emitter.h"

namespace tenon::codegen {

bool ContractionEmitter::DirectStore() const {
  return !problem_.store_hook && problem_.out_type == problem_.accumulate &&
         !compiler::IsComplex(problem_.out_type) && problem_.lane.c == 1 &&
         plan_.sum_slices == 1 && !UnevenPhases(problem_.row);
}

const Polyphase* ContractionEmitter::UnevenPhases(const OutDim& dim) const {
  for (const Polyphase& phases : problem_.polyphases)
    if (phases.uneven() && dim.c_site.dim == phases.site) return &phases;
  return nullptr;
}

llvm::Value* ContractionEmitter::LimitOutputs(const OutDim& dim, const Position& position,
                                              llvm::Value* count) {
  const Polyphase* phases = UnevenPhases(dim);
  if (!phases) return count;
  llvm::Value* left = b_.CreateSub(I64(phases->output + phases->count - 1),
                                   position.c_site[phases->site]);
  return MinI(b_, count, b_.CreateSDiv(left, I64(phases->count)));
}

int64_t ContractionEmitter::PartialRowBytes() const {
  return plan_.panels * PanelWidth() * ElementBytes(problem_.accumulate);
}

llvm::Value* ContractionEmitter::PartialRow(llvm::Value* slice, llvm::Value* row,
                                            llvm::Value* panel) {
  int64_t rows = BatchCount(problem_) * OuterCount(problem_) * problem_.row.size;
  llvm::Value* base = OffsetPointer(b_, scratch_, plan_.partial_offset, 1);
  llvm::Value* index = AddI(b_, MulI(b_, slice, rows), row);
  base = OffsetPointer(b_, base, index, PartialRowBytes());
  return OffsetPointer(b_, base, panel, PanelWidth() * ElementBytes(problem_.accumulate));
}

Status ContractionEmitter::EmitStore(const Position& position, bool along_rows, int lanes,
                                     llvm::Value* mask, const ElementValue& value) {
  const OutDim& dim = along_rows ? problem_.row : problem_.lane;
  if (problem_.store_hook) {
    LaneSite site;
    Position here = position;
    if (!problem_.row_digits.empty())
      AdvanceAll(here, llvm::ArrayRef<OutDim>(problem_.row_digits), position.row);
    site.index.assign(here.c_site.begin(), here.c_site.end());
    site.lane_dim = dim.c_site.dim;
    // The results of a phase, or of groups, are apart.
    site.lane_step = dim.c_site.scale;
    site.lanes = lanes;
    site.mask = mask;
    return hooks_.store(b_, site, value);
  }
  TENON_ASSIGN_OR_RETURN(
      ElementValue result,
      ConvertElements(b_, value, problem_.out_type, plan_.target.elementwise));
  llvm::Value* pointer =
      OffsetPointer(b_, out_, position.c, ElementBytes(problem_.out_type));
  StoreElements(b_, result, pointer, lanes, dim.c, mask);
  return OkStatus();
}

Status ContractionEmitter::EmitStoreTile(const Position& position, llvm::Value* panel,
                                         llvm::Value* buffer, int64_t row_bytes,
                                         llvm::Value* rows) {
  ElementType type = problem_.accumulate;
  int64_t part_bytes = PartBytes(type);
  int64_t plane_bytes = PanelWidth() * part_bytes;
  int lanes = plan_.lanes;
  llvm::Value* columns = I64(PanelWidth());
  if (problem_.lane.size % PanelWidth() != 0)
    columns = MinI(b_, columns,
                   b_.CreateSub(I64(problem_.lane.size), MulI(b_, panel, PanelWidth())));
  columns = LimitOutputs(problem_.lane, position, columns);
  rows = LimitOutputs(problem_.row, position, rows);
  bool partial = HasPartialVector() || UnevenPhases(problem_.lane);

  // Rows of a phase are near each other, too.
  bool along_rows = problem_.row.c == problem_.row.c_site.scale &&
                    problem_.row.c < problem_.lane.c && plan_.rows > 1 &&
                    problem_.row_digits.empty();
  if (!along_rows) {
    return EmitLoop(b_, I64(0), rows, 1, [&](llvm::Value* r) {
      Position at_row = position;
      AdvanceRow(at_row, r);
      llvm::Value* row = OffsetPointer(b_, buffer, r, row_bytes);
      return EmitLoop(b_, I64(0), columns, lanes, [&](llvm::Value* column) {
        Position at = at_row;
        Advance(at, problem_.lane, column);
        llvm::Value* mask =
            partial ? LaneMask(b_, b_.CreateSub(columns, column), lanes) : nullptr;
        ElementValue value = LoadPlanar(
            b_, type, OffsetPointer(b_, row, column, part_bytes), lanes, plane_bytes);
        return EmitStore(at, false, lanes, mask, value);
      });
    });
  }
  // The output is contiguous along the rows of the tile: gather its columns.
  ElementType part = compiler::RealType(type);
  return EmitLoop(b_, I64(0), columns, 1, [&](llvm::Value* column) {
    Position at_column = position;
    Advance(at_column, problem_.lane, column);
    llvm::Value* first = OffsetPointer(b_, buffer, column, part_bytes);
    return EmitLoop(b_, I64(0), rows, lanes, [&](llvm::Value* r) {
      Position at = at_column;
      AdvanceRow(at, r);
      llvm::Value* mask = LaneMask(b_, b_.CreateSub(rows, r), lanes);
      llvm::Value* pointer = OffsetPointer(b_, first, r, row_bytes);
      int64_t stride = row_bytes / part_bytes;
      ElementValue value;
      value.type = type;
      value.re = LoadElements(b_, part, pointer, lanes, stride, mask).re;
      if (compiler::IsComplex(type))
        value.im = LoadElements(b_, part, OffsetPointer(b_, pointer, plane_bytes, 1),
                                lanes, stride, mask)
                       .re;
      return EmitStore(at, true, lanes, mask, value);
    });
  });
}

// Adds the partial sums of one output row, in the order of the slices.
Status ContractionEmitter::EmitReduce(llvm::Value* chunk) {
  ElementType type = problem_.accumulate;
  int64_t part_bytes = PartBytes(type);
  int64_t plane_bytes = PanelWidth() * part_bytes;
  int lanes = plan_.lanes;
  int64_t rows = BatchCount(problem_) * OuterCount(problem_) * problem_.row.size;
  IrValues digits =
      Digits(b_, chunk, {BatchCount(problem_), OuterCount(problem_), problem_.row.size});
  Position at_row = Start(problem_);
  AdvanceAll(at_row, llvm::ArrayRef<OutDim>(problem_.batch), digits[0]);
  AdvanceAll(at_row, llvm::ArrayRef<OutDim>(problem_.outer), digits[1]);
  AdvanceRow(at_row, digits[2]);
  return EmitLoop(
      b_, I64(0), I64(problem_.lane.size), lanes, [&](llvm::Value* column) -> Status {
        llvm::Value* panel = b_.CreateUDiv(column, I64(PanelWidth()));
        llvm::Value* within = b_.CreateURem(column, I64(PanelWidth()));
        IrValues sums;
        ElementValue zero = ZeroElements(b_, type, lanes);
        sums.push_back(zero.re);
        if (zero.im) sums.push_back(zero.im);
        sums.push_back(
            OffsetPointer(b_, PartialRow(I64(0), chunk, panel), within, part_bytes));
        TENON_RETURN_IF_ERROR(EmitLoop(
            b_, I64(0), I64(plan_.sum_slices), 1, sums,
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
        Position at = at_row;
        Advance(at, problem_.lane, column);
        llvm::Value* mask =
            HasPartialVector()
                ? LaneMask(b_, b_.CreateSub(I64(problem_.lane.size), column), lanes)
                : nullptr;
        return EmitStore(at, false, lanes, mask, Accumulator(sums, 0));
      });
}

}  // namespace tenon::codegen
