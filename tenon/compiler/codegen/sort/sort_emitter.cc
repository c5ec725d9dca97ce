#include "tenon/compiler/codegen/sort/sort_emitter.h"

#include "llvm/Support/MathExtras.h"
#include "tenon/compiler/codegen/ir/loops.h"
#include "tenon/compiler/codegen/sort/ordered_sort_emitter.h"
#include "tenon/compiler/codegen/sort/top_k_emitter.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::codegen {
namespace {

// Emits the phases of a merge sort by any comparator. Elements keep their stored form and
// are moved part by part.
class SortEmitter {
 public:
  SortEmitter(ir::SortOp op, const SortPlan& plan, PointEmitter& points,
              const BlockEmitter& emit_block)
      : op_(op),
        plan_(plan),
        points_(points),
        emit_block_(emit_block),
        b_(points.builder()),
        operands_(op.getSources().size()) {}

  Status EmitPhase(const PhaseArguments& arguments) {
    if (arguments.first_phase == 0)
      EmitBlockPhase(arguments.chunk);
    else
      EmitMergePhase(b_.CreateSub(arguments.phase, I64(1)),
                     arguments.first_phase == plan_.merge_phases, arguments.chunk);
    return status_;
  }

 private:
  llvm::Value* I64(int64_t value) { return b_.getInt64(value); }

  ElementType TypeOf(size_t operand) {
    return ir::ElementTypeOf(
        llvm::cast<mlir::MemRefType>(op_.getInputs()[operand].getType())
            .getElementType());
  }

  // The address of an element in `row`: of a view, or of scratch buffer `number` (0 or
  // 1).
  llvm::Value* ViewAddress(mlir::Value view, llvm::Value* row, llvm::Value* position) {
    auto type = llvm::cast<mlir::MemRefType>(view.getType());
    auto strides = ir::ViewStrides(type);
    llvm::Value* outer = b_.CreateUDiv(row, I64(plan_.shape.inner));
    llvm::Value* inner = b_.CreateURem(row, I64(plan_.shape.inner));
    llvm::Value* offset = b_.CreateAdd(b_.CreateAdd(b_.CreateMul(outer, I64(strides[0])),
                                                    b_.CreateMul(inner, I64(strides[1]))),
                                       b_.CreateMul(position, I64(strides[2])));
    int64_t bytes = ElementBytes(ir::ElementTypeOf(type.getElementType()));
    return b_.CreateGEP(llvm::ArrayType::get(b_.getInt8Ty(), bytes), points_.View(view),
                        offset);
  }
  llvm::Value* BufferAddress(size_t operand, llvm::Value* number, llvm::Value* row,
                             llvm::Value* position) {
    int64_t bytes = ElementBytes(TypeOf(operand));
    llvm::Value* start =
        b_.CreateAdd(b_.CreateMul(number, I64(plan_.buffer_elements * bytes)),
                     I64(plan_.buffer_offsets[operand]));
    llvm::Value* base =
        b_.CreateInBoundsGEP(b_.getInt8Ty(), points_.View(op_.getScratch()), start);
    llvm::Value* offset =
        b_.CreateAdd(b_.CreateMul(row, I64(plan_.shape.length)), position);
    return b_.CreateGEP(llvm::ArrayType::get(b_.getInt8Ty(), bytes), base, offset);
  }

  // Loads the stored parts of one element of every operand.
  Values Load(llvm::function_ref<llvm::Value*(size_t)> address) {
    Values parts;
    for (size_t k = 0; k < operands_; ++k) {
      llvm::Type* type = compiler::ElementMemoryType(b_.getContext(), TypeOf(k));
      llvm::Value* pointer = address(k);
      for (int part = 0; part < ElementParts(TypeOf(k)); ++part)
        parts.push_back(
            b_.CreateLoad(type, b_.CreateConstInBoundsGEP1_64(type, pointer, part)));
    }
    return parts;
  }
  void Store(llvm::ArrayRef<llvm::Value*> parts,
             llvm::function_ref<llvm::Value*(size_t)> address) {
    size_t next = 0;
    for (size_t k = 0; k < operands_; ++k) {
      llvm::Value* pointer = address(k);
      for (int part = 0; part < ElementParts(TypeOf(k)); ++part) {
        llvm::Value* value = parts[next++];
        b_.CreateStore(value,
                       b_.CreateConstInBoundsGEP1_64(value->getType(), pointer, part));
      }
    }
  }
  Values LoadBuffer(llvm::Value* number, llvm::Value* row, llvm::Value* position) {
    return Load([&](size_t k) { return BufferAddress(k, number, row, position); });
  }
  void StoreBuffer(llvm::ArrayRef<llvm::Value*> parts, llvm::Value* number,
                   llvm::Value* row, llvm::Value* position) {
    Store(parts, [&](size_t k) { return BufferAddress(k, number, row, position); });
  }
  void StoreOutput(llvm::ArrayRef<llvm::Value*> parts, llvm::Value* row,
                   llvm::Value* position) {
    Store(parts,
          [&](size_t k) { return ViewAddress(op_.getOutputs()[k], row, position); });
  }

