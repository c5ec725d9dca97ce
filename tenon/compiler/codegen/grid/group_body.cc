#include "tenon/compiler/codegen/grid/group_body.h"

#include "tenon/compiler/codegen/grid/group_map.h"
#include "tenon/compiler/codegen/grid/product_ops.h"
#include "tenon/compiler/codegen/kernel/scan_emitter.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::codegen {

Status GroupBody::EmitOp(mlir::Operation& op) {
  if (in_item_ || items_ == 1) return BodyEmitter::EmitOp(op);
  if (llvm::isa<ir::ForOp, ir::IfOp>(op)) return EmitNested(op);
  if (auto local = llvm::dyn_cast<ir::LocalOp>(op)) {
    EmitGroupLocal(local);
    return OkStatus();
  }
  const ViewAccesses accesses = AccessesOf(op);
  Synchronize(accesses);
  if (auto map = llvm::dyn_cast<ir::MapOp>(op)) return EmitGroupMap(*this, map);
  if (auto tile = llvm::dyn_cast<ir::TileOp>(op)) return EmitGroupTile(*this, tile);
  if (auto reduce = llvm::dyn_cast<ir::ReduceOp>(op))
    return reduce.getSizes().empty() ? BodyEmitter::EmitOp(op)
                                     : EmitGroupReduce(*this, reduce);
  if (auto scan = llvm::dyn_cast<ir::ScanOp>(op)) return EmitGroupScan(*this, scan);
  if (std::optional<TiledProduct> product = ProductOf(op)) {
    BindProduct(op, *this, *product);
    return EmitProductInPoint(*this, *product);
  }
  if (accesses.unknown || !accesses.writes.empty()) return EmitOnce(op);
  return BodyEmitter::EmitOp(op);
}

Values GroupBody::ReadLane(llvm::ArrayRef<llvm::Value*> values, llvm::Value* lane) {
  llvm::IRBuilderBase& b = builder();
  llvm::Type* word = b.getInt32Ty();
  auto read = [&](llvm::Value* bits) { return device_.read_lane(b, bits, lane); };
  Values results;
  for (llvm::Value* value : values) {
    llvm::Type* type = value->getType();
    const auto width = static_cast<unsigned>(type->getPrimitiveSizeInBits());
    llvm::Type* integer = b.getIntNTy(width);
    llvm::Value* bits = b.CreateBitCast(value, integer);
    if (width <= 32) {
      bits = b.CreateTrunc(read(b.CreateZExt(bits, word)), integer);
    } else {
      llvm::Value* low = read(b.CreateTrunc(bits, word));
      llvm::Value* high = read(b.CreateTrunc(b.CreateLShr(bits, 32), word));
      bits = b.CreateOr(b.CreateZExt(low, integer),
                        b.CreateShl(b.CreateZExt(high, integer), 32));
    }
    results.push_back(b.CreateBitCast(bits, type));
  }
  return results;
}

void GroupBody::ForgetAccesses() { since_barrier_ = {}; }

void GroupBody::Synchronize(const ViewAccesses& accesses) {
  ViewAccesses& earlier = since_barrier_;
  const bool nothing = accesses.reads.empty() && accesses.writes.empty();
  const bool conflict =
      (accesses.unknown && (!earlier.reads.empty() || !earlier.writes.empty())) ||
      (earlier.unknown && (accesses.unknown || !nothing)) ||
      aliases_.MayShare(accesses.reads, earlier.writes) ||
      aliases_.MayShare(accesses.writes, earlier.reads) ||
      aliases_.MayShare(accesses.writes, earlier.writes);
  if (conflict && waits_) {
    Barrier();
    ForgetAccesses();
  }
  earlier.reads.insert(accesses.reads.begin(), accesses.reads.end());
  earlier.writes.insert(accesses.writes.begin(), accesses.writes.end());
  earlier.unknown |= accesses.unknown;
}

// The accesses before a loop's body are those of the code before the loop or of its last
// iteration, so the body starts after a barrier if it writes anything.
Status GroupBody::EmitNested(mlir::Operation& op) {
  const ViewAccesses inside = AccessesOf(op);
  const bool writes = inside.unknown || !inside.writes.empty();
  if (writes) {
    ViewAccesses all = inside;
    all.reads.insert(inside.writes.begin(), inside.writes.end());
    Synchronize(all);
  }
  since_barrier_.reads.insert(inside.reads.begin(), inside.reads.end());
  since_barrier_.writes.insert(inside.writes.begin(), inside.writes.end());
  since_barrier_.unknown |= inside.unknown;
  const ViewAccesses before = since_barrier_;
  const bool outer = std::exchange(repeats_, true);
  Status status = BodyEmitter::EmitOp(op);
  repeats_ = outer;
  since_barrier_.reads.insert(before.reads.begin(), before.reads.end());
  since_barrier_.writes.insert(before.writes.begin(), before.writes.end());
  since_barrier_.unknown |= before.unknown;
  return status;
}

void GroupBody::EmitGroupLocal(ir::LocalOp local) {
  points().SetView(local, local_.Allocate(LocalBytes(local)));
  points().SetFacts(local, {.alignment = LocalMemory::kAlignment});
}

Status GroupBody::EmitOnce(mlir::Operation& op) {
  Status status;
  EmitIf(builder(), builder().CreateICmpEQ(item_, builder().getInt64(0)),
         [&] { status = InItem([&] { return BodyEmitter::EmitOp(op); }); });
  return status;
}

}  // namespace tenon::codegen
