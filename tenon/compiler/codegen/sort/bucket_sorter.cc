#include "tenon/compiler/codegen/sort/bucket_sorter.h"

#include "llvm/IR/Constants.h"
#include "tenon/compiler/codegen/ir/shared_function.h"
#include "tenon/compiler/codegen/sort/sort_network.h"

namespace tenon::codegen {
namespace {

// Bits per digit of a radix sort that uses no sorting network.
constexpr int kDigit = 8;
// Buckets of up to this many records are sorted by insertion.
constexpr int64_t kMaxInsertionSort = 24;
// A bucket too large for a network is split into parts of about 2^kPartBits records.
// Their number is a power of two.
constexpr int kPartBits = 8;

}  // namespace

void BucketSorter::Sort(llvm::Value* records, llvm::Value* other, llvm::Value* count,
                        llvm::Value* bits) {
  const std::string name = "sort_bucket." + plan_.format.Name() + ".x" +
                           std::to_string(CounterLanes(plan_.target));
  (void)CallShared(b_, name, {records, other, count, bits}, [&](IrValues& p) {
    Allocate();
    if (plan_.max_network_records == 0)
      SortPart(p[0], p[1], p[0], p[2], p[3]);
    else
      SplitAndSort(p[0], p[1], p[2], p[3]);
    return OkStatus();
  });
}

void BucketSorter::Allocate() {
  if (plan_.max_network_records == 0) {
    digits_ = EmitLocalCounters(b_, kDigit);
    return;
  }
  digits_ = EmitLocalCounters(b_, kWideDigit);
  int64_t records =
      NetworkBufferRecords(plan_.format, plan_.target, plan_.max_network_records);
  auto* type = llvm::ArrayType::get(plan_.format.Type(b_.getContext()), records);
  from_ = EmitEntryAlloca(b_, type, 64);
  other_ = EmitEntryAlloca(b_, type, 64);
}

void BucketSorter::SplitAndSort(llvm::Value* records, llvm::Value* other,
                                llvm::Value* count, llvm::Value* bits) {
  llvm::Type* type = plan_.format.Type(b_.getContext());
  llvm::Value* is_large = b_.CreateICmpSGT(count, I64(plan_.max_network_records));
  // About log2(count) - kPartBits bits select the part.
  llvm::Value* zeros =
      b_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, count, b_.getFalse());
  llvm::Value* part_bits =
      Min(Min(b_.CreateSub(I64(64 - kPartBits), zeros), I64(kWideDigit)), bits);
  part_bits = b_.CreateSelect(is_large, part_bits, I64(0));
  llvm::Value* parts = b_.CreateShl(I64(1), part_bits);
  llvm::Value* below = b_.CreateSub(bits, part_bits);
  auto counter = [&](llvm::Value* digit) {
    return b_.CreateInBoundsGEP(b_.getInt32Ty(), digits_, digit);
  };
  // If the bucket is not split, its only part ends at `count`.
  b_.CreateStore(b_.CreateTrunc(count, b_.getInt32Ty()), digits_);
  // Carried values: the buffer that holds the records, the other buffer, the digit's
  // shift and mask, whether the sort is by radix from the lowest digit, whether another
  // pass is needed.
  Values moved = EmitWhile(
      b_, {records, other, below, b_.CreateSub(parts, I64(1)), b_.getFalse(), is_large},
      [&](llvm::ArrayRef<llvm::Value*> c) { return c[5]; },
      [&](llvm::ArrayRef<llvm::Value*> c) {
        llvm::Value *source = c[0], *target = c[1], *shift = c[2], *by_radix = c[4];
        auto counter_of = [&](llvm::Value* record) {
          llvm::Value* key = b_.CreateZExt(plan_.format.Key(b_, record), b_.getInt64Ty());
          return counter(b_.CreateAnd(b_.CreateLShr(key, shift), c[3]));
        };
        b_.CreateMemSet(digits_, b_.getInt8(0), 4 * kSortBuckets, llvm::Align(64));
        EmitForLoop(b_, I64(0), count, 1, {}, [&](llvm::Value* i, auto) {
          Advance(counter_of(plan_.format.Load(b_, source, i)));
          return Values();
        });
        llvm::Value* fits =
            b_.CreateICmpSLE(LargestCounter(digits_), I64(plan_.max_network_records));
        llvm::Value* moves = b_.CreateOr(by_radix, fits);
        EmitIf(b_, moves, [&] {
          EmitPrefixCounters(b_, digits_, kSortBuckets, CounterLanes(plan_.target));
          EmitForLoop(b_, I64(0), count, 1, {}, [&](llvm::Value* i, auto) {
            llvm::Value* record = plan_.format.Load(b_, source, i);
            llvm::Value* target_index = Advance(counter_of(record));
            plan_.format.Store(b_, record, target,
                               b_.CreateZExt(target_index, b_.getInt64Ty()));
            return Values();
          });
        });
        llvm::Value* next =
            b_.CreateSelect(moves, b_.CreateAdd(shift, I64(kWideDigit)), I64(0));
        return Values{b_.CreateSelect(moves, target, source),
                      b_.CreateSelect(moves, source, target),
                      next,
                      I64(kSortBuckets - 1),
                      b_.CreateOr(by_radix, b_.CreateNot(moves)),
                      b_.CreateOr(b_.CreateNot(moves),
                                  b_.CreateAnd(by_radix, b_.CreateICmpSLT(next, bits)))};
      });
  llvm::Value *source = moved[0], *by_radix = moved[4];
  EmitIf(b_, by_radix, [&] { Move(source, records, count); });
  EmitForLoop(
      b_, I64(0), b_.CreateSelect(by_radix, I64(0), parts), 1, {I64(0)},
      [&](llvm::Value* part, llvm::ArrayRef<llvm::Value*> c) {
        llvm::Value* end =
            b_.CreateZExt(b_.CreateLoad(b_.getInt32Ty(), counter(part)), b_.getInt64Ty());
        SortPart(b_.CreateGEP(type, source, c[0]), b_.CreateGEP(type, moved[1], c[0]),
                 b_.CreateGEP(type, records, c[0]), b_.CreateSub(end, c[0]), below);
        return Values{end};
      });
}