  // Returns i1: whether x comes before y.
  llvm::Value* Before(llvm::ArrayRef<llvm::Value*> x, llvm::ArrayRef<llvm::Value*> y) {
    mlir::Block& block = op_.getComparator().front();
    size_t next = 0;
    for (size_t k = 0; k < operands_; ++k) {
      ElementType type = TypeOf(k);
      ElementValue left{type, nullptr, nullptr}, right = left;
      for (int part = 0; part < ElementParts(type); ++part, ++next) {
        llvm::Value* a = compiler::LoadedToValue(b_, type, x[next]);
        llvm::Value* c = compiler::LoadedToValue(b_, type, y[next]);
        (part == 0 ? left.re : left.im) = a;
        (part == 0 ? right.re : right.im) = c;
      }
      points_.SetScalar(block.getArgument(2 * k), left);
      points_.SetScalar(block.getArgument(2 * k + 1), right);
    }
    Status status = emit_block_(block);
    if (!status.ok()) {
      if (status_.ok()) status_ = status;
      return b_.getFalse();
    }
    return points_.Scalar(block.back().getOperand(0)).re;
  }

  void EmitBlockPhase(llvm::Value* chunk) {
    llvm::Value *first_row, *end_row, *begin, *end;
    if (plan_.blocks == 1) {
      first_row = b_.CreateMul(chunk, I64(plan_.rows_per_chunk));
      end_row =
          Min(b_.CreateAdd(first_row, I64(plan_.rows_per_chunk)), I64(plan_.shape.rows));
      begin = I64(0);
      end = I64(plan_.shape.length);
    } else {
      first_row = b_.CreateUDiv(chunk, I64(plan_.blocks));
      end_row = b_.CreateAdd(first_row, I64(1));
      begin = b_.CreateMul(b_.CreateURem(chunk, I64(plan_.blocks)), I64(kSortBlock));
      end = Min(b_.CreateAdd(begin, I64(kSortBlock)), I64(plan_.shape.length));
    }
    EmitForLoop(b_, first_row, end_row, 1, {}, [&](llvm::Value* row, auto) {
      SortBlock(row, begin, end);
      return Values();
    });
  }

  void SortBlock(llvm::Value* row, llvm::Value* begin, llvm::Value* end) {
    EmitForLoop(b_, begin, end, 1, {}, [&](llvm::Value* i, auto) {
      Values parts =
          Load([&](size_t k) { return ViewAddress(op_.getInputs()[k], row, i); });
      StoreBuffer(parts, I64(0), row, i);
      return Values();
    });
    EmitForLoop(b_, begin, end, kSortRun, {}, [&](llvm::Value* start, auto) {
      InsertionSort(row, start, Min(b_.CreateAdd(start, I64(kSortRun)), end));
      return Values();
    });
    // Merges runs of growing length, alternating between the two buffers. A runtime loop
    // over the lengths emits the merge code once; it is most of the code of a sort.
    EmitForLoop(b_, I64(0), I64(plan_.block_passes), 1, {}, [&](llvm::Value* pass, auto) {
      llvm::Value* run = b_.CreateShl(I64(kSortRun), pass);
      llvm::Value* twice = b_.CreateShl(I64(2 * kSortRun), pass);
      llvm::Value* from = b_.CreateAnd(pass, I64(1));
      llvm::Value* to = b_.CreateXor(from, I64(1));
      llvm::Value* pairs = b_.CreateAShr(
          b_.CreateAdd(b_.CreateSub(end, begin), b_.CreateSub(twice, I64(1))),
          b_.CreateAdd(pass, I64(kSortRunBits + 1)));
      EmitForLoop(b_, I64(0), pairs, 1, {}, [&](llvm::Value* pair, auto) {
        llvm::Value* start = b_.CreateAdd(begin, b_.CreateMul(pair, twice));
        llvm::Value* middle = Min(b_.CreateAdd(start, run), end);
        llvm::Value* stop = Min(b_.CreateAdd(start, twice), end);
        Merge(row, from, start, middle, middle, stop, start, stop,
              [&](llvm::ArrayRef<llvm::Value*> parts, llvm::Value* position) {
                StoreBuffer(parts, to, row, position);
              });
        return Values();
      });
      return Values();
    });
    if (plan_.merge_phases > 0) return;
    EmitForLoop(b_, begin, end, 1, {}, [&](llvm::Value* i, auto) {
      StoreOutput(LoadBuffer(I64(plan_.block_passes % 2), row, i), row, i);
      return Values();
    });
  }

