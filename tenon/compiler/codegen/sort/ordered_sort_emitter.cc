// Sorts by integer keys. Short rows are sorted by rank (each element's position is the
// number of elements before it) or by a network, longer ones by radix until a network can
// sort the buckets. See docs/design/0003-sort-and-scan.md.
#include "tenon/compiler/codegen/sort/ordered_sort_emitter.h"

#include "llvm/IR/Constants.h"
#include "tenon/compiler/codegen/sort/record_sort.h"
#include "tenon/compiler/codegen/sort/sort_network.h"
#include "tenon/compiler/codegen/sort/split_sort_emitter.h"

namespace tenon::codegen {
namespace {

// The digits of short rows; longer rows use kWideDigit.
constexpr int kDigit = 8;

// Sorts each row of a chunk by one thread.
class RowSortEmitter : RecordSortEmitter {
 public:
  RowSortEmitter(ir::SortOp op, const RecordSortPlan& plan, PointEmitter& points)
      : RecordSortEmitter(op, plan, points), plan_(plan) {}

  Status EmitPhase(const PhaseArguments& arguments) {
    SetRegion(arguments.chunk);
    ForEachRow(arguments.chunk, [&] {
      if (plan_.kind == SortPlan::Kind::kRank)
        EmitRankRow();
      else
        EmitRadixRow();
    });
    return records_.status();
  }

 private:
  llvm::Value* Buffer(int number) {
    return Bytes(region_, I64(number * plan_.buffer_bytes));
  }

  // Stores each element at the position that equals the number of elements before it.
  void EmitRankRow() {
    RankRow row;
    int64_t length = plan_.shape.length;
    row.lanes = records_.lanes();
    while (row.lanes > 1 && length <= row.lanes / 2) row.lanes /= 2;
    int64_t size = (length + row.lanes - 1) / row.lanes * row.lanes;
    llvm::Type* key_type = records_.KeyType();
    row.keys = EmitEntryAlloca(b_, llvm::ArrayType::get(key_type, size), 64);
    row.ranks = EmitEntryAlloca(b_, llvm::ArrayType::get(key_type, size), 64);
    StoreKeys(row);
    EmitForLoop(b_, I64(0), I64(size), row.lanes, {}, [&](llvm::Value* first, auto) {
      b_.CreateAlignedStore(Ranks(row, first), KeyAddress(row.ranks, first), KeyAlign());
      return Values();
    });
    MoveToRanks(row);
  }

  // The keys and the ranks of a row, on the stack.
  struct RankRow {
    int lanes;
    llvm::Value* keys;
    llvm::Value* ranks;
  };
  llvm::Align KeyAlign() const { return llvm::Align(plan_.format.key_bits / 8); }
  llvm::Value* KeyAddress(llvm::Value* base, llvm::Value* index) {
    return b_.CreateInBoundsGEP(records_.KeyType(), base, index);
  }

  void StoreKeys(const RankRow& row) {
    int64_t length = plan_.shape.length;
    if (length < row.lanes) {
      llvm::SmallVector<llvm::Constant*> mask;
      for (int lane = 0; lane < row.lanes; ++lane)
        mask.push_back(b_.getInt1(lane < length));
      b_.CreateAlignedStore(
          records_.Keys(I64(0), row.lanes, llvm::ConstantVector::get(mask)), row.keys,
          KeyAlign());
      return;
    }
    EmitForLoop(b_, I64(0), I64(length), row.lanes, {}, [&](llvm::Value* iv, auto) {
      llvm::Value* position = Min(iv, I64(length - row.lanes));
      b_.CreateAlignedStore(records_.Keys(position, row.lanes, nullptr),
                            KeyAddress(row.keys, position), KeyAlign());
      return Values();
    });
  }

