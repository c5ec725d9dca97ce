#include "tenon/compiler/codegen/sort/top_k_search.h"

#include <string>

#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"
#include "tenon/compiler/codegen/ir/loops.h"
#include "tenon/compiler/codegen/ir/shared_function.h"
#include "tenon/compiler/plan/sort_plan.h"

namespace tenon::codegen {
namespace {

constexpr int kDigit = 8;
using compiler::kTopKVectors;
// Up to so many candidates are sorted by rank.
constexpr int64_t kMaxRanked = 64;
// So many blocks bound the first elements after one that filled the candidates twice,
// because such blocks come together, as in rows that are sorted the other way.
constexpr int64_t kBoundingBlocks = 16;
// So many candidates' keys are tried as limits when the candidates are full.
constexpr int64_t kPivots = 32;
constexpr int kPivotsTogether = 4;

// The state of a search: 64-bit numbers and addresses.
enum Slot {
  kKeys,
  kPositions,
  kRecords,
  kSwapRecords,
  kCounters,
  kCount,
  kFull,  // a vector may follow up to so many candidates
  kBits,
  kSamples,
  kCandidates,  // how many there are
  kLimit,       // the largest key that can still be among the first
  kDone,        // whether later elements cannot be among the first
  kFilled,      // whether this block filled the candidates
  kBounding,    // how many of the next blocks bound the first elements
  kSorted,      // the records, once the candidates are sorted
  kNumSlots,
};

llvm::Value* SlotAddress(llvm::IRBuilderBase& b, llvm::Value* state, Slot slot) {
  return b.CreateInBoundsGEP(b.getInt64Ty(), state, b.getInt64(slot));
}

// Emits the function that all kernels share.
class BlockScan {
 public:
  BlockScan(llvm::IRBuilderBase& b, RecordFormat format, int lanes, int counter_lanes,
            llvm::Value* state)
      : b_(b),
        format_(format),
        lanes_(lanes),
        counter_lanes_(counter_lanes),
        state_(state),
        key_type_(b.getIntNTy(static_cast<unsigned>(format.key_bits))),
        type_(llvm::FixedVectorType::get(key_type_, static_cast<unsigned>(lanes))),
        align_(static_cast<uint64_t>(format.key_bits / 8)) {
    llvm::SmallVector<llvm::Constant*> numbers;
    for (int lane = 0; lane < lanes; ++lane)
      numbers.push_back(llvm::ConstantInt::get(key_type_, static_cast<uint64_t>(lane)));
    lane_numbers_ = llvm::ConstantVector::get(numbers);
    keys_ = Load(kKeys, b.getPtrTy());
    positions_ = Load(kPositions, b.getPtrTy());
    samples_ = Load(kRecords, b.getPtrTy());  // free while candidates are collected
  }

  void Emit(llvm::Value* block, llvm::Value* length, llvm::Value* position,
            llvm::Value* is_last) {
    llvm::Value *bounding = Load(kBounding), *samples = Load(kSamples);
    llvm::Value* bounds = b_.CreateAnd(b_.CreateICmpSGT(bounding, I64(0)),
                                       b_.CreateICmpSGT(samples, I64(0)));
    EmitIf(b_, bounds, [&] {
      llvm::Value* limit = b_.CreateZExt(Bound(block, length, samples), b_.getInt64Ty());
      Store(kLimit, b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, Load(kLimit), limit));
      Store(kBounding, b_.CreateSub(bounding, I64(1)));
    });
    Store(kFilled, I64(0));
    llvm::Value* full = Load(kFull);
    EmitWhile(
        b_, {I64(0)},
        [&](llvm::ArrayRef<llvm::Value*> c) { return b_.CreateICmpSLT(c[0], length); },
        [&](llvm::ArrayRef<llvm::Value*> c) {
          Values scanned = Collect(c[0], block, length, position, full);
          Store(kCandidates, scanned[1]);
          llvm::Value* at_end =
              b_.CreateAnd(b_.CreateICmpSGE(scanned[0], length), is_last);
          llvm::Value* are_full = b_.CreateICmpSGT(scanned[1], full);
          EmitIf(b_, are_full, [&] { MakeRoom(); });
          EmitIf(b_, at_end, [&] { Keep(); });
          llvm::Value* done = b_.CreateICmpNE(Load(kDone), I64(0));
          return Values{b_.CreateSelect(done, length, scanned[0])};
        });
  }

