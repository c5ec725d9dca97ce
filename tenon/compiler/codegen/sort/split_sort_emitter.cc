#include "tenon/compiler/codegen/sort/split_sort_emitter.h"

#include "llvm/IR/Constants.h"
#include "tenon/compiler/codegen/sort/bucket_sorter.h"

namespace tenon::codegen {
namespace {

class SplitSortEmitter : RecordSortEmitter {
 public:
  SplitSortEmitter(ir::SortOp op, const RecordSortPlan& plan, PointEmitter& points)
      : RecordSortEmitter(op, plan, points), plan_(plan) {}

  Status EmitPhase(const PhaseArguments& arguments) {
    bool whole_row = arguments.first_phase == 2 || arguments.first_phase == 5;
    llvm::Value* row = arguments.chunk;
    llvm::Value* chunk = I64(0);
    if (!whole_row && plan_.shape.rows == 1) {
      row = I64(0);
      chunk = arguments.chunk;
    } else if (!whole_row) {
      row = b_.CreateUDiv(arguments.chunk, I64(plan_.chunks));
      chunk = b_.CreateURem(arguments.chunk, I64(plan_.chunks));
    }
    records_.SetRow(row);
    SetRegion(row);
    switch (arguments.first_phase) {
      case 0:
        EmitKeys(chunk);
        break;
      case 1:
        EmitCounts(chunk);
        break;
      case 2:
        EmitStarts();
        break;
      case 3:
        EmitScatter(chunk);
        break;
      case 4:
        EmitBuckets(chunk);
        break;
      case 5:
        EmitIf(b_, b_.CreateICmpNE(Combined(2), I64(0)),
               [&] { records_.RestoreMerged(); });
        break;
    }
    return records_.status();
  }

 private:
  llvm::Value* Buffer(int number) {
    return Bytes(region_, I64(number * plan_.buffer_bytes));
  }
  llvm::Value* Counters(llvm::Value* chunk) {
    return Bytes(region_, b_.CreateAdd(I64(plan_.counters_offset),
                                       b_.CreateMul(chunk, I64(4 * kSortBuckets))));
  }

  std::pair<llvm::Value*, llvm::Value*> ChunkRange(llvm::Value* chunk) {
    int64_t each = (plan_.shape.length + plan_.chunks - 1) / plan_.chunks;
    llvm::Value* begin = b_.CreateMul(chunk, I64(each));
    return {begin, Min(b_.CreateAdd(begin, I64(each)), I64(plan_.shape.length))};
  }

  // The address of field `number` of the summary of a chunk's keys. Field 0: the OR of
  // all keys, 1: the AND of all keys, 2: nonzero if any element was merged.
  llvm::Value* SummaryField(llvm::Value* chunk, int number) {
    return b_.CreateInBoundsGEP(b_.getInt64Ty(), Bytes(region_, I64(plan_.bits_offset)),
                                b_.CreateAdd(b_.CreateMul(chunk, I64(3)), I64(number)));
  }
  // That field, combined over all chunks.
  llvm::Value* Combined(int number) {
    return EmitForLoop(b_, I64(0), I64(plan_.chunks), 1, {I64(number == 1 ? -1 : 0)},
                       [&](llvm::Value* chunk, llvm::ArrayRef<llvm::Value*> c) {
                         llvm::Value* field =
                             b_.CreateLoad(b_.getInt64Ty(), SummaryField(chunk, number));
                         return Values{number == 1 ? b_.CreateAnd(c[0], field)
                                                   : b_.CreateOr(c[0], field)};
                       })[0];
  }
  // The bucket of a record is the highest bits in which keys differ. Returns how many
  // bits lie below them.
  llvm::Value* BitsBelowBucket() {
    llvm::Value* differ = b_.CreateXor(Combined(0), Combined(1));
    llvm::Value* zeros =
        b_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, differ, b_.getFalse());
    llvm::Value* below = b_.CreateSub(I64(64 - kWideDigit), zeros);
    return b_.CreateSelect(b_.CreateICmpSLT(below, I64(0)), I64(0), below);
  }
  llvm::Value* BucketOf(llvm::Value* record, llvm::Value* below) {
    llvm::Value* key = b_.CreateZExt(plan_.format.Key(b_, record), b_.getInt64Ty());
    return b_.CreateAnd(b_.CreateLShr(key, below), I64(kSortBuckets - 1));
  }

