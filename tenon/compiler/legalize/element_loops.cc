#include "tenon/compiler/legalize/element_loops.h"

#include <limits>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

#include "mlir/IR/IRMapping.h"
#include "tenon/compiler/analysis/point_ops.h"

namespace tenon::compiler {
namespace {

using mlir::Value;

// Loops count in 32 bits.
constexpr int64_t kMaxElements = std::numeric_limits<int32_t>::max();

bool IsScalar(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tensor && tensor.getRank() == 0;
}

bool IsStatic(mlir::TypeRange types) {
  return llvm::all_of(types, [](mlir::Type type) {
    auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
    return tensor && tensor.hasStaticShape() && tensor.getNumElements() <= kMaxElements;
  });
}

Value Flatten(GraphBuilder& g, Value x) { return g.Reshape(x, {CountElements(x)}); }

bool ExpandMap(stablehlo::MapOp op) {
  mlir::OpBuilder b(op);
  GraphBuilder g(b, op.getLoc());
  Values inputs;
  for (Value input : op.getInputs()) inputs.push_back(Flatten(g, input));
  Value out = Flatten(g, g.Like(op.getResult(), 0));
  Values result =
      g.For(CountElements(out), {out}, [&](Value i, mlir::ValueRange carried) {
        Values elements;
        for (Value input : inputs) elements.push_back(LoadElement(g, input, i));
        return Values{StoreElement(
            g, carried[0], InlineComputation(g, op.getComputation().front(), elements)[0],
            i)};
      });
  op.getResult().replaceAllUsesWith(g.Reshape(result[0], ShapeOf(op.getResult())));
  op.erase();
  return true;
}

// Element i of the inputs, with the reduced dimensions innermost, goes to result i / n.
bool ExpandReduce(stablehlo::ReduceOp op) {
  mlir::OpBuilder b(op);
  GraphBuilder g(b, op.getLoc());
  const Dims shape = ShapeOf(op.getInputs()[0]);
  DimList permutation;
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d)
    if (!llvm::is_contained(op.getDimensions(), d)) permutation.push_back(d);
  llvm::append_range(permutation, op.getDimensions());
  int64_t reduced = 1;
  for (int64_t d : op.getDimensions()) reduced *= shape[static_cast<size_t>(d)];
  Values inputs, results;
  for (auto [input, init, result] :
       llvm::zip_equal(op.getInputs(), op.getInitValues(), op.getResults())) {
    inputs.push_back(Flatten(g, g.Transpose(input, permutation)));
    results.push_back(
        g.Broadcast(g.Convert(init, ElementOf(result)), {CountElements(result)}, {}));
  }
  if (CountElements(inputs[0]) > 0) {
    results =
        g.For(CountElements(inputs[0]), results, [&](Value i, mlir::ValueRange carried) {
          Value to = g.Div(i, g.IntegerLike(i, static_cast<uint64_t>(reduced)));
          Values elements, next;
          for (Value sum : carried) elements.push_back(LoadElement(g, sum, to));
          for (Value input : inputs) elements.push_back(LoadElement(g, input, i));
          const Values sums = InlineComputation(g, op.getBody().front(), elements);
          for (auto [array, sum] : llvm::zip_equal(carried, sums))
            next.push_back(StoreElement(g, array, sum, to));
          return next;
        });
  }
  for (auto [result, flat] : llvm::zip_equal(op.getResults(), results))
    result.replaceAllUsesWith(g.Reshape(flat, ShapeOf(result)));
  op.erase();
  return true;
}

}  // namespace

bool IsScalarFormula(mlir::Block& block) {
  return llvm::all_of(block.without_terminator(), [](mlir::Operation& op) {
    if (!llvm::all_of(op.getResultTypes(), IsScalar)) return false;
    return IsSplatConstant(&op) || IsElementwise(&op) ||
           llvm::isa<stablehlo::ReshapeOp, stablehlo::BroadcastInDimOp,
                     stablehlo::TransposeOp>(op);
  });
}

int64_t CountElements(Value array) {
  return llvm::cast<mlir::RankedTensorType>(array.getType()).getNumElements();
}

Value LoadElement(GraphBuilder& g, Value array, Value i) {
  return g.Reshape(g.DynamicSliceDim(array, i, 0, 1), {});
}

Value StoreElement(GraphBuilder& g, Value array, Value scalar, Value i) {
  Value update = g.Reshape(g.Convert(scalar, ElementOf(array)), {1});
  return g.UpdateDim(array, update, i, 0);
}

Values InlineComputation(GraphBuilder& g, mlir::Block& block,
                         llvm::ArrayRef<Value> arguments) {
  mlir::IRMapping mapping;
  for (auto [parameter, argument] : llvm::zip_equal(block.getArguments(), arguments))
    mapping.map(parameter, g.Convert(argument, ElementOf(parameter)));
  for (mlir::Operation& op : block.without_terminator()) g.builder().clone(op, mapping);
  Values results;
  for (Value result : block.getTerminator()->getOperands())
    results.push_back(mapping.lookupOrDefault(result));
  return results;
}

bool ExpandToElementLoops(mlir::func::FuncOp function,
                          const stablehlo::ProcessGrid& grid) {
  llvm::SmallVector<mlir::Operation*> ops;
  function.walk([&](mlir::Operation* op) {
    if (llvm::isa<stablehlo::MapOp, stablehlo::ReduceOp, stablehlo::AllReduceOp,
                  stablehlo::ReduceScatterOp>(op) &&
        !IsScalarFormula(op->getRegion(0).front()) && IsStatic(op->getOperandTypes()) &&
        IsStatic(op->getResultTypes()))
      ops.push_back(op);
  });
  bool changed = false;
  for (mlir::Operation* op : ops) {
    changed |= llvm::TypeSwitch<mlir::Operation*, bool>(op)
                   .Case([](stablehlo::MapOp map) { return ExpandMap(map); })
                   .Case([](stablehlo::ReduceOp reduce) { return ExpandReduce(reduce); })
                   .Default([&](mlir::Operation* other) {
                     return ExpandCollective(other, grid);
                   });
  }
  return changed;
}

}  // namespace tenon::compiler
