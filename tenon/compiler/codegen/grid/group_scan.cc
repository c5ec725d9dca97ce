// An inclusive scan over a range: the items scan as many elements at a time as there are
// items, or as they load by one access each, and carry the last result to the next
// elements.
#include "tenon/compiler/codegen/grid/group_body.h"
#include "tenon/compiler/codegen/grid/group_map.h"
#include "tenon/compiler/codegen/point/value_parts.h"

namespace tenon::codegen {
namespace {

class GroupScan {
 public:
  GroupScan(GroupBody& body, ir::ScanOp scan)
      : body_(body),
        points_(body.points()),
        b_(body.builder()),
        scan_(scan),
        combiner_(scan.getCombiner().front()),
        items_(body.items()) {}

  Status Emit() {
    llvm::SmallVector<ElementValue> inits;
    for (mlir::Value init : scan_.getInits()) inits.push_back(points_.Scalar(init));
    const IndexValue lower = points_.Index(scan_.getLower());
    upper_ = points_.Index(scan_.getUpper()).base;
    Values carry = FlattenParts(inits);
    llvm::Value* begin = lower.base;
    Status status;
    auto loop = [&](llvm::Value* end, int lanes) {
      carry = EmitForLoop(b_, begin, end, items_ * lanes, carry,
                          [&](llvm::Value* start, llvm::ArrayRef<llvm::Value*> values) {
                            auto next = EmitElements(start, values, lanes);
                            if (next.ok()) return *next;
                            if (status.ok()) status = next.status();
                            return Values(values);
                          });
    };
    if (const int lanes = ChooseLanes(lower); lanes > 1) {
      llvm::Value* whole =
          b_.CreateAnd(b_.CreateSub(upper_, begin), I64(-items_ * lanes));
      llvm::Value* end = b_.CreateAdd(begin, whole);
      loop(end, lanes);
      begin = end;
    }
    loop(upper_, 1);
    return status;
  }

 private:
  llvm::Value* I64(int64_t value) { return b_.getInt64(static_cast<uint64_t>(value)); }

  int ChooseLanes(const IndexValue& lower) {
    if (!body_.HasSubgroups() || scan_.getInits().size() != 1) return 1;
    mlir::Block &block = scan_.getBody().front(), &store = scan_.getStore().front();
    auto lanes_of = [&](mlir::Block& block) {
      return ContiguousLanes(points_, block, [&](llvm::Value* number, int lanes) {
        if (lower.multiple % lanes != 0) return false;
        points_.SetIndex(block.getArgument(0), {number, 1, lanes});
        return true;
      });
    };
    return std::min(lanes_of(block), lanes_of(store));
  }

  // Scans the elements from `start` on, `lanes` for each item. Returns the next carry.
  StatusOr<Values> EmitElements(llvm::Value* start, llvm::ArrayRef<llvm::Value*> carry,
                                int lanes) {
    llvm::Value* index = b_.CreateAdd(start, b_.CreateMul(body_.item(), I64(lanes)));
    llvm::Value *exists = nullptr, *loaded = index;
    if (lanes == 1) {
      exists = b_.CreateICmpSLT(index, upper_);
      loaded = b_.CreateSelect(exists, index, b_.CreateSub(upper_, I64(1)));
    }
    TENON_ASSIGN_OR_RETURN(std::vector<Values> elements, LoadElements(loaded, lanes));
    // Each item's own elements, then what is before them.
    for (size_t i = 1; i < elements.size(); ++i) {
      TENON_ASSIGN_OR_RETURN(elements[i], Combine(elements[i - 1], elements[i]));
    }
    if (!body_.HasSubgroups()) {
      TENON_ASSIGN_OR_RETURN(elements[0], EmitPrefixes(std::move(elements[0])));
      TENON_ASSIGN_OR_RETURN(elements[0], Combine(carry, elements[0]));
      return StoreAndCarry(elements[0], start, index, exists);
    }
    Values next(carry);
    TENON_ASSIGN_OR_RETURN(Values before, EmitBefore(elements.back(), next));
    for (Values& element : elements) {
      TENON_ASSIGN_OR_RETURN(element, Combine(before, element));
    }
    Status status;
    auto store = [&] { status = StoreElements(index, elements); };
    if (exists)
      EmitIf(b_, exists, store);
    else
      store();
    TENON_RETURN_IF_ERROR(status);
    return next;
  }