  void EmitKeys(llvm::Value* chunk) {
    auto [begin, end] = ChunkRange(chunk);
    llvm::Value* to = b_.CreateGEP(plan_.format.Type(b_.getContext()), Buffer(0), begin);
    llvm::Value *ored, *anded;
    llvm::Value* merged = records_.MakeRecords(begin, end, to, &ored, &anded);
    b_.CreateStore(b_.CreateZExt(ored, b_.getInt64Ty()), SummaryField(chunk, 0));
    b_.CreateStore(b_.CreateZExt(anded, b_.getInt64Ty()), SummaryField(chunk, 1));
    b_.CreateStore(merged, SummaryField(chunk, 2));
  }

  void EmitCounts(llvm::Value* chunk) {
    auto [begin, end] = ChunkRange(chunk);
    llvm::Value* below = BitsBelowBucket();
    llvm::Value* counters = Counters(chunk);
    b_.CreateMemSet(counters, b_.getInt8(0), 4 * kSortBuckets, llvm::Align(64));
    EmitForLoop(b_, begin, end, 1, {}, [&](llvm::Value* i, auto) {
      llvm::Value* bucket = BucketOf(plan_.format.Load(b_, Buffer(0), i), below);
      llvm::Value* counter_address =
          b_.CreateInBoundsGEP(b_.getInt32Ty(), counters, bucket);
      b_.CreateStore(
          b_.CreateAdd(b_.CreateLoad(b_.getInt32Ty(), counter_address), b_.getInt32(1)),
          counter_address);
      return Values();
    });
  }

  // Turns the counts into the positions at which each chunk stores its first element of
  // each bucket.
  void EmitStarts() {
    int lanes = CounterLanes();
    auto* type = llvm::FixedVectorType::get(b_.getInt32Ty(), lanes);
    llvm::Constant* zero = llvm::Constant::getNullValue(type);
    auto at = [&](llvm::Value* chunk, llvm::Value* bucket) {
      return b_.CreateInBoundsGEP(b_.getInt32Ty(), Counters(chunk), bucket);
    };
    // The prefix sums of the totals use the counters after those of the last chunk.
    llvm::Value* totals = Counters(I64(plan_.chunks));
    EmitForLoop(b_, I64(0), I64(kSortBuckets), lanes, {}, [&](llvm::Value* bucket, auto) {
      llvm::Value* sum = EmitForLoop(
          b_, I64(0), I64(plan_.chunks), 1, {zero},
          [&](llvm::Value* chunk, llvm::ArrayRef<llvm::Value*> c) {
            return Values{b_.CreateAdd(
                c[0], b_.CreateAlignedLoad(type, at(chunk, bucket), llvm::Align(4)))};
          })[0];
      b_.CreateAlignedStore(sum, b_.CreateInBoundsGEP(b_.getInt32Ty(), totals, bucket),
                            llvm::Align(4));
      return Values();
    });
    EmitPrefixCounters(b_, totals, kSortBuckets, lanes);
    EmitForLoop(b_, I64(0), I64(kSortBuckets), lanes, {}, [&](llvm::Value* bucket, auto) {
      llvm::Value* start = b_.CreateAlignedLoad(
          type, b_.CreateInBoundsGEP(b_.getInt32Ty(), totals, bucket), llvm::Align(4));
      EmitForLoop(b_, I64(0), I64(plan_.chunks), 1, {start},
                  [&](llvm::Value* chunk, llvm::ArrayRef<llvm::Value*> c) {
                    llvm::Value* count =
                        b_.CreateAlignedLoad(type, at(chunk, bucket), llvm::Align(4));
                    b_.CreateAlignedStore(c[0], at(chunk, bucket), llvm::Align(4));
                    return Values{b_.CreateAdd(c[0], count)};
                  });
      return Values();
    });
  }