  void InsertionSort(llvm::Value* row, llvm::Value* begin, llvm::Value* end) {
    EmitForLoop(b_, b_.CreateAdd(begin, I64(1)), end, 1, {}, [&](llvm::Value* i, auto) {
      Values moved = LoadBuffer(I64(0), row, i);
      // Shifts the elements that come after `moved` towards the end, one by one.
      auto* check = llvm::BasicBlock::Create(b_.getContext(), "check", Function());
      auto* shift = llvm::BasicBlock::Create(b_.getContext(), "shift", Function());
      auto* insert = llvm::BasicBlock::Create(b_.getContext(), "insert", Function());
      auto* head = llvm::BasicBlock::Create(b_.getContext(), "head", Function());
      llvm::BasicBlock* before = b_.GetInsertBlock();
      b_.CreateBr(head);
      b_.SetInsertPoint(head);
      auto* hole = b_.CreatePHI(b_.getInt64Ty(), 2);
      hole->addIncoming(i, before);
      b_.CreateCondBr(b_.CreateICmpSGT(hole, begin), check, insert);
      b_.SetInsertPoint(check);
      llvm::Value* previous = b_.CreateSub(hole, I64(1));
      Values other = LoadBuffer(I64(0), row, previous);
      b_.CreateCondBr(Before(moved, other), shift, insert);
      b_.SetInsertPoint(shift);
      StoreBuffer(other, I64(0), row, hole);
      hole->addIncoming(previous, b_.GetInsertBlock());
      b_.CreateBr(head);
      b_.SetInsertPoint(insert);
      StoreBuffer(moved, I64(0), row, hole);
      return Values();
    });
  }

  // Merges [left, left_end) and [right, right_end) of buffer `from` into positions [out,
  // out_end).
  void Merge(llvm::Value* row, llvm::Value* from, llvm::Value* left,
             llvm::Value* left_end, llvm::Value* right, llvm::Value* right_end,
             llvm::Value* out, llvm::Value* out_end,
             llvm::function_ref<void(llvm::ArrayRef<llvm::Value*>, llvm::Value*)> store) {
    // A position may be one past the end of its run; it is clamped to the row.
    llvm::Value* last = I64(plan_.shape.length - 1);
    EmitForLoop(b_, out, out_end, 1, {left, right},
                [&](llvm::Value* position, llvm::ArrayRef<llvm::Value*> carried) {
                  llvm::Value *i = carried[0], *j = carried[1];
                  Values x = LoadBuffer(from, row, Min(i, last));
                  Values y = LoadBuffer(from, row, Min(j, last));
                  llvm::Value* has_left = b_.CreateICmpSLT(i, left_end);
                  llvm::Value* has_right = b_.CreateICmpSLT(j, right_end);
                  llvm::Value* right_first = Before(y, x);
                  llvm::Value* take_right = b_.CreateAnd(
                      has_right, b_.CreateOr(b_.CreateNot(has_left), right_first));
                  Values taken;
                  for (auto [a, c] : llvm::zip_equal(x, y))
                    taken.push_back(b_.CreateSelect(take_right, c, a));
                  store(taken, position);
                  llvm::Value* step = b_.CreateZExt(take_right, b_.getInt64Ty());
                  return Values{b_.CreateAdd(i, b_.CreateSub(I64(1), step)),
                                b_.CreateAdd(j, step)};
                });
  }

