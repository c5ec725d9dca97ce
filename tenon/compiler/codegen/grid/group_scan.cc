// An inclusive scan over a range: the items scan as many elements at a time as there are
// items, in local memory, and carry the last result to the next elements.
#include "tenon/compiler/codegen/grid/group_body.h"
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
    upper_ = points_.Index(scan_.getUpper()).base;
    Status status;
    EmitForLoop(b_, points_.Index(scan_.getLower()).base, upper_, items_,
                FlattenParts(inits),
                [&](llvm::Value* start, llvm::ArrayRef<llvm::Value*> carry) {
                  auto next = EmitElements(start, carry);
                  if (next.ok()) return *next;
                  if (status.ok()) status = next.status();
                  return Values(carry);
                });
    return status;
  }

 private:
  // Scans the elements from `start` on, one for each item. Returns the next carry.
  StatusOr<Values> EmitElements(llvm::Value* start, llvm::ArrayRef<llvm::Value*> carry) {
    llvm::Value* index = b_.CreateAdd(start, body_.item());
    llvm::Value* exists = b_.CreateICmpSLT(index, upper_);
    llvm::Value* last = b_.CreateSub(upper_, b_.getInt64(1));
    mlir::Block& block = scan_.getBody().front();
    points_.SetIndex(block.getArgument(0), {b_.CreateSelect(exists, index, last), 0, 1});
    TENON_ASSIGN_OR_RETURN(Values values,
                           body_.InItem([&] { return body_.EmitYielded(block); }));
    TENON_ASSIGN_OR_RETURN(values, EmitPrefixes(std::move(values)));
    TENON_ASSIGN_OR_RETURN(values, Combine(carry, values));
    llvm::SmallVector<llvm::Type*> types = TypesOf(values);
    body_.local().Store(values, body_.item(), items_);
    body_.Barrier();
    llvm::Value* count = b_.CreateSub(upper_, start);
    llvm::Value* all = b_.getInt64(static_cast<uint64_t>(items_));
    llvm::Value* used = b_.CreateSelect(b_.CreateICmpSLT(count, all), count, all);
    Values next = body_.local().Load(types, b_.CreateSub(used, b_.getInt64(1)), items_);
    Status status;
    EmitIf(b_, exists, [&] { status = EmitStore(index, values); });
    TENON_RETURN_IF_ERROR(status);
    body_.Barrier();
    return next;
  }

  // Combines the value of each item with those of all items before it.
  StatusOr<Values> EmitPrefixes(Values values) {
    LocalMemory& local = body_.local();
    llvm::SmallVector<llvm::Type*> types = TypesOf(values);
    for (int64_t distance = 1; distance < items_; distance *= 2) {
      llvm::Value* step = b_.getInt64(static_cast<uint64_t>(distance));
      llvm::Value* has_left = b_.CreateICmpSGE(body_.item(), step);
      llvm::Value* left =
          b_.CreateSelect(has_left, b_.CreateSub(body_.item(), step), b_.getInt64(0));
      local.Store(values, body_.item(), items_);
      body_.Barrier();
      Values before = local.Load(types, left, items_);
      body_.Barrier();
      TENON_ASSIGN_OR_RETURN(Values sums, Combine(before, values));
      for (auto [value, sum] : llvm::zip_equal(values, sums))
        value = b_.CreateSelect(has_left, sum, value);
    }
    return values;
  }

  StatusOr<Values> Combine(llvm::ArrayRef<llvm::Value*> x,
                           llvm::ArrayRef<llvm::Value*> y) {
    return body_.InItem([&] { return body_.Combine(combiner_, x, y); });
  }
  Status EmitStore(llvm::Value* index, llvm::ArrayRef<llvm::Value*> results) {
    mlir::Block& block = scan_.getStore().front();
    points_.SetIndex(block.getArgument(0), {index, 0, 1});
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