 private:
  llvm::Value* I64(int64_t value) { return b_.getInt64(static_cast<uint64_t>(value)); }
  llvm::Value* Load(Slot slot, llvm::Type* type) {
    return b_.CreateLoad(type, SlotAddress(b_, state_, slot));
  }
  llvm::Value* Load(Slot slot) { return Load(slot, b_.getInt64Ty()); }
  void Store(Slot slot, llvm::Value* value) {
    b_.CreateStore(value, SlotAddress(b_, state_, slot));
  }
  llvm::Value* At(llvm::Value* base, llvm::Value* index) {
    return b_.CreateInBoundsGEP(key_type_, base, index);
  }
  llvm::Value* LoadVector(llvm::Value* base, llvm::Value* index) {
    return b_.CreateAlignedLoad(type_, At(base, index), align_);
  }
  // Of an i64, as keys.
  llvm::Value* Splat(llvm::Value* value) {
    return b_.CreateVectorSplat(static_cast<unsigned>(lanes_),
                                b_.CreateZExtOrTrunc(value, key_type_));
  }

  // Appends the keys that are at most the limit to the candidates, from `begin` on, until
  // they are full. Returns the index of the next vector and the number of candidates.
  Values Collect(llvm::Value* begin, llvm::Value* block, llvm::Value* length,
                 llvm::Value* position, llvm::Value* full) {
    llvm::Value* limit = Splat(Load(kLimit));
    llvm::Type* mask_type = b_.getIntNTy(static_cast<unsigned>(lanes_));
    return EmitWhile(
        b_, {begin, Load(kCandidates)},
        [&](llvm::ArrayRef<llvm::Value*> c) {
          return b_.CreateAnd(b_.CreateICmpSLT(c[0], length),
                              b_.CreateICmpSLE(c[1], full));
        },
        [&](llvm::ArrayRef<llvm::Value*> c) {
          llvm::Value* i = Skip(c[0], block, length, limit);
          llvm::Value* left =
              b_.CreateBinaryIntrinsic(llvm::Intrinsic::usub_sat, length, i);
          llvm::Value* found = LoadVector(block, i);
          llvm::Value* take = b_.CreateAnd(b_.CreateICmpULE(found, limit),
                                           b_.CreateICmpULT(lane_numbers_, Splat(left)));
          llvm::Value* mask = b_.CreateBitCast(take, mask_type);
          EmitIf(b_, b_.CreateICmpNE(mask, llvm::ConstantInt::get(mask_type, 0)), [&] {
            Append(found, take, keys_, c[1]);
            Append(b_.CreateAdd(Splat(b_.CreateAdd(position, i)), lane_numbers_), take,
                   positions_, c[1]);
          });
          llvm::Value* taken = b_.CreateZExtOrTrunc(
              b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, mask), b_.getInt64Ty());
          return Values{b_.CreateAdd(i, I64(lanes_)), b_.CreateAdd(c[1], taken)};
        });
  }

  // The index of the first of the vectors from `begin` on that may have a key of at most
  // the limit, or more than `length`. Looks at several at a time.
  llvm::Value* Skip(llvm::Value* begin, llvm::Value* block, llvm::Value* length,
                    llvm::Value* limit) {
    llvm::Value* step = I64(kTopKVectors * lanes_);
    return EmitWhile(
        b_, {begin},
        [&](llvm::ArrayRef<llvm::Value*> c) {
          llvm::Value* smallest = LoadVector(block, c[0]);
          for (int v = 1; v < kTopKVectors; ++v)
            smallest = b_.CreateBinaryIntrinsic(
                llvm::Intrinsic::umin, smallest,
                LoadVector(block, b_.CreateAdd(c[0], I64(int64_t{v} * lanes_))));
          llvm::Value* none =
              b_.CreateNot(b_.CreateOrReduce(b_.CreateICmpULE(smallest, limit)));
          return b_.CreateAnd(none, b_.CreateICmpSLT(c[0], length));
        },
        [&](llvm::ArrayRef<llvm::Value*> c) {
          return Values{b_.CreateAdd(c[0], step)};
        })[0];
  }

  // Writes a whole vector, whose first elements are those of `values` that `take` has.
  void Append(llvm::Value* values, llvm::Value* take, llvm::Value* base,
              llvm::Value* index) {
    llvm::Value* packed =
        b_.CreateIntrinsic(llvm::Intrinsic::experimental_vector_compress, {type_},
                           {values, take, llvm::PoisonValue::get(type_)});
    b_.CreateAlignedStore(packed, At(base, index), align_);
  }

