// Sorts by integer keys. Short rows are sorted by rank (each element's position is the
// number of elements before it) or by a network, longer ones by radix until a network can
// sort the buckets. See docs/design/0003-sort-and-scan.md.
#include "tenon/compiler/codegen/sort/ordered_sort_emitter.h"

#include "llvm/IR/Constants.h"
#include "llvm/Support/MathExtras.h"
#include "tenon/compiler/codegen/sort/record_sort.h"
#include "tenon/compiler/codegen/sort/sort_network.h"

namespace tenon::codegen {
namespace {

constexpr int kDigit = 8;
// Buckets of up to this many records are sorted by insertion.
constexpr int64_t kInsertMost = 24;
// A bucket too large for a network is split into a power of two of parts, with about
// 2^kPartBits records each.
constexpr int kPartBits = 8;

class OrderedSortEmitter : RecordSortEmitter {
 public:
  OrderedSortEmitter(ir::SortOp op, const RecordSortPlan& plan, PointEmitter& points)
      : RecordSortEmitter(op, plan, points), plan_(plan) {}

  Status EmitPhase(const PhaseSite& site) {
    if (plan_.kind != SortPlan::Kind::kSplit) {
      SetRegion(site.chunk);
      ForEachRow(site.chunk, [&] {
        if (plan_.kind == SortPlan::Kind::kRank)
          EmitRankRow();
        else
          EmitRadixRow();
      });
      return records_.status();
    }
    bool whole_row = site.phase == 2 || site.phase == 5;
    llvm::Value* row = site.chunk;
    llvm::Value* chunk = I64(0);
    if (!whole_row && plan_.shape.rows == 1) {
      row = I64(0);
      chunk = site.chunk;
    } else if (!whole_row) {
      row = b_.CreateUDiv(site.chunk, I64(plan_.chunks));
      chunk = b_.CreateURem(site.chunk, I64(plan_.chunks));
    }
    records_.SetRow(row);
    SetRegion(row);
    switch (site.phase) {
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
    return Bytes(region_, b_.CreateAdd(I64(plan_.counters_at),
                                       b_.CreateMul(chunk, I64(4 * kSortBuckets))));
  }

  //===-- Sorts of a row by one thread ===//

  // Stores each element at the position that equals the number of elements before it.
  void EmitRankRow() {
    int64_t length = plan_.shape.length;
    int lanes = records_.lanes();
    while (lanes > 1 && length <= lanes / 2) lanes /= 2;
    int64_t vectors = (length + lanes - 1) / lanes;
    llvm::Type* key_type = records_.KeyType();
    auto* type = llvm::FixedVectorType::get(key_type, lanes);
    llvm::Align align(plan_.format.key_bits / 8);
    llvm::Value* keys =
        EmitEntryAlloca(b_, llvm::ArrayType::get(key_type, vectors * lanes), 64);
    llvm::Value* ranks =
        EmitEntryAlloca(b_, llvm::ArrayType::get(key_type, vectors * lanes), 64);
    auto at = [&](llvm::Value* base, llvm::Value* index) {
      return b_.CreateInBoundsGEP(key_type, base, index);
    };
    if (length < lanes) {
      llvm::SmallVector<llvm::Constant*> mask;
      for (int lane = 0; lane < lanes; ++lane) mask.push_back(b_.getInt1(lane < length));
      b_.CreateAlignedStore(records_.Keys(I64(0), lanes, llvm::ConstantVector::get(mask)),
                            keys, align);
    } else {
      EmitForLoop(b_, I64(0), I64(length), lanes, {}, [&](llvm::Value* iv, auto) {
        llvm::Value* position = Min(iv, I64(length - lanes));
        b_.CreateAlignedStore(records_.Keys(position, lanes, nullptr), at(keys, position),
                              align);
        return Values();
      });
    }
    llvm::SmallVector<llvm::Constant*> numbers;
    for (int lane = 0; lane < lanes; ++lane)
      numbers.push_back(llvm::ConstantInt::get(key_type, lane));
    llvm::Value* lane_numbers = llvm::ConstantVector::get(numbers);
    llvm::Value* one = llvm::ConstantInt::get(type, 1);
    EmitForLoop(
        b_, I64(0), I64(vectors * lanes), lanes, {}, [&](llvm::Value* first, auto) {
          llvm::Value* mine = b_.CreateAlignedLoad(type, at(keys, first), align);
          auto count = [&](llvm::Value* rank, llvm::Value* comes_before) {
            return b_.CreateSelect(comes_before, b_.CreateAdd(rank, one), rank);
          };
          auto other = [&](llvm::Value* j) {
            return b_.CreateVectorSplat(
                lanes, b_.CreateAlignedLoad(key_type, at(keys, j), align));
          };
          llvm::Value* rank = llvm::Constant::getNullValue(type);
          // Equal elements that come earlier count; equal elements that come later do
          // not.
          rank =
              EmitForLoop(b_, I64(0), first, 1, {rank},
                          [&](llvm::Value* j, llvm::ArrayRef<llvm::Value*> c) {
                            return Values{count(c[0], b_.CreateICmpULE(other(j), mine))};
                          })[0];
          llvm::Value* middle = Min(b_.CreateAdd(first, I64(lanes)), I64(length));
          rank = EmitForLoop(b_, first, middle, 1, {rank},
                             [&](llvm::Value* j, llvm::ArrayRef<llvm::Value*> c) {
                               llvm::Value* key = other(j);
                               llvm::Value* number =
                                   b_.CreateZExtOrTrunc(b_.CreateSub(j, first), key_type);
                               llvm::Value* later = b_.CreateICmpUGT(
                                   lane_numbers, b_.CreateVectorSplat(lanes, number));
                               llvm::Value* before = b_.CreateOr(
                                   b_.CreateICmpULT(key, mine),
                                   b_.CreateAnd(later, b_.CreateICmpEQ(key, mine)));
                               return Values{count(c[0], before)};
                             })[0];
          rank =
              EmitForLoop(b_, middle, I64(length), 1, {rank},
                          [&](llvm::Value* j, llvm::ArrayRef<llvm::Value*> c) {
                            return Values{count(c[0], b_.CreateICmpULT(other(j), mine))};
                          })[0];
          b_.CreateAlignedStore(rank, at(ranks, first), align);
          return Values();
        });
    EmitForLoop(b_, I64(0), I64(length), 1, {}, [&](llvm::Value* position, auto) {
      llvm::Value* place = b_.CreateZExtOrTrunc(
          b_.CreateAlignedLoad(key_type, at(ranks, position), align), b_.getInt64Ty());
      if (plan_.shape.count == length)
        records_.MoveElement(position, place);
      else
        EmitIf(b_, b_.CreateICmpSLT(place, I64(plan_.shape.count)),
               [&] { records_.MoveElement(position, place); });
      return Values();
    });
  }

  void EmitRadixRow() {
    int64_t length = plan_.shape.length;
    int digit_bits = length >= kMinWideDigitRow ? kWideDigit : kDigit;
    llvm::Value* merged = records_.MakeRecords(I64(0), I64(length), Buffer(0));
    llvm::Value* sorted;
    if (plan_.kind == SortPlan::Kind::kNetwork)
      sorted = SortNetwork(b_, plan_.format, plan_.target)
                   .Sort(Buffer(0), Buffer(1), I64(length));
    else
      sorted = EmitRadixSort(b_, plan_.format, Buffer(0), Buffer(1), I64(length),
                             I64(plan_.order.bits), digit_bits, LocalCounters(digit_bits),
                             CounterLanes());
    records_.WriteElements(sorted, I64(0), I64(plan_.shape.count));
    if (records_.has_merged())
      EmitIf(b_, b_.CreateICmpNE(merged, I64(0)), [&] { records_.RestoreMerged(); });
  }

  //===-- Sorts of a row by all threads ===//

  std::pair<llvm::Value*, llvm::Value*> ChunkRange(llvm::Value* chunk) {
    int64_t each = (plan_.shape.length + plan_.chunks - 1) / plan_.chunks;
    llvm::Value* begin = b_.CreateMul(chunk, I64(each));
    return {begin, Min(b_.CreateAdd(begin, I64(each)), I64(plan_.shape.length))};
  }

  // Word `number` of the summary of a chunk's keys. Word 0: the OR of all keys, 1: the
  // AND of all keys, 2: nonzero if any element was merged.
  llvm::Value* Bits(llvm::Value* chunk, int number) {
    return b_.CreateInBoundsGEP(b_.getInt64Ty(), Bytes(region_, I64(plan_.bits_at)),
                                b_.CreateAdd(b_.CreateMul(chunk, I64(3)), I64(number)));
  }
  // That word, combined over all chunks.
  llvm::Value* Combined(int number) {
    return EmitForLoop(
        b_, I64(0), I64(plan_.chunks), 1, {I64(number == 1 ? -1 : 0)},
        [&](llvm::Value* chunk, llvm::ArrayRef<llvm::Value*> c) {
          llvm::Value* word = b_.CreateLoad(b_.getInt64Ty(), Bits(chunk, number));
          return Values{number == 1 ? b_.CreateAnd(c[0], word) : b_.CreateOr(c[0], word)};
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
    b_.CreateStore(b_.CreateZExt(ored, b_.getInt64Ty()), Bits(chunk, 0));
    b_.CreateStore(b_.CreateZExt(anded, b_.getInt64Ty()), Bits(chunk, 1));
    b_.CreateStore(merged, Bits(chunk, 2));
  }

  void EmitCounts(llvm::Value* chunk) {
    auto [begin, end] = ChunkRange(chunk);
    llvm::Value* below = BitsBelowBucket();
    llvm::Value* counters = Counters(chunk);
    b_.CreateMemSet(counters, b_.getInt8(0), 4 * kSortBuckets, llvm::Align(64));
    EmitForLoop(b_, begin, end, 1, {}, [&](llvm::Value* i, auto) {
      llvm::Value* bucket = BucketOf(plan_.format.Load(b_, Buffer(0), i), below);
      llvm::Value* place = b_.CreateInBoundsGEP(b_.getInt32Ty(), counters, bucket);
      b_.CreateStore(b_.CreateAdd(b_.CreateLoad(b_.getInt32Ty(), place), b_.getInt32(1)),
                     place);
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
    // The prefix sums of the totals use the counters behind those of the last chunk.
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
    llvm::Value* begin_place = begin;
    llvm::Value* end_place = end;
    llvm::Value* below = BitsBelowBucket();
    llvm::Value* starts = Counters(I64(plan_.chunks));
    auto start_of = [&](llvm::Value* bucket) -> llvm::Value* {
      // The bucket behind the last one starts at the end of the row.
      llvm::Value* inside = b_.CreateICmpSLT(bucket, I64(kSortBuckets));
      llvm::Value* known = Min(bucket, I64(kSortBuckets - 1));
      llvm::Value* start = b_.CreateZExt(
          b_.CreateLoad(b_.getInt32Ty(),
                        b_.CreateInBoundsGEP(b_.getInt32Ty(), starts, known)),
          b_.getInt64Ty());
      return b_.CreateSelect(inside, start, I64(plan_.shape.length));
    };
    auto first_from = [&](llvm::Value* place) {
      return EmitWhile(
          b_, {I64(0), I64(kSortBuckets)},
          [&](llvm::ArrayRef<llvm::Value*> c) { return b_.CreateICmpSLT(c[0], c[1]); },
          [&](llvm::ArrayRef<llvm::Value*> c) {
            llvm::Value* half = b_.CreateLShr(b_.CreateAdd(c[0], c[1]), 1);
            llvm::Value* less = b_.CreateICmpSLT(start_of(half), place);
            return Values{b_.CreateSelect(less, b_.CreateAdd(half, I64(1)), c[0]),
                          b_.CreateSelect(less, c[1], half)};
          })[0];
    };
    llvm::Value* first = first_from(begin_place);
    llvm::Value* last = first_from(end_place);
    llvm::Type* type = plan_.format.Type(b_.getContext());
    BucketRoom room = MakeBucketRoom();
    EmitIf(b_, b_.CreateICmpNE(below, I64(0)), [&] {
      EmitForLoop(b_, first, last, 1, {}, [&](llvm::Value* bucket, auto) {
        llvm::Value* start = start_of(bucket);
        llvm::Value* count = b_.CreateSub(start_of(b_.CreateAdd(bucket, I64(1))), start);
        llvm::Value* records = b_.CreateGEP(type, Buffer(1), start);
        llvm::Value* other = b_.CreateGEP(type, Buffer(0), start);
        if (plan_.max_network_records == 0)
          EmitSortPart(records, other, records, count, below, room);
        else
          EmitSortBucket(records, other, count, below, room);
        return Values();
      });
    });
    llvm::Value* count = I64(plan_.shape.count);
    records_.WriteElements(Buffer(1), Min(start_of(first), count),
                           Min(start_of(last), count));
  }

  // Memory for sorting buckets.
  struct BucketRoom {
    llvm::Value* digits = nullptr;  // counters; after a split, the ends of the parts
    llvm::Value* from = nullptr;    // the two buffers of a network
    llvm::Value* other = nullptr;
  };
  BucketRoom MakeBucketRoom() {
    BucketRoom room;
    if (plan_.max_network_records == 0) {
      room.digits = LocalCounters(kDigit);
      return room;
    }
    room.digits = LocalCounters(kWideDigit);
    int64_t records = NetworkRoom(plan_.format, plan_.target, plan_.max_network_records);
    auto* type = llvm::ArrayType::get(plan_.format.Type(b_.getContext()), records);
    room.from = EmitEntryAlloca(b_, type, 64);
    room.other = EmitEntryAlloca(b_, type, 64);
    return room;
  }

  // Sorts `count` records by the lowest `bits` of their keys. A bucket too large for a
  // network is first split by the highest of these bits. If a part would still be too
  // large, the whole bucket is sorted by radix from the lowest digit instead.
  void EmitSortBucket(llvm::Value* records, llvm::Value* other, llvm::Value* count,
                      llvm::Value* bits, const BucketRoom& room) {
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
      return b_.CreateInBoundsGEP(b_.getInt32Ty(), room.digits, digit);
    };
    // If the bucket is not split, its only part ends at `count`.
    b_.CreateStore(b_.CreateTrunc(count, b_.getInt32Ty()), room.digits);
    // Carried values: the buffer that holds the records, the other buffer, the digit's
    // shift and mask, whether the sort is by radix from the lowest digit, whether another
    // pass is needed.
    Values moved = EmitWhile(
        b_, {records, other, below, b_.CreateSub(parts, I64(1)), b_.getFalse(), is_large},
        [&](llvm::ArrayRef<llvm::Value*> c) { return c[5]; },
        [&](llvm::ArrayRef<llvm::Value*> c) {
          llvm::Value *source = c[0], *target = c[1], *shift = c[2], *by_radix = c[4];
          auto counter_of = [&](llvm::Value* record) {
            llvm::Value* key =
                b_.CreateZExt(plan_.format.Key(b_, record), b_.getInt64Ty());
            return counter(b_.CreateAnd(b_.CreateLShr(key, shift), c[3]));
          };
          b_.CreateMemSet(room.digits, b_.getInt8(0), 4 * kSortBuckets, llvm::Align(64));
          EmitForLoop(b_, I64(0), count, 1, {}, [&](llvm::Value* i, auto) {
            Advance(counter_of(plan_.format.Load(b_, source, i)));
            return Values();
          });
          llvm::Value* fits = b_.CreateICmpSLE(LargestCounter(room.digits),
                                               I64(plan_.max_network_records));
          llvm::Value* moves = b_.CreateOr(by_radix, fits);
          EmitIf(b_, moves, [&] {
            EmitPrefixCounters(b_, room.digits, kSortBuckets, CounterLanes());
            EmitForLoop(b_, I64(0), count, 1, {}, [&](llvm::Value* i, auto) {
              llvm::Value* record = plan_.format.Load(b_, source, i);
              llvm::Value* place = Advance(counter_of(record));
              plan_.format.Store(b_, record, target,
                                 b_.CreateZExt(place, b_.getInt64Ty()));
              return Values();
            });
          });
          llvm::Value* next =
              b_.CreateSelect(moves, b_.CreateAdd(shift, I64(kWideDigit)), I64(0));
          return Values{
              b_.CreateSelect(moves, target, source),
              b_.CreateSelect(moves, source, target),
              next,
              I64(kSortBuckets - 1),
              b_.CreateOr(by_radix, b_.CreateNot(moves)),
              b_.CreateOr(b_.CreateNot(moves),
                          b_.CreateAnd(by_radix, b_.CreateICmpSLT(next, bits)))};
        });
    llvm::Value *source = moved[0], *by_radix = moved[4];
    EmitIf(b_, by_radix, [&] { EmitMove(source, records, count); });
    EmitForLoop(b_, I64(0), b_.CreateSelect(by_radix, I64(0), parts), 1, {I64(0)},
                [&](llvm::Value* part, llvm::ArrayRef<llvm::Value*> c) {
                  llvm::Value* end = b_.CreateZExt(
                      b_.CreateLoad(b_.getInt32Ty(), counter(part)), b_.getInt64Ty());
                  EmitSortPart(b_.CreateGEP(type, source, c[0]),
                               b_.CreateGEP(type, moved[1], c[0]),
                               b_.CreateGEP(type, records, c[0]), b_.CreateSub(end, c[0]),
                               below, room);
                  return Values{end};
                });
  }

  // The largest of kSortBuckets counters, as i64.
  llvm::Value* LargestCounter(llvm::Value* counters) {
    auto* type = llvm::FixedVectorType::get(b_.getInt32Ty(), CounterLanes());
    llvm::Value* most = EmitForLoop(
        b_, I64(0), I64(kSortBuckets), CounterLanes(),
        {llvm::Constant::getNullValue(type)},
        [&](llvm::Value* i, llvm::ArrayRef<llvm::Value*> c) {
          llvm::Value* counts = b_.CreateAlignedLoad(
              type, b_.CreateInBoundsGEP(b_.getInt32Ty(), counters, i), llvm::Align(4));
          return Values{b_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, c[0], counts)};
        })[0];
    return b_.CreateZExt(b_.CreateIntMaxReduce(most), b_.getInt64Ty());
  }

  // Increments a counter and returns its old value.
  llvm::Value* Advance(llvm::Value* counter) {
    llvm::Value* value = b_.CreateLoad(b_.getInt32Ty(), counter);
    b_.CreateStore(b_.CreateAdd(value, b_.getInt32(1)), counter);
    return value;
  }

  // Sorts `count` records at `from` by the lowest `bits` of their keys into `to`, which
  // is `from` or `other`.
  void EmitSortPart(llvm::Value* from, llvm::Value* other, llvm::Value* to,
                    llvm::Value* count, llvm::Value* bits, const BucketRoom& room) {
    llvm::Value* few = b_.CreateICmpSLE(count, I64(kInsertMost));
    EmitIf(b_, few, [&] {
      EmitInsertionSort(from, count);
      EmitMove(from, to, count);
    });
    EmitIf(b_, b_.CreateNot(few), [&] {
      if (plan_.max_network_records == 0) {
        EmitMove(EmitRadixSort(b_, plan_.format, from, other, count, bits, kDigit,
                               room.digits, CounterLanes()),
                 to, count);
        return;
      }
      SortNetwork network(b_, plan_.format, plan_.target);
      network.Copy(from, room.from, count);
      network.Copy(network.Sort(room.from, room.other, count), to, count);
    });
  }

  // Copies records unless `from` is `to`.
  void EmitMove(llvm::Value* from, llvm::Value* to, llvm::Value* count) {
    EmitIf(b_, b_.CreateICmpNE(from, to), [&] {
      b_.CreateMemCpy(to, llvm::Align(4), from, llvm::Align(4),
                      b_.CreateMul(count, I64(plan_.format.Bytes())));
    });
  }

  void EmitInsertionSort(llvm::Value* records, llvm::Value* count) {
    EmitForLoop(b_, I64(1), count, 1, {}, [&](llvm::Value* i, auto) {
      llvm::Value* moved = plan_.format.Load(b_, records, i);
      llvm::Value* key = plan_.format.Key(b_, moved);
      llvm::Function* function = b_.GetInsertBlock()->getParent();
      auto block = [&](const char* name) {
        return llvm::BasicBlock::Create(b_.getContext(), name, function);
      };
      llvm::BasicBlock *head = block("head"), *check = block("check"),
                       *shift = block("shift"), *place = block("place");
      llvm::BasicBlock* before = b_.GetInsertBlock();
      b_.CreateBr(head);
      b_.SetInsertPoint(head);
      auto* hole = b_.CreatePHI(b_.getInt64Ty(), 2);
      hole->addIncoming(i, before);
      b_.CreateCondBr(b_.CreateICmpSGT(hole, I64(0)), check, place);
      b_.SetInsertPoint(check);
      llvm::Value* previous = b_.CreateSub(hole, I64(1));
      llvm::Value* other = plan_.format.Load(b_, records, previous);
      b_.CreateCondBr(b_.CreateICmpULT(key, plan_.format.Key(b_, other)), shift, place);
      b_.SetInsertPoint(shift);
      plan_.format.Store(b_, other, records, hole);
      hole->addIncoming(previous, shift);
      b_.CreateBr(head);
      b_.SetInsertPoint(place);
      plan_.format.Store(b_, moved, records, hole);
      return Values();
    });
  }

  const RecordSortPlan& plan_;
};

}  // namespace

void BindOrderedSort(ir::SortOp op, const SortPlan& plan, const TargetTraits& target,
                     StructuredKernel& kernel) {
  auto shared = std::make_shared<RecordSortPlan>(op, plan, target);
  kernel.emit_phase = [op, shared](PointEmitter& points, const PhaseSite& site,
                                   const BlockEmitter&) {
    return OrderedSortEmitter(op, *shared, points).EmitPhase(site);
  };
}

}  // namespace tenon::codegen
