#include "tenon/compiler/codegen/sort/sort_records.h"

#include "llvm/IR/Constants.h"
#include "tenon/compiler/codegen/elementwise/conversions.h"
#include "tenon/compiler/codegen/ir/shared_function.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::codegen {

llvm::Type* RecordFormat::Type(llvm::LLVMContext& context) const {
  if (!has_position) return llvm::IntegerType::get(context, key_bits);
  auto* i64 = llvm::Type::getInt64Ty(context);
  return key_bits == 32 ? static_cast<llvm::Type*>(i64)
                        : llvm::FixedVectorType::get(i64, 2);
}

llvm::Value* RecordFormat::Load(llvm::IRBuilderBase& b, llvm::Value* base,
                                llvm::Value* index) const {
  llvm::Type* type = Type(b.getContext());
  return b.CreateAlignedLoad(type, b.CreateGEP(type, base, index),
                             llvm::Align(key_bits / 8));
}

void RecordFormat::Store(llvm::IRBuilderBase& b, llvm::Value* record, llvm::Value* base,
                         llvm::Value* index) const {
  b.CreateAlignedStore(record, b.CreateGEP(Type(b.getContext()), base, index),
                       llvm::Align(key_bits / 8));
}

llvm::Value* RecordFormat::Key(llvm::IRBuilderBase& b, llvm::Value* record) const {
  if (!has_position) return record;
  if (key_bits == 64) return b.CreateExtractElement(record, uint64_t{0});
  return b.CreateTrunc(b.CreateLShr(record, 32), b.getInt32Ty());
}

llvm::Value* RecordFormat::Position(llvm::IRBuilderBase& b, llvm::Value* record) const {
  if (key_bits == 64) return b.CreateExtractElement(record, uint64_t{1});
  return b.CreateAnd(record, b.getInt64(0xffffffff));
}

SortRecords::SortRecords(ir::SortOp op, const SortOrder& order, RecordFormat format,
                         const TargetTraits& target, PointEmitter& points)
    : op_(op),
      order_(order),
      format_(format),
      points_(points),
      b_(points.builder()),
      lanes_(std::max(1, target.vector_bits / format.key_bits)),
      merged_(order.merged.begin(), order.merged.end()) {}

mlir::MemRefType SortRecords::InputType(unsigned operand) {
  return llvm::cast<mlir::MemRefType>(
      op_.getInputs()[op_.getSources()[operand]].getType());
}

ElementType SortRecords::TypeOf(unsigned operand) {
  return ir::ElementTypeOf(InputType(operand).getElementType());
}

llvm::Type* SortRecords::LaneType(llvm::Type* scalar, int lanes) {
  return lanes == 1 ? scalar : llvm::FixedVectorType::get(scalar, lanes);
}

llvm::Value* SortRecords::Ramp(llvm::Value* start, int lanes) {
  llvm::SmallVector<llvm::Constant*> steps;
  for (int lane = 0; lane < lanes; ++lane) steps.push_back(b_.getInt64(lane));
  return b_.CreateAdd(b_.CreateVectorSplat(lanes, start),
                      llvm::ConstantVector::get(steps));
}

llvm::Value* SortRecords::RowStart(mlir::Value view, llvm::Value* row) {
  auto type = llvm::cast<mlir::MemRefType>(view.getType());
  auto strides = ir::ViewStrides(type);
  int64_t inner = type.getDimSize(1);
  llvm::Value* offset =
      b_.CreateMul(b_.CreateUDiv(row, b_.getInt64(inner)), b_.getInt64(strides[0]));
  if (inner > 1)
    offset = b_.CreateAdd(offset, b_.CreateMul(b_.CreateURem(row, b_.getInt64(inner)),
                                               b_.getInt64(strides[1])));
  int64_t bytes = ElementBytes(ir::ElementTypeOf(type.getElementType()));
  return b_.CreateGEP(llvm::ArrayType::get(b_.getInt8Ty(), bytes), points_.View(view),
                      offset);
}

void SortRecords::SetRow(llvm::Value* row) {
  inputs_.clear();
  outputs_.clear();
  for (mlir::Value view : op_.getInputs()) inputs_.push_back(RowStart(view, row));
  for (mlir::Value view : op_.getOutputs()) outputs_.push_back(RowStart(view, row));
}

