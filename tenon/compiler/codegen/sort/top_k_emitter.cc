#include "tenon/compiler/codegen/sort/top_k_emitter.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/Support/MathExtras.h"
#include "tenon/compiler/codegen/ir/shared_function.h"
#include "tenon/compiler/codegen/sort/record_sort.h"

namespace tenon::codegen {
namespace {

constexpr int kDigit = 8;
// Up to so many candidates are sorted by rank.
constexpr int64_t kMaxRanked = 64;
// The elements that bound the first ones.
constexpr int64_t kSampledElements = 4096;

class TopKEmitter : RecordSortEmitter {
 public:
  TopKEmitter(ir::SortOp op, const RecordSortPlan& plan, PointEmitter& points)
      : RecordSortEmitter(op, plan, points), plan_(plan) {}

  Status EmitPhase(const PhaseArguments& arguments) {
    counters_ = LocalCounters(kDigit);
    sorted_ = EmitEntryAlloca(b_, b_.getPtrTy(), 8);
    SetRegion(arguments.chunk);
    int64_t count = plan_.shape.count;
    if (arguments.first_phase == 1) {
      // Sorts the best records of all parts. They are stored part by part, so equal ones
      // keep their order.
      records_.SetRow(arguments.chunk);
      llvm::Value* sorted = EmitRadixSort(
          b_, plan_.format, Best(arguments.chunk, I64(0)),
          Best(I64(plan_.shape.rows), I64(0), arguments.chunk), I64(count * plan_.parts),
          I64(plan_.order.bits), kDigit, counters_, CounterLanes());
      records_.WriteElements(sorted, I64(0), I64(count));
      return records_.status();
    }
    if (plan_.parts > 1) {
      llvm::Value* row = b_.CreateUDiv(arguments.chunk, I64(plan_.parts));
      llvm::Value* part = b_.CreateURem(arguments.chunk, I64(plan_.parts));
      records_.SetRow(row);
      int64_t each = PartLength();
      llvm::Value* begin = b_.CreateMul(part, I64(each));
      llvm::Value* best =
          FindBest(begin, Min(b_.CreateAdd(begin, I64(each)), I64(plan_.shape.length)));
      b_.CreateMemCpy(Best(row, part), llvm::Align(8), best, llvm::Align(8),
                      I64(count * plan_.format.Bytes()));
      return records_.status();
    }
    ForEachRow(arguments.chunk, [&] {
      records_.WriteElements(FindBest(I64(0), I64(plan_.shape.length)), I64(0),
                             I64(count));
    });
    return records_.status();
  }

 private:
  int64_t PartLength() const {
    return (plan_.shape.length + plan_.parts - 1) / plan_.parts;
  }
  // The address of the best records of a part of a row. A second buffer of the same size
  // follows: its rows are numbered from the number of rows on. `row_offset`, if given, is
  // added to `row`.
  llvm::Value* Best(llvm::Value* row, llvm::Value* part, llvm::Value* row_offset = {}) {
    if (row_offset) row = b_.CreateAdd(row, row_offset);
    llvm::Value* number = b_.CreateAdd(b_.CreateMul(row, I64(plan_.parts)), part);
    return Bytes(scratch_, b_.CreateAdd(I64(plan_.best_offset),
                                        b_.CreateMul(number, I64(plan_.shape.count *
                                                                 plan_.format.Bytes()))));
  }

