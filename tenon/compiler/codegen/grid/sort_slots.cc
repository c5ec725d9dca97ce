#include "tenon/compiler/codegen/grid/sort_slots.h"

namespace tenon::codegen {

SortSlots::SortSlots(GroupBody& body, ir::SortOp op, const compiler::SortShape& shape,
                     int64_t count)
    : body_(body),
      points_(body.points()),
      b_(body.builder()),
      op_(op),
      shape_(shape),
      count_(count),
      keys_(compiler::KeyOperands(op)) {
  types_.push_back(b_.getInt32Ty());
  for (unsigned operand : keys_)
    types_.append(static_cast<size_t>(ElementParts(TypeOf(operand))),
                  compiler::ElementMemoryType(b_.getContext(), TypeOf(operand)));
}

void SortSlots::Store(llvm::ArrayRef<llvm::Value*> slot, llvm::Value* number) {
  body_.local().Store(slot, number, count_);
}

Values SortSlots::Load(llvm::Value* number) {
  return body_.local().Load(types_, number, count_);
}

llvm::Value* SortSlots::LoadPosition(llvm::Value* number) {
  return body_.local().Load(types_[0], number, count_)[0];
}

llvm::Value* SortSlots::Address(mlir::Value view, llvm::Value* row,
                                llvm::Value* position) {
  auto type = llvm::cast<mlir::MemRefType>(view.getType());
  auto strides = ir::ViewStrides(type);
  llvm::Value* outer = b_.CreateUDiv(row, I64(shape_.inner));
  llvm::Value* inner = b_.CreateURem(row, I64(shape_.inner));
  llvm::Value* offset = b_.CreateAdd(b_.CreateAdd(b_.CreateMul(outer, I64(strides[0])),
                                                  b_.CreateMul(inner, I64(strides[1]))),
                                     b_.CreateMul(position, I64(strides[2])));
  const int64_t bytes = ElementBytes(ir::ElementTypeOf(type.getElementType()));
  return b_.CreateGEP(b_.getInt8Ty(), points_.View(view),
                      b_.CreateMul(offset, I64(bytes)));
}

Values SortSlots::At(llvm::Value* row, llvm::Value* position) {
  Values slot{b_.CreateTrunc(position, b_.getInt32Ty())};
  llvm::Value* inside =
      b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, position, I64(shape_.length - 1));
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

llvm::Value* SortSlots::Before(llvm::ArrayRef<llvm::Value*> x,
                               llvm::ArrayRef<llvm::Value*> y) {
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

void SortSlots::MoveElement(llvm::Value* row, llvm::Value* position, llvm::Value* index) {
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

void SortSlots::Sort(llvm::Value* count, llvm::Value* levels) {
  llvm::Value* pairs = b_.CreateLShr(count, I64(1));
  EmitForLoop(b_, I64(0), levels, 1, {}, [&](llvm::Value* level, auto) {
    EmitForLoop(
        b_, I64(0), b_.CreateAdd(level, I64(1)), 1, {}, [&](llvm::Value* step, auto) {
          EmitForLoop(
              b_, body_.item(), pairs, body_.items(), {}, [&](llvm::Value* pair, auto) {
                Exchange(pair, b_.CreateSub(level, step), b_.CreateICmpEQ(step, I64(0)));
                return Values();
              });
          body_.Barrier();
          return Values();
        });
    return Values();
  });
}

void SortSlots::Exchange(llvm::Value* pair, llvm::Value* log_half, llvm::Value* is_flip) {
  llvm::Value* half = b_.CreateShl(I64(1), log_half);
  llvm::Value* offset = b_.CreateAnd(pair, b_.CreateSub(half, I64(1)));
  llvm::Value* begin =
      b_.CreateShl(b_.CreateLShr(pair, log_half), b_.CreateAdd(log_half, I64(1)));
  llvm::Value* left = b_.CreateAdd(begin, offset);
  llvm::Value* mirrored = b_.CreateSub(b_.CreateAdd(begin, b_.CreateShl(half, I64(1))),
                                       b_.CreateAdd(offset, I64(1)));
  llvm::Value* right = b_.CreateSelect(is_flip, mirrored, b_.CreateAdd(left, half));
  Values x = Load(left);
  Values y = Load(right);
  // Elements that are equal keep their order: the later one goes first only if the
  // comparator says so. Positions beyond the row stay last.
  llvm::Value* in_order = b_.CreateICmpULT(x[0], y[0]);
  Values earlier, later;
  for (auto [a, c] : llvm::zip_equal(x, y)) {
    earlier.push_back(b_.CreateSelect(in_order, a, c));
    later.push_back(b_.CreateSelect(in_order, c, a));
  }
  llvm::Value* exists =
      b_.CreateICmpULT(later[0], b_.getInt32(static_cast<uint32_t>(shape_.length)));
  llvm::Value* later_first = b_.CreateAnd(exists, Before(later, earlier));
  EmitIf(b_, b_.CreateICmpEQ(later_first, in_order), [&] {
    Store(y, left);
    Store(x, right);
  });
}

}  // namespace tenon::codegen