llvm::Value* SortRecords::Address(mlir::MemRefType view, llvm::Value* row_start,
                                  llvm::Value* position) {
  int64_t stride = ir::ViewStrides(view)[2];
  int64_t bytes = ElementBytes(ir::ElementTypeOf(view.getElementType()));
  if (stride != 1)
    position =
        b_.CreateMul(position, llvm::ConstantInt::get(position->getType(), stride));
  return b_.CreateGEP(llvm::ArrayType::get(b_.getInt8Ty(), bytes), row_start, position);
}

llvm::Value* SortRecords::LoadPart(unsigned operand, llvm::Value* position, int part,
                                   int lanes, llvm::Value* mask) {
  mlir::MemRefType view = InputType(operand);
  ElementType element = TypeOf(operand);
  int parts = ElementParts(element);
  llvm::Type* type = compiler::ElementMemoryType(b_.getContext(), element);
  llvm::Align align(ElementBytes(element) / parts);
  llvm::Value* start = inputs_[op_.getSources()[operand]];
  if (part > 0) start = b_.CreateConstInBoundsGEP1_64(type, start, part);
  llvm::Type* lane_type = LaneType(type, lanes);
  llvm::Value* loaded;
  if (lanes == 1) {
    loaded = b_.CreateAlignedLoad(type, Address(view, start, position), align);
  } else if (ir::ViewStrides(view)[2] == 1 && parts == 1) {
    llvm::Value* address = Address(view, start, position);
    loaded =
        mask ? b_.CreateMaskedLoad(lane_type, address, align, mask,
                                   llvm::Constant::getNullValue(lane_type))
             : static_cast<llvm::Value*>(b_.CreateAlignedLoad(lane_type, address, align));
  } else {
    loaded = b_.CreateMaskedGather(lane_type, Address(view, start, Ramp(position, lanes)),
                                   align, mask, llvm::Constant::getNullValue(lane_type));
  }
  return compiler::LoadedToValue(b_, element, loaded);
}

llvm::Value* SortRecords::Ordered(ElementType type, llvm::Value* value) {
  int bits = SortKeyBits(type);
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  llvm::Type* integer =
      LaneType(b_.getIntNTy(bits), vector ? vector->getNumElements() : 1);
  auto constant = [&](llvm::APInt number) {
    return llvm::ConstantInt::get(integer, number);
  };
  if (compiler::IsFloat(type)) {
    llvm::Value* raw = b_.CreateBitCast(value, integer);
    // Inverts all bits of negative numbers, and the sign bit of others.
    llvm::Value* sign = b_.CreateAShr(raw, bits - 1);
    return b_.CreateXor(raw, b_.CreateOr(sign, constant(llvm::APInt::getSignMask(bits))));
  }
  if (!compiler::IsSignedInteger(type)) return b_.CreateZExt(value, integer);
  return b_.CreateXor(b_.CreateSExt(value, integer),
                      constant(llvm::APInt::getSignMask(bits)));
}

llvm::Value* SortRecords::Wide(llvm::Value* key) {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(key->getType());
  return b_.CreateZExt(key, LaneType(KeyType(), vector ? vector->getNumElements() : 1));
}