  // Returns the first `count` elements of [begin, end) as sorted records.
  llvm::Value* FindBest(llvm::Value* begin, llvm::Value* end) {
    int lanes = records_.lanes();
    llvm::Type* key_type = records_.KeyType();
    auto* type = llvm::FixedVectorType::get(key_type, lanes);
    llvm::Align align(plan_.format.key_bits / 8);
    llvm::Value* keys = region_;
    llvm::Value* positions = Bytes(region_, I64(plan_.positions_offset));
    llvm::Value* records = Bytes(region_, I64(plan_.records_offset));
    llvm::Value* other = Bytes(region_, I64(plan_.swap_records_offset));
    auto at = [&](llvm::Value* base, llvm::Value* index) {
      return b_.CreateInBoundsGEP(key_type, base, index);
    };
    llvm::SmallVector<llvm::Constant*> numbers;
    for (int lane = 0; lane < lanes; ++lane)
      numbers.push_back(llvm::ConstantInt::get(key_type, lane));
    llvm::Value* lane_numbers = llvm::ConstantVector::get(numbers);
    llvm::Value* full = I64(plan_.capacity - lanes);
    llvm::Value* last = b_.CreateSub(end, I64(lanes));
    llvm::Type* mask_type = b_.getIntNTy(lanes);
    auto splat = [&](llvm::Value* value) { return b_.CreateVectorSplat(lanes, value); };

    // Carried values: the next position, the number of candidates, the largest key that
    // can still be among the first, the sorted records.
    Values results = EmitWhile(
        b_, {begin, I64(0), FirstLimit(begin, end), records},
        [&](llvm::ArrayRef<llvm::Value*> c) { return b_.CreateICmpSLT(c[0], end); },
        [&](llvm::ArrayRef<llvm::Value*> c) {
          llvm::Value* limit = c[2];
          Values scanned = EmitWhile(
              b_, {c[0], c[1]},
              [&](llvm::ArrayRef<llvm::Value*> s) {
                return b_.CreateAnd(b_.CreateICmpSLT(s[0], end),
                                    b_.CreateICmpSLE(s[1], full));
              },
              [&](llvm::ArrayRef<llvm::Value*> s) {
                // The last vector may overlap the one before it; the lanes already seen
                // are masked out.
                llvm::Value* position = Min(s[0], last);
                llvm::Value* seen =
                    b_.CreateZExtOrTrunc(b_.CreateSub(s[0], position), key_type);
                llvm::Value* found = records_.Keys(position, lanes, nullptr);
                llvm::Value* take =
                    b_.CreateAnd(b_.CreateICmpULE(found, splat(limit)),
                                 b_.CreateICmpUGE(lane_numbers, splat(seen)));
                llvm::Value* mask = b_.CreateBitCast(take, mask_type);
                llvm::Value* any =
                    b_.CreateICmpNE(mask, llvm::Constant::getNullValue(mask_type));
                EmitIf(b_, any, [&] {
                  llvm::Value* from = b_.CreateAdd(
                      splat(b_.CreateZExtOrTrunc(position, key_type)), lane_numbers);
                  auto append = [&](llvm::Value* values, llvm::Value* to) {
                    llvm::Value* packed = b_.CreateIntrinsic(
                        llvm::Intrinsic::experimental_vector_compress, {type},
                        {values, take, llvm::PoisonValue::get(type)});
                    b_.CreateAlignedStore(packed, at(to, s[1]), align);
                  };
                  append(found, keys);
                  append(from, positions);
                });
                llvm::Value* taken = b_.CreateZExtOrTrunc(
                    b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, mask),
                    b_.getInt64Ty());
                return Values{b_.CreateAdd(s[0], I64(lanes)), b_.CreateAdd(s[1], taken)};
              });
          return Keep(scanned[0], scanned[1], limit, keys, positions, records, other,
                      end);
        });
    return results[3];
  }

  // Returns a key that at least `count` elements of [begin, end) do not exceed: the
  // smallest keys of disjoint sets of elements are that many elements.
  llvm::Value* FirstLimit(llvm::Value* begin, llvm::Value* end) {
    llvm::Type* key_type = records_.KeyType();
    const int lanes = records_.lanes();
    auto* type = llvm::FixedVectorType::get(key_type, lanes);
    llvm::Constant* largest = llvm::Constant::getAllOnesValue(type);
    const int64_t registers = plan_.samples / lanes;
    if (registers == 0) return llvm::Constant::getAllOnesValue(key_type);
    llvm::Value* stop = Min(end, b_.CreateAdd(begin, I64(kSampledElements)));
    Values inits{begin};
    inits.append(static_cast<size_t>(registers), largest);
    Values scanned = EmitWhile(
        b_, inits,
        [&](llvm::ArrayRef<llvm::Value*> c) {
          return b_.CreateICmpSLE(b_.CreateAdd(c[0], I64(plan_.samples)), stop);
        },
        [&](llvm::ArrayRef<llvm::Value*> c) {
          Values next{b_.CreateAdd(c[0], I64(plan_.samples))};
          for (auto [r, smallest] : llvm::enumerate(c.drop_front())) {
            llvm::Value* position =
                b_.CreateAdd(c[0], I64(static_cast<int64_t>(r) * lanes));
            next.push_back(
                b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, smallest,
                                         records_.Keys(position, lanes, nullptr)));
          }
          return next;
        });
    llvm::ArrayRef<llvm::Value*> samples = llvm::ArrayRef(scanned).drop_front();
    const llvm::Align align(plan_.format.key_bits / 8);
    for (auto [r, sample] : llvm::enumerate(samples))
      b_.CreateAlignedStore(
          sample, b_.CreateInBoundsGEP(type, region_, I64(static_cast<int64_t>(r))),
          align);
    // How many samples do not exceed each.
    Values counts(static_cast<size_t>(registers), llvm::Constant::getNullValue(type));
    counts = EmitForLoop(
        b_, I64(0), I64(plan_.samples), 1, counts,
        [&](llvm::Value* i, llvm::ArrayRef<llvm::Value*> c) {
          llvm::Value* sample = b_.CreateVectorSplat(
              lanes, b_.CreateLoad(key_type, b_.CreateInBoundsGEP(key_type, region_, i)));
          Values next;
          for (auto [count, other] : llvm::zip_equal(c, samples))
            next.push_back(b_.CreateAdd(
                count, b_.CreateZExt(b_.CreateICmpULE(sample, other), type)));
          return next;
        });
    llvm::Value* enough = llvm::ConstantInt::get(type, plan_.shape.count);
    llvm::Value* limit = largest;
    for (auto [count, sample] : llvm::zip_equal(counts, samples))
      limit = b_.CreateBinaryIntrinsic(
          llvm::Intrinsic::umin, limit,
          b_.CreateSelect(b_.CreateICmpUGE(count, enough), sample, largest));
    return b_.CreateIntMinReduce(limit, /*IsSigned=*/false);
  }