  void EmitScatter(llvm::Value* chunk) {
    auto [begin, end] = ChunkRange(chunk);
    llvm::Value* below = BitsBelowBucket();
    llvm::Value* counters = Counters(chunk);
    EmitForLoop(b_, begin, end, 1, {}, [&](llvm::Value* i, auto) {
      llvm::Value* record = plan_.format.Load(b_, Buffer(0), i);
      llvm::Value* place =
          b_.CreateInBoundsGEP(b_.getInt32Ty(), counters, BucketOf(record, below));
      llvm::Value* position = b_.CreateLoad(b_.getInt32Ty(), place);
      b_.CreateStore(b_.CreateAdd(position, b_.getInt32(1)), place);
      plan_.format.Store(b_, record, Buffer(1), b_.CreateZExt(position, b_.getInt64Ty()));
      return Values();
    });
  }

  // Sorts the buckets that start in the chunk's part of the row.
  void EmitBuckets(llvm::Value* chunk) {
    auto [begin, end] = ChunkRange(chunk);
    llvm::Value* begin_position = begin;
    llvm::Value* end_position = end;
    llvm::Value* below = BitsBelowBucket();
    llvm::Value* starts = Counters(I64(plan_.chunks));
    auto start_of = [&](llvm::Value* bucket) -> llvm::Value* {
      // The bucket after the last one starts at the end of the row.
      llvm::Value* inside = b_.CreateICmpSLT(bucket, I64(kSortBuckets));
      llvm::Value* clamped = Min(bucket, I64(kSortBuckets - 1));
      llvm::Value* start = b_.CreateZExt(
          b_.CreateLoad(b_.getInt32Ty(),
                        b_.CreateInBoundsGEP(b_.getInt32Ty(), starts, clamped)),
          b_.getInt64Ty());
      return b_.CreateSelect(inside, start, I64(plan_.shape.length));
    };
    auto first_from = [&](llvm::Value* position) {
      return EmitWhile(
          b_, {I64(0), I64(kSortBuckets)},
          [&](llvm::ArrayRef<llvm::Value*> c) { return b_.CreateICmpSLT(c[0], c[1]); },
          [&](llvm::ArrayRef<llvm::Value*> c) {
            llvm::Value* half = b_.CreateLShr(b_.CreateAdd(c[0], c[1]), 1);
            llvm::Value* less = b_.CreateICmpSLT(start_of(half), position);
            return Values{b_.CreateSelect(less, b_.CreateAdd(half, I64(1)), c[0]),
                          b_.CreateSelect(less, c[1], half)};
          })[0];
    };
    llvm::Value* first = first_from(begin_position);
    llvm::Value* last = first_from(end_position);
    llvm::Type* type = plan_.format.Type(b_.getContext());
    BucketSorter sorter(b_, plan_);
    EmitIf(b_, b_.CreateICmpNE(below, I64(0)), [&] {
      EmitForLoop(b_, first, last, 1, {}, [&](llvm::Value* bucket, auto) {
        llvm::Value* start = start_of(bucket);
        llvm::Value* count = b_.CreateSub(start_of(b_.CreateAdd(bucket, I64(1))), start);
        llvm::Value* records = b_.CreateGEP(type, Buffer(1), start);
        llvm::Value* other = b_.CreateGEP(type, Buffer(0), start);
        sorter.Sort(records, other, count, below);
        return Values();
      });
    });
    llvm::Value* count = I64(plan_.shape.count);
    records_.WriteElements(Buffer(1), Min(start_of(first), count),
                           Min(start_of(last), count));
  }

  const RecordSortPlan& plan_;
};

}  // namespace

Status EmitSplitSortPhase(ir::SortOp op, const RecordSortPlan& plan, PointEmitter& points,
                          const PhaseArguments& arguments) {
  return SplitSortEmitter(op, plan, points).EmitPhase(arguments);
}

}  // namespace tenon::codegen
