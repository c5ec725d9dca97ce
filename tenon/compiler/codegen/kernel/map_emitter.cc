#include "tenon/compiler/codegen/kernel/map_emitter.h"

#include <numeric>

#include "llvm/IR/Constants.h"
#include "tenon/compiler/codegen/elementwise/accuracy.h"
#include "tenon/compiler/codegen/kernel/access_analysis.h"
#include "tenon/compiler/codegen/kernel/row_periods.h"
#include "tenon/compiler/codegen/kernel/vector_width.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::codegen {
namespace {

// From this many instructions on, the ops of a point count as a long dependence chain.
constexpr size_t kLongChain = 24;
// Reductions and scans down the columns with longer bodies are not widened.
constexpr size_t kMaxWidenedReductionOps = 40;
// The remainder of an unrolled loop is a loop of its own. It gathers lane by lane, so its
// code grows with the number of lanes.
constexpr int kMaxRemainderLanes = 16;
// Scattered accesses are emitted lane by lane, too. LLVM's time grows with the square of
// the lanes of a vector that is built so. Many of them are emitted for fewer lanes; they
// take the time, so that narrower registers cost little.
constexpr int kMaxWidthIfScattered = 64;
constexpr int64_t kMaxScatteredLanes = 512;
constexpr int kMinScatteredWidth = 16;
// And so are masked accesses of less than 4 bytes, if the target has no instructions for
// them.
constexpr int kMaxNarrowMaskedLanes = 8;

// Whether `value` may differ between the points of the loop whose body is `block`. The
// indices of loops and reductions inside are the same for all of them.
bool VariesInLoop(mlir::Value value, mlir::Block& block,
                  llvm::SmallPtrSetImpl<mlir::Value>& visited) {
  if (value == block.getArgument(0)) return true;
  mlir::Operation* op = value.getDefiningOp();
  mlir::Operation* owner = op ? op : value.getParentBlock()->getParentOp();
  if (!block.findAncestorOpInBlock(*owner) || !visited.insert(value).second) return false;
  if (!op) return !value.getType().isIndex();
  return op->getNumRegions() > 0 || llvm::any_of(op->getOperands(), [&](mlir::Value x) {
           return VariesInLoop(x, block, visited);
         });
}

// A mask that is the same for all lanes is no mask of their accesses.
bool HasNarrowMaskedAccesses(mlir::Block& block) {
  bool found = false;
  llvm::SmallPtrSet<mlir::Value, 16> visited;
  ForEachAccess(block, [&](const ViewAccess& access) {
    found = found || (access.mask && access.ElementSize() < 4 &&
                      VariesInLoop(access.mask, block, visited));
  });
  return found;
}

// Whether the block has a window or reduction some of whose lanes are outside of the
// array it reads.
bool HasMaskedReduction(mlir::Block& block) {
  bool found = false;
  llvm::SmallPtrSet<mlir::Value, 16> visited;
  for (ir::ReduceOp reduce : block.getOps<ir::ReduceOp>())
    for (ir::LoadOp load : reduce.getBody().getOps<ir::LoadOp>())
      found = found || (load.getMask() && VariesInLoop(load.getMask(), block, visited));
  return found;
}

// Estimates the length of the instruction chain of a point.
size_t ChainLength(mlir::Block& block) {
  constexpr size_t kFunction = 16, kConversion = 3;
  size_t length = 0;
  block.walk([&](mlir::Operation* op) {
    ++length;
    std::optional<compiler::ElementwiseOp> kind = ElementwiseOpOf(*op);
    if (!kind) return;
    if (compiler::MaxUlps(*kind, ElementType::kF32) > 0.5) length += kFunction;
    ElementType type = ir::ElementTypeOfShaped(op->getResult(0).getType());
    if (compiler::IsFloat(type) && ElementBits(type) < 32) length += kConversion;
  });
  return length;
}

class MapEmitter {
 public:
  MapEmitter(BodyEmitter& body, ir::MapOp map)
      : body_(body),
        points_(body.points()),
        b_(body.builder()),
        map_(map),
        block_(map.getBody().front()),
        lower_(points_.Index(map.getLower())),
        upper_(points_.Index(map.getUpper())) {}

