#include "tenon/compiler/codegen/grid/group_map.h"

#include <numeric>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tenon/compiler/codegen/kernel/access_analysis.h"
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
    const int lanes = MapLanes(map_);
    if (lanes == 1 || !IsContiguous(lanes)) {
      EmitIterations(lower_.base, upper_.base, 1);
      return status_;
    }
    // All but the last iterations, fewer than there are lanes.
    llvm::Value* count = b_.CreateSub(upper_.base, lower_.base);
    llvm::Value* rest = b_.CreateAnd(count, I64(lanes - 1));
    const bool is_whole = upper_.multiple % lanes == 0;
    llvm::Value* end = is_whole ? upper_.base : b_.CreateSub(upper_.base, rest);
    EmitIterations(lower_.base, end, lanes);
    if (!is_whole) EmitIterations(end, upper_.base, 1);
    return status_;
  }

 private:
  llvm::Value* I64(int64_t value) { return b_.getInt64(static_cast<uint64_t>(value)); }

  // Emits the iterations from `begin` to `end`, `lanes` at a time. Neighbouring items
  // have neighbouring iterations.
  void EmitIterations(llvm::Value* begin, llvm::Value* end, int lanes) {
    llvm::Value* first = b_.CreateAdd(begin, b_.CreateMul(body_.item(), I64(lanes)));
    const int64_t step = int64_t{lanes} * body_.items();
    if (const auto whole = ConstantDistance(map_); whole && lanes > 1) {
      // A known number of iterations, the same in all items: no branches, so that loads
      // of all of them can be under way.
      constexpr int64_t kMaxUnrolled = 4;
      if (*whole % step == 0 && *whole / step <= kMaxUnrolled) {
        for (int64_t done = 0; done < *whole; done += step)
          EmitPoints(b_.CreateAdd(first, I64(done)), lanes);
        return;
      }
    }
    EmitForLoop(b_, first, end, step, {}, [&](llvm::Value* iv, auto) {
      EmitPoints(iv, lanes);
      return Values();
    });
  }

  void EmitPoints(llvm::Value* iv, int lanes) {
    if (!status_.ok()) return;
    SetLanes(iv, lanes);
    status_ = body_.InItem([&] { return body_.EmitBlock(block_); });
    points_.set_lanes({});
  }

  void SetLanes(llvm::Value* iv, int lanes) {
    points_.set_lanes({lanes, nullptr});
    points_.SetIndex(block_.getArgument(0), {iv, lanes > 1 ? 1 : 0, MultipleOf(lanes)});
  }
  // A number that divides the first of `lanes` iterations.
  int64_t MultipleOf(int lanes) const { return std::gcd(lower_.multiple, lanes); }

  // Whether all accesses are contiguous along the lanes, and aligned to their size.
  // Emits the indices of the block for that, into code that is thrown away.
  bool IsContiguous(int lanes) {
    if (MultipleOf(lanes) != lanes) return false;
    llvm::IRBuilderBase::InsertPointGuard guard(b_);
    auto* trial = llvm::BasicBlock::Create(b_.getContext(), "trial",
                                           b_.GetInsertBlock()->getParent());
    b_.SetInsertPoint(trial);
    // The index of the loop is no constant, even if the first one is.
    SetLanes(b_.CreateFreeze(lower_.base), lanes);
    const bool result = AreAccessesContiguous(lanes);
    points_.set_lanes({});
    trial->eraseFromParent();
    return result;
  }

  bool AreAccessesContiguous(int lanes) {
    llvm::SmallPtrSet<void*, 16> unknown;  // values of the block without an index
    auto known = [&](mlir::OperandRange values) {
      return llvm::none_of(values, [&](mlir::Value value) {
        return unknown.contains(value.getAsOpaquePointer());
      });
    };
    for (mlir::Operation& op : block_) {
      if (auto load = llvm::dyn_cast<ir::LoadOp>(op)) {
        if (!known(load.getIndices()) ||
            !IsAligned(load.getView(), load.getIndices(), lanes, /*may_be_uniform=*/true))
          return false;
      } else if (auto store = llvm::dyn_cast<ir::StoreOp>(op)) {
        if (!known(store.getIndices()) ||
            !IsAligned(store.getView(), store.getIndices(), lanes,
                       /*may_be_uniform=*/false))
          return false;
      } else if (llvm::isa<mlir::arith::AddIOp, mlir::arith::SubIOp, mlir::arith::MulIOp,
                           mlir::arith::DivUIOp, mlir::arith::RemUIOp,
                           mlir::arith::MinSIOp, mlir::arith::MaxSIOp,
                           mlir::arith::ConstantOp>(op) &&
                 op.getResult(0).getType().isIndex() && known(op.getOperands())) {
        if (!points_.EmitOp(op).ok()) return false;
        continue;
      }
      for (mlir::Value result : op.getResults())
        unknown.insert(result.getAsOpaquePointer());
    }
    return true;
  }

  bool IsAligned(mlir::Value view, mlir::OperandRange indices, int lanes,
                 bool may_be_uniform) {
    const IndexValue offset =
        points_.memory().Offset(llvm::cast<mlir::MemRefType>(view.getType()), indices);
    if (offset.uniform()) return may_be_uniform;
    const int64_t bytes = lanes * ElementBytes(ir::ElementTypeOfShaped(view.getType()));
    return offset.stride == 1 && points_.memory().AlignmentAt(view, offset).value() >=
                                     static_cast<uint64_t>(std::min(bytes, kAccessBytes));
  }

  GroupBody& body_;
  PointEmitter& points_;
  llvm::IRBuilderBase& b_;
  ir::MapOp map_;
  mlir::Block& block_;
  const IndexValue lower_, upper_;
  Status status_;
};

}  // namespace

int MapLanes(ir::MapOp map) {
  int64_t narrowest = kAccessBytes;
  for (mlir::Operation& op : map.getBody().front()) {
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

Status EmitGroupMap(GroupBody& body, ir::MapOp map) { return GroupMap(body, map).Emit(); }

}  // namespace tenon::codegen