llvm::Value* SortRecords::Keys(llvm::Value* position, int lanes, llvm::Value* mask,
                               llvm::Value** raw) {
  mlir::Block& block = op_.getComparator().front();
  points_.set_lanes({lanes, nullptr});
  for (unsigned operand : order_.operands) {
    ElementValue value{TypeOf(operand), nullptr, nullptr};
    value.re = LoadPart(operand, position, 0, lanes, mask);
    if (ElementParts(value.type) == 2)
      value.im = LoadPart(operand, position, 1, lanes, mask);
    points_.SetScalar(block.getArgument(2 * operand), value);
    if (raw) *raw = Wide(Ordered(value.type, value.re));
  }
  for (mlir::Operation* op : order_.ops) {
    Status status = points_.EmitOp(*op);
    if (!status.ok() && status_.ok()) status_ = status;
  }
  llvm::Value* all = nullptr;
  if (status_.ok()) {
    for (const SortKey& key : order_.keys) {
      llvm::Value* value = points_.Broadcast(points_.Scalar(key.value)).re;
      if (compiler::IsFloat(key.type) && !key.total_order) {
        // Zeros of both signs are equal, and so are all NaNs.
        compiler::Conversions conversions(b_, points_.options().elementwise);
        llvm::Value* wide = conversions.Widen(key.type, value);
        llvm::Value* zero = llvm::Constant::getNullValue(value->getType());
        llvm::Value* is_zero =
            b_.CreateFCmpOEQ(wide, llvm::Constant::getNullValue(wide->getType()));
        llvm::Value* nan = compiler::FloatConstant(
            b_.getContext(), key.type,
            llvm::APFloat::getNaN(compiler::FloatSemantics(key.type)));
        if (lanes > 1) nan = b_.CreateVectorSplat(lanes, nan);
        value = b_.CreateSelect(is_zero, zero, value);
        value = b_.CreateSelect(b_.CreateFCmpUNO(wide, wide), nan, value);
      }
      llvm::Value* ordered = Ordered(key.type, value);
      if (key.descending) ordered = b_.CreateNot(ordered);
      ordered = Wide(ordered);
      all =
          all ? b_.CreateOr(b_.CreateShl(all, SortKeyBits(key.type)), ordered) : ordered;
    }
  } else {
    all = llvm::Constant::getNullValue(LaneType(KeyType(), lanes));
  }
  points_.set_lanes({});
  if (raw && order_.keys[0].descending) {
    // Inverts the bits of the element type only, as in the key.
    llvm::Value* ones = Wide(llvm::Constant::getAllOnesValue(
        LaneType(b_.getIntNTy(SortKeyBits(order_.keys[0].type)), lanes)));
    *raw = b_.CreateXor(*raw, ones);
  }
  return all;
}

llvm::Value* SortRecords::MakeRecords(llvm::Value* begin, llvm::Value* end,
                                      llvm::Value* to, llvm::Value** ored,
                                      llvm::Value** anded) {
  auto* keys_type = LaneType(KeyType(), lanes_);
  bool watch = has_merged();
  Values inits;
  if (watch) inits.push_back(llvm::Constant::getNullValue(keys_type));
  if (ored) {
    inits.push_back(llvm::Constant::getNullValue(keys_type));
    inits.push_back(llvm::Constant::getAllOnesValue(keys_type));
  }
  llvm::Value* last = b_.CreateSub(end, b_.getInt64(lanes_));
  Values results = EmitForLoop(
      b_, begin, end, lanes_, inits,
      [&](llvm::Value* iv, llvm::ArrayRef<llvm::Value*> carried) {
        // The last vector may overlap the one before it.
        llvm::Value* position = b_.CreateSelect(b_.CreateICmpSLT(iv, last), iv, last);
        llvm::Value* raw = nullptr;
        llvm::Value* keys = Keys(position, lanes_, nullptr, watch ? &raw : nullptr);
        Values next;
        if (watch) next.push_back(b_.CreateOr(carried[0], b_.CreateXor(keys, raw)));
        if (ored) {
          next.push_back(b_.CreateOr(carried[watch], keys));
          next.push_back(b_.CreateAnd(carried[watch + 1], keys));
        }
        llvm::Value* records = keys;
        if (format_.has_position) {
          llvm::Value* positions = Ramp(position, lanes_);
          llvm::Value* wide = b_.CreateZExt(
              lanes_ == 1 ? b_.CreateVectorSplat(1, keys) : keys, positions->getType());
          if (format_.key_bits == 32) {
            records = b_.CreateOr(b_.CreateShl(wide, 32), positions);
          } else {
            llvm::SmallVector<int> pairs;
            for (int lane = 0; lane < lanes_; ++lane) {
              pairs.push_back(lane);
              pairs.push_back(lanes_ + lane);
            }
            records = b_.CreateShuffleVector(wide, positions, pairs);
          }
        }
        format_.Store(b_, records, to, b_.CreateSub(position, begin));
        return next;
      });
  if (ored) {
    *ored = lanes_ == 1 ? results[watch] : b_.CreateOrReduce(results[watch]);
    *anded = lanes_ == 1 ? results[watch + 1] : b_.CreateAndReduce(results[watch + 1]);
  }
  if (!watch) return b_.getInt64(0);
  llvm::Value* merged = lanes_ == 1 ? results[0] : b_.CreateOrReduce(results[0]);
  return b_.CreateZExt(merged, b_.getInt64Ty());
}