  Status Emit() {
    if (auto loop = AsCopyLoop(map_, MinMemmoveBytes())) return EmitCopy(*loop);
    ChooseLanes();
    if (trip_ == 0) return OkStatus();
    if (map_->hasAttr(ir::kOverlapTailAttr) && width_ > 1 && !period_)
      EmitOverlapping();
    else
      EmitMainAndRemainder();
    return status_;
  }

 private:
  // Below this size, a vector loop copies faster than a call of memmove. The rest of a
  // loop over narrow elements is a branch for each, though, on targets without masks for
  // them.
  int64_t MinMemmoveBytes() const {
    constexpr int64_t kBytes = 2048, kNarrowBytes = 48;
    bool narrow = llvm::any_of(block_.getOps<ir::StoreOp>(), [](ir::StoreOp store) {
      return ElementBytes(ir::ElementTypeOf(store.getView().getType().getElementType())) <
             4;
    });
    return narrow && !body_.target().narrow_masks ? kNarrowBytes : kBytes;
  }

  Status EmitCopy(const CopyLoop& loop) {
    ir::LoadOp load = loop.load;
    mlir::Value mask = load.getMask();
    if (!mask) return EmitMemmove(loop);
    llvm::Value* condition = points_.Pred(mask);
    auto fill = [&] {
      points_.SetPred(mask, b_.getFalse());
      ChooseLanes();
      if (trip_ != 0) EmitMainAndRemainder();
      points_.SetPred(mask, condition);
      return status_;
    };
    return EmitIfElse(b_, condition, [&] { return EmitMemmove(loop); }, fill);
  }

  // Calls memmove: the loader binds the implementation that is fastest on this machine
  // for each length.
  Status EmitMemmove(const CopyLoop& loop) {
    llvm::Value* count = b_.CreateSub(upper_.base, lower_.base);
    points_.SetIndex(block_.getArgument(0), {lower_.base, 0, 1});
    for (mlir::Operation& op : block_)
      if (!llvm::isa<ir::LoadOp, ir::StoreOp>(op))
        TENON_RETURN_IF_ERROR(points_.EmitOp(op));
    ir::LoadOp load = loop.load;
    ir::StoreOp store = loop.store;
    int64_t bytes = ElementBytes(ir::ElementTypeOfShaped(load.getType()));
    b_.CreateMemMove(points_.memory().Address(store.getView(), store.getIndices()),
                     llvm::Align(1),
                     points_.memory().Address(load.getView(), load.getIndices()),
                     llvm::Align(1), b_.CreateMul(count, b_.getInt64(bytes)));
    return OkStatus();
  }

