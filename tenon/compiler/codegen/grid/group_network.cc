#include "tenon/compiler/codegen/grid/group_network.h"

#include <algorithm>

#include "llvm/Support/MathExtras.h"
#include "tenon/compiler/codegen/grid/local_records.h"
#include "tenon/compiler/codegen/grid/sort_slots.h"
#include "tenon/compiler/codegen/sort/sort_records.h"

namespace tenon::codegen {
namespace {

using compiler::GroupNetworkPlan;

// Steps of the network that an item does in registers, with two to this power of records.
constexpr int kStepBits = 3;
constexpr int64_t kStepRecords = 1 << kStepBits;

// All comparisons put the smaller record first, so merging two sorted halves starts with
// the mirror images. A level merges halves of blocks of 2^level records.
class Network {
 public:
  Network(GroupBody& body, ir::SortOp op, const GroupNetworkPlan& plan)
      : body_(body),
        b_(body.builder()),
        plan_(plan),
        order_(*compiler::RecognizeSortOrder(op.getComparator().front())),
        slots_(body, op, plan.shape, /*count=*/1),
        records_(op, order_, RecordFormat{{32, /*has_position=*/true}}, OneLane(),
                 body.points()),
        local_(body, plan.slots) {}

  Status Emit(llvm::Value* group);

 private:
  llvm::Value* I64(int64_t value) { return b_.getInt64(static_cast<uint64_t>(value)); }
  void ForEach(llvm::Value* count, llvm::function_ref<void(llvm::Value*)> use) {
    EmitForLoop(b_, body_.item(), count, body_.items(), {}, [&](llvm::Value* i, auto) {
      use(i);
      return Values();
    });
  }
  void Load(llvm::Value* row0);
  // Puts the smaller one of two records first.
  void Order(llvm::Value*& first, llvm::Value*& second) {
    llvm::Value* ordered = b_.CreateICmpULT(first, second);
    llvm::Value* smaller = b_.CreateSelect(ordered, first, second);
    second = b_.CreateSelect(ordered, second, first);
    first = smaller;
  }
  // Loads the records at `places`, changes and stores them.
  void Update(llvm::ArrayRef<llvm::Value*> places,
              llvm::function_ref<void(Values& records)> change);
  void SortEights(int levels);
  void BeginLevel(llvm::Value* level, int steps);
  void ContinueLevel(llvm::Value* shift);

