#include "tenon/compiler/codegen/kernel/body_emitter.h"

#include "tenon/compiler/codegen/kernel/map_emitter.h"
#include "tenon/compiler/codegen/kernel/reduce_emitter.h"
#include "tenon/compiler/codegen/kernel/scan_emitter.h"
#include "tenon/compiler/codegen/kernel/structured_emitter.h"
#include "tenon/compiler/codegen/kernel/tile_emitter.h"
#include "tenon/compiler/codegen/point/value_parts.h"
#include "tenon/compiler/plan/plan_attribute.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::codegen {

Status BodyEmitter::EmitOp(mlir::Operation& op) {
  if (auto map = llvm::dyn_cast<ir::MapOp>(op)) return EmitMap(*this, map);
  if (auto tile = llvm::dyn_cast<ir::TileOp>(op)) return EmitTile(*this, tile);
  if (auto branch = llvm::dyn_cast<ir::IfOp>(op)) return EmitBranch(branch);
  if (auto local = llvm::dyn_cast<ir::LocalOp>(op)) {
    EmitLocal(local);
    return OkStatus();
  }
  if (auto loop = llvm::dyn_cast<ir::ForOp>(op)) return EmitFor(loop);
  if (auto reduce = llvm::dyn_cast<ir::ReduceOp>(op)) return EmitReduce(*this, reduce);
  if (auto scan = llvm::dyn_cast<ir::ScanOp>(op)) return EmitScan(*this, scan);
  if (llvm::isa<ir::ContractOp>(op)) return EmitStructured(op);
  return points_.EmitOp(op);
}

Status BodyEmitter::EmitBlock(mlir::Block& block) {
  for (mlir::Operation& op : block) {
    if (llvm::isa<ir::YieldOp>(op)) break;
    TENON_RETURN_IF_ERROR(EmitOp(op));
  }
  return OkStatus();
}

void BodyEmitter::EmitLocal(ir::LocalOp local) {
  mlir::MemRefType view = local.getType();
  int64_t elements = 1;
  for (auto [size, stride] : llvm::zip_equal(view.getShape(), ir::ViewStrides(view)))
    elements += (size - 1) * stride;
  int64_t bytes = elements * ElementBytes(ir::ElementTypeOf(view.getElementType()));
  points_.SetView(local,
                  EmitEntryAlloca(b_, llvm::ArrayType::get(b_.getInt8Ty(), bytes), 64));
}

Status BodyEmitter::EmitBranch(ir::IfOp branch) {
  llvm::Value* condition = points_.Pred(branch.getCondition());
  if (condition->getType()->isVectorTy())
    return UnsupportedOp(*branch, "the condition differs between lanes");
  Status status;
  EmitIf(b_, condition, [&] { status = EmitBlock(branch.getBody().front()); });
  return status;
}

StatusOr<Values> BodyEmitter::EmitYielded(mlir::Block& block) {
  TENON_RETURN_IF_ERROR(EmitBlock(block));
  llvm::SmallVector<ElementValue> values;
  for (mlir::Value operand : block.back().getOperands())
    values.push_back(points_.Broadcast(points_.Scalar(operand)));
  return FlattenParts(values);
}

StatusOr<Values> BodyEmitter::Combine(mlir::Block& combiner,
                                      llvm::ArrayRef<llvm::Value*> x,
                                      llvm::ArrayRef<llvm::Value*> y) {
  mlir::TypeRange types = combiner.back().getOperandTypes();
  size_t count = types.size();
  SetScalars(points_, combiner.getArguments().take_front(count), types, x);
  SetScalars(points_, combiner.getArguments().drop_front(count), types, y);
  return EmitYielded(combiner);
}

Status BodyEmitter::EmitFor(ir::ForOp loop) {
  mlir::Block& block = loop.getBody().front();
  llvm::SmallVector<ElementValue> inits;
  for (mlir::Value init : loop.getInits())
    inits.push_back(points_.Broadcast(points_.Scalar(init)));
  Status status;
  Values results = EmitForLoop(
      b_, points_.Index(loop.getLower()).base, points_.Index(loop.getUpper()).base, 1,
      FlattenParts(inits), [&](llvm::Value* iv, llvm::ArrayRef<llvm::Value*> carried) {
        if (!status.ok()) return Values(carried);
        points_.SetIndex(block.getArgument(0), {iv, 0, 1});
        SetScalars(points_, block.getArguments().drop_front(), loop.getInits().getTypes(),
                   carried);
        auto next = EmitYielded(block);
        if (next.ok()) return *next;
        status = next.status();
        return Values(carried);
      });
  TENON_RETURN_IF_ERROR(status);
  SetScalars(points_, loop.getResults(), loop.getResultTypes(), results);
  return OkStatus();
}

Status BodyEmitter::EmitStructured(mlir::Operation& op) {
  TENON_ASSIGN_OR_RETURN(StructuredPlan plan, PlanOf(op, target_));
  StructuredKernel kernel = BindStructured(op, std::move(plan), target_);
  for (auto [number, chunks] : llvm::enumerate(kernel.plan.phase_chunks)) {
    int phase = static_cast<int>(number);
    auto emit = [&](llvm::Value* chunk) {
      return kernel.emit_phase(points_, {phase, b_.getInt64(phase), chunk},
                               [this](mlir::Block& block) { return EmitBlock(block); });
    };
    Status status;
    if (chunks == 1) {
      status = emit(b_.getInt64(0));
    } else {
      EmitForLoop(b_, b_.getInt64(0), b_.getInt64(chunks), 1, {},
                  [&](llvm::Value* chunk, auto) {
                    if (status.ok()) status = emit(chunk);
                    return Values();
                  });
    }
    TENON_RETURN_IF_ERROR(status);
  }
  return OkStatus();
}

}  // namespace tenon::codegen