  // Returns a key that at least `count` elements of the block do not exceed: the smallest
  // keys of disjoint sets of elements are that many elements.
  llvm::Value* Bound(llvm::Value* block, llvm::Value* length, llvm::Value* samples) {
    llvm::Constant* largest = llvm::Constant::getAllOnesValue(type_);
    EmitForLoop(b_, I64(0), samples, lanes_, {}, [&](llvm::Value* first, auto) {
      llvm::Value* smallest = EmitWhile(
          b_, {first, largest},
          [&](llvm::ArrayRef<llvm::Value*> c) {
            return b_.CreateICmpSLE(b_.CreateAdd(c[0], I64(lanes_)), length);
          },
          [&](llvm::ArrayRef<llvm::Value*> c) {
            return Values{b_.CreateAdd(c[0], samples),
                          b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, c[1],
                                                   LoadVector(block, c[0]))};
          })[1];
      b_.CreateAlignedStore(smallest, At(samples_, first), align_);
      return Values();
    });
    llvm::Value* enough = Splat(Load(kCount));
    llvm::Value* limits = EmitForLoop(
        b_, I64(0), samples, lanes_, {largest},
        [&](llvm::Value* first, llvm::ArrayRef<llvm::Value*> limit) {
          llvm::Value* sample = LoadVector(samples_, first);
          // How many samples do not exceed each.
          llvm::Value* counts = EmitForLoop(
              b_, I64(0), samples, 1, {llvm::Constant::getNullValue(type_)},
              [&](llvm::Value* i, llvm::ArrayRef<llvm::Value*> c) {
                llvm::Value* other =
                    b_.CreateVectorSplat(static_cast<unsigned>(lanes_),
                                         b_.CreateLoad(key_type_, At(samples_, i)));
                return Values{b_.CreateAdd(
                    c[0], b_.CreateZExt(b_.CreateICmpULE(other, sample), type_))};
              })[0];
          return Values{b_.CreateBinaryIntrinsic(
              llvm::Intrinsic::umin, limit[0],
              b_.CreateSelect(b_.CreateICmpUGE(counts, enough), sample, largest))};
        })[0];
    return b_.CreateIntMinReduce(limits, /*IsSigned=*/false);
  }

  // Drops candidates that are not among the first.
  void MakeRoom() {
    llvm::Value *candidates = Load(kCandidates), *count = Load(kCount);
    Store(kBounding, b_.CreateSelect(b_.CreateICmpNE(Load(kFilled), I64(0)),
                                     I64(kBoundingBlocks), Load(kBounding)));
    Store(kFilled, I64(1));
    // No candidate comes after these.
    b_.CreateAlignedStore(llvm::Constant::getAllOnesValue(type_), At(keys_, candidates),
                          align_);
    llvm::Value* pivot = FindPivot(candidates, count);
    llvm::Value* kept = KeepUpTo(pivot, candidates);
    Store(kCandidates, kept);
    // A later element with the pivot's key comes after those that are kept.
    Store(kLimit, b_.CreateSub(pivot, I64(1)));
    // There is too little room if many keys are equal.
    llvm::Value* most = b_.CreateLShr(b_.CreateAdd(count, Load(kFull)), I64(1));
    EmitIf(b_, b_.CreateOr(b_.CreateICmpSGT(kept, most), b_.CreateICmpEQ(pivot, I64(0))),
           [&] { Keep(); });
  }

  // The smallest of some candidates' keys that at least `count` candidates do not exceed,
  // or the largest possible key, as an i64.
  llvm::Value* FindPivot(llvm::Value* candidates, llvm::Value* count) {
    return EmitForLoop(
        b_, I64(0), I64(kPivots), kPivotsTogether, {I64(-1)},
        [&](llvm::Value* first, llvm::ArrayRef<llvm::Value*> pivot) {
          Values keys, zeros(kPivotsTogether, llvm::Constant::getNullValue(type_));
          for (int p = 0; p < kPivotsTogether; ++p) {
            llvm::Value* number = b_.CreateUDiv(
                b_.CreateMul(b_.CreateAdd(first, I64(p)), candidates), I64(kPivots));
            keys.push_back(b_.CreateLoad(key_type_, At(keys_, number)));
          }
          Values counts = EmitForLoop(
              b_, I64(0), candidates, lanes_, zeros,
              [&](llvm::Value* i, llvm::ArrayRef<llvm::Value*> c) {
                llvm::Value* others = LoadVector(keys_, i);
                Values next;
                for (auto [key, sum] : llvm::zip_equal(keys, c))
                  next.push_back(b_.CreateAdd(
                      sum, b_.CreateZExt(b_.CreateICmpULE(others, Splat(key)), type_)));
                return next;
              });
          llvm::Value* best = pivot[0];
          for (auto [key, sum] : llvm::zip_equal(keys, counts)) {
            llvm::Value* number =
                b_.CreateZExtOrTrunc(b_.CreateAddReduce(sum), b_.getInt64Ty());
            best = b_.CreateSelect(
                b_.CreateICmpSGE(number, count),
                b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, best,
                                         b_.CreateZExt(key, b_.getInt64Ty())),
                best);
          }
          return Values{best};
        })[0];
  }

  // Keeps the candidates whose keys are at most the pivot, in their order. Returns how
  // many.
  llvm::Value* KeepUpTo(llvm::Value* pivot, llvm::Value* candidates) {
    llvm::Value* largest = Splat(pivot);
    llvm::Type* mask_type = b_.getIntNTy(static_cast<unsigned>(lanes_));
    return EmitForLoop(
        b_, I64(0), candidates, lanes_, {I64(0)},
        [&](llvm::Value* i, llvm::ArrayRef<llvm::Value*> kept) {
          llvm::Value *keys = LoadVector(keys_, i), *from = LoadVector(positions_, i);
          llvm::Value* take = b_.CreateAnd(
              b_.CreateICmpULE(keys, largest),
              b_.CreateICmpULT(lane_numbers_, Splat(b_.CreateSub(candidates, i))));
          Append(keys, take, keys_, kept[0]);
          Append(from, take, positions_, kept[0]);
          llvm::Value* taken = b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop,
                                                       b_.CreateBitCast(take, mask_type));
          return Values{
              b_.CreateAdd(kept[0], b_.CreateZExtOrTrunc(taken, b_.getInt64Ty()))};
        })[0];
  }

  // Sorts the candidates and keeps the best ones.
  void Keep() {
    llvm::Value *candidates = Load(kCandidates), *count = Load(kCount);
    llvm::Value* kept =
        b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, candidates, count);
    SortCandidates(candidates, kept);
    Store(kCandidates, kept);
    // Now only keys smaller than the last one kept can enter: equal keys come later in
    // the row. If the last one kept is the smallest possible key, none can.
    EmitIf(b_, b_.CreateICmpSGE(candidates, count), [&] {
      llvm::Value* worst =
          b_.CreateZExt(b_.CreateLoad(key_type_, At(keys_, b_.CreateSub(kept, I64(1)))),
                        b_.getInt64Ty());
      Store(kLimit, b_.CreateSub(worst, I64(1)));
      Store(kDone, b_.CreateZExt(b_.CreateICmpEQ(worst, I64(0)), b_.getInt64Ty()));
    });
  }

  // Stores the address of the sorted records, and makes the first of them the candidates.
  void SortCandidates(llvm::Value* candidates, llvm::Value* kept) {
    llvm::Value* records = Load(kRecords, b_.getPtrTy());
    Store(kSorted, records);
    EmitIf(
        b_, b_.CreateICmpSLE(candidates, I64(kMaxRanked)),
        [&] { SortByRank(candidates, records); },
        [&] {
          EmitForLoop(b_, I64(0), candidates, 1, {}, [&](llvm::Value* i, auto) {
            format_.Store(b_, Record(i), records, i);
            return Values();
          });
          Store(kSorted,
                EmitRadixSort(b_, format_, records, Load(kSwapRecords, b_.getPtrTy()),
                              candidates, Load(kBits), kDigit,
                              Load(kCounters, b_.getPtrTy()), counter_lanes_));
        });
    llvm::Value* sorted = Load(kSorted, b_.getPtrTy());
    EmitForLoop(b_, I64(0), kept, 1, {}, [&](llvm::Value* i, auto) {
      llvm::Value* record = format_.Load(b_, sorted, i);
      b_.CreateStore(format_.Key(b_, record), At(keys_, i));
      b_.CreateStore(b_.CreateZExtOrTrunc(format_.Position(b_, record), key_type_),
                     At(positions_, i));
      return Values();
    });
  }

  // Sorts few candidates: writes each to `records` at the number of candidates that come
  // before it. Equal keys are in the order of their positions.
  void SortByRank(llvm::Value* candidates, llvm::Value* records) {
    // No candidate comes after these.
    b_.CreateAlignedStore(llvm::Constant::getAllOnesValue(type_), At(keys_, candidates),
                          align_);
    EmitForLoop(b_, I64(0), candidates, 1, {}, [&](llvm::Value* i, auto) {
      llvm::Value* key = Splat(b_.CreateLoad(key_type_, At(keys_, i)));
      llvm::Value* before = EmitForLoop(
          b_, I64(0), candidates, lanes_, {llvm::Constant::getNullValue(type_)},
          [&](llvm::Value* j, llvm::ArrayRef<llvm::Value*> c) {
            llvm::Value* others = LoadVector(keys_, j);
            llvm::Value* earlier = b_.CreateICmpULT(
                lane_numbers_,
                Splat(b_.CreateBinaryIntrinsic(llvm::Intrinsic::usub_sat, i, j)));
            llvm::Value* first =
                b_.CreateOr(b_.CreateICmpULT(others, key),
                            b_.CreateAnd(b_.CreateICmpEQ(others, key), earlier));
            return Values{b_.CreateAdd(c[0], b_.CreateZExt(first, type_))};
          })[0];
      format_.Store(b_, Record(i), records,
                    b_.CreateZExtOrTrunc(b_.CreateAddReduce(before), b_.getInt64Ty()));
      return Values();
    });
  }

  // Of the candidate with a number.
  llvm::Value* Record(llvm::Value* number) {
    llvm::Type* i64 = b_.getInt64Ty();
    llvm::Value* key = b_.CreateZExt(b_.CreateLoad(key_type_, At(keys_, number)), i64);
    llvm::Value* position =
        b_.CreateZExt(b_.CreateLoad(key_type_, At(positions_, number)), i64);
    if (format_.key_bits == 32) return b_.CreateOr(b_.CreateShl(key, 32), position);
    llvm::Value* record = llvm::PoisonValue::get(llvm::FixedVectorType::get(i64, 2));
    record = b_.CreateInsertElement(record, key, uint64_t{0});
    return b_.CreateInsertElement(record, position, uint64_t{1});
  }

  llvm::IRBuilderBase& b_;
  const RecordFormat format_;
  const int lanes_, counter_lanes_;
  llvm::Value* state_;
  llvm::Type* key_type_;
  llvm::FixedVectorType* type_;
  const llvm::Align align_;
  llvm::Constant* lane_numbers_;
  llvm::Value *keys_, *positions_, *samples_;
};

}  // namespace