  // `phase` is the number of the merge phase, from 0.
  void EmitMergePhase(llvm::Value* phase, bool is_last, llvm::Value* chunk) {
    llvm::Value* from =
        b_.CreateAnd(b_.CreateAdd(phase, I64(plan_.block_passes)), I64(1));
    llvm::Value* run = b_.CreateShl(I64(kSortBlock), phase);
    llvm::Value* twice = b_.CreateShl(I64(2 * kSortBlock), phase);
    int64_t chunks_a_row = (plan_.shape.length + kMergeGrain - 1) / kMergeGrain;
    llvm::Value* row = b_.CreateUDiv(chunk, I64(chunks_a_row));
    llvm::Value* out =
        b_.CreateMul(b_.CreateURem(chunk, I64(chunks_a_row)), I64(kMergeGrain));
    llvm::Value* out_end =
        Min(b_.CreateAdd(out, I64(kMergeGrain)), I64(plan_.shape.length));
    // The pair of runs that is merged into these positions.
    llvm::Value* start = b_.CreateAnd(out, b_.CreateNeg(twice));
    llvm::Value* middle = Min(b_.CreateAdd(start, run), I64(plan_.shape.length));
    llvm::Value* stop = Min(b_.CreateAdd(start, twice), I64(plan_.shape.length));
    // Finds by bisection how many of the elements before `out` come from the left run.
    llvm::Value* done = b_.CreateSub(out, start);
    llvm::Value* left_size = b_.CreateSub(middle, start);
    llvm::Value* right_size = b_.CreateSub(stop, middle);
    llvm::Value* low = b_.CreateSub(done, right_size);
    low = b_.CreateSelect(b_.CreateICmpSLT(low, I64(0)), I64(0), low);
    Values bounds = EmitWhile(
        b_, {low, Min(done, left_size)},
        [&](llvm::ArrayRef<llvm::Value*> c) { return b_.CreateICmpSLT(c[0], c[1]); },
        [&](llvm::ArrayRef<llvm::Value*> c) {
          llvm::Value* half = b_.CreateLShr(b_.CreateAdd(c[0], c[1]), 1);
          llvm::Value* right =
              b_.CreateSub(b_.CreateAdd(middle, b_.CreateSub(done, half)), I64(1));
          llvm::Value* right_first =
              Before(LoadBuffer(from, row, right),
                     LoadBuffer(from, row, b_.CreateAdd(start, half)));
          return Values{b_.CreateSelect(right_first, c[0], b_.CreateAdd(half, I64(1))),
                        b_.CreateSelect(right_first, half, c[1])};
        });
    llvm::Value* left = b_.CreateAdd(start, bounds[0]);
    llvm::Value* right = b_.CreateAdd(middle, b_.CreateSub(done, bounds[0]));
    llvm::Value* to = b_.CreateXor(from, I64(1));
    Merge(row, from, left, middle, right, stop, out, out_end,
          [&](llvm::ArrayRef<llvm::Value*> parts, llvm::Value* position) {
            if (is_last)
              StoreOutput(parts, row, position);
            else
              StoreBuffer(parts, to, row, position);
          });
  }

  llvm::Value* Min(llvm::Value* x, llvm::Value* y) {
    return b_.CreateSelect(b_.CreateICmpSLT(x, y), x, y);
  }
  llvm::Function* Function() { return b_.GetInsertBlock()->getParent(); }

  ir::SortOp op_;
  const SortPlan& plan_;
  PointEmitter& points_;
  const BlockEmitter& emit_block_;
  llvm::IRBuilderBase& b_;
  size_t operands_;
  Status status_;
};

}  // namespace

void BindSort(ir::SortOp op, const SortPlan& plan, const TargetTraits& target,
              StructuredKernel& kernel) {
  if (plan.kind == SortPlan::Kind::kNothing) return;
  if (plan.kind == SortPlan::Kind::kTopK) return BindTopK(op, plan, target, kernel);
  if (plan.kind != SortPlan::Kind::kMerge)
    return BindOrderedSort(op, plan, target, kernel);
  kernel.emit_phase = [op, plan](PointEmitter& points, const PhaseArguments& arguments,
                                 BlockEmitter emit_block) {
    return SortEmitter(op, plan, points, emit_block).EmitPhase(arguments);
  };
}

}  // namespace tenon::codegen