  // Sorts few candidates: writes each to `records` at the number of candidates that come
  // before it. Equal keys are in the order of their positions.
  void SortByRank(llvm::Value* candidates, llvm::Value* keys, llvm::Value* positions,
                  llvm::Value* records) {
    llvm::Type* key_type = records_.KeyType();
    const int lanes = records_.lanes();
    auto* type = llvm::FixedVectorType::get(key_type, lanes);
    const llvm::Align align(plan_.format.key_bits / 8);
    auto at = [&](llvm::Value* base, llvm::Value* index) {
      return b_.CreateInBoundsGEP(key_type, base, index);
    };
    auto splat = [&](llvm::Value* value) { return b_.CreateVectorSplat(lanes, value); };
    llvm::SmallVector<llvm::Constant*> numbers;
    for (int lane = 0; lane < lanes; ++lane)
      numbers.push_back(llvm::ConstantInt::get(key_type, lane));
    llvm::Value* lane_numbers = llvm::ConstantVector::get(numbers);
    // No candidate comes after these.
    b_.CreateAlignedStore(llvm::Constant::getAllOnesValue(type), at(keys, candidates),
                          align);
    EmitForLoop(b_, I64(0), candidates, 1, {}, [&](llvm::Value* i, auto) {
      llvm::Value* key = b_.CreateLoad(key_type, at(keys, i));
      llvm::Value* number = b_.CreateZExtOrTrunc(i, key_type);
      llvm::Value* before = EmitForLoop(
          b_, I64(0), candidates, lanes, {llvm::Constant::getNullValue(type)},
          [&](llvm::Value* j, llvm::ArrayRef<llvm::Value*> c) {
            llvm::Value* others = b_.CreateAlignedLoad(type, at(keys, j), align);
            llvm::Value* earlier = b_.CreateICmpULT(
                lane_numbers,
                splat(b_.CreateIntrinsic(llvm::Intrinsic::usub_sat, {key_type},
                                         {number, b_.CreateZExtOrTrunc(j, key_type)})));
            llvm::Value* first =
                b_.CreateOr(b_.CreateICmpULT(others, splat(key)),
                            b_.CreateAnd(b_.CreateICmpEQ(others, splat(key)), earlier));
            return Values{b_.CreateAdd(c[0], b_.CreateZExt(first, type))};
          })[0];
      llvm::Value* rank =
          b_.CreateZExtOrTrunc(b_.CreateAddReduce(before), b_.getInt64Ty());
      plan_.format.Store(b_, Record(key, b_.CreateLoad(key_type, at(positions, i))),
                         records, rank);
      return Values();
    });
  }

  // `key` and `position` are of the key's type.
  llvm::Value* Record(llvm::Value* key, llvm::Value* position) {
    key = b_.CreateZExt(key, b_.getInt64Ty());
    position = b_.CreateZExt(position, b_.getInt64Ty());
    if (plan_.format.key_bits == 32) return b_.CreateOr(b_.CreateShl(key, 32), position);
    llvm::Value* record =
        llvm::PoisonValue::get(llvm::FixedVectorType::get(b_.getInt64Ty(), 2));
    record = b_.CreateInsertElement(record, key, uint64_t{0});
    return b_.CreateInsertElement(record, position, uint64_t{1});
  }

