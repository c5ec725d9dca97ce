#include "tenon/compiler/codegen/contract/contraction_emitter.h"

#include <algorithm>

#include "tenon/base/integer_division.h"

namespace tenon::codegen {
namespace {

void AddToIndex(IrBuilder& b, llvm::SmallVectorImpl<llvm::Value*>& operand_index,
                const IndexTerm& term, llvm::Value* index) {
  if (term.dim < 0) return;
  operand_index[term.dim] = AddI(b, operand_index[term.dim], MulI(b, index, term.scale));
}

void AddIndexOffset(IrBuilder& b, llvm::SmallVectorImpl<llvm::Value*>& operand_index,
                    const IndexTerm& term) {
  if (term.dim >= 0)
    operand_index[term.dim] = AddI(b, operand_index[term.dim], term.offset);
}

}  // namespace

ContractionEmitter::ContractionEmitter(IrBuilder& b, const TilePlan& plan,
                                       const ContractPointers& pointers,
                                       const ContractHooks& hooks)
    : b_(b),
      plan_(plan),
      problem_(plan.problem),
      source_(plan.source),
      hooks_(hooks),
      out_(pointers.out),
      scratch_(pointers.scratch) {
  a_ = problem_.a_is_lhs ? pointers.lhs : pointers.rhs;
  b_pointer_ = problem_.a_is_lhs ? pointers.rhs : pointers.lhs;
  a_tile_ = plan_.a_storage == OperandStorage::kDirect
                ? a_
                : OffsetPointer(b, scratch_, plan_.a_offset, 1);
  b_tile_ = plan_.b_storage == OperandStorage::kDirect
                ? b_pointer_
                : OffsetPointer(b, scratch_, plan_.b_offset, 1);
  if (!pointers.packed) return;
  kept_panels_ = pointers.packed;
  keeps_ = b.CreateIsNotNull(kept_panels_);
  is_packed_ = pointers.is_packed;
}

Status ContractionEmitter::EmitStage(StageKind stage, llvm::Value* chunk) {
  switch (stage) {
    case StageKind::kInputCopy:
      return Internal("the input copy is emitted elsewhere");
    case StageKind::kPackA:
      return plan_.a_storage == OperandStorage::kCopy ? EmitCopyA(chunk)
                                                      : EmitPackA(chunk);
    case StageKind::kPackB: {
      IrValues digits = Delinearize(b_, chunk, {BatchCount(source_), plan_.column_tiles});
      TENON_RETURN_IF_ERROR(EmitPackB(digits[0], digits[1]));
      if (!plan_.zero_products || !problem_.a_is_lhs) return OkStatus();
      return EmitColumnTileZeroProducts(digits[0], digits[1]);
    }
    case StageKind::kZeroProducts:
      return EmitZeroProducts(chunk);
    case StageKind::kCompute:
      return plan_.dot ? EmitDotCompute(chunk) : EmitCompute(chunk);
    case StageKind::kReduce:
      return EmitReduce(chunk);
  }
  return Internal("no such stage");
}

Position ContractionEmitter::Start(const Contraction& problem) {
  Position position;
  position.a = I64(problem.a_base);
  position.b = I64(problem.b_base);
  position.c = I64(problem.c_base);
  position.row = position.zero = I64(0);
  position.first_tap.assign(problem.polyphases.size(), I64(0));
  position.a_index.assign(problem.a_rank, I64(0));
  position.b_index.assign(problem.b_rank, I64(0));
  position.c_index.assign(problem.c_rank, I64(0));
  auto add = [&](const OutDim& dim) {
    AddIndexOffset(b_, position.a_index, dim.a_index);
    AddIndexOffset(b_, position.b_index, dim.b_index);
    AddIndexOffset(b_, position.c_index, dim.c_index);
  };
  for (const OutDim& dim : problem.batch) add(dim);
  for (const OutDim& dim : problem.outer) add(dim);
  for (const OutDim& dim : problem.row_digits) add(dim);
  add(problem.row);
  add(problem.lane);
  for (const KDim& dim : problem.k_dims) {
    AddIndexOffset(b_, position.a_index, dim.a_index);
    AddIndexOffset(b_, position.b_index, dim.b_index);
  }
  return position;
}

void ContractionEmitter::Advance(Position& position, const OutDim& dim,
                                 llvm::Value* index) {
  position.a = AddI(b_, position.a, MulI(b_, index, dim.a));
  position.b = AddI(b_, position.b, MulI(b_, index, dim.b));
  position.c = AddI(b_, position.c, MulI(b_, index, dim.c));
  AddToIndex(b_, position.a_index, dim.a_index, index);
  AddToIndex(b_, position.b_index, dim.b_index, index);
  AddToIndex(b_, position.c_index, dim.c_index, index);
  position.zero = AddI(b_, position.zero, MulI(b_, index, dim.zero));
  if (dim.polyphase >= 0)
    AdvancePhase(position, problem_.polyphases[dim.polyphase], dim.polyphase, index);
}

// Moves to the first tap of a phase: tap k meets an element if k * step equals low -
// phase * stride modulo dilation.
void ContractionEmitter::AdvancePhase(Position& position, const Polyphase& phases,
                                      int number, llvm::Value* phase) {
  int64_t divisor = phases.dilation / phases.tap_step;
  llvm::Value* start = MulI(b_, phase, phases.stride);
  int64_t non_negative =
      AlignUp(std::max<int64_t>((phases.count - 1) * phases.stride - phases.low, 0),
              phases.dilation);
  llvm::Value* remainder = b_.CreateURem(
      b_.CreateSub(I64(phases.low + non_negative), start), I64(phases.dilation));
  llvm::Value* tap =
      b_.CreateURem(MulI(b_, b_.CreateUDiv(remainder, I64(divisor)), phases.inverse),
                    I64(phases.tap_step));
  llvm::Value* meets = b_.CreateICmpEQ(b_.CreateURem(remainder, I64(divisor)), I64(0));
  tap = b_.CreateSelect(meets, tap, I64(phases.window));
  position.first_tap[number] = tap;
  llvm::Value* input_position = AddI(b_, AddI(b_, start, MulI(b_, tap, phases.step)),
                                     phases.origin * phases.dilation - phases.low);
  llvm::Value* element = b_.CreateSDiv(input_position, I64(phases.dilation));
  llvm::Value*& lhs = problem_.a_is_lhs ? position.a : position.b;
  lhs = AddI(b_, lhs, MulI(b_, element, phases.lhs));
}

void ContractionEmitter::Advance(Position& position, const KDim& dim,
                                 llvm::Value* index) {
  position.a = AddI(b_, position.a, MulI(b_, index, dim.a));
  position.b = AddI(b_, position.b, MulI(b_, index, dim.b));
  AddToIndex(b_, position.a_index, dim.a_index, index);
  AddToIndex(b_, position.b_index, dim.b_index, index);
}

void ContractionEmitter::AdvanceRow(Position& position, llvm::Value* index) {
  Advance(position, problem_.row, index);
  position.row = AddI(b_, position.row, index);
}

template <typename Dim>
void ContractionEmitter::AdvanceAll(Position& position, llvm::ArrayRef<Dim> dims,
                                    llvm::Value* flat_index) {
  llvm::SmallVector<int64_t> sizes;
  for (const Dim& dim : dims) sizes.push_back(dim.size);
  IrValues digits = Delinearize(b_, flat_index, sizes);
  for (size_t i = 0; i < dims.size(); ++i) Advance(position, dims[i], digits[i]);
}

template void ContractionEmitter::AdvanceAll(Position&, llvm::ArrayRef<OutDim>,
                                             llvm::Value*);
template void ContractionEmitter::AdvanceAll(Position&, llvm::ArrayRef<KDim>,
                                             llvm::Value*);

llvm::Value* ContractionEmitter::RowTileStart(llvm::Value* row_tile) {
  llvm::Value* start = MulI(b_, row_tile, plan_.rows);
  if (plan_.full_row_tiles + 1 >= plan_.row_tiles) return start;
  // The later row tiles are shorter.
  llvm::Value* shorter = b_.CreateSub(row_tile, I64(plan_.full_row_tiles));
  llvm::Value* less = b_.CreateSelect(b_.CreateICmpSGT(shorter, I64(0)), shorter, I64(0));
  return b_.CreateSub(start, MulI(b_, less, plan_.rows - plan_.short_rows));
}

ElementValue ContractionEmitter::Accumulator(llvm::ArrayRef<llvm::Value*> values,
                                             int64_t index) const {
  ElementValue value;
  value.type = problem_.accumulate;
  if (compiler::IsComplex(value.type)) {
    value.re = values[2 * index];
    value.im = values[2 * index + 1];
  } else {
    value.re = values[index];
  }
  return value;
}

Status EmitPhase(IrBuilder& b, const KernelPlan& plan, int phase,
                 const ContractPointers& pointers, llvm::Value* chunk,
                 const ContractHooks& hooks) {
  if (!plan.tiles) return OkStatus();  // nothing to compute
  const InputCopy* copy = plan.tiles->input_copy.get();
  ContractPointers operands = pointers;
  if (copy) operands.lhs = pointers.scratch;
  ContractionEmitter emitter(b, *plan.tiles, operands, hooks);
  auto emit = [&](const Stage& stage, llvm::Value* first, llvm::Value* last) {
    return EmitLoop(b, first, last, 1, [&](llvm::Value* item) {
      if (stage.kind != StageKind::kInputCopy) return emitter.EmitStage(stage.kind, item);
      return EmitInputCopy(b, *copy, plan.tiles->target, pointers.lhs, pointers.scratch,
                           hooks.load_lhs, item);
    });
  };
  const TilePlan::Phase& stages = plan.tiles->phases[phase];
  int64_t chunks_before = 0;
  for (const Stage& stage : stages.stages) {
    if (stages.merged) {
      TENON_RETURN_IF_ERROR(emit(stage, b.getInt64(0), b.getInt64(stage.items)));
      continue;
    }
    llvm::Value* index = AddI(b, chunk, -chunks_before);
    auto emit_chunk = [&] {
      if (stage.group == 1) return emit(stage, index, AddI(b, index, 1));
      llvm::Value* first = MulI(b, index, stage.group);
      llvm::Value* last = AddI(b, first, stage.group);
      if (stage.items % stage.group != 0) last = MinI(b, last, b.getInt64(stage.items));
      return emit(stage, first, last);
    };
    llvm::Value* in_stage = stages.stages.size() == 1
                                ? b.getTrue()
                                : b.CreateICmpULT(index, b.getInt64(stage.chunks()));
    TENON_RETURN_IF_ERROR(EmitIfElse(b, in_stage, emit_chunk));
    chunks_before += stage.chunks();
  }
  return OkStatus();
}

}  // namespace tenon::codegen