llvm::Value* SortRecords::FromKey(llvm::Value* key) {
  const SortKey& order = order_.keys[0];
  ElementType type = TypeOf(0);
  int bits = SortKeyBits(type);
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(key->getType());
  int lanes = vector ? vector->getNumElements() : 1;
  llvm::Value* ordered = b_.CreateTrunc(key, LaneType(b_.getIntNTy(bits), lanes));
  if (order.descending) ordered = b_.CreateNot(ordered);
  llvm::Value* sign_mask =
      llvm::ConstantInt::get(ordered->getType(), llvm::APInt::getSignMask(bits));
  if (compiler::IsFloat(type)) {
    // In a key, the sign bit is set for positive numbers.
    llvm::Value* negative = b_.CreateNot(b_.CreateAShr(ordered, bits - 1));
    ordered = b_.CreateXor(ordered, b_.CreateOr(negative, sign_mask));
    return b_.CreateBitCast(
        ordered, LaneType(compiler::ElementMemoryType(b_.getContext(), type), lanes));
  }
  // Narrow integers are extended to a byte, their form in memory.
  return compiler::IsSignedInteger(type) ? b_.CreateXor(ordered, sign_mask) : ordered;
}

void SortRecords::MoveElement(llvm::Value* position, llvm::Value* target_index) {
  for (auto [operand, target] : llvm::enumerate(op_.getTargets())) {
    if (target < 0) continue;
    mlir::Value output = op_.getOutputs()[target];
    auto view = llvm::cast<mlir::MemRefType>(output.getType());
    ElementType type = ir::ElementTypeOf(view.getElementType());
    llvm::Type* memory = compiler::ElementMemoryType(b_.getContext(), type);
    llvm::Value* to = Address(view, outputs_[target], target_index);
    if (op_.getSources()[operand] < 0) {
      b_.CreateStore(b_.CreateTrunc(position, memory), to);
      continue;
    }
    llvm::Value* from =
        Address(InputType(operand), inputs_[op_.getSources()[operand]], position);
    for (int part = 0; part < ElementParts(type); ++part) {
      llvm::Value* loaded =
          b_.CreateLoad(memory, b_.CreateConstInBoundsGEP1_64(memory, from, part));
      b_.CreateStore(loaded, b_.CreateConstInBoundsGEP1_64(memory, to, part));
    }
  }
}

void SortRecords::WriteElements(llvm::Value* from, llvm::Value* begin, llvm::Value* end) {
  if (format_.has_position) {
    EmitForLoop(b_, begin, end, 1, {}, [&](llvm::Value* index, auto) {
      MoveElement(format_.Position(b_, format_.Load(b_, from, index)), index);
      return Values();
    });
    return;
  }
  auto view = llvm::cast<mlir::MemRefType>(op_.getOutputs()[0].getType());
  int64_t bytes = ElementBytes(TypeOf(0));
  llvm::Align align(bytes);
  auto write = [&](llvm::Value* index, int lanes) {
    llvm::Type* type = LaneType(KeyType(), lanes);
    llvm::Value* keys = b_.CreateAlignedLoad(type, b_.CreateGEP(KeyType(), from, index),
                                             llvm::Align(format_.key_bits / 8));
    b_.CreateAlignedStore(FromKey(keys), Address(view, outputs_[0], index), align);
  };
  llvm::Value* main_end = begin;
  if (ir::ViewStrides(view)[2] == 1) {
    llvm::Value* whole = b_.CreateAnd(b_.CreateSub(end, begin), b_.getInt64(-lanes_));
    main_end = b_.CreateAdd(begin, whole);
    EmitForLoop(b_, begin, main_end, lanes_, {}, [&](llvm::Value* index, auto) {
      write(index, lanes_);
      return Values();
    });
  }
  EmitForLoop(b_, main_end, end, 1, {}, [&](llvm::Value* index, auto) {
    write(index, 1);
    return Values();
  });
}