  // Chooses the trip count, the number of lanes and the registers of a period.
  void ChooseLanes() {
    width_ = ChooseWidth(block_, body_.target());
    if (width_ > kMaxNarrowMaskedLanes && !body_.target().narrow_masks &&
        HasNarrowMaskedAccesses(block_))
      width_ = kMaxNarrowMaskedLanes;
    auto lower = ConstantIndex(lower_), upper = ConstantIndex(upper_);
    if (lower && upper) trip_ = std::max<int64_t>(0, *upper - *lower);
    // A loop with inner loops that carry values (loop interchange) uses a lane for each
    // of its points. The pass that built it has counted the registers.
    bool carries = llvm::any_of(block_.getOps<ir::ForOp>(),
                                [](ir::ForOp loop) { return !loop.getInits().empty(); });
    if (carries && !trip_) trip_ = ConstantDistance(map_);
    // For reductions and scans down the columns, several registers side by side read
    // longer contiguous parts of each row and hide the latency of the combiner.
    bool reduces =
        !block_.getOps<ir::ReduceOp>().empty() || !block_.getOps<ir::ScanOp>().empty();
    size_t ops = CountOps(block_);
    // Unrolls a loop over several short rows so that the lane offsets are constants.
    if (!carries && width_ > 1 && (!trip_ || *trip_ >= width_))
      period_ = RegistersPerPeriod(map_, width_, lower_.multiple);
    if (period_ && trip_ && *trip_ < width_ * *period_) period_.reset();
    const int wide = 4 * width_;
    const int64_t scattered =
        period_
            ? 0
            : CountScatteredAccesses(map_, std::min<int64_t>(trip_.value_or(wide), wide));
    if (reduces && !period_ && ops <= kMaxWidenedReductionOps && trip_ &&
        *trip_ >= wide && scattered == 0)
      width_ = wide;
    while (wide > kMaxWidthIfScattered && scattered * width_ > kMaxScatteredLanes &&
           width_ > kMinScatteredWidth)
      width_ /= 2;
    // A long dependence chain fills the reorder buffer with one iteration. Two registers
    // side by side are two independent chains, which hide the latency.
    if (carries) {
      while (trip_ && *trip_ >= 2 * width_) width_ *= 2;
    } else if (!reduces && !period_ && !map_->hasAttr(ir::kOverlapTailAttr) &&
               (!trip_ || *trip_ >= 8 * width_) &&
               2 * scattered * width_ <= kMaxScatteredLanes &&
               ChainLength(block_) >= kLongChain) {
      width_ *= 2;
    }
    if (trip_ && *trip_ > 0)
      while (width_ > 1 && *trip_ <= width_ / 2) width_ /= 2;
  }

  // Emits the points of `lanes` at `index`.
  void EmitPoints(IndexValue index, Lanes lanes) {
    if (!status_.ok()) return;
    points_.set_lanes(lanes);
    points_.SetIndex(block_.getArgument(0), index);
    status_ = body_.EmitBlock(block_);
    points_.set_lanes({});
  }
  IndexValue IndexAt(llvm::Value* iv) const {
    return {iv, width_ > 1 ? 1 : 0, std::gcd(lower_.multiple, width_)};
  }

  // Moves the last register back so that it ends with the last point. It runs the same
  // code, which is long, and stores only the points that are left.
  void EmitOverlapping() {
    EmitForLoop(b_, lower_.base, upper_.base, width_, {}, [&](llvm::Value* iv, auto) {
      llvm::Value* last = b_.CreateSub(upper_.base, b_.getInt64(width_));
      llvm::Value* left = b_.CreateSub(upper_.base, iv);
      llvm::Value* whole = b_.CreateICmpSLE(iv, last);
      llvm::Value* index = b_.CreateSelect(whole, iv, last);
      llvm::Value* stored = b_.CreateSelect(whole, b_.getInt64(width_), left);
      EmitPoints({index, 1, 1}, {width_, nullptr, stored});
      return Values();
    });
  }

  void EmitMainAndRemainder() {
    int64_t step = int64_t{width_} * period_.value_or(1);
    if (!trip_ && std::gcd(lower_.multiple, upper_.multiple) % step == 0)
      return EmitMain(upper_.base, step);  // whole steps
    llvm::Value* count =
        trip_ ? b_.getInt64(*trip_) : b_.CreateSub(upper_.base, lower_.base);
    llvm::Value* rest = period_ ? b_.CreateURem(count, b_.getInt64(step))
                                : b_.CreateAnd(count, b_.getInt64(step - 1));
    llvm::Value* main_end = b_.CreateAdd(lower_.base, b_.CreateSub(count, rest));
    if (!trip_ || *trip_ >= step) EmitMain(main_end, step);
    if (width_ == 1 || (trip_ && *trip_ % step == 0)) return;
    if (trip_ && *trip_ % step == 1) {
      // One point needs no vector. LLVM 22 does not end for some vector units if one
      // element of a reversed vector of 64 bytes is stored.
      width_ = 1;
      EmitPoints(IndexAt(main_end), {});
      return;
    }
    if ((!trip_ || period_.value_or(1) > 1) && IsScalarRemainder()) {
      width_ = 1;
      EmitForLoop(b_, main_end, upper_.base, 1, {}, [&](llvm::Value* iv, auto) {
        EmitPoints(IndexAt(iv), {});
        return Values();
      });
      return;
    }
    if (period_.value_or(1) == 1) {
      EmitIf(b_, b_.CreateICmpSLT(main_end, upper_.base),
             [&] { EmitRemainder(main_end); });
      return;
    }
    width_ = std::min(width_, kMaxRemainderLanes);
    EmitForLoop(b_, main_end, upper_.base, width_, {}, [&](llvm::Value* iv, auto) {
      EmitRemainder(iv);
      return Values();
    });
  }

