#include "tenon/compiler/codegen/grid/group_radix.h"

#include "tenon/compiler/codegen/grid/local_records.h"
#include "tenon/compiler/codegen/grid/sort_slots.h"
#include "tenon/compiler/codegen/sort/sort_records.h"

namespace tenon::codegen {
namespace {

using compiler::GroupRadixPlan;
using compiler::kRadixDigits;
using compiler::kSummedDigits;

// Half a digit: an item has a counter for each of its values.
constexpr int kHalfBits = 4;
constexpr int64_t kHalfDigits = 1 << kHalfBits;
// Local memory beside that of records: blocks by number.
enum : int { kCounters = kLocalRecordsBlock + 1, kScan, kStarts, kOffsets };

class Radix {
 public:
  Radix(GroupBody& body, ir::SortOp op, const GroupRadixPlan& plan)
      : body_(body),
        b_(body.builder()),
        op_(op),
        plan_(plan),
        order_(*compiler::RecognizeSortOrder(op.getComparator().front())),
        slots_(body, op, plan.shape, /*count=*/1),
        records_(op, order_, RecordFormat{{32, /*has_position=*/true}}, OneLane(),
                 body.points()),
        local_(body, plan.tile) {}

  Status EmitCounts(const RadixPass& pass, llvm::Value* group);
  Status EmitSums(llvm::Value* group);
  Status EmitMoves(const RadixPass& pass, llvm::Value* group);

 private:
  llvm::Value* I64(int64_t value) { return b_.getInt64(static_cast<uint64_t>(value)); }
  llvm::Value* Wide(llvm::Value* x) { return b_.CreateZExt(x, b_.getInt64Ty()); }
  llvm::Value* Min(llvm::Value* x, llvm::Value* y) {
    return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, y);
  }
  int64_t ItemElements() const { return plan_.tile / plan_.items; }

  llvm::Value* Scratch(int64_t offset, llvm::Type* type, llvm::Value* index) {
    llvm::Value* base =
        b_.CreateConstGEP1_64(b_.getInt8Ty(), body_.points().View(op_.getScratch()),
                              static_cast<uint64_t>(offset));
    return b_.CreateGEP(type, base, index);
  }
  llvm::Value* Count(llvm::Value* row, llvm::Value* tile, llvm::Value* digit) {
    llvm::Value* all = b_.CreateAdd(b_.CreateMul(row, I64(plan_.tiles)), tile);
    return Scratch(plan_.counts_offset, b_.getInt32Ty(),
                   b_.CreateAdd(b_.CreateMul(all, I64(kRadixDigits)), digit));
  }
  llvm::Value* Total(llvm::Value* row, llvm::Value* digit) {
    return Scratch(plan_.totals_offset, b_.getInt32Ty(),
                   b_.CreateAdd(b_.CreateMul(row, I64(kRadixDigits)), digit));
  }
  // A record is a key in the upper half, and a position.
  llvm::Value* Buffer(llvm::Value* number, llvm::Value* row, llvm::Value* index) {
    llvm::Value* all = b_.CreateAdd(
        b_.CreateMul(
            b_.CreateAdd(
                b_.CreateMul(b_.CreateAnd(number, I64(1)), I64(plan_.shape.rows)), row),
            I64(plan_.shape.length)),
        index);
    return Scratch(0, b_.getInt64Ty(), all);
  }
  llvm::Value* Record(const RadixPass& pass, llvm::Value* row, llvm::Value* index) {
    if (!pass.is_first)
      return b_.CreateLoad(b_.getInt64Ty(),
                           Buffer(b_.CreateSub(pass.number, I64(1)), row, index));
    llvm::Value* key = records_.Keys(index, 1, nullptr);
    return b_.CreateOr(b_.CreateShl(Wide(key), 32), index);
  }
  llvm::Value* Digit(const RadixPass& pass, llvm::Value* record) {
    llvm::Value* shift = b_.CreateAdd(b_.CreateShl(pass.number, 3), I64(32));
    return b_.CreateAnd(b_.CreateLShr(record, shift), I64(kRadixDigits - 1));
  }
  // The records of elements item, item + items, ... of the tile; beyond the row, one that
  // comes last.
  Values TileRecords(const RadixPass& pass, llvm::Value* row, llvm::Value* first);
  void SplitGroup(llvm::Value* group);

  llvm::Value* Local(int block, int64_t bytes, llvm::Type* type, llvm::Value* index) {
    return b_.CreateGEP(type, body_.local().Shared(block, bytes), index);
  }
  llvm::Value* Word(int block, llvm::Value* index) {
    return Local(block, 4 * kRadixDigits, b_.getInt32Ty(), index);
  }
  llvm::Value* LoadWord(int block, llvm::Value* index) {
    return Wide(b_.CreateLoad(b_.getInt32Ty(), Word(block, index)));
  }
  // The sum of `value` (i64, of a 32-bit sum) over the items before this one.
  llvm::Value* SumBefore(llvm::Value* value);
  void SortTile(Values records, llvm::Value* shift);

