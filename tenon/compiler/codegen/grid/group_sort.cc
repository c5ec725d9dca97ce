#include "tenon/compiler/codegen/grid/group_sort.h"

#include <algorithm>

#include "llvm/Support/MathExtras.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::codegen {
namespace {

class GroupSort {
 public:
  GroupSort(GroupBody& body, ir::SortOp op, const GroupSortPlan& plan)
      : body_(body),
        points_(body.points()),
        b_(body.builder()),
        op_(op),
        plan_(plan),
        keys_(compiler::KeyOperands(op)) {
    slot_types_.push_back(b_.getInt32Ty());
    for (unsigned operand : keys_)
      slot_types_.append(static_cast<size_t>(ElementParts(TypeOf(operand))),
                         compiler::ElementMemoryType(b_.getContext(), TypeOf(operand)));
  }

  Status EmitBlock(llvm::Value* group);
  Status EmitMerge(llvm::Value* pass, bool is_last, llvm::Value* element);

 private:
  llvm::Value* I64(int64_t value) { return b_.getInt64(static_cast<uint64_t>(value)); }
  llvm::Value* Wide(llvm::Value* position) {
    return b_.CreateZExt(position, b_.getInt64Ty());
  }
  llvm::Value* Min(llvm::Value* x, llvm::Value* y) {
    return b_.CreateSelect(b_.CreateICmpSLT(x, y), x, y);
  }
  ElementType TypeOf(unsigned operand) {
    return ir::ElementTypeOfShaped(
        op_.getComparator().front().getArgument(2 * operand).getType());
  }

  llvm::Value* Address(mlir::Value view, llvm::Value* row, llvm::Value* position) {
    auto type = llvm::cast<mlir::MemRefType>(view.getType());
    auto strides = ir::ViewStrides(type);
    llvm::Value* outer = b_.CreateUDiv(row, I64(plan_.shape.inner));
    llvm::Value* inner = b_.CreateURem(row, I64(plan_.shape.inner));
    llvm::Value* offset = b_.CreateAdd(b_.CreateAdd(b_.CreateMul(outer, I64(strides[0])),
                                                    b_.CreateMul(inner, I64(strides[1]))),
                                       b_.CreateMul(position, I64(strides[2])));
    const int64_t bytes = ElementBytes(ir::ElementTypeOf(type.getElementType()));
    return b_.CreateGEP(b_.getInt8Ty(), points_.View(view),
                        b_.CreateMul(offset, I64(bytes)));
  }
  // The position of sorted element `index` of a row, in buffer `number` (i64) of scratch.
  llvm::Value* PositionAddress(llvm::Value* number, llvm::Value* row,
                               llvm::Value* index) {
    llvm::Value* all_rows =
        b_.CreateAdd(b_.CreateMul(number, I64(plan_.shape.rows)), row);
    return b_.CreateGEP(
        b_.getInt32Ty(), points_.View(op_.getScratch()),
        b_.CreateAdd(b_.CreateMul(all_rows, I64(plan_.shape.length)), index));
  }

  // A position (i32) and its keys, as stored. A position beyond the row gets the last
  // element's keys.
  Values SlotAt(llvm::Value* row, llvm::Value* position) {
    Values slot{b_.CreateTrunc(position, b_.getInt32Ty())};
    llvm::Value* inside = Min(position, I64(plan_.shape.length - 1));
    for (unsigned operand : keys_) {
      const int64_t source = op_.getSources()[operand];
      llvm::Value* address =
          Address(op_.getInputs()[static_cast<unsigned>(source)], row, inside);
      llvm::Type* type = compiler::ElementMemoryType(b_.getContext(), TypeOf(operand));
      for (int part = 0; part < ElementParts(TypeOf(operand)); ++part)
        slot.push_back(b_.CreateLoad(
            type, b_.CreateConstGEP1_64(type, address, static_cast<uint64_t>(part))));
    }
    return slot;
  }