  // Whether the points after the last register are computed one by one. Masked lanes of
  // narrow elements are code for each lane, and no faster.
  bool IsScalarRemainder() {
    if (body_.target().narrow_masks || body_.target().device ||
        ChainLength(block_) >= kLongChain)
      return false;
    bool is_narrow = false, combines = false;
    ForEachAccess(
        block_, [&](const ViewAccess& access) { is_narrow |= access.ElementSize() < 4; });
    // A reduction of one point combines its elements in another order than one in lanes.
    block_.walk([&](mlir::Operation* op) {
      combines |= llvm::isa<ir::ReduceOp, ir::ScanOp, ir::ForOp>(op);
    });
    return is_narrow && !combines;
  }

  // Whether the few registers of a row are emitted one after another, so that the masks
  // of windows at its ends are constants.
  bool IsUnrolled(int64_t step) const {
    constexpr int64_t kMaxSteps = 5;
    constexpr size_t kMaxOps = 64;
    return !period_ && trip_ && ConstantIndex(lower_) &&
           *trip_ < (kMaxSteps + 1) * step && HasMaskedReduction(block_) &&
           CountOps(block_) <= kMaxOps;
  }

  void EmitMain(llvm::Value* end, int64_t step) {
    if (IsUnrolled(step)) {
      const int64_t first = *ConstantIndex(lower_);
      for (int64_t i = 0; i + step <= *trip_; i += step)
        EmitPoints(IndexAt(b_.getInt64(first + i)), {width_, nullptr});
      return;
    }
    EmitForLoop(b_, lower_.base, end, step, {}, [&](llvm::Value* iv, auto) {
      if (!period_) EmitPoints(IndexAt(iv), {width_, nullptr});
      for (int number = 0; number < period_.value_or(0); ++number) {
        IndexValue index{iv, 0, step, {}};
        for (int64_t lane = 0; lane < width_; ++lane)
          index.lanes.push_back(int64_t{width_} * number + lane);
        EmitPoints(index, {width_, nullptr});
      }
      return Values();
    });
  }

  // Emits one register whose lanes past the last point are masked out.
  void EmitRemainder(llvm::Value* iv) {
    llvm::Value* left = b_.CreateTrunc(b_.CreateSub(upper_.base, iv), b_.getInt32Ty());
    llvm::SmallVector<llvm::Constant*> lanes;
    for (int lane = 0; lane < width_; ++lane) lanes.push_back(b_.getInt32(lane));
    llvm::Value* mask = b_.CreateICmpULT(llvm::ConstantVector::get(lanes),
                                         b_.CreateVectorSplat(width_, left));
    EmitPoints(IndexAt(iv), {width_, mask});
  }

  BodyEmitter& body_;
  PointEmitter& points_;
  llvm::IRBuilderBase& b_;
  ir::MapOp map_;
  mlir::Block& block_;
  const IndexValue lower_, upper_;
  int width_ = 1;
  std::optional<int64_t> trip_;
  std::optional<int> period_;  // the result of RegistersPerPeriod
  Status status_;
};

}  // namespace

Status EmitMap(BodyEmitter& body, ir::MapOp map) { return MapEmitter(body, map).Emit(); }

}  // namespace tenon::codegen