  // The elements of an item, in order.
  StatusOr<std::vector<Values>> LoadElements(llvm::Value* index, int lanes) {
    mlir::Block& block = scan_.getBody().front();
    if (lanes > 1) points_.set_lanes({lanes, nullptr});
    points_.SetIndex(block.getArgument(0), {index, lanes > 1 ? 1 : 0, lanes});
    auto values = body_.InItem([&] { return body_.EmitYielded(block); });
    points_.set_lanes({});
    TENON_RETURN_IF_ERROR(values.status());
    std::vector<Values> elements;
    for (int lane = 0; lane < lanes; ++lane) {
      elements.emplace_back();
      for (llvm::Value* part : *values)
        elements.back().push_back(
            lanes == 1 ? part
                       : b_.CreateExtractElement(part, static_cast<uint64_t>(lane)));
    }
    return elements;
  }

  Status StoreElements(llvm::Value* index, llvm::ArrayRef<Values> elements) {
    const auto lanes = static_cast<int>(elements.size());
    Values results = elements[0];
    if (lanes > 1) {
      for (auto [number, result] : llvm::enumerate(results)) {
        llvm::Value* vector = llvm::PoisonValue::get(
            llvm::FixedVectorType::get(result->getType(), static_cast<unsigned>(lanes)));
        for (int lane = 0; lane < lanes; ++lane)
          vector =
              b_.CreateInsertElement(vector, elements[static_cast<size_t>(lane)][number],
                                     static_cast<uint64_t>(lane));
        result = vector;
      }
    }
    if (lanes > 1) points_.set_lanes({lanes, nullptr});
    Status status = EmitStore({index, lanes > 1 ? 1 : 0, lanes}, results);
    points_.set_lanes({});
    return status;
  }

  // `last` is the result of an item's own elements. Returns the combination of all
  // before them with the carry, which becomes the next carry.
  StatusOr<Values> EmitBefore(Values last, Values& carry) {
    const int subgroup = body_.device().subgroup_items;
    llvm::Value* lane = b_.CreateAnd(body_.item(), I64(subgroup - 1));
    TENON_ASSIGN_OR_RETURN(last, EmitSubgroupPrefixes(std::move(last), lane, subgroup));
    const Values left = ReadBefore(last, lane, 1);
    Values before = carry;
    const int64_t subgroups = items_ / subgroup;
    Values total = body_.ReadLane(last, b_.getInt32(static_cast<uint32_t>(subgroup - 1)));
    if (subgroups > 1) {
      llvm::SmallVector<llvm::Type*> types = TypesOf(last);
      llvm::Value* number = b_.CreateUDiv(body_.item(), I64(subgroup));
      LocalMemory& local = body_.local();
      EmitIf(b_, b_.CreateICmpEQ(lane, I64(0)),
             [&] { local.Store(total, number, subgroups); });
      body_.Barrier();
      llvm::Value* end = I64(subgroups - 1);
      llvm::Value* from = b_.CreateSelect(b_.CreateICmpULT(lane, end), lane, end);
      Values totals = local.Load(types, from, subgroups);
      body_.Barrier();  // before the memory is used again
      TENON_ASSIGN_OR_RETURN(totals,
                             EmitSubgroupPrefixes(std::move(totals), lane, subgroups));
      total = body_.ReadLane(totals, b_.getInt32(static_cast<uint32_t>(subgroups - 1)));
      Values earlier = body_.ReadLane(
          totals, b_.CreateTrunc(b_.CreateSub(number, I64(1)), b_.getInt32Ty()));
      TENON_ASSIGN_OR_RETURN(Values joined, Combine(before, earlier));
      before = Choose(b_.CreateICmpSGT(number, I64(0)), joined, before);
    }
    TENON_ASSIGN_OR_RETURN(Values joined, Combine(before, left));
    before = Choose(b_.CreateICmpSGT(lane, I64(0)), joined, before);
    TENON_ASSIGN_OR_RETURN(carry, Combine(carry, total));
    return before;
  }