  // Returns i1: whether the comparator puts x before y.
  llvm::Value* Before(llvm::ArrayRef<llvm::Value*> x, llvm::ArrayRef<llvm::Value*> y) {
    mlir::Block& block = op_.getComparator().front();
    auto bind = [&](unsigned argument, ElementType type, llvm::Value* const* parts) {
      ElementValue value{type, compiler::LoadedToValue(b_, type, parts[0]), nullptr};
      if (ElementParts(type) == 2) value.im = compiler::LoadedToValue(b_, type, parts[1]);
      points_.SetScalar(block.getArgument(argument), value);
    };
    size_t next = 1;
    for (unsigned operand : keys_) {
      bind(2 * operand, TypeOf(operand), &x[next]);
      bind(2 * operand + 1, TypeOf(operand), &y[next]);
      next += static_cast<size_t>(ElementParts(TypeOf(operand)));
    }
    Status status = body_.InItem([&] { return body_.EmitBlock(block); });
    if (!status.ok()) {
      if (status_.ok()) status_ = status;
      return b_.getFalse();
    }
    return points_.Scalar(block.back().getOperand(0)).re;
  }

  void LoadSlots(llvm::Value* row0, llvm::Value* position0);
  void SortSlots();
  void ExchangeSlots(llvm::Value* pair, llvm::Value* log_half, llvm::Value* is_flip);
  // Stores the element at `position` of the inputs as element `index` of the outputs.
  void MoveElement(llvm::Value* row, llvm::Value* position, llvm::Value* index);

