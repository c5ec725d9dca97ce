#include "tenon/compiler/codegen/sort/split_sort_emitter.h"

#include <string>

#include "llvm/IR/Constants.h"
#include "tenon/compiler/codegen/ir/shared_function.h"
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
        EmitIf(b_, b_.CreateICmpNE(Combined(Summaries(), I64(plan_.chunks), 2), I64(0)),
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

  // The summaries of the keys of all chunks. Field 0 of one: the OR of all keys, 1: the
  // AND of all keys, 2: nonzero if any element was merged.
  llvm::Value* Summaries() { return Bytes(region_, I64(plan_.bits_offset)); }
  llvm::Value* SummaryField(llvm::Value* summaries, llvm::Value* chunk, int number) {
    return b_.CreateInBoundsGEP(b_.getInt64Ty(), summaries,
                                b_.CreateAdd(b_.CreateMul(chunk, I64(3)), I64(number)));
  }
  // A field, combined over all chunks.
  llvm::Value* Combined(llvm::Value* summaries, llvm::Value* chunks, int number) {
    return EmitForLoop(b_, I64(0), chunks, 1, {I64(number == 1 ? -1 : 0)},
                       [&](llvm::Value* chunk, llvm::ArrayRef<llvm::Value*> c) {
                         llvm::Value* field = b_.CreateLoad(
                             b_.getInt64Ty(), SummaryField(summaries, chunk, number));
                         return Values{number == 1 ? b_.CreateAnd(c[0], field)
                                                   : b_.CreateOr(c[0], field)};
                       })[0];
  }
  // The bucket of a record is the highest bits in which keys differ. Returns how many
  // bits lie below them.
  llvm::Value* BitsBelowBucket(llvm::Value* summaries, llvm::Value* chunks) {
    llvm::Value* differ =
        b_.CreateXor(Combined(summaries, chunks, 0), Combined(summaries, chunks, 1));
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
    const auto field = [&](int number) {
      return SummaryField(Summaries(), chunk, number);
    };
    b_.CreateStore(b_.CreateZExt(ored, b_.getInt64Ty()), field(0));
    b_.CreateStore(b_.CreateZExt(anded, b_.getInt64Ty()), field(1));
    b_.CreateStore(merged, field(2));
  }

  // Calls a function that all kernels with records of this format share.
  void Share(const char* name, llvm::ArrayRef<llvm::Value*> arguments,
             llvm::function_ref<void(llvm::ArrayRef<llvm::Value*>)> body) {
    const std::string full_name = std::string("split_sort_") + name + "." +
                                  plan_.format.Name() + ".x" +
                                  std::to_string(CounterLanes());
    (void)CallShared(b_, full_name, arguments, [&](IrValues& p) {
      body(p);
      return OkStatus();
    });
  }
  llvm::Value* Place(llvm::Value* counters, llvm::Value* bucket) {
    return b_.CreateInBoundsGEP(b_.getInt32Ty(), counters, bucket);
  }

  void EmitCounts(llvm::Value* chunk) {
    auto [begin, end] = ChunkRange(chunk);
    Share("counts",
          {Buffer(0), begin, end, Counters(chunk), Summaries(), I64(plan_.chunks)},
          [&](llvm::ArrayRef<llvm::Value*> p) {
            llvm::Value *records = p[0], *counters = p[3];
            llvm::Value* below = BitsBelowBucket(p[4], p[5]);
            b_.CreateMemSet(counters, b_.getInt8(0), 4 * kSortBuckets, llvm::Align(64));
            EmitForLoop(b_, p[1], p[2], 1, {}, [&](llvm::Value* i, auto) {
              llvm::Value* place =
                  Place(counters, BucketOf(plan_.format.Load(b_, records, i), below));
              b_.CreateStore(
                  b_.CreateAdd(b_.CreateLoad(b_.getInt32Ty(), place), b_.getInt32(1)),
                  place);
              return Values();
            });
          });
  }

  // Turns the counts into the positions at which each chunk stores its first element of
  // each bucket.
  void EmitStarts() {
    // The prefix sums of the totals use the counters after those of the last chunk.
    Share("starts", {Counters(I64(0)), Counters(I64(plan_.chunks)), I64(plan_.chunks)},
          [&](llvm::ArrayRef<llvm::Value*> p) { SumCounters(p[0], p[1], p[2]); });
  }
  void SumCounters(llvm::Value* counters, llvm::Value* totals, llvm::Value* chunks) {
    int lanes = CounterLanes();
    auto* type = llvm::FixedVectorType::get(b_.getInt32Ty(), lanes);
    llvm::Constant* zero = llvm::Constant::getNullValue(type);
    auto at = [&](llvm::Value* chunk, llvm::Value* bucket) {
      return Place(Bytes(counters, b_.CreateMul(chunk, I64(4 * kSortBuckets))), bucket);
    };
    EmitForLoop(b_, I64(0), I64(kSortBuckets), lanes, {}, [&](llvm::Value* bucket, auto) {
      llvm::Value* sum = EmitForLoop(
          b_, I64(0), chunks, 1, {zero},
          [&](llvm::Value* chunk, llvm::ArrayRef<llvm::Value*> c) {
            return Values{b_.CreateAdd(
                c[0], b_.CreateAlignedLoad(type, at(chunk, bucket), llvm::Align(4)))};
          })[0];
      b_.CreateAlignedStore(sum, Place(totals, bucket), llvm::Align(4));
      return Values();
    });
    EmitPrefixCounters(b_, totals, kSortBuckets, lanes);
    EmitForLoop(b_, I64(0), I64(kSortBuckets), lanes, {}, [&](llvm::Value* bucket, auto) {
      llvm::Value* start =
          b_.CreateAlignedLoad(type, Place(totals, bucket), llvm::Align(4));
      EmitForLoop(b_, I64(0), chunks, 1, {start},
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
    Share("scatter",
          {Buffer(0), Buffer(1), begin, end, Counters(chunk), Summaries(),
           I64(plan_.chunks)},
          [&](llvm::ArrayRef<llvm::Value*> p) {
            llvm::Value *records = p[0], *other = p[1], *counters = p[4];
            llvm::Value* below = BitsBelowBucket(p[5], p[6]);
            EmitForLoop(b_, p[2], p[3], 1, {}, [&](llvm::Value* i, auto) {
              llvm::Value* record = plan_.format.Load(b_, records, i);
              llvm::Value* place = Place(counters, BucketOf(record, below));
              llvm::Value* position = b_.CreateLoad(b_.getInt32Ty(), place);
              b_.CreateStore(b_.CreateAdd(position, b_.getInt32(1)), place);
              plan_.format.Store(b_, record, other,
                                 b_.CreateZExt(position, b_.getInt64Ty()));
              return Values();
            });
          });
  }

  // Sorts the buckets that start in the chunk's part of the row.
  void EmitBuckets(llvm::Value* chunk) {
    auto [begin, end] = ChunkRange(chunk);
    llvm::Value* range = EmitEntryAlloca(b_, llvm::ArrayType::get(b_.getInt64Ty(), 2), 8);
    llvm::Value* range_end = b_.CreateInBoundsGEP(b_.getInt64Ty(), range, I64(1));
    Share("buckets",
          {Buffer(1), Buffer(0), begin, end, Counters(I64(plan_.chunks)), Summaries(),
           I64(plan_.chunks), I64(plan_.shape.length), range, range_end},
          [&](llvm::ArrayRef<llvm::Value*> p) {
            SortBuckets(p, BitsBelowBucket(p[5], p[6]));
          });
    llvm::Value* count = I64(plan_.shape.count);
    auto position = [&](llvm::Value* address) {
      return Min(b_.CreateLoad(b_.getInt64Ty(), address), count);
    };
    records_.WriteElements(Buffer(1), position(range), position(range_end));
  }
  // Stores the positions of the first and past the last of their elements.
  void SortBuckets(llvm::ArrayRef<llvm::Value*> p, llvm::Value* below) {
    llvm::Value *records = p[0], *other = p[1], *starts = p[4], *length = p[7];
    auto start_of = [&](llvm::Value* bucket) -> llvm::Value* {
      // The bucket after the last one starts at the end of the row.
      llvm::Value* inside = b_.CreateICmpSLT(bucket, I64(kSortBuckets));
      llvm::Value* clamped = Min(bucket, I64(kSortBuckets - 1));
      llvm::Value* start = b_.CreateZExt(
          b_.CreateLoad(b_.getInt32Ty(), Place(starts, clamped)), b_.getInt64Ty());
      return b_.CreateSelect(inside, start, length);
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
    llvm::Value* first = first_from(p[2]);
    llvm::Value* last = first_from(p[3]);
    llvm::Type* type = plan_.format.Type(b_.getContext());
    BucketSorter sorter(b_, plan_);
    EmitIf(b_, b_.CreateICmpNE(below, I64(0)), [&] {
      EmitForLoop(b_, first, last, 1, {}, [&](llvm::Value* bucket, auto) {
        llvm::Value* start = start_of(bucket);
        llvm::Value* count = b_.CreateSub(start_of(b_.CreateAdd(bucket, I64(1))), start);
        sorter.Sort(b_.CreateGEP(type, records, start), b_.CreateGEP(type, other, start),
                    count, below);
        return Values();
      });
    });
    b_.CreateStore(start_of(first), p[8]);
    b_.CreateStore(start_of(last), p[9]);
  }

  const RecordSortPlan& plan_;
};

}  // namespace

Status EmitSplitSortPhase(ir::SortOp op, const RecordSortPlan& plan, PointEmitter& points,
                          const PhaseArguments& arguments) {
  return SplitSortEmitter(op, plan, points).EmitPhase(arguments);
}

}  // namespace tenon::codegen
