// tenon.scan: prefix results within a vector register by shuffles, and a carried value
// from one register to the next.
#include "llvm/IR/Constants.h"
#include "tenon/compiler/codegen/kernel/identity_constant.h"
#include "tenon/compiler/codegen/kernel/kernel_emitter.h"

namespace tenon::codegen {
namespace {

void SetAll(PointEmitter& points, mlir::ValueRange arguments, mlir::TypeRange types,
            llvm::ArrayRef<llvm::Value*> parts) {
  for (auto [argument, value] : llvm::zip_equal(arguments, UnflattenParts(types, parts)))
    points.SetScalar(argument, value);
}

}  // namespace

Status KernelEmitter::EmitScan(ir::ScanOp scan) {
  if (points_->lanes().width > 1) return EmitSequentialScan(scan);
  int width = ChooseWidth(scan.getBody().front(), options_.target);
  auto lower = ConstantIndex(points_->Index(scan.getLower()));
  auto upper = ConstantIndex(points_->Index(scan.getUpper()));
  if (lower && upper)
    while (width > 1 && *upper - *lower < width) width /= 2;
  if (width < 4) return EmitSequentialScan(scan);
  return EmitVectorScan(scan, width);
}

Status KernelEmitter::EmitSequentialScan(ir::ScanOp scan) {
  mlir::Block &body = scan.getBody().front(), &store = scan.getStore().front();
  mlir::TypeRange types = scan.getInits().getTypes();
  llvm::SmallVector<ElementValue> inits;
  for (mlir::Value init : scan.getInits())
    inits.push_back(points_->Broadcast(points_->Scalar(init)));
  Status status;
  auto step = [&](llvm::Value* iv, Values& accumulators) -> Status {
    points_->SetIndex(body.getArgument(0), {iv, 0, 1});
    TENON_RETURN_IF_ERROR(EmitBlock(body));
    llvm::SmallVector<ElementValue> values;
    for (mlir::Value operand : body.back().getOperands())
      values.push_back(points_->Broadcast(points_->Scalar(operand)));
    TENON_ASSIGN_OR_RETURN(accumulators, Combine(scan.getCombiner().front(), accumulators,
                                                 FlattenParts(values)));
    points_->SetIndex(store.getArgument(0), {iv, 0, 1});
    SetAll(*points_, store.getArguments().drop_front(), types, accumulators);
    return EmitBlock(store);
  };
  EmitForLoop(b_, points_->Index(scan.getLower()).base,
              points_->Index(scan.getUpper()).base, 1, FlattenParts(inits),
              [&](llvm::Value* iv, llvm::ArrayRef<llvm::Value*> carried) {
                Values accumulators(carried);
                if (status.ok()) status = step(iv, accumulators);
                return accumulators;
              });
  return status;
}

Status KernelEmitter::EmitVectorScan(ir::ScanOp scan, int width) {
  mlir::Block &body = scan.getBody().front(), &store = scan.getStore().front();
  mlir::Block& combiner = scan.getCombiner().front();
  mlir::TypeRange types = scan.getInits().getTypes();
  llvm::SmallVector<ElementValue> inits;
  for (mlir::Value init : scan.getInits()) inits.push_back(points_->Scalar(init));
  Values init_parts = FlattenParts(inits);

  // The values shifted into the low lanes. If the identity is not known, those lanes are
  // kept as they are.
  Values fill;
  bool known_identity = true;
  if (init_parts.size() == inits.size()) {
    for (auto [position, part] : llvm::enumerate(init_parts)) {
      auto identity = IdentityConstant(combiner, position, part->getType());
      known_identity &= identity.has_value();
      if (identity) fill.push_back(b_.CreateVectorSplat(width, *identity));
    }
  } else {
    known_identity = false;  // complex: no identity constant
  }
  auto shifted = [&](llvm::ArrayRef<llvm::Value*> parts, int distance) {
    llvm::SmallVector<int> lanes;
    for (int lane = 0; lane < width; ++lane)
      lanes.push_back(lane < distance ? (known_identity ? width + lane : lane)
                                      : lane - distance);
    Values result;
    for (auto [position, part] : llvm::enumerate(parts))
      result.push_back(
          b_.CreateShuffleVector(part, known_identity ? fill[position] : part, lanes));
    return result;
  };
  auto keep_low = [&](llvm::ArrayRef<llvm::Value*> low, Values& parts, int distance) {
    llvm::SmallVector<llvm::Constant*> mask;
    for (int lane = 0; lane < width; ++lane) mask.push_back(b_.getInt1(lane < distance));
    for (auto [kept, part] : llvm::zip_equal(low, parts))
      part = b_.CreateSelect(llvm::ConstantVector::get(mask), kept, part);
  };
  llvm::SmallVector<int> last_lane(width, width - 1);

  // Scans one register at `iv`. Returns the next carried values in all lanes.
  auto step = [&](llvm::Value* iv, llvm::ArrayRef<llvm::Value*> carry,
                  llvm::Value* mask) -> StatusOr<Values> {
    points_->set_lanes({width, mask});
    IndexValue index{iv, 1, 1};
    points_->SetIndex(body.getArgument(0), index);
    TENON_RETURN_IF_ERROR(EmitBlock(body));
    llvm::SmallVector<ElementValue> values;
    for (mlir::Value operand : body.back().getOperands())
      values.push_back(points_->Broadcast(points_->Scalar(operand)));
    Values parts = FlattenParts(values);
    for (int distance = 1; distance < width; distance *= 2) {
      TENON_ASSIGN_OR_RETURN(Values sums,
                             Combine(combiner, shifted(parts, distance), parts));
      if (!known_identity) keep_low(parts, sums, distance);
      parts = std::move(sums);
    }
    // The carried value depends on one combination only, not on the prefix of the last
    // lane.
    Values totals;
    for (llvm::Value* part : parts)
      totals.push_back(b_.CreateShuffleVector(part, last_lane));
    TENON_ASSIGN_OR_RETURN(Values sums, Combine(combiner, carry, parts));
    TENON_ASSIGN_OR_RETURN(Values next, Combine(combiner, carry, totals));
    points_->SetIndex(store.getArgument(0), index);
    SetAll(*points_, store.getArguments().drop_front(), types, sums);
    TENON_RETURN_IF_ERROR(EmitBlock(store));
    return next;
  };

  points_->set_lanes({width, nullptr});
  for (ElementValue& init : inits) init = points_->Broadcast(init);
  llvm::Value* lower = points_->Index(scan.getLower()).base;
  llvm::Value* upper = points_->Index(scan.getUpper()).base;
  llvm::Value* whole = b_.CreateAnd(b_.CreateSub(upper, lower),
                                    b_.getInt64(~static_cast<uint64_t>(width - 1)));
  llvm::Value* main_end = b_.CreateAdd(lower, whole);
  Status status;
  Values carried =
      EmitForLoop(b_, lower, main_end, width, FlattenParts(inits),
                  [&](llvm::Value* iv, llvm::ArrayRef<llvm::Value*> carry) -> Values {
                    auto next = step(iv, carry, nullptr);
                    if (next.ok()) return *next;
                    if (status.ok()) status = next.status();
                    return Values(carry);
                  });
  TENON_RETURN_IF_ERROR(status);
  EmitIf(b_, b_.CreateICmpSLT(main_end, upper), [&] {
    llvm::Value* rest = b_.CreateTrunc(b_.CreateSub(upper, main_end), b_.getInt32Ty());
    llvm::SmallVector<llvm::Constant*> lanes;
    for (int lane = 0; lane < width; ++lane) lanes.push_back(b_.getInt32(lane));
    llvm::Value* mask = b_.CreateICmpULT(llvm::ConstantVector::get(lanes),
                                         b_.CreateVectorSplat(width, rest));
    status = step(main_end, carried, mask).status();
  });
  points_->set_lanes({});
  return status;
}

}  // namespace tenon::codegen
