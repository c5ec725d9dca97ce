// Corrections of ops that compute on parts of tensors.
#include "tenon/compiler/analysis/combiner_identity.h"
#include "tenon/compiler/partition/box.h"
#include "tenon/compiler/partition/localizer.h"
#include "tenon/dialects/stablehlo/combiner.h"
#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::compiler::partition {
namespace {

// Broadcasts `scalar` and combines it with `value`, scalar first.
mlir::Value CombineWithScalar(mlir::OpBuilder& b, mlir::Location location,
                              llvm::StringRef combiner, mlir::Value scalar,
                              mlir::Value value) {
  mlir::Value whole = stablehlo::BroadcastInDimOp::create(
      b, location, value.getType(), scalar, b.getDenseI64ArrayAttr({}));
  mlir::OperationState state(location, combiner);
  state.addOperands({whole, value});
  state.addTypes(value.getType());
  return b.create(state)->getResult(0);
}

llvm::SmallVector<PartialResult> SetPartialReduce(stablehlo::ReduceOp op,
                                                  mlir::OpBuilder& b) {
  mlir::Block& body = op.getBody().front();
  const bool keeps_init = stablehlo::InitMayRepeat(body, op.getInitValues());
  const size_t count = op.getInputs().size();
  llvm::SmallVector<PartialResult> results;
  mlir::OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(op);
  for (size_t i = 0; i < count; ++i) {
    llvm::StringRef combiner = stablehlo::CombiningOp(body, i)->getName().getStringRef();
    PartialResult& result = results.emplace_back();
    result.local = op.getResult(static_cast<unsigned>(i));
    result.combiner = combiner;
    if (keeps_init) continue;
    mlir::Value init = op.getInitValues()[i];
    op->setOperand(
        static_cast<unsigned>(count + i),
        stablehlo::ConstantOp::create(b, op.getLoc(), *CombinerIdentity(body, i)));
    result.finish = [init, combiner, location = op.getLoc()](mlir::OpBuilder& builder,
                                                             mlir::Value value) {
      return CombineWithScalar(builder, location, combiner, init, value);
    };
  }
  return results;
}

bool IsNarrowFloat(mlir::Type element) {
  auto real = llvm::dyn_cast<mlir::FloatType>(element);
  return real && real.getWidth() < 32;
}

// Partial sums of narrow floats are added up in f32 and rounded once.
PartialResult SetPartialProduct(mlir::Operation* op, mlir::OpBuilder& b) {
  PartialResult result;
  result.local = op->getResult(0);
  mlir::RankedTensorType type = TypeOf(result.local);
  if (!IsNarrowFloat(type.getElementType()) || op->hasAttr("algorithm")) return result;
  op->getResult(0).setType(type.clone(b.getF32Type()));
  result.finish = [element = type.getElementType(), location = op->getLoc()](
                      mlir::OpBuilder& builder, mlir::Value value) -> mlir::Value {
    return stablehlo::ConvertOp::create(builder, location, TypeOf(value).clone(element),
                                        value);
  };
  return result;
}

}  // namespace

mlir::Type LocalType(mlir::Type type, const Sharding& sharding) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor) return type;
  return tensor.clone(LocalShape(sharding, tensor.getShape()));
}

void SetLocalSizes(mlir::Operation* op) {
  if (auto slice = llvm::dyn_cast<stablehlo::SliceOp>(op)) {
    // A dimension that is split is taken whole.
    llvm::SmallVector<int64_t> limits(slice.getLimitIndices());
    for (auto [limit, size] : llvm::zip_equal(limits, ShapeOf(slice.getOperand()))) {
      limit = std::min(limit, size);
    }
    slice.setLimitIndices(limits);
  } else if (auto dynamic = llvm::dyn_cast<stablehlo::DynamicSliceOp>(op)) {
    dynamic.setSliceSizes(ShapeOf(dynamic.getResult()));
  } else if (auto gather = llvm::dyn_cast<stablehlo::GatherOp>(op)) {
    // A dimension of the operand that is split is in no index, and so taken whole.
    llvm::SmallVector<int64_t> sizes(gather.getSliceSizes());
    for (auto [size, local] : llvm::zip_equal(sizes, ShapeOf(gather.getOperand()))) {
      size = std::min(size, local);
    }
    gather.setSliceSizes(sizes);
  }
}

StatusOr<llvm::SmallVector<PartialResult>> SetPartial(mlir::Operation* op,
                                                      mlir::OpBuilder& b) {
  if (auto reduce = llvm::dyn_cast<stablehlo::ReduceOp>(op)) {
    return SetPartialReduce(reduce, b);
  }
  if (op->getNumResults() != 1) return Internal("partial results of an unknown op");
  return llvm::SmallVector<PartialResult>{SetPartialProduct(op, b)};
}

}  // namespace tenon::compiler::partition
