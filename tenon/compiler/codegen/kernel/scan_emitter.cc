// Prefix results within a vector register by shuffles, and a carried value from one
// register to the next.
#include "tenon/compiler/codegen/kernel/scan_emitter.h"

#include "llvm/IR/Constants.h"
#include "tenon/compiler/codegen/kernel/identity_constant.h"
#include "tenon/compiler/codegen/kernel/reduction.h"
#include "tenon/compiler/codegen/kernel/vector_width.h"
#include "tenon/compiler/codegen/point/value_parts.h"
#include "tenon/dialects/stablehlo/combiner.h"

namespace tenon::codegen {
namespace {

// The parts that both ways to emit a scan share.
class Scan {
 public:
  Scan(BodyEmitter& body, ir::ScanOp scan)
      : body_(body),
        points_(body.points()),
        b_(body.builder()),
        scan_(scan),
        combiner_(scan.getCombiner().front()) {}

 protected:
  // Emits the points at `index` and returns their values.
  StatusOr<Values> EmitPoints(IndexValue index) {
    mlir::Block& block = scan_.getBody().front();
    points_.SetIndex(block.getArgument(0), index);
    return body_.EmitYielded(block);
  }
  // Stores the prefix results at `index`.
  Status EmitStore(IndexValue index, llvm::ArrayRef<llvm::Value*> results) {
    mlir::Block& block = scan_.getStore().front();
    points_.SetIndex(block.getArgument(0), index);
    SetScalars(points_, block.getArguments().drop_front(), scan_.getInits().getTypes(),
               results);
    return body_.EmitBlock(block);
  }
  StatusOr<Values> Combine(llvm::ArrayRef<llvm::Value*> x,
                           llvm::ArrayRef<llvm::Value*> y) {
    return body_.Combine(combiner_, x, y);
  }
  llvm::SmallVector<ElementValue> Inits() {
    llvm::SmallVector<ElementValue> inits;
    for (mlir::Value init : scan_.getInits()) inits.push_back(points_.Scalar(init));
    return inits;
  }
  Values BroadcastParts(llvm::SmallVector<ElementValue> values) {
    for (ElementValue& value : values) value = points_.Broadcast(value);
    return FlattenParts(values);
  }
  llvm::Value* Lower() { return points_.Index(scan_.getLower()).base; }
  llvm::Value* Upper() { return points_.Index(scan_.getUpper()).base; }

  // One step of a loop: returns the next carried values. Results are those of `carried`
  // after `before`, which is empty if nothing comes before.
  using Step = llvm::function_ref<StatusOr<Values>(llvm::Value* iv,
                                                   llvm::ArrayRef<llvm::Value*> carried,
                                                   llvm::ArrayRef<llvm::Value*> before)>;

  // Emits a loop of `step` from `lower` to `upper` and returns the last carried values.
  // Long sums of floats restart from the identity in each block of steps, so that their
  // rounding errors are those of small sums.
  StatusOr<Values> EmitLoop(llvm::Value* lower, llvm::Value* upper, int64_t step,
                            Values inits, Step body) {
    const int64_t block =
        body_.target().device ? 0 : BlockSteps(lower, upper, step) * step;
    const Values starts =
        block ? SumStarts(combiner_, inits, scan_.getInits().size()) : Values();
    Status status;
    auto loop = [&](llvm::Value* begin, llvm::Value* end, Values carried,
                    llvm::ArrayRef<llvm::Value*> before) {
      return EmitForLoop(b_, begin, end, step, std::move(carried),
                         [&](llvm::Value* iv, llvm::ArrayRef<llvm::Value*> values) {
                           auto next = body(iv, values, before);
                           if (next.ok()) return *next;
                           status = next.status();
                           return Values(values);
                         });
    };
    const SumBlocks blocks{starts, [&](llvm::ArrayRef<llvm::Value*> before,
                                       llvm::ArrayRef<llvm::Value*> sums) {
                             auto both = Combine(before, sums);
                             if (both.ok()) return *both;
                             status = both.status();
                             return Values(before);
                           }};
    Values results = starts.empty()
                         ? loop(lower, upper, std::move(inits), {})
                         : EmitBlocks(b_, lower, upper, block, inits, blocks,
                                      [&](llvm::Value* begin, llvm::Value* end,
                                          llvm::ArrayRef<llvm::Value*> before) {
                                        return loop(begin, end, starts, before);
                                      });
    TENON_RETURN_IF_ERROR(status);
    return results;
  }