TopKSearch::TopKSearch(llvm::IRBuilderBase& b, RecordFormat format, int lanes,
                       int counter_lanes)
    : b_(b),
      format_(format),
      lanes_(lanes),
      counter_lanes_(counter_lanes),
      state_(EmitEntryAlloca(b, llvm::ArrayType::get(b.getInt64Ty(), kNumSlots), 64)) {}

void TopKSearch::Begin(const Row& row) {
  const auto store = [&](Slot slot, llvm::Value* value) {
    b_.CreateStore(value, SlotAddress(b_, state_, slot));
  };
  const auto store_number = [&](Slot slot, int64_t value) {
    store(slot, b_.getInt64(static_cast<uint64_t>(value)));
  };
  store(kKeys, row.keys);
  store(kPositions, row.positions);
  store(kRecords, row.records);
  store(kSwapRecords, row.swap_records);
  store(kCounters, row.counters);
  store_number(kCount, row.count);
  store_number(kFull, row.capacity);
  store_number(kBits, row.bits);
  store_number(kSamples, row.samples);
  store_number(kCandidates, 0);
  store_number(kLimit, -1);
  store_number(kDone, 0);
  store_number(kBounding, 1);
}

llvm::Value* TopKSearch::Add(llvm::Value* block, llvm::Value* length,
                             llvm::Value* position, llvm::Value* is_last) {
  const std::string name = "top_k." + format_.Name() + ".x" + std::to_string(lanes_);
  (void)CallShared(
      b_, name, {state_, block, length, position, is_last}, [&](IrValues& p) {
        BlockScan(b_, format_, lanes_, counter_lanes_, p[0]).Emit(p[1], p[2], p[3], p[4]);
        return OkStatus();
      });
  return b_.CreateICmpNE(b_.CreateLoad(b_.getInt64Ty(), SlotAddress(b_, state_, kDone)),
                         b_.getInt64(0));
}

llvm::Value* TopKSearch::Sorted() {
  return b_.CreateLoad(b_.getPtrTy(), SlotAddress(b_, state_, kSorted));
}

}  // namespace tenon::codegen
