#include "tenon/compiler/codegen/grid/group_map.h"

#include <numeric>
#include <optional>

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tenon/compiler/codegen/kernel/access_analysis.h"
#include "tenon/compiler/codegen/kernel/vector_width.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::codegen {
namespace {

constexpr int64_t kAccessBytes = 16;  // of the widest load or store of an item
constexpr int kMaxLanes = 8;

class GroupMap {
 public:
  GroupMap(GroupBody& body, ir::MapOp map)
      : body_(body),
        points_(body.points()),
        b_(body.builder()),
        map_(map),
        block_(map.getBody().front()),
        lower_(points_.Index(map.getLower())),
        upper_(points_.Index(map.getUpper())) {}

  Status Emit() {
    const int lanes =
        ContiguousLanes(points_, block_, [&](llvm::Value* number, int lanes) {
          if (MultipleOf(lanes) != lanes) return false;
          SetIndex(number, lanes);
          return true;
        });
    const std::optional<int64_t> trip = TripCount();
    if (lanes == 1) {
      EmitIterations(lower_.base, upper_.base, 1, trip);
      return status_;
    }
    // All but the last iterations, fewer than there are lanes.
    llvm::Value* count = b_.CreateBinaryIntrinsic(
        llvm::Intrinsic::smax, b_.CreateSub(upper_.base, lower_.base), I64(0));
    llvm::Value* rest = b_.CreateAnd(count, I64(lanes - 1));
    const bool is_whole =
        trip ? *trip % lanes == 0 : std::gcd(upper_.multiple, lanes) == lanes;
    llvm::Value* end = is_whole ? upper_.base : b_.CreateSub(upper_.base, rest);
    EmitIterations(lower_.base, end, lanes,
                   trip ? std::optional(*trip / lanes * lanes) : std::nullopt);
    if (!is_whole) EmitIterations(end, upper_.base, 1, std::nullopt);
    return status_;
  }

 private:
  llvm::Value* I64(int64_t value) { return b_.getInt64(static_cast<uint64_t>(value)); }

  std::optional<int64_t> TripCount() {
    const auto lower = ConstantIndex(lower_), upper = ConstantIndex(upper_);
    if (lower && upper) return std::max<int64_t>(0, *upper - *lower);
    return ConstantDistance(map_);
  }

  // Emits the iterations from `begin` to `end`, `lanes` at a time, of which there are
  // `trip` if that is known. Neighbouring items have neighbouring iterations.
  void EmitIterations(llvm::Value* begin, llvm::Value* end, int lanes,
                      std::optional<int64_t> trip) {
    llvm::Value* first = b_.CreateAdd(begin, b_.CreateMul(body_.item(), I64(lanes)));
    const int64_t step = int64_t{lanes} * body_.items();
    if (trip) {
      first = EmitRounds(first, lanes, step, *trip / step);
      if (*trip % step == 0) return;
    } else if (const int64_t together = Together(lanes); together > 1) {
      llvm::Value* rounds = b_.CreateAShr(
          b_.CreateAdd(b_.CreateSub(end, first), I64(step - 1)), llvm::Log2_64(step));
      rounds = b_.CreateSelect(b_.CreateICmpSGT(rounds, I64(0)), rounds, I64(0));
      llvm::Value* whole = b_.CreateAnd(rounds, I64(-together));
      llvm::Value* rest = b_.CreateAdd(first, b_.CreateMul(whole, I64(step)));
      EmitForLoop(b_, first, rest, together * step, {}, [&](llvm::Value* iv, auto) {
        EmitStraight(iv, lanes, step, together);
        return Values();
      });
      first = rest;
    }
    EmitForLoop(b_, first, end, step, {}, [&](llvm::Value* iv, auto) {
      EmitPoints(iv, lanes);
      return Values();
    });
  }

  // How many iterations of an item have no branches between them: a power of two.
  int64_t Together(int lanes) {
    constexpr int64_t kMost = 4, kMaxOps = 96;
    const auto ops = static_cast<int64_t>(CountOps(block_)) * lanes;
    return std::clamp<int64_t>(
        static_cast<int64_t>(llvm::bit_floor(static_cast<uint64_t>(kMaxOps / ops))), 1,
        kMost);
  }
  void EmitStraight(llvm::Value* first, int lanes, int64_t step, int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      EmitPoints(b_.CreateAdd(first, I64(i * step)), lanes);
  }

  // Emits `rounds` iterations of every item. Several have no branches between them, so
  // that their loads can be under way at the same time. Returns what follows.
  llvm::Value* EmitRounds(llvm::Value* first, int lanes, int64_t step, int64_t rounds) {
    // A few more where the point may have loaded the same elements before, and keep them.
    constexpr int64_t kFewRounds = 8, kFewOps = 512;
    const int64_t together = Together(lanes);
    const auto ops = static_cast<int64_t>(CountOps(block_)) * lanes * rounds;
    if (rounds <= together || (rounds <= kFewRounds && ops <= kFewOps)) {
      EmitStraight(first, lanes, step, rounds);
      return b_.CreateAdd(first, I64(rounds * step));
    }
    const int64_t whole = rounds / together * together;
    llvm::Value* rest = b_.CreateAdd(first, I64(whole * step));
    EmitForLoop(b_, first, rest, together * step, {}, [&](llvm::Value* iv, auto) {
      EmitStraight(iv, lanes, step, together);
      return Values();
    });
    EmitStraight(rest, lanes, step, rounds - whole);
    return b_.CreateAdd(first, I64(rounds * step));
  }