  GroupBody& body_;
  llvm::IRBuilderBase& b_;
  const GroupNetworkPlan& plan_;
  const compiler::SortOrder order_;
  SortSlots slots_;
  SortRecords records_;
  LocalRecords local_;
};

void Network::Load(llvm::Value* row0) {
  ForEach(I64(plan_.slots), [&](llvm::Value* slot) {
    llvm::Value* row = b_.CreateAdd(row0, b_.CreateUDiv(slot, I64(plan_.row_slots)));
    llvm::Value* position = b_.CreateURem(slot, I64(plan_.row_slots));
    llvm::Value* exists =
        b_.CreateAnd(b_.CreateICmpSLT(row, I64(plan_.shape.rows)),
                     b_.CreateICmpSLT(position, I64(plan_.shape.length)));
    records_.SetRow(b_.CreateSelect(exists, row, I64(0)));
    llvm::Value* key =
        records_.Keys(b_.CreateSelect(exists, position, I64(0)), 1, nullptr);
    llvm::Value* record =
        b_.CreateOr(b_.CreateShl(b_.CreateZExt(key, b_.getInt64Ty()), 32), position);
    local_.Store(b_.CreateSelect(exists, record, I64(-1)), slot);
  });
  body_.Barrier();
}

void Network::Update(llvm::ArrayRef<llvm::Value*> places,
                     llvm::function_ref<void(Values& records)> change) {
  Values records;
  for (llvm::Value* place : places) records.push_back(local_.Load(place));
  change(records);
  for (auto [record, place] : llvm::zip_equal(records, places))
    local_.Store(record, place);
}

// The first levels, in registers.
void Network::SortEights(int levels) {
  ForEach(I64(plan_.slots / kStepRecords), [&](llvm::Value* set) {
    Values places;
    for (int64_t i = 0; i < kStepRecords; ++i)
      places.push_back(b_.CreateAdd(b_.CreateMul(set, I64(kStepRecords)), I64(i)));
    Update(places, [&](Values& r) {
      for (size_t level = 1; level <= static_cast<size_t>(levels); ++level) {
        const size_t block = size_t{1} << level;
        for (size_t i = 0; i < r.size(); ++i)
          if (const size_t mirrored = i ^ (block - 1); i < mirrored)
            Order(r[i], r[mirrored]);
        for (size_t half = block / 4; half > 0; half /= 2)
          for (size_t i = 0; i < r.size(); ++i)
            if ((i & half) == 0) Order(r[i], r[i | half]);
      }
    });
  });
  body_.Barrier();
}

// The first `steps` steps of a level: records that are mirror images, and those that the
// next steps compare with them. In the second half of a block, positions descend.
void Network::BeginLevel(llvm::Value* level, int steps) {
  const int64_t half = int64_t{1} << (steps - 1);
  llvm::Value* shift = b_.CreateSub(level, I64(steps));
  llvm::Value* mask = b_.CreateSub(b_.CreateShl(I64(1), shift), I64(1));
  llvm::Value* last = b_.CreateSub(b_.CreateShl(I64(1), level), I64(1));
  ForEach(I64(plan_.slots / (2 * half)), [&](llvm::Value* set) {
    llvm::Value* begin = b_.CreateShl(b_.CreateLShr(set, shift), level);
    llvm::Value* rest = b_.CreateAnd(set, mask);
    Values places, mirrored;
    for (int64_t i = 0; i < half; ++i) {
      llvm::Value* in_block = b_.CreateOr(b_.CreateShl(I64(i), shift), rest);
      places.push_back(b_.CreateAdd(begin, in_block));
      mirrored.push_back(b_.CreateAdd(begin, b_.CreateSub(last, in_block)));
    }
    llvm::append_range(places, mirrored);
    Update(places, [&](Values& r) {
      const auto n = static_cast<size_t>(half);
      for (size_t i = 0; i < n; ++i) Order(r[i], r[n + i]);
      for (size_t distance = n / 2; distance > 0; distance /= 2)
        for (size_t i = 0; i < n; ++i)
          if ((i & distance) == 0) {
            Order(r[i], r[i | distance]);
            Order(r[n + (i | distance)], r[n + i]);
          }
    });
  });
  body_.Barrier();
}

// Three more steps, of which the last one compares records 2^shift apart.
void Network::ContinueLevel(llvm::Value* shift) {
  llvm::Value* mask = b_.CreateSub(b_.CreateShl(I64(1), shift), I64(1));
  ForEach(I64(plan_.slots / kStepRecords), [&](llvm::Value* set) {
    llvm::Value* first = b_.CreateOr(
        b_.CreateShl(b_.CreateLShr(set, shift), b_.CreateAdd(shift, I64(kStepBits))),
        b_.CreateAnd(set, mask));
    Values places;
    for (int64_t i = 0; i < kStepRecords; ++i)
      places.push_back(b_.CreateAdd(first, b_.CreateShl(I64(i), shift)));
    Update(places, [&](Values& r) {
      for (size_t distance = kStepRecords / 2; distance > 0; distance /= 2)
        for (size_t i = 0; i < r.size(); ++i)
          if ((i & distance) == 0) Order(r[i], r[i | distance]);
    });
  });
  body_.Barrier();
}

Status Network::Emit(llvm::Value* group) {
  llvm::Value* row0 = b_.CreateMul(group, I64(plan_.slots / plan_.row_slots));
  Load(row0);
  const auto levels =
      static_cast<int>(llvm::Log2_64(static_cast<uint64_t>(plan_.row_slots)));
  SortEights(std::min(levels, kStepBits));
  // Level 3 n + s, for s of 1 to 3, begins with s steps, and n times three steps follow.
  if (levels > kStepBits)
    EmitForLoop(b_, I64(1), I64((levels + kStepBits - 1) / kStepBits), 1, {},
                [&](llvm::Value* threes, auto) {
                  for (int steps = 1; steps <= kStepBits; ++steps) {
                    llvm::Value* level =
                        b_.CreateAdd(b_.CreateMul(threes, I64(kStepBits)), I64(steps));
                    EmitIf(b_, b_.CreateICmpSLE(level, I64(levels)), [&] {
                      BeginLevel(level, steps);
                      EmitForLoop(b_, I64(1), b_.CreateAdd(threes, I64(1)), 1, {},
                                  [&](llvm::Value* number, auto) {
                                    ContinueLevel(b_.CreateMul(
                                        b_.CreateSub(threes, number), I64(kStepBits)));
                                    return Values();
                                  });
                    });
                  }
                  return Values();
                });
  ForEach(I64(plan_.slots), [&](llvm::Value* slot) {
    llvm::Value* row = b_.CreateAdd(row0, b_.CreateUDiv(slot, I64(plan_.row_slots)));
    llvm::Value* index = b_.CreateURem(slot, I64(plan_.row_slots));
    llvm::Value* exists = b_.CreateAnd(b_.CreateICmpSLT(row, I64(plan_.shape.rows)),
                                       b_.CreateICmpSLT(index, I64(plan_.shape.count)));
    EmitIf(b_, exists, [&] {
      llvm::Value* position = b_.CreateAnd(local_.Load(slot), b_.getInt64(0xffffffff));
      slots_.MoveElement(row, position, index);
    });
  });
  return records_.status();
}

}  // namespace

Status EmitNetworkSort(GroupBody& body, ir::SortOp op, const GroupNetworkPlan& plan,
                       llvm::Value* group) {
  return Network(body, op, plan).Emit(group);
}

}  // namespace tenon::codegen