  // Sorts the candidates and keeps the best ones. Returns the carried values of FindBest.
  Values Keep(llvm::Value* next, llvm::Value* candidates, llvm::Value* limit,
              llvm::Value* keys, llvm::Value* positions, llvm::Value* records,
              llvm::Value* other, llvm::Value* end) {
    llvm::Value* count = I64(plan_.shape.count);
    llvm::Value* kept = Min(candidates, count);
    const std::string name =
        "top_k." + plan_.format.Name() + ".x" + std::to_string(records_.lanes());
    (void)CallShared(b_, name,
                     {candidates, keys, positions, records, other, kept,
                      I64(plan_.order.bits), counters_, sorted_},
                     [&](IrValues& p) {
                       SortCandidates(p);
                       return OkStatus();
                     });
    // Now only keys smaller than the last one kept can enter: equal keys come later in
    // the row. If the last one kept is the smallest possible key, none can.
    llvm::Type* key_type = records_.KeyType();
    llvm::Value* enough = b_.CreateICmpSGE(candidates, count);
    llvm::Value* worst = b_.CreateLoad(
        key_type, b_.CreateInBoundsGEP(key_type, keys, b_.CreateSub(kept, I64(1))));
    llvm::Value* none = b_.CreateAnd(
        enough, b_.CreateICmpEQ(worst, llvm::Constant::getNullValue(key_type)));
    limit = b_.CreateSelect(
        enough, b_.CreateSub(worst, llvm::ConstantInt::get(key_type, 1)), limit);
    return Values{b_.CreateSelect(none, end, next), kept, limit,
                  b_.CreateLoad(b_.getPtrTy(), sorted_)};
  }

  // The function that Keep calls: sorts candidates, stores the address of the sorted
  // records, and makes the first of them the candidates.
  void SortCandidates(llvm::ArrayRef<llvm::Value*> parameters) {
    llvm::Value *candidates = parameters[0], *keys = parameters[1],
                *positions = parameters[2], *records = parameters[3],
                *other = parameters[4], *kept = parameters[5], *bits = parameters[6],
                *counters = parameters[7], *sorted_address = parameters[8];
    llvm::Type* key_type = records_.KeyType();
    auto at = [&](llvm::Value* base, llvm::Value* index) {
      return b_.CreateInBoundsGEP(key_type, base, index);
    };
    b_.CreateStore(records, sorted_address);
    llvm::Value* are_few = b_.CreateICmpSLE(candidates, I64(kMaxRanked));
    EmitIf(b_, are_few, [&] { SortByRank(candidates, keys, positions, records); });
    EmitIf(b_, b_.CreateNot(are_few), [&] {
      EmitForLoop(b_, I64(0), candidates, 1, {}, [&](llvm::Value* i, auto) {
        llvm::Value* key = b_.CreateLoad(key_type, at(keys, i));
        llvm::Value* position = b_.CreateLoad(key_type, at(positions, i));
        plan_.format.Store(b_, Record(key, position), records, i);
        return Values();
      });
      b_.CreateStore(EmitRadixSort(b_, plan_.format, records, other, candidates, bits,
                                   kDigit, counters, CounterLanes()),
                     sorted_address);
    });
    llvm::Value* sorted = b_.CreateLoad(b_.getPtrTy(), sorted_address);
    EmitForLoop(b_, I64(0), kept, 1, {}, [&](llvm::Value* i, auto) {
      llvm::Value* record = plan_.format.Load(b_, sorted, i);
      b_.CreateStore(plan_.format.Key(b_, record), at(keys, i));
      b_.CreateStore(b_.CreateZExtOrTrunc(plan_.format.Position(b_, record), key_type),
                     at(positions, i));
      return Values();
    });
  }

  const RecordSortPlan& plan_;
  llvm::Value* counters_ = nullptr;
  llvm::Value* sorted_ = nullptr;  // the address of the sorted candidates' address
};

}  // namespace

void BindTopK(ir::SortOp op, const SortPlan& plan, const TargetTraits& target,
              StructuredKernel& kernel) {
  auto shared = std::make_shared<RecordSortPlan>(op, plan, target);
  kernel.emit_phase = [op, shared](PointEmitter& points, const PhaseArguments& arguments,
                                   const BlockEmitter&) {
    return TopKEmitter(op, *shared, points).EmitPhase(arguments);
  };
}

}  // namespace tenon::codegen
