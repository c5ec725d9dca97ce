#include "tenon/compiler/fusion/double_buffering.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "tenon/compiler/analysis/point_ops.h"
#include "tenon/compiler/fusion/fusion.h"
#include "tenon/dialects/stablehlo/loop_counter.h"
#include "tenon/dialects/tenon/element_types.h"
#include "tenon/dialects/tenon/tenon_ops.h"
#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::compiler {
namespace {

// Shorter loops copy the array only once or twice more.
constexpr int64_t kMinTripCount = 4;
// Below this size, copying the array costs less than the extra instruction-cache misses
// of a longer loop body.
constexpr int64_t kMinBytes = 1024;
// Unrolling repeats the body's launches, though not the code of its kernels.
constexpr size_t kMaxOps = 64;

mlir::Value ThroughViews(mlir::Value value) {
  while (auto reshape = value.getDefiningOp<stablehlo::ReshapeOp>())
    value = reshape.getOperand();
  return value;
}

int64_t BytesOf(mlir::Value value) {
  return TypeOf(value).getNumElements() *
         ElementBytes(ir::ElementTypeOfShaped(value.getType()));
}

// Whether a kernel of `body` computes the next value of carried value `number` while the
// old value is still being read.
bool IsReplacedWhileRead(mlir::Block& body, unsigned number) {
  mlir::Value carried = body.getArgument(number);
  if (BytesOf(carried) < kMinBytes) return false;
  mlir::Value next = ThroughViews(body.getTerminator()->getOperand(number));
  auto fusion = next.getDefiningOp<ir::FusionOp>();
  if (!fusion || fusion->getBlock() != &body) return false;
  static constexpr ir::FusionKind kInPlace[] = {ir::FusionKind::kScatter,
                                                ir::FusionKind::kUpdateSlice,
                                                ir::FusionKind::kSelectAndScatter};
  if (llvm::is_contained(kInPlace, fusion.getKind())) return false;
  bool elementwise =
      fusion.getKind() == ir::FusionKind::kLoop && IsElementwiseFusion(fusion);
  for (mlir::Operation& op : body)
    for (mlir::Value operand : op.getOperands())
      if (ThroughViews(operand) == carried && !op.isBeforeInBlock(fusion) &&
          !(elementwise && &op == fusion) && !llvm::isa<stablehlo::ReshapeOp>(op))
        return true;
  return false;
}

// Clones the ops of `body` at `b` for the values `carried`. Returns the next carried
// values.
llvm::SmallVector<mlir::Value> AddIteration(mlir::Block& body, mlir::ValueRange carried,
                                            llvm::ArrayRef<mlir::Operation*> ops,
                                            mlir::OpBuilder& b) {
  mlir::IRMapping mapping;
  mapping.map(body.getArguments(), carried);
  for (mlir::Operation* op : ops) b.clone(*op, mapping);
  llvm::SmallVector<mlir::Value> next;
  for (mlir::Value value : body.getTerminator()->getOperands())
    next.push_back(mapping.lookupOrDefault(value));
  return next;
}

}  // namespace

void DoubleBuffer(stablehlo::WhileOp loop) {
  mlir::Block& body = loop.getBody().front();
  std::optional<stablehlo::LoopCounter> counter = stablehlo::CounterOf(loop);
  if (!counter || counter->trip_count < kMinTripCount) return;
  llvm::SmallVector<mlir::Operation*> ops;
  for (mlir::Operation& op : body.without_terminator()) {
    // Unrolling control flow and external calls does not pay.
    bool plain = llvm::isa<ir::FusionOp>(op) || op.getNumRegions() == 0;
    if (!plain || llvm::isa<stablehlo::CustomCallOp>(op)) return;
    ops.push_back(&op);
  }
  if (ops.size() > kMaxOps) return;
  bool replaced = false;
  for (mlir::BlockArgument carried : body.getArguments()) {
    if (!llvm::isa<mlir::RankedTensorType>(carried.getType())) return;
    replaced |= IsReplacedWhileRead(body, carried.getArgNumber());
  }
  if (!replaced) return;
  if (counter->trip_count % 2 != 0) {
    mlir::OpBuilder before(loop);
    loop->setOperands(AddIteration(body, loop->getOperands(), ops, before));
  }
  mlir::Operation* end = body.getTerminator();
  mlir::OpBuilder b(end);
  end->setOperands(AddIteration(body, end->getOperands(), ops, b));
  loop->setAttr(ir::kTripCountAttr, b.getI64IntegerAttr(counter->trip_count / 2));
}

}  // namespace tenon::compiler