  BodyEmitter& body_;
  PointEmitter& points_;
  llvm::IRBuilderBase& b_;
  ir::ScanOp scan_;
  mlir::Block& combiner_;

 private:
  // The steps of a block; 0 for short scans. Each step waits for the one before it, so
  // even short blocks cost nothing.
  static int64_t BlockSteps(llvm::Value* lower, llvm::Value* upper, int64_t step) {
    constexpr int64_t kMinBlockSteps = 16;
    auto* first = llvm::dyn_cast<llvm::ConstantInt>(lower);
    auto* last = llvm::dyn_cast<llvm::ConstantInt>(upper);
    if (!first || !last) return kBlockSteps;
    const int64_t steps = (last->getSExtValue() - first->getSExtValue()) / step;
    return steps >= 2 * kMinBlockSteps ? StepsOfBlock(steps, kMinBlockSteps) : 0;
  }
};

// One point after another, in scalar code or in each lane of the loop around it.
class SequentialScan : Scan {
 public:
  using Scan::Scan;

  Status Emit() {
    return EmitLoop(Lower(), Upper(), 1, BroadcastParts(Inits()),
                    [&](llvm::Value* iv, llvm::ArrayRef<llvm::Value*> carried,
                        llvm::ArrayRef<llvm::Value*> before) -> StatusOr<Values> {
                      TENON_ASSIGN_OR_RETURN(Values values, EmitPoints({iv, 0, 1}));
                      TENON_ASSIGN_OR_RETURN(Values next, Combine(carried, values));
                      Values results = next;
                      if (!before.empty()) {
                        TENON_ASSIGN_OR_RETURN(results, Combine(before, next));
                      }
                      TENON_RETURN_IF_ERROR(EmitStore({iv, 0, 1}, results));
                      return next;
                    })
        .status();
  }
};

class VectorScan : Scan {
 public:
  VectorScan(BodyEmitter& body, ir::ScanOp scan, int width)
      : Scan(body, scan), width_(width) {}

  Status Emit() {
    llvm::SmallVector<ElementValue> inits = Inits();
    MakeFill(FlattenParts(inits), inits.size());
    points_.set_lanes({width_, nullptr});
    Values carried = BroadcastParts(std::move(inits));
    llvm::Value *lower = Lower(), *upper = Upper();
    llvm::Value* whole = b_.CreateAnd(b_.CreateSub(upper, lower),
                                      b_.getInt64(~static_cast<uint64_t>(width_ - 1)));
    llvm::Value* main_end = b_.CreateAdd(lower, whole);
    TENON_ASSIGN_OR_RETURN(
        carried, EmitLoop(lower, main_end, width_, std::move(carried),
                          [&](llvm::Value* iv, llvm::ArrayRef<llvm::Value*> carry,
                              llvm::ArrayRef<llvm::Value*> before) {
                            return EmitRegister(iv, carry, before, nullptr);
                          }));
    Status status;
    EmitIf(b_, b_.CreateICmpSLT(main_end, upper), [&] {
      llvm::Value* rest = b_.CreateTrunc(b_.CreateSub(upper, main_end), b_.getInt32Ty());
      llvm::SmallVector<llvm::Constant*> lanes;
      for (int lane = 0; lane < width_; ++lane) lanes.push_back(b_.getInt32(lane));
      llvm::Value* mask = b_.CreateICmpULT(llvm::ConstantVector::get(lanes),
                                           b_.CreateVectorSplat(width_, rest));
      status = EmitRegister(main_end, carried, {}, mask).status();
    });
    points_.set_lanes({});
    return status;
  }