  // Returns the ranks of one vector of elements, from `first` on. Equal elements that
  // come earlier count; equal elements that come later do not.
  llvm::Value* Ranks(const RankRow& row, llvm::Value* first) {
    const int64_t length = plan_.shape.length;
    llvm::Type* key_type = records_.KeyType();
    auto* type = llvm::FixedVectorType::get(key_type, row.lanes);
    llvm::SmallVector<llvm::Constant*> numbers;
    for (int lane = 0; lane < row.lanes; ++lane)
      numbers.push_back(llvm::ConstantInt::get(key_type, lane));
    llvm::Value* lane_numbers = llvm::ConstantVector::get(numbers);
    llvm::Value* one = llvm::ConstantInt::get(type, 1);
    llvm::Value* own_keys =
        b_.CreateAlignedLoad(type, KeyAddress(row.keys, first), KeyAlign());
    auto count = [&](llvm::Value* rank, llvm::Value* comes_before) {
      return b_.CreateSelect(comes_before, b_.CreateAdd(rank, one), rank);
    };
    auto other = [&](llvm::Value* j) {
      return b_.CreateVectorSplat(
          row.lanes, b_.CreateAlignedLoad(key_type, KeyAddress(row.keys, j), KeyAlign()));
    };
    llvm::Value* rank = llvm::Constant::getNullValue(type);
    rank = EmitForLoop(b_, I64(0), first, 1, {rank},
                       [&](llvm::Value* j, llvm::ArrayRef<llvm::Value*> c) {
                         return Values{count(c[0], b_.CreateICmpULE(other(j), own_keys))};
                       })[0];
    llvm::Value* middle = Min(b_.CreateAdd(first, I64(row.lanes)), I64(length));
    rank = EmitForLoop(
        b_, first, middle, 1, {rank},
        [&](llvm::Value* j, llvm::ArrayRef<llvm::Value*> c) {
          llvm::Value* key = other(j);
          llvm::Value* number = b_.CreateZExtOrTrunc(b_.CreateSub(j, first), key_type);
          llvm::Value* later =
              b_.CreateICmpUGT(lane_numbers, b_.CreateVectorSplat(row.lanes, number));
          llvm::Value* before =
              b_.CreateOr(b_.CreateICmpULT(key, own_keys),
                          b_.CreateAnd(later, b_.CreateICmpEQ(key, own_keys)));
          return Values{count(c[0], before)};
        })[0];
    return EmitForLoop(b_, middle, I64(length), 1, {rank},
                       [&](llvm::Value* j, llvm::ArrayRef<llvm::Value*> c) {
                         return Values{count(c[0], b_.CreateICmpULT(other(j), own_keys))};
                       })[0];
  }

  // Writes each element to the index of its rank, if it is one of the wanted ones.
  void MoveToRanks(const RankRow& row) {
    const int64_t length = plan_.shape.length, wanted = plan_.shape.count;
    EmitForLoop(b_, I64(0), I64(length), 1, {}, [&](llvm::Value* position, auto) {
      llvm::Value* target_index = b_.CreateZExtOrTrunc(
          b_.CreateAlignedLoad(records_.KeyType(), KeyAddress(row.ranks, position),
                               KeyAlign()),
          b_.getInt64Ty());
      if (wanted == length)
        records_.MoveElement(position, target_index);
      else
        EmitIf(b_, b_.CreateICmpSLT(target_index, I64(wanted)),
               [&] { records_.MoveElement(position, target_index); });
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

  const RecordSortPlan& plan_;
};

}  // namespace

void BindOrderedSort(ir::SortOp op, const SortPlan& plan, const TargetTraits& target,
                     StructuredKernel& kernel) {
  auto shared = std::make_shared<RecordSortPlan>(op, plan, target);
  kernel.emit_phase = [op, shared](PointEmitter& points, const PhaseArguments& arguments,
                                   const BlockEmitter&) {
    if (shared->kind == SortPlan::Kind::kSplit)
      return EmitSplitSortPhase(op, *shared, points, arguments);
    return RowSortEmitter(op, *shared, points).EmitPhase(arguments);
  };
}

}  // namespace tenon::codegen