Values SortRecords::MergedKeys() {
  Values keys;
  for (mlir::Value constant : merged_) {
    llvm::Value* key = Ordered(TypeOf(0), points_.Scalar(constant).re);
    if (order_.keys[0].descending) key = b_.CreateNot(key);
    keys.push_back(Wide(key));
  }
  return keys;
}

void SortRecords::RestoreMerged() {
  SortShape shape = ShapeOfSort(op_);
  auto view = llvm::cast<mlir::MemRefType>(op_.getOutputs()[0].getType());
  llvm::Type* memory = compiler::ElementMemoryType(b_.getContext(), TypeOf(0));
  llvm::Value* count = b_.getInt64(shape.count);
  Keys(b_.getInt64(0), 1, nullptr);  // defines the values of the constants
  if (!status_.ok()) return;
  Values merged = MergedKeys();
  auto key_of_output = [&](llvm::Value* target_index) {
    llvm::Value* stored = b_.CreateLoad(memory, Address(view, outputs_[0], target_index));
    llvm::Value* key = Ordered(TypeOf(0), compiler::LoadedToValue(b_, TypeOf(0), stored));
    if (order_.keys[0].descending) key = b_.CreateNot(key);
    return Wide(key);
  };
  // The first position of each merged key: the first output that is not less.
  Values starts;
  for (llvm::Value* key : merged) {
    Values bounds = EmitWhile(
        b_, {b_.getInt64(0), count},
        [&](llvm::ArrayRef<llvm::Value*> c) { return b_.CreateICmpSLT(c[0], c[1]); },
        [&](llvm::ArrayRef<llvm::Value*> c) {
          llvm::Value* half = b_.CreateLShr(b_.CreateAdd(c[0], c[1]), 1);
          llvm::Value* less = b_.CreateICmpULT(key_of_output(half), key);
          return Values{b_.CreateSelect(less, b_.CreateAdd(half, b_.getInt64(1)), c[0]),
                        b_.CreateSelect(less, c[1], half)};
        });
    starts.push_back(bounds[0]);
  }
  EmitForLoop(
      b_, b_.getInt64(0), b_.getInt64(shape.length), 1, starts,
      [&](llvm::Value* position, llvm::ArrayRef<llvm::Value*> target_indices) {
        llvm::Value* key = Keys(position, 1, nullptr);
        Values next;
        for (auto [target_index, constant] : llvm::zip_equal(target_indices, merged)) {
          llvm::Value* equal = b_.CreateICmpEQ(key, constant);
          llvm::Value* fits = b_.CreateICmpSLT(target_index, count);
          EmitIf(b_, b_.CreateAnd(equal, fits),
                 [&] { MoveElement(position, target_index); });
          next.push_back(
              b_.CreateAdd(target_index, b_.CreateZExt(equal, b_.getInt64Ty())));
        }
        return next;
      });
}

void EmitPrefixCounters(llvm::IRBuilderBase& b, llvm::Value* counters, int64_t count,
                        int lanes) {
  auto* type = llvm::FixedVectorType::get(b.getInt32Ty(), lanes);
  llvm::Constant* zero = llvm::Constant::getNullValue(type);
  llvm::SmallVector<int> last(lanes, lanes - 1);
  EmitForLoop(
      b, b.getInt64(0), b.getInt64(count), lanes, {zero},
      [&](llvm::Value* i, llvm::ArrayRef<llvm::Value*> carried) {
        llvm::Value* counter_address = b.CreateInBoundsGEP(b.getInt32Ty(), counters, i);
        llvm::Value* counts = b.CreateAlignedLoad(type, counter_address, llvm::Align(4));
        llvm::Value* sums = counts;
        for (int distance = 1; distance < lanes; distance *= 2) {
          llvm::SmallVector<int> shifted;
          for (int lane = 0; lane < lanes; ++lane)
            shifted.push_back(lane < distance ? lanes : lane - distance);
          sums = b.CreateAdd(sums, b.CreateShuffleVector(sums, zero, shifted));
        }
        b.CreateAlignedStore(b.CreateAdd(b.CreateSub(sums, counts), carried[0]),
                             counter_address, llvm::Align(4));
        return Values{b.CreateAdd(carried[0], b.CreateShuffleVector(sums, last))};
      });
}