  GroupBody& body_;
  llvm::IRBuilderBase& b_;
  ir::SortOp op_;
  const GroupRadixPlan& plan_;
  const compiler::SortOrder order_;
  SortSlots slots_;
  SortRecords records_;
  LocalRecords local_;
  llvm::Value *row_ = nullptr, *tile_ = nullptr;
};

void Radix::SplitGroup(llvm::Value* group) {
  row_ = b_.CreateUDiv(group, I64(plan_.tiles));
  tile_ = b_.CreateURem(group, I64(plan_.tiles));
  records_.SetRow(row_);
}

Values Radix::TileRecords(const RadixPass& pass, llvm::Value* row, llvm::Value* first) {
  Values records;
  for (int64_t e = 0; e < ItemElements(); ++e) {
    llvm::Value* index =
        b_.CreateAdd(first, b_.CreateAdd(body_.item(), I64(e * plan_.items)));
    llvm::Value* record = Record(pass, row, Min(index, I64(plan_.shape.length - 1)));
    records.push_back(b_.CreateSelect(b_.CreateICmpSLT(index, I64(plan_.shape.length)),
                                      record, I64(-1)));
  }
  return records;
}

Status Radix::EmitCounts(const RadixPass& pass, llvm::Value* group) {
  SplitGroup(group);
  auto each_digit = [&](llvm::function_ref<void(llvm::Value*)> use) {
    EmitForLoop(b_, body_.item(), I64(kRadixDigits), plan_.items, {},
                [&](llvm::Value* digit, auto) {
                  use(digit);
                  return Values();
                });
  };
  each_digit(
      [&](llvm::Value* digit) { b_.CreateStore(b_.getInt32(0), Word(kScan, digit)); });
  body_.Barrier();
  llvm::Value* first = b_.CreateMul(tile_, I64(plan_.tile));
  for (auto [e, record] : llvm::enumerate(TileRecords(pass, row_, first))) {
    llvm::Value* index = b_.CreateAdd(
        first, b_.CreateAdd(body_.item(), I64(static_cast<int64_t>(e) * plan_.items)));
    EmitIf(b_, b_.CreateICmpSLT(index, I64(plan_.shape.length)), [&] {
      b_.CreateAtomicRMW(llvm::AtomicRMWInst::Add, Word(kScan, Digit(pass, record)),
                         b_.getInt32(1), llvm::Align(4), llvm::AtomicOrdering::Monotonic);
    });
  }
  body_.Barrier();
  each_digit([&](llvm::Value* digit) {
    b_.CreateStore(b_.CreateLoad(b_.getInt32Ty(), Word(kScan, digit)),
                   Count(row_, tile_, digit));
  });
  return records_.status();
}

// A group has some digits of a row, and an item one digit and a part of the tiles.
Status Radix::EmitSums(llvm::Value* group) {
  constexpr int64_t kGroups = kRadixDigits / kSummedDigits;
  llvm::Value* row = b_.CreateUDiv(group, I64(kGroups));
  llvm::Value* digit =
      b_.CreateAdd(b_.CreateMul(b_.CreateURem(group, I64(kGroups)), I64(kSummedDigits)),
                   b_.CreateURem(body_.item(), I64(kSummedDigits)));
  llvm::Value* part = b_.CreateUDiv(body_.item(), I64(kSummedDigits));
  const int64_t parts = plan_.items / kSummedDigits;
  const int64_t part_tiles = (plan_.tiles + parts - 1) / parts;
  llvm::Value* begin = Min(b_.CreateMul(part, I64(part_tiles)), I64(plan_.tiles));
  llvm::Value* end = Min(b_.CreateAdd(begin, I64(part_tiles)), I64(plan_.tiles));
  auto load = [&](llvm::Value* tile) {
    return b_.CreateLoad(b_.getInt32Ty(), Count(row, tile, digit));
  };
  llvm::Value* own =
      EmitForLoop(b_, begin, end, 1, {b_.getInt32(0)},
                  [&](llvm::Value* tile, llvm::ArrayRef<llvm::Value*> sum) {
                    return Values{b_.CreateAdd(sum[0], load(tile))};
                  })[0];
  b_.CreateStore(own, Word(kScan, body_.item()));
  body_.Barrier();
  llvm::Value* before = EmitForLoop(
      b_, I64(0), part, 1, {b_.getInt32(0)},
      [&](llvm::Value* earlier, llvm::ArrayRef<llvm::Value*> sum) {
        llvm::Value* item = b_.CreateAdd(b_.CreateMul(earlier, I64(kSummedDigits)),
                                         b_.CreateURem(body_.item(), I64(kSummedDigits)));
        return Values{
            b_.CreateAdd(sum[0], b_.CreateLoad(b_.getInt32Ty(), Word(kScan, item)))};
      })[0];
  EmitIf(b_, b_.CreateICmpEQ(part, I64(parts - 1)),
         [&] { b_.CreateStore(b_.CreateAdd(before, own), Total(row, digit)); });
  EmitForLoop(b_, begin, end, 1, {before},
              [&](llvm::Value* tile, llvm::ArrayRef<llvm::Value*> sum) {
                llvm::Value* count = load(tile);
                b_.CreateStore(sum[0], Count(row, tile, digit));
                return Values{b_.CreateAdd(sum[0], count)};
              });
  return OkStatus();
}

llvm::Value* Radix::SumBefore(llvm::Value* value) {
  // Two halves of the block in turn, so that one barrier a step is enough.
  auto word = [&](int64_t half, llvm::Value* item) {
    return Local(kScan, 8 * kRadixDigits, b_.getInt32Ty(),
                 b_.CreateAdd(item, I64(half * kRadixDigits)));
  };
  llvm::Value* own = b_.CreateTrunc(value, b_.getInt32Ty());
  llvm::Value* sum = own;
  int64_t half = 0;
  for (int64_t distance = 1; distance < plan_.items; distance *= 2) {
    b_.CreateStore(sum, word(half, body_.item()));
    body_.Barrier();
    llvm::Value* has_other = b_.CreateICmpSGE(body_.item(), I64(distance));
    llvm::Value* other = b_.CreateSelect(
        has_other, b_.CreateSub(body_.item(), I64(distance)), body_.item());
    llvm::Value* more = b_.CreateLoad(b_.getInt32Ty(), word(half, other));
    sum = b_.CreateAdd(sum, b_.CreateSelect(has_other, more, b_.getInt32(0)));
    half ^= 1;
  }
  return Wide(b_.CreateSub(sum, own));
}

// Sorts the tile by half a digit, which begins at bit `shift` of records, in local
// memory, where `records` are too: eight consecutive ones of each item.
void Radix::SortTile(Values records, llvm::Value* shift) {
  llvm::Type* i16 = b_.getInt16Ty();
  const int64_t bytes = 2 * kHalfDigits * plan_.items;
  auto counter = [&](llvm::Value* half_digit) {
    return Local(kCounters, bytes, i16,
                 b_.CreateAdd(b_.CreateMul(half_digit, I64(plan_.items)), body_.item()));
  };
  for (int64_t digit = 0; digit < kHalfDigits; ++digit)
    b_.CreateStore(b_.getInt16(0), counter(I64(digit)));
  Values digits, places;
  for (llvm::Value* record : records) {
    digits.push_back(b_.CreateAnd(b_.CreateLShr(record, shift), I64(kHalfDigits - 1)));
    llvm::Value* address = counter(digits.back());
    places.push_back(b_.CreateLoad(i16, address));
    b_.CreateStore(b_.CreateAdd(places.back(), b_.getInt16(1)), address);
  }
  body_.Barrier();
  // All counters, by digit and then by item, become the sums of those before. A word has
  // four; each item has as many words as half a digit has values, divided by four.
  constexpr int64_t kWords = kHalfDigits / 4;
  const uint64_t kOnes = 0x0001000100010001;
  auto word = [&](int64_t number) {
    return Local(kCounters, bytes, b_.getInt64Ty(),
                 b_.CreateAdd(b_.CreateMul(body_.item(), I64(kWords)), I64(number)));
  };
  Values words, sums;
  llvm::Value* total = I64(0);
  for (int64_t number = 0; number < kWords; ++number) {
    words.push_back(b_.CreateLoad(b_.getInt64Ty(), word(number)));
    sums.push_back(b_.CreateMul(words.back(), b_.getInt64(kOnes)));
    total = b_.CreateAdd(total, b_.CreateLShr(sums.back(), 48));
  }
  llvm::Value* before = SumBefore(total);
  for (int64_t number = 0; number < kWords; ++number) {
    const auto n = static_cast<size_t>(number);
    b_.CreateStore(b_.CreateAdd(b_.CreateSub(sums[n], words[n]),
                                b_.CreateMul(before, b_.getInt64(kOnes))),
                   word(number));
    before = b_.CreateAdd(before, b_.CreateLShr(sums[n], 48));
  }
  body_.Barrier();
  for (auto [record, digit, place] : llvm::zip_equal(records, digits, places)) {
    llvm::Value* first = b_.CreateLoad(i16, counter(digit));
    local_.Store(record, Wide(b_.CreateAdd(first, place)));
  }
  body_.Barrier();
}

Status Radix::EmitMoves(const RadixPass& pass, llvm::Value* group) {
  SplitGroup(group);
  llvm::Value* first = b_.CreateMul(tile_, I64(plan_.tile));
  auto striped = [&](int64_t e) {
    return b_.CreateAdd(body_.item(), I64(e * plan_.items));
  };
  for (auto [e, record] : llvm::enumerate(TileRecords(pass, row_, first)))
    local_.Store(record, striped(static_cast<int64_t>(e)));
  body_.Barrier();
  llvm::Value* shift = b_.CreateAdd(b_.CreateShl(pass.number, 3), I64(32));
  for (int half = 0; half < 2; ++half) {
    Values records;
    for (int64_t e = 0; e < ItemElements(); ++e)
      records.push_back(local_.Load(
          b_.CreateAdd(b_.CreateMul(body_.item(), I64(ItemElements())), I64(e))));
    SortTile(records, b_.CreateAdd(shift, I64(half * kHalfBits)));
  }
  // Where each digit begins in the tile, and where its first record of this tile goes.
  Values records, digits;
  for (int64_t e = 0; e < ItemElements(); ++e) {
    llvm::Value* index = striped(e);
    records.push_back(local_.Load(index));
    digits.push_back(Digit(pass, records.back()));
    llvm::Value* previous = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax,
                                                     b_.CreateSub(index, I64(1)), I64(0));
    llvm::Value* other = Digit(pass, local_.Load(previous));
    llvm::Value* begins = b_.CreateOr(b_.CreateICmpEQ(index, I64(0)),
                                      b_.CreateICmpNE(other, digits.back()));
    EmitIf(b_, begins, [&] {
      b_.CreateStore(b_.CreateTrunc(index, b_.getInt32Ty()),
                     Word(kStarts, digits.back()));
    });
  }
  const int64_t item_digits = kRadixDigits / plan_.items;
  Values totals;
  llvm::Value* total = I64(0);
  auto digit_of_item = [&](int64_t number) {
    return b_.CreateAdd(b_.CreateMul(body_.item(), I64(item_digits)), I64(number));
  };
  for (int64_t number = 0; number < item_digits; ++number) {
    totals.push_back(
        Wide(b_.CreateLoad(b_.getInt32Ty(), Total(row_, digit_of_item(number)))));
    total = b_.CreateAdd(total, totals.back());
  }
  llvm::Value* before = SumBefore(total);
  for (int64_t number = 0; number < item_digits; ++number) {
    llvm::Value* digit = digit_of_item(number);
    llvm::Value* in_digit =
        Wide(b_.CreateLoad(b_.getInt32Ty(), Count(row_, tile_, digit)));
    b_.CreateStore(b_.CreateTrunc(b_.CreateAdd(before, in_digit), b_.getInt32Ty()),
                   Word(kOffsets, digit));
    before = b_.CreateAdd(before, totals[static_cast<size_t>(number)]);
  }
  body_.Barrier();
  llvm::Value* rest = b_.CreateSub(I64(plan_.shape.length), first);
  for (int64_t e = 0; e < ItemElements(); ++e) {
    const auto n = static_cast<size_t>(e);
    llvm::Value* in_digit = b_.CreateSub(striped(e), LoadWord(kStarts, digits[n]));
    llvm::Value* to = b_.CreateAdd(LoadWord(kOffsets, digits[n]), in_digit);
    llvm::Value* exists = b_.CreateICmpSLT(striped(e), rest);
    if (pass.is_last)
      exists = b_.CreateAnd(exists, b_.CreateICmpSLT(to, I64(plan_.shape.count)));
    EmitIf(b_, exists, [&] {
      if (pass.is_last)
        slots_.MoveElement(row_, b_.CreateAnd(records[n], b_.getInt64(0xffffffff)), to);
      else
        b_.CreateStore(records[n], Buffer(pass.number, row_, to));
    });
  }
  return records_.status();
}

}  // namespace

Status EmitDigitCounts(GroupBody& body, ir::SortOp op, const GroupRadixPlan& plan,
                       const RadixPass& pass, llvm::Value* group) {
  return Radix(body, op, plan).EmitCounts(pass, group);
}

Status EmitCountSums(GroupBody& body, ir::SortOp op, const GroupRadixPlan& plan,
                     llvm::Value* group) {
  return Radix(body, op, plan).EmitSums(group);
}

Status EmitDigitMoves(GroupBody& body, ir::SortOp op, const GroupRadixPlan& plan,
                      const RadixPass& pass, llvm::Value* group) {
  return Radix(body, op, plan).EmitMoves(pass, group);
}

}  // namespace tenon::codegen
