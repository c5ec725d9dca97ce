// tenon.map: chooses how many lanes a loop has, and emits the loop.
#include <numeric>

#include "llvm/IR/Constants.h"
#include "tenon/compiler/codegen/elementwise/accuracy.h"
#include "tenon/compiler/codegen/kernel/kernel_emitter.h"
#include "tenon/compiler/codegen/kernel/row_periods.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::codegen {
namespace {

// From this many instructions on, the ops of a point count as a long dependence chain.
constexpr size_t kLongChain = 24;

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

}  // namespace

Status KernelEmitter::EmitMap(ir::MapOp map) {
  if (auto loop = AsCopyLoop(map)) return EmitCopyLoop(map, *loop);
  mlir::Block& block = map.getBody().front();
  IndexValue lower = points_->Index(map.getLower());
  IndexValue upper = points_->Index(map.getUpper());
  int width = ChooseWidth(block, options_.target);
  auto const_lower = ConstantIndex(lower), const_upper = ConstantIndex(upper);
  std::optional<int64_t> trip;
  if (const_lower && const_upper)
    trip = std::max<int64_t>(0, *const_upper - *const_lower);
  // A loop with inner loops that carry values (loop interchange) uses a lane for each of
  // its points. The pass that built it has counted the registers.
  bool rounds = llvm::any_of(block.getOps<ir::ForOp>(),
                             [](ir::ForOp loop) { return !loop.getInits().empty(); });
  if (rounds && !trip) trip = ConstantDistance(map);
  // For reductions and scans down the columns, several registers side by side read longer
  // contiguous parts of each row and hide the latency of the combiner.
  bool reduces =
      !block.getOps<ir::ReduceOp>().empty() || !block.getOps<ir::ScanOp>().empty();
  size_t ops = CountOps(block);
  // Unrolls a loop over several short rows so that the lane offsets are constants.
  std::optional<int> phases;
  if (!rounds && width > 1 && (!trip || *trip >= width))
    phases = RegistersPerPeriod(map, width, lower.multiple);
  if (phases && trip && *trip < width * *phases) phases.reset();
  if (reduces && !phases && ops <= 40 && trip && *trip >= 4 * width) width *= 4;
  // A long dependence chain fills the reorder buffer with one iteration. Two registers
  // side by side are two independent chains, which hide the latency.
  if (rounds) {
    while (trip && *trip >= 2 * width) width *= 2;
  } else if (!reduces && !phases && !map->hasAttr(ir::kOverlapTailAttr) &&
             (!trip || *trip >= 8 * width) && ChainLength(block) >= kLongChain) {
    width *= 2;
  }
  if (trip) {
    if (*trip == 0) return OkStatus();
    while (width > 1 && *trip <= width / 2) width /= 2;
  }
  return EmitLanes(map, trip, width, phases);
}

Status KernelEmitter::EmitLanes(ir::MapOp map, std::optional<int64_t> trip, int width,
                                std::optional<int> phases) {
  mlir::Block& block = map.getBody().front();
  IndexValue lower = points_->Index(map.getLower());
  IndexValue upper = points_->Index(map.getUpper());
  Status status;
  auto emit = [&](IndexValue index, Lanes lanes) {
    if (!status.ok()) return;
    points_->set_lanes(lanes);
    points_->SetIndex(block.getArgument(0), index);
    status = EmitBlock(block);
    points_->set_lanes({});
  };
  auto index_at = [&](llvm::Value* iv) -> IndexValue {
    return {iv, width > 1 ? 1 : 0, std::gcd(lower.multiple, width)};
  };
  if (map->hasAttr(ir::kOverlapTailAttr) && width > 1) {
    // Moves the last register back so that it ends with the last point. It runs the same
    // code, which is long, and stores only the points that are left.
    EmitForLoop(b_, lower.base, upper.base, width, {}, [&](llvm::Value* iv, auto) {
      llvm::Value* last = b_.CreateSub(upper.base, b_.getInt64(width));
      llvm::Value* left = b_.CreateSub(upper.base, iv);
      llvm::Value* whole = b_.CreateICmpSLE(iv, last);
      emit({b_.CreateSelect(whole, iv, last), 1, 1},
           {width, nullptr, b_.CreateSelect(whole, b_.getInt64(width), left)});
      return Values();
    });
    return status;
  }
  int64_t step = int64_t{width} * phases.value_or(1);
  llvm::Value* count = trip ? b_.getInt64(*trip) : b_.CreateSub(upper.base, lower.base);
  llvm::Value* rest = phases ? b_.CreateURem(count, b_.getInt64(step))
                             : b_.CreateAnd(count, b_.getInt64(step - 1));
  llvm::Value* main_end = b_.CreateAdd(lower.base, b_.CreateSub(count, rest));
  if (!trip || *trip >= step) {
    EmitForLoop(b_, lower.base, main_end, step, {}, [&](llvm::Value* iv, auto) {
      if (!phases) emit(index_at(iv), {width, nullptr});
      for (int phase = 0; phase < phases.value_or(0); ++phase) {
        IndexValue index{iv, 0, step, {}};
        for (int64_t lane = 0; lane < width; ++lane)
          index.lanes.push_back(int64_t{width} * phase + lane);
        emit(index, {width, nullptr});
      }
      return Values();
    });
  }
  if (width == 1 || (trip && *trip % step == 0)) return status;
  // The remainder of an unrolled loop is a loop of its own. It gathers lane by lane, so
  // its code grows with the number of lanes.
  constexpr int kMaxRestLanes = 16;
  if (phases.value_or(1) > 1) width = std::min(width, kMaxRestLanes);
  auto emit_rest = [&](llvm::Value* iv) {
    llvm::Value* left = b_.CreateTrunc(b_.CreateSub(upper.base, iv), b_.getInt32Ty());
    llvm::SmallVector<llvm::Constant*> lanes;
    for (int lane = 0; lane < width; ++lane) lanes.push_back(b_.getInt32(lane));
    llvm::Value* mask = b_.CreateICmpULT(llvm::ConstantVector::get(lanes),
                                         b_.CreateVectorSplat(width, left));
    emit(index_at(iv), {width, mask});
  };
  if (phases.value_or(1) == 1) {
    EmitIf(b_, b_.CreateICmpSLT(main_end, upper.base), [&] { emit_rest(main_end); });
    return status;
  }
  EmitForLoop(b_, main_end, upper.base, width, {}, [&](llvm::Value* iv, auto) {
    emit_rest(iv);
    return Values();
  });
  return status;
}

}  // namespace tenon::codegen
