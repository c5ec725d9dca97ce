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

bool IsNarrowFloat(mlir::Type element) {
  auto real = llvm::dyn_cast<mlir::FloatType>(element);
  return real && real.getWidth() < 32;
}

mlir::Value Convert(mlir::OpBuilder& b, mlir::Location location, mlir::Value value,
                    mlir::Type element) {
  return stablehlo::ConvertOp::create(b, location, TypeOf(value).clone(element), value);
}

// Lets result `i` be summed up in f32: across devices, too, the sum of narrow floats is
// rounded once. Maxima and the like are exact.
bool WidenSum(stablehlo::ReduceOp op, size_t i, mlir::OpBuilder& b) {
  mlir::Block& body = op.getBody().front();
  mlir::Operation* combiner = stablehlo::CombiningOp(body, i);
  const mlir::Type element =
      TypeOf(op.getResult(static_cast<unsigned>(i))).getElementType();
  if (!IsNarrowFloat(element) || !llvm::isa<stablehlo::AddOp, stablehlo::MulOp>(combiner))
    return false;
  const mlir::Type f32 = b.getF32Type();
  for (size_t operand : {i, op.getInputs().size() + i}) {
    const auto number = static_cast<unsigned>(operand);
    op->setOperand(number, Convert(b, op.getLoc(), op->getOperand(number), f32));
    body.getArgument(number).setType(mlir::RankedTensorType::get({}, f32));
  }
  combiner->getResult(0).setType(mlir::RankedTensorType::get({}, f32));
  mlir::Value result = op.getResult(static_cast<unsigned>(i));
  result.setType(TypeOf(result).clone(f32));
  return true;
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
    mlir::Value init = keeps_init ? mlir::Value() : op.getInitValues()[i];
    if (init) {
      op->setOperand(
          static_cast<unsigned>(count + i),
          stablehlo::ConstantOp::create(b, op.getLoc(), *CombinerIdentity(body, i)));
    }
    const mlir::Type element = TypeOf(result.local).getElementType();
    const bool widened = WidenSum(op, i, b);
    if (!init && !widened) continue;
    result.finish = [=, location = op.getLoc()](mlir::OpBuilder& builder,
                                                mlir::Value value) {
      if (init) {
        mlir::Value first =
            widened ? Convert(builder, location, init, builder.getF32Type()) : init;
        value = CombineWithScalar(builder, location, combiner, first, value);
      }
      return widened ? Convert(builder, location, value, element) : value;
    };
  }
  return results;
}

// Partial sums of narrow floats are added up in f32 and rounded once.
PartialResult SetPartialProduct(mlir::Operation* op, mlir::OpBuilder& b) {
  PartialResult result;
  result.local = op->getResult(0);
  mlir::RankedTensorType type = TypeOf(result.local);
  if (!IsNarrowFloat(type.getElementType()) || op->hasAttr("algorithm")) return result;
  op->getResult(0).setType(type.clone(b.getF32Type()));
  result.only_rounds = true;
  result.finish = [element = type.getElementType(), location = op->getLoc()](
                      mlir::OpBuilder& builder, mlir::Value value) {
    return Convert(builder, location, value, element);
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

StatusOr<llvm::SmallVector<PartialResult>> SetPartialSums(mlir::Operation* op,
                                                          mlir::OpBuilder& b) {
  if (auto reduce = llvm::dyn_cast<stablehlo::ReduceOp>(op)) {
    return SetPartialReduce(reduce, b);
  }
  if (op->getNumResults() != 1) return Internal("partial results of an unknown op");
  return llvm::SmallVector<PartialResult>{SetPartialProduct(op, b)};
}

}  // namespace tenon::compiler::partition