 private:
  // Sets the values that are shifted into the low lanes: the combiner's identity. If it
  // is not known, and for complex numbers, those lanes are kept as they are.
  void MakeFill(llvm::ArrayRef<llvm::Value*> init_parts, size_t inits) {
    known_identity_ = init_parts.size() == inits;
    if (!known_identity_) return;
    for (auto [position, part] : llvm::enumerate(init_parts)) {
      auto identity = IdentityConstant(combiner_, position, part->getType());
      known_identity_ &= identity.has_value();
      if (identity) fill_.push_back(b_.CreateVectorSplat(width_, *identity));
    }
  }

  // Scans one register at `iv`. Returns the next carried values in all lanes.
  StatusOr<Values> EmitRegister(llvm::Value* iv, llvm::ArrayRef<llvm::Value*> carry,
                                llvm::ArrayRef<llvm::Value*> before, llvm::Value* mask) {
    points_.set_lanes({width_, mask});
    TENON_ASSIGN_OR_RETURN(Values parts, EmitPoints({iv, 1, 1}));
    TENON_ASSIGN_OR_RETURN(parts, EmitPrefixes(std::move(parts)));
    // The carried value depends on one combination only, not on the prefix of the last
    // lane.
    llvm::SmallVector<int> last_lane(width_, width_ - 1);
    Values totals;
    for (llvm::Value* part : parts)
      totals.push_back(b_.CreateShuffleVector(part, last_lane));
    TENON_ASSIGN_OR_RETURN(Values sums, Combine(carry, parts));
    TENON_ASSIGN_OR_RETURN(Values next, Combine(carry, totals));
    if (!before.empty()) {
      TENON_ASSIGN_OR_RETURN(sums, Combine(before, sums));
    }
    TENON_RETURN_IF_ERROR(EmitStore({iv, 1, 1}, sums));
    return next;
  }

  // Combines each lane with all lanes before it.
  StatusOr<Values> EmitPrefixes(Values parts) {
    for (int distance = 1; distance < width_; distance *= 2) {
      TENON_ASSIGN_OR_RETURN(Values sums, Combine(ShiftUp(parts, distance), parts));
      if (!known_identity_) KeepLowLanes(parts, sums, distance);
      parts = std::move(sums);
    }
    return parts;
  }

  // Moves lane l to lane l + distance.
  Values ShiftUp(llvm::ArrayRef<llvm::Value*> parts, int distance) {
    llvm::SmallVector<int> lanes;
    for (int lane = 0; lane < width_; ++lane)
      lanes.push_back(lane < distance ? (known_identity_ ? width_ + lane : lane)
                                      : lane - distance);
    Values result;
    for (auto [position, part] : llvm::enumerate(parts))
      result.push_back(
          b_.CreateShuffleVector(part, known_identity_ ? fill_[position] : part, lanes));
    return result;
  }

  // Sets the first `distance` lanes of `parts` to those of `low`.
  void KeepLowLanes(llvm::ArrayRef<llvm::Value*> low, Values& parts, int distance) {
    llvm::SmallVector<llvm::Constant*> mask;
    for (int lane = 0; lane < width_; ++lane) mask.push_back(b_.getInt1(lane < distance));
    for (auto [kept, part] : llvm::zip_equal(low, parts))
      part = b_.CreateSelect(llvm::ConstantVector::get(mask), kept, part);
  }

  const int width_;
  bool known_identity_ = false;
  Values fill_;
};

}  // namespace

Status EmitScan(BodyEmitter& body, ir::ScanOp scan) {
  PointEmitter& points = body.points();
  if (points.lanes().width > 1) return SequentialScan(body, scan).Emit();
  int width = ChooseWidth(scan.getBody().front(), body.target());
  auto lower = ConstantIndex(points.Index(scan.getLower()));
  auto upper = ConstantIndex(points.Index(scan.getUpper()));
  if (lower && upper)
    while (width > 1 && *upper - *lower < width) width /= 2;
  if (width < 4) return SequentialScan(body, scan).Emit();
  return VectorScan(body, scan, width).Emit();
}

}  // namespace tenon::codegen