  void EmitPoints(llvm::Value* iv, int lanes) {
    if (!status_.ok()) return;
    points_.set_lanes({lanes, nullptr});
    SetIndex(iv, lanes);
    status_ = body_.InItem([&] { return body_.EmitBlock(block_); });
    points_.set_lanes({});
  }

  void SetIndex(llvm::Value* iv, int lanes) {
    points_.SetIndex(block_.getArgument(0), {iv, lanes > 1 ? 1 : 0, MultipleOf(lanes)});
  }
  // A number that divides the first of `lanes` iterations.
  int64_t MultipleOf(int lanes) const { return std::gcd(lower_.multiple, lanes); }

  GroupBody& body_;
  PointEmitter& points_;
  llvm::IRBuilderBase& b_;
  ir::MapOp map_;
  mlir::Block& block_;
  const IndexValue lower_, upper_;
  Status status_;
};

// Whether an access is contiguous along the lanes, and aligned to its size, or at most
// 16 bytes. A load may also be of one element for all lanes.
bool IsAligned(PointEmitter& points, mlir::Value view, mlir::OperandRange indices,
               int lanes, bool is_load) {
  const IndexValue offset =
      points.memory().Offset(llvm::cast<mlir::MemRefType>(view.getType()), indices);
  if (offset.uniform()) return is_load;
  const int64_t bytes = lanes * ElementBytes(ir::ElementTypeOfShaped(view.getType()));
  return offset.stride == 1 && points.memory().AlignmentAt(view, offset).value() >=
                                   static_cast<uint64_t>(std::min(bytes, kAccessBytes));
}

// Emits the index ops of a block to see whether IsAligned holds for all accesses.
bool AreAccessesAligned(PointEmitter& points, mlir::Block& block, int lanes) {
  llvm::SmallPtrSet<void*, 16> unknown;  // values of the block without an index
  auto known = [&](mlir::OperandRange values) {
    return llvm::none_of(values, [&](mlir::Value value) {
      return unknown.contains(value.getAsOpaquePointer());
    });
  };
  for (mlir::Operation& op : block) {
    if (auto load = llvm::dyn_cast<ir::LoadOp>(op)) {
      if (!known(load.getIndices()) ||
          !IsAligned(points, load.getView(), load.getIndices(), lanes, /*is_load=*/true))
        return false;
    } else if (auto store = llvm::dyn_cast<ir::StoreOp>(op)) {
      if (!known(store.getIndices()) ||
          !IsAligned(points, store.getView(), store.getIndices(), lanes,
                     /*is_load=*/false))
        return false;
    } else if (llvm::isa<mlir::arith::AddIOp, mlir::arith::SubIOp, mlir::arith::MulIOp,
                         mlir::arith::DivUIOp, mlir::arith::RemUIOp, mlir::arith::MinSIOp,
                         mlir::arith::MaxSIOp, mlir::arith::ConstantOp>(op) &&
               op.getResult(0).getType().isIndex() && known(op.getOperands())) {
      if (!points.EmitOp(op).ok()) return false;
      continue;
    }
    for (mlir::Value result : op.getResults())
      unknown.insert(result.getAsOpaquePointer());
  }
  return true;
}

}  // namespace

int PointLanes(mlir::Block& block) {
  int64_t narrowest = kAccessBytes;
  for (mlir::Operation& op : block) {
    if (op.getNumRegions() > 0) return 1;
    mlir::Value view, mask;
    if (auto load = llvm::dyn_cast<ir::LoadOp>(op)) {
      view = load.getView();
      mask = load.getMask();
    } else if (auto store = llvm::dyn_cast<ir::StoreOp>(op)) {
      view = store.getView();
      mask = store.getMask();
    } else {
      continue;
    }
    const ElementType type = ir::ElementTypeOfShaped(view.getType());
    if (mask || ElementParts(type) > 1) return 1;
    narrowest = std::min<int64_t>(narrowest, ElementBytes(type));
  }
  return static_cast<int>(std::min<int64_t>(kAccessBytes / narrowest, kMaxLanes));
}

int ContiguousLanes(PointEmitter& points, mlir::Block& block,
                    llvm::function_ref<bool(llvm::Value*, int)> set_indices) {
  llvm::IRBuilderBase& b = points.builder();
  for (int lanes = PointLanes(block); lanes > 1; lanes /= 2) {
    // The code is thrown away.
    llvm::IRBuilderBase::InsertPointGuard guard(b);
    auto* trial = llvm::BasicBlock::Create(b.getContext(), "trial",
                                           b.GetInsertBlock()->getParent());
    b.SetInsertPoint(trial);
    points.set_lanes({lanes, nullptr});
    // What changes is no constant.
    llvm::Value* number = b.CreateFreeze(llvm::UndefValue::get(b.getInt64Ty()));
    const bool result =
        set_indices(number, lanes) && AreAccessesAligned(points, block, lanes);
    points.set_lanes({});
    trial->eraseFromParent();
    if (result) return lanes;
  }
  return 1;
}

Status EmitGroupMap(GroupBody& body, ir::MapOp map) { return GroupMap(body, map).Emit(); }

}  // namespace tenon::codegen