llvm::Value* BucketSorter::LargestCounter(llvm::Value* counters) {
  auto* type = llvm::FixedVectorType::get(b_.getInt32Ty(), CounterLanes(plan_.target));
  llvm::Value* maxima = EmitForLoop(
      b_, I64(0), I64(kSortBuckets), CounterLanes(plan_.target),
      {llvm::Constant::getNullValue(type)},
      [&](llvm::Value* i, llvm::ArrayRef<llvm::Value*> c) {
        llvm::Value* counts = b_.CreateAlignedLoad(
            type, b_.CreateInBoundsGEP(b_.getInt32Ty(), counters, i), llvm::Align(4));
        return Values{b_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, c[0], counts)};
      })[0];
  return b_.CreateZExt(b_.CreateIntMaxReduce(maxima), b_.getInt64Ty());
}

llvm::Value* BucketSorter::Advance(llvm::Value* counter) {
  llvm::Value* value = b_.CreateLoad(b_.getInt32Ty(), counter);
  b_.CreateStore(b_.CreateAdd(value, b_.getInt32(1)), counter);
  return value;
}

void BucketSorter::SortPart(llvm::Value* from, llvm::Value* other, llvm::Value* to,
                            llvm::Value* count, llvm::Value* bits) {
  llvm::Value* few = b_.CreateICmpSLE(count, I64(kMaxInsertionSort));
  EmitIf(b_, few, [&] {
    InsertionSort(from, count);
    Move(from, to, count);
  });
  EmitIf(b_, b_.CreateNot(few), [&] {
    if (plan_.max_network_records == 0) {
      Move(EmitRadixSort(b_, plan_.format, from, other, count, bits, kDigit, digits_,
                         CounterLanes(plan_.target)),
           to, count);
      return;
    }
    SortNetwork network(b_, plan_.format, plan_.target);
    network.Copy(from, from_, count);
    network.Copy(network.Sort(from_, other_, count), to, count);
  });
}

void BucketSorter::Move(llvm::Value* from, llvm::Value* to, llvm::Value* count) {
  EmitIf(b_, b_.CreateICmpNE(from, to), [&] {
    b_.CreateMemCpy(to, llvm::Align(4), from, llvm::Align(4),
                    b_.CreateMul(count, I64(plan_.format.Bytes())));
  });
}

void BucketSorter::InsertionSort(llvm::Value* records, llvm::Value* count) {
  EmitForLoop(b_, I64(1), count, 1, {}, [&](llvm::Value* i, auto) {
    llvm::Value* moved = plan_.format.Load(b_, records, i);
    llvm::Value* key = plan_.format.Key(b_, moved);
    llvm::Function* function = b_.GetInsertBlock()->getParent();
    auto block = [&](const char* name) {
      return llvm::BasicBlock::Create(b_.getContext(), name, function);
    };
    llvm::BasicBlock *head = block("head"), *check = block("check"),
                     *shift = block("shift"), *insert = block("insert");
    llvm::BasicBlock* before = b_.GetInsertBlock();
    b_.CreateBr(head);
    b_.SetInsertPoint(head);
    auto* hole = b_.CreatePHI(b_.getInt64Ty(), 2);
    hole->addIncoming(i, before);
    b_.CreateCondBr(b_.CreateICmpSGT(hole, I64(0)), check, insert);
    b_.SetInsertPoint(check);
    llvm::Value* previous = b_.CreateSub(hole, I64(1));
    llvm::Value* other = plan_.format.Load(b_, records, previous);
    b_.CreateCondBr(b_.CreateICmpULT(key, plan_.format.Key(b_, other)), shift, insert);
    b_.SetInsertPoint(shift);
    plan_.format.Store(b_, other, records, hole);
    hole->addIncoming(previous, shift);
    b_.CreateBr(head);
    b_.SetInsertPoint(insert);
    plan_.format.Store(b_, moved, records, hole);
    return Values();
  });
}

}  // namespace tenon::codegen