  GroupBody& body_;
  PointEmitter& points_;
  llvm::IRBuilderBase& b_;
  ir::SortOp op_;
  const GroupSortPlan& plan_;
  const std::vector<unsigned> keys_;
  llvm::SmallVector<llvm::Type*> slot_types_;
  Status status_;
};

void GroupSort::MoveElement(llvm::Value* row, llvm::Value* position, llvm::Value* index) {
  for (auto [operand, target] : llvm::enumerate(op_.getTargets())) {
    if (target < 0) continue;
    mlir::Value output = op_.getOutputs()[static_cast<unsigned>(target)];
    const ElementType type = ir::ElementTypeOf(
        llvm::cast<mlir::MemRefType>(output.getType()).getElementType());
    llvm::Type* memory = compiler::ElementMemoryType(b_.getContext(), type);
    llvm::Value* to = Address(output, row, index);
    const int64_t source = op_.getSources()[operand];
    if (source < 0) {
      b_.CreateStore(b_.CreateZExtOrTrunc(position, memory), to);
      continue;
    }
    llvm::Value* from =
        Address(op_.getInputs()[static_cast<unsigned>(source)], row, position);
    for (uint64_t part = 0; part < static_cast<uint64_t>(ElementParts(type)); ++part)
      b_.CreateStore(b_.CreateLoad(memory, b_.CreateConstGEP1_64(memory, from, part)),
                     b_.CreateConstGEP1_64(memory, to, part));
  }
}

// Fills local memory: slot s has position `position0` + s of row `row0`, or the rows from
// `row0` on follow each other.
void GroupSort::LoadSlots(llvm::Value* row0, llvm::Value* position0) {
  const int64_t row_slots = plan_.group_slots / plan_.group_rows;
  EmitForLoop(b_, body_.item(), I64(plan_.group_slots), body_.items(), {},
              [&](llvm::Value* slot, auto) {
                llvm::Value* row =
                    b_.CreateAdd(row0, b_.CreateUDiv(slot, I64(row_slots)));
                llvm::Value* position =
                    b_.CreateAdd(position0, b_.CreateURem(slot, I64(row_slots)));
                row = Min(row, I64(plan_.shape.rows - 1));
                body_.local().Store(SlotAt(row, position), slot, plan_.group_slots);
                return Values();
              });
  body_.Barrier();
}

// Sorts the slots of each row by a bitonic network whose comparisons all put the smaller
// one first: merging two sorted halves starts with the mirror images.
void GroupSort::SortSlots() {
  const int64_t row_slots = plan_.group_slots / plan_.group_rows;
  const int64_t levels = llvm::Log2_64(static_cast<uint64_t>(row_slots));
  EmitForLoop(b_, I64(0), I64(levels), 1, {}, [&](llvm::Value* level, auto) {
    EmitForLoop(b_, I64(0), b_.CreateAdd(level, I64(1)), 1, {},
                [&](llvm::Value* step, auto) {
                  EmitForLoop(b_, body_.item(), I64(plan_.group_slots / 2), body_.items(),
                              {}, [&](llvm::Value* pair, auto) {
                                ExchangeSlots(pair, b_.CreateSub(level, step),
                                              b_.CreateICmpEQ(step, I64(0)));
                                return Values();
                              });
                  body_.Barrier();
                  return Values();
                });
    return Values();
  });
}

// Exchanges the slots of a pair if they are in the wrong order: slots in the same place
// of both halves of 2^log_half slots, or mirror images.
void GroupSort::ExchangeSlots(llvm::Value* pair, llvm::Value* log_half,
                              llvm::Value* is_flip) {
  llvm::Value* half = b_.CreateShl(I64(1), log_half);
  llvm::Value* offset = b_.CreateAnd(pair, b_.CreateSub(half, I64(1)));
  llvm::Value* begin =
      b_.CreateShl(b_.CreateLShr(pair, log_half), b_.CreateAdd(log_half, I64(1)));
  llvm::Value* left = b_.CreateAdd(begin, offset);
  llvm::Value* mirrored = b_.CreateSub(b_.CreateAdd(begin, b_.CreateShl(half, I64(1))),
                                       b_.CreateAdd(offset, I64(1)));
  llvm::Value* right = b_.CreateSelect(is_flip, mirrored, b_.CreateAdd(left, half));
  LocalMemory& local = body_.local();
  Values x = local.Load(slot_types_, left, plan_.group_slots);
  Values y = local.Load(slot_types_, right, plan_.group_slots);
  // Elements that are equal keep their order: the later one goes first only if the
  // comparator says so. Positions beyond the row stay last.
  llvm::Value* in_order = b_.CreateICmpULT(x[0], y[0]);
  Values earlier, later;
  for (auto [a, c] : llvm::zip_equal(x, y)) {
    earlier.push_back(b_.CreateSelect(in_order, a, c));
    later.push_back(b_.CreateSelect(in_order, c, a));
  }
  llvm::Value* exists =
      b_.CreateICmpULT(later[0], b_.getInt32(static_cast<uint32_t>(plan_.shape.length)));
  llvm::Value* later_first = b_.CreateAnd(exists, Before(later, earlier));
  EmitIf(b_, b_.CreateICmpEQ(later_first, in_order), [&] {
    local.Store(y, left, plan_.group_slots);
    local.Store(x, right, plan_.group_slots);
  });
}

Status GroupSort::EmitBlock(llvm::Value* group) {
  const int64_t row_slots = plan_.group_slots / plan_.group_rows;
  llvm::Value* row0 = b_.CreateMul(group, I64(plan_.group_rows));
  llvm::Value* position0 = I64(0);
  if (plan_.blocks > 1) {
    row0 = b_.CreateUDiv(group, I64(plan_.blocks));
    position0 = b_.CreateMul(b_.CreateURem(group, I64(plan_.blocks)), I64(row_slots));
  }
  LoadSlots(row0, position0);
  SortSlots();
  EmitForLoop(
      b_, body_.item(), I64(plan_.group_slots), body_.items(), {},
      [&](llvm::Value* slot, auto) {
        llvm::Value* row = b_.CreateAdd(row0, b_.CreateUDiv(slot, I64(row_slots)));
        llvm::Value* index = b_.CreateAdd(position0, b_.CreateURem(slot, I64(row_slots)));
        const int64_t end = plan_.blocks > 1 ? plan_.shape.length : plan_.shape.count;
        llvm::Value* exists = b_.CreateAnd(b_.CreateICmpSLT(row, I64(plan_.shape.rows)),
                                           b_.CreateICmpSLT(index, I64(end)));
        EmitIf(b_, exists, [&] {
          llvm::Value* position =
              body_.local().Load(b_.getInt32Ty(), slot, plan_.group_slots)[0];
          if (plan_.blocks > 1)
            b_.CreateStore(position, PositionAddress(I64(0), row, index));
          else
            MoveElement(row, Wide(position), index);
        });
        return Values();
      });
  return status_;
}

// The place of an element in the merged run is its place in its own run, and the number
// of elements of the other run that come before it, which bisection finds. Of each run,
// only as many elements are sorted further as the results have.
Status GroupSort::EmitMerge(llvm::Value* pass, bool is_last, llvm::Value* element) {
  const int64_t length = plan_.shape.length;
  llvm::Value* row = b_.CreateUDiv(element, I64(length));
  llvm::Value* index = b_.CreateURem(element, I64(length));
  llvm::Value* from = b_.CreateAnd(pass, I64(1));
  llvm::Value* run = b_.CreateShl(I64(plan_.group_slots), pass);
  llvm::Value* start =
      b_.CreateAnd(index, b_.CreateNeg(b_.CreateShl(I64(2 * plan_.group_slots), pass)));
  llvm::Value* middle = Min(b_.CreateAdd(start, run), I64(length));
  llvm::Value* stop = Min(b_.CreateAdd(middle, run), I64(length));
  llvm::Value* is_left = b_.CreateICmpSLT(index, middle);
  llvm::Value* in_run = b_.CreateSub(index, b_.CreateSelect(is_left, start, middle));
  auto position_at = [&](llvm::Value* place) {
    return Wide(b_.CreateLoad(b_.getInt32Ty(), PositionAddress(from, row, place)));
  };
  EmitIf(b_, b_.CreateICmpSLT(in_run, I64(plan_.shape.count)), [&] {
    llvm::Value* position = position_at(index);
    Values own = SlotAt(row, position);
    llvm::Value* low = b_.CreateSelect(is_left, middle, start);
    llvm::Value* high = Min(b_.CreateSelect(is_left, stop, middle),
                            b_.CreateAdd(low, I64(plan_.shape.count)));
    Values bounds = EmitWhile(
        b_, {low, high},
        [&](llvm::ArrayRef<llvm::Value*> c) { return b_.CreateICmpSLT(c[0], c[1]); },
        [&](llvm::ArrayRef<llvm::Value*> c) {
          llvm::Value* half = b_.CreateLShr(b_.CreateAdd(c[0], c[1]), I64(1));
          Values other = SlotAt(row, position_at(half));
          Values left, right;
          for (auto [x, y] : llvm::zip_equal(own, other)) {
            left.push_back(b_.CreateSelect(is_left, x, y));
            right.push_back(b_.CreateSelect(is_left, y, x));
          }
          // An element of the left run is before its equals of the right run.
          llvm::Value* other_first = b_.CreateICmpEQ(Before(right, left), is_left);
          return Values{b_.CreateSelect(other_first, b_.CreateAdd(half, I64(1)), c[0]),
                        b_.CreateSelect(other_first, c[1], half)};
        });
    llvm::Value* place =
        b_.CreateAdd(in_run, b_.CreateSub(bounds[0], low));  // in the merged run
    EmitIf(b_, b_.CreateICmpSLT(place, I64(plan_.shape.count)), [&] {
      llvm::Value* target = b_.CreateAdd(start, place);
      if (is_last)
        MoveElement(row, position, target);
      else
        b_.CreateStore(b_.CreateTrunc(position, b_.getInt32Ty()),
                       PositionAddress(b_.CreateXor(from, I64(1)), row, target));
    });
  });
  return status_;
}

}  // namespace

int ItemsOfBlock(const GroupSortPlan& plan, const compiler::DeviceTarget& device) {
  return static_cast<int>(
      std::clamp<int64_t>(plan.group_slots / 2, 1, device.max_group_items));
}

Status EmitSortBlock(GroupBody& body, ir::SortOp op, const GroupSortPlan& plan,
                     llvm::Value* group) {
  return GroupSort(body, op, plan).EmitBlock(group);
}

Status EmitMergePass(GroupBody& body, ir::SortOp op, const GroupSortPlan& plan,
                     llvm::Value* pass, bool is_last, llvm::Value* element) {
  return GroupSort(body, op, plan).EmitMerge(pass, is_last, element);
}

}  // namespace tenon::codegen
