#include "tenon/compiler/fusion/interchange_loop.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "tenon/compiler/analysis/loop_interchange.h"
#include "tenon/compiler/analysis/point_ops.h"
#include "tenon/compiler/fusion/fusion.h"
#include "tenon/dialects/tenon/tenon_ops.h"
#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::compiler {
namespace {

// The values that `loop` uses from outside, its initial values first.
llvm::SmallSetVector<mlir::Value, 8> OuterValues(stablehlo::WhileOp loop) {
  llvm::SmallSetVector<mlir::Value, 8> values;
  for (mlir::Value init : loop.getOperand()) values.insert(init);
  loop->walk([&](mlir::Operation* op) {
    for (mlir::Value operand : op->getOperands())
      if (!loop->isAncestor(operand.getParentBlock()->getParentOp()))
        values.insert(operand);
  });
  return values;
}

// Replaces the final values of counters by constants.
void ReplaceCounters(stablehlo::WhileOp loop, const LoopInterchangePlan& plan) {
  mlir::OpBuilder b(loop);
  for (auto [carry, result] : llvm::zip_equal(plan.carries, loop.getResults())) {
    if (carry.kind != CarriedValue::Kind::kCounter || result.use_empty()) continue;
    auto type = llvm::cast<mlir::RankedTensorType>(result.getType());
    int64_t last = carry.first + plan.trip_count * carry.step;
    auto bits = type.getElementType().getIntOrFloatBitWidth();
    auto number = mlir::DenseElementsAttr::get(
        type, llvm::APInt(bits, static_cast<uint64_t>(last), false, true));
    result.replaceAllUsesWith(
        stablehlo::ConstantOp::create(b, loop.getLoc(), number).getResult());
  }
}

// Transposes arrays that points read often with a large stride from lane to lane, so that
// adjacent lanes read adjacent elements. Returns the ops that undo the transposes. The
// fusion holds clones of them in front of the loop.
llvm::SmallVector<mlir::Operation*> TransposeInputs(stablehlo::WhileOp loop,
                                                    const LoopInterchangePlan& plan) {
  constexpr int64_t kMinElements = 8;  // per point
  int64_t points = Product(plan.axis_sizes);
  llvm::SmallVector<mlir::Operation*> inside;
  for (const AxisValue& input : plan.inputs) {
    int64_t dim = input.axis_dims.back();
    if (dim == TypeOf(input.value).getRank() - 1 ||
        TypeOf(input.value).getNumElements() < kMinElements * points)
      continue;
    // Reshaped to three dimensions, because transposing blocks of a matrix is faster.
    auto type = TypeOf(input.value);
    llvm::ArrayRef<int64_t> shape = type.getShape();
    int64_t before = Product(shape.take_front(dim)), size = shape[dim],
            behind = Product(shape.drop_front(dim + 1));
    mlir::OpBuilder b(loop);
    auto reshape = [&](mlir::Value from, mlir::RankedTensorType to) -> mlir::Value {
      return stablehlo::ReshapeOp::create(b, loop.getLoc(), to, from);
    };
    auto transpose = [&](mlir::Value from, int64_t rows, int64_t columns) -> mlir::Value {
      return stablehlo::TransposeOp::create(b, loop.getLoc(),
                                            type.clone({before, columns, rows}), from,
                                            llvm::ArrayRef<int64_t>{0, 2, 1});
    };
    mlir::Value transposed =
        transpose(reshape(input.value, type.clone({before, size, behind})), size, behind);
    mlir::Value restored = transpose(transposed, behind, size),
                reshaped = reshape(restored, type);
    mlir::Value value = input.value;
    value.replaceUsesWithIf(reshaped, [&](mlir::OpOperand& use) {
      return loop->isProperAncestor(use.getOwner());
    });
    inside.append({restored.getDefiningOp(), reshaped.getDefiningOp()});
  }
  return inside;
}

// Whether a device computes some scalar that `loop` carries.
bool HasScalarsInMemory(stablehlo::WhileOp loop, const HostScalars& hosts) {
  return llvm::any_of(loop.getResults(), [&](mlir::Value result) {
    return llvm::isa<mlir::RankedTensorType>(result.getType()) &&
           IsRankZero(result.getType()) && !hosts.Contains(result);
  });
}

}  // namespace

bool InterchangeLoop(stablehlo::WhileOp loop, const HostScalars& hosts) {
  std::optional<LoopInterchangePlan> plan =
      PlanLoopInterchange(loop, HasScalarsInMemory(loop, hosts));
  if (!plan) return false;
  ReplaceCounters(loop, *plan);
  llvm::SmallVector<mlir::Value> outputs;
  for (mlir::Value result : loop.getResults())
    if (!result.use_empty()) outputs.push_back(result);
  if (outputs.empty()) {
    loop.erase();
    return true;
  }
  auto transposed = TransposeInputs(loop, *plan);
  llvm::SmallVector<mlir::Operation*> copies;
  llvm::SmallSetVector<mlir::Value, 8> inputs;
  for (mlir::Value value : OuterValues(loop)) {
    mlir::Operation* def = value.getDefiningOp();
    // The plan inspects constants, so they are cloned into the fusion.
    if (def && IsSplatConstant(def))
      copies.push_back(def);
    else if (!llvm::is_contained(transposed, def))
      inputs.insert(value);
  }
  for (mlir::Operation* op : transposed)
    if (llvm::isa<stablehlo::TransposeOp>(op)) inputs.insert(op->getOperand(0));
  llvm::append_range(copies, transposed);
  mlir::OpBuilder b(loop);
  auto fusion =
      ir::FusionOp::create(b, loop.getLoc(), mlir::ValueRange(outputs).getTypes(),
                           inputs.getArrayRef(), ir::FusionKind::kInterchangedLoop);
  mlir::Block* body = b.createBlock(&fusion.getBody());
  mlir::IRMapping mapping;
  for (mlir::Value input : inputs)
    mapping.map(input, body->addArgument(input.getType(), loop.getLoc()));
  for (mlir::Operation* copy : copies) b.clone(*copy, mapping);
  mlir::Operation* inner = b.clone(*loop, mapping);
  llvm::SmallVector<mlir::Value> yields;
  for (mlir::Value output : outputs)
    yields.push_back(
        inner->getResult(llvm::cast<mlir::OpResult>(output).getResultNumber()));
  ir::YieldOp::create(b, loop.getLoc(), yields);
  for (auto [output, result] : llvm::zip_equal(outputs, fusion.getResults()))
    output.replaceAllUsesWith(result);
  loop.erase();
  for (mlir::Operation* op : llvm::reverse(transposed)) op->erase();
  return true;
}

}  // namespace tenon::compiler