  Values Choose(llvm::Value* condition, llvm::ArrayRef<llvm::Value*> x,
                llvm::ArrayRef<llvm::Value*> y) {
    Values chosen;
    for (auto [first, second] : llvm::zip_equal(x, y))
      chosen.push_back(b_.CreateSelect(condition, first, second));
    return chosen;
  }
  Values ReadBefore(llvm::ArrayRef<llvm::Value*> values, llvm::Value* lane,
                    int64_t distance) {
    return body_.ReadLane(
        values, b_.CreateTrunc(b_.CreateSub(lane, I64(distance)), b_.getInt32Ty()));
  }
  // Combines the value of each of `count` lanes with those of all lanes before it.
  StatusOr<Values> EmitSubgroupPrefixes(Values values, llvm::Value* lane, int64_t count) {
    for (int64_t distance = 1; distance < count; distance *= 2) {
      TENON_ASSIGN_OR_RETURN(Values sums,
                             Combine(ReadBefore(values, lane, distance), values));
      values = Choose(b_.CreateICmpSGE(lane, I64(distance)), sums, values);
    }
    return values;
  }

  // Where items exchange values in local memory alone.
  StatusOr<Values> StoreAndCarry(Values& values, llvm::Value* start, llvm::Value* index,
                                 llvm::Value* exists) {
    llvm::SmallVector<llvm::Type*> types = TypesOf(values);
    body_.local().Store(values, body_.item(), items_);
    body_.Barrier();
    llvm::Value* count = b_.CreateSub(upper_, start);
    llvm::Value* all = I64(items_);
    llvm::Value* used = b_.CreateSelect(b_.CreateICmpSLT(count, all), count, all);
    Values next = body_.local().Load(types, b_.CreateSub(used, I64(1)), items_);
    Status status;
    EmitIf(b_, exists, [&] { status = EmitStore({index, 0, 1}, values); });
    TENON_RETURN_IF_ERROR(status);
    body_.Barrier();
    return next;
  }

  // Combines the value of each item with those of all items before it.
  StatusOr<Values> EmitPrefixes(Values values) {
    LocalMemory& local = body_.local();
    llvm::SmallVector<llvm::Type*> types = TypesOf(values);
    for (int64_t distance = 1; distance < items_; distance *= 2) {
      llvm::Value* step = I64(distance);
      llvm::Value* has_left = b_.CreateICmpSGE(body_.item(), step);
      llvm::Value* left =
          b_.CreateSelect(has_left, b_.CreateSub(body_.item(), step), I64(0));
      local.Store(values, body_.item(), items_);
      body_.Barrier();
      Values before = local.Load(types, left, items_);
      body_.Barrier();
      TENON_ASSIGN_OR_RETURN(Values sums, Combine(before, values));
      values = Choose(has_left, sums, values);
    }
    return values;
  }

  StatusOr<Values> Combine(llvm::ArrayRef<llvm::Value*> x,
                           llvm::ArrayRef<llvm::Value*> y) {
    return body_.InItem([&] { return body_.Combine(combiner_, x, y); });
  }

  Status EmitStore(IndexValue index, llvm::ArrayRef<llvm::Value*> results) {
    mlir::Block& block = scan_.getStore().front();
    points_.SetIndex(block.getArgument(0), std::move(index));
    SetScalars(points_, block.getArguments().drop_front(), scan_.getInits().getTypes(),
               results);
    return body_.InItem([&] { return body_.EmitBlock(block); });
  }
  static llvm::SmallVector<llvm::Type*> TypesOf(llvm::ArrayRef<llvm::Value*> values) {
    llvm::SmallVector<llvm::Type*> types;
    for (llvm::Value* value : values) types.push_back(value->getType());
    return types;
  }

  GroupBody& body_;
  PointEmitter& points_;
  llvm::IRBuilderBase& b_;
  ir::ScanOp scan_;
  mlir::Block& combiner_;
  const int64_t items_;
  llvm::Value* upper_ = nullptr;
};

}  // namespace

Status EmitGroupScan(GroupBody& body, ir::ScanOp scan) {
  return GroupScan(body, scan).Emit();
}

}  // namespace tenon::codegen