namespace {

// As EmitRadixSort, without a call.
llvm::Value* RadixSort(llvm::IRBuilderBase& b, RecordFormat format, llvm::Value* from,
                       llvm::Value* other, llvm::Value* count, llvm::Value* bits,
                       int digit_bits, llvm::Value* counters, int counter_lanes) {
  int64_t digits = int64_t{1} << digit_bits;
  llvm::Value* zero = b.getInt64(0);
  auto counter = [&](llvm::Value* digit) {
    return b.CreateInBoundsGEP(b.getInt32Ty(), counters, digit);
  };
  llvm::Value* passes =
      b.CreateUDiv(b.CreateAdd(bits, b.getInt64(digit_bits - 1)), b.getInt64(digit_bits));
  Values results = EmitForLoop(
      b, zero, passes, 1, {from, other},
      [&](llvm::Value* pass, llvm::ArrayRef<llvm::Value*> carried) {
        llvm::Value *source = carried[0], *target = carried[1];
        llvm::Value* shift = b.CreateMul(pass, b.getInt64(digit_bits));
        auto digit_of = [&](llvm::Value* record) {
          llvm::Value* key = format.Key(b, record);
          llvm::Value* digit =
              b.CreateLShr(key, b.CreateZExtOrTrunc(shift, key->getType()));
          digit = b.CreateAnd(digit, llvm::ConstantInt::get(key->getType(), digits - 1));
          return b.CreateZExt(digit, b.getInt64Ty());
        };
        b.CreateMemSet(counters, b.getInt8(0), digits * 4, llvm::Align(64));
        EmitForLoop(b, zero, count, 1, {}, [&](llvm::Value* i, auto) {
          llvm::Value* counter_address = counter(digit_of(format.Load(b, source, i)));
          b.CreateStore(
              b.CreateAdd(b.CreateLoad(b.getInt32Ty(), counter_address), b.getInt32(1)),
              counter_address);
          return Values();
        });
        // If all records have the same digit, this pass moves nothing.
        llvm::Value* same_digit =
            b.CreateLoad(b.getInt32Ty(), counter(digit_of(format.Load(b, source, zero))));
        llvm::Value* moves =
            b.CreateICmpNE(b.CreateZExt(same_digit, b.getInt64Ty()), count);
        EmitIf(b, moves, [&] {
          EmitPrefixCounters(b, counters, digits, counter_lanes);
          EmitForLoop(b, zero, count, 1, {}, [&](llvm::Value* i, auto) {
            llvm::Value* record = format.Load(b, source, i);
            llvm::Value* counter_address = counter(digit_of(record));
            llvm::Value* position = b.CreateLoad(b.getInt32Ty(), counter_address);
            b.CreateStore(b.CreateAdd(position, b.getInt32(1)), counter_address);
            format.Store(b, record, target, b.CreateZExt(position, b.getInt64Ty()));
            return Values();
          });
        });
        return Values{b.CreateSelect(moves, target, source),
                      b.CreateSelect(moves, source, target)};
      });
  return results[0];
}

}  // namespace

std::string RecordFormat::Name() const {
  return "u" + std::to_string(key_bits) + (has_position ? "_position" : "");
}

llvm::Value* EmitRadixSort(llvm::IRBuilderBase& b, RecordFormat format, llvm::Value* from,
                           llvm::Value* other, llvm::Value* count, llvm::Value* bits,
                           int digit_bits, llvm::Value* counters, int counter_lanes) {
  const std::string name = "radix_sort.digit" + std::to_string(digit_bits) + "." +
                           format.Name() + ".x" + std::to_string(counter_lanes);
  llvm::Value* result = EmitEntryAlloca(b, b.getPtrTy(), 8);
  (void)CallShared(
      b, name, {from, other, count, bits, counters, result}, [&](IrValues& p) {
        b.CreateStore(
            RadixSort(b, format, p[0], p[1], p[2], p[3], digit_bits, p[4], counter_lanes),
            p[5]);
        return OkStatus();
      });
  return b.CreateLoad(b.getPtrTy(), result);
}

}  // namespace tenon::codegen
