#include "tenon/dialects/tenon/tenon_ops.h"

#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "tenon/dialects/tenon/attention_op.h"
#include "tenon/dialects/tenon/element_types.h"

#include "tenon/dialects/tenon/tenon_dialect.cc.inc"
#include "tenon/dialects/tenon/tenon_enums.cc.inc"

#define GET_OP_CLASSES
#include "tenon/dialects/tenon/tenon_ops.cc.inc"

#define GET_OP_CLASSES
#include "tenon/dialects/tenon/attention_op.cc.inc"

namespace tenon::ir {

void TenonDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "tenon/dialects/tenon/tenon_ops.cc.inc"
      >();
  addOperations<AttentionOp>();
}

llvm::SmallVector<int64_t> ViewStrides(mlir::MemRefType view) {
  if (auto strided = llvm::dyn_cast<mlir::StridedLayoutAttr>(view.getLayout()))
    return llvm::SmallVector<int64_t>(strided.getStrides());
  llvm::SmallVector<int64_t> strides(view.getRank());
  int64_t stride = 1;
  for (size_t d = strides.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= view.getDimSize(d);
  }
  return strides;
}

namespace {

using mlir::LogicalResult;
using mlir::success;

// The single block of the region must take arguments of exactly `types`.
LogicalResult VerifyBlockArguments(mlir::Operation* op, mlir::Region& region,
                                   llvm::StringRef what, mlir::TypeRange types) {
  if (!llvm::equal(region.getArgumentTypes(), types))
    return op->emitOpError() << what << " takes arguments of types (" << types
                             << "), but has (" << region.getArgumentTypes() << ")";
  return success();
}

// The region must end in a yield of exactly `types`.
LogicalResult VerifyYield(mlir::Operation* op, mlir::Region& region, llvm::StringRef what,
                          mlir::TypeRange types) {
  auto yield =
      region.front().empty() ? YieldOp() : llvm::dyn_cast<YieldOp>(region.front().back());
  if (!yield) return op->emitOpError() << what << " must end in tenon.yield";
  if (!llvm::equal(yield.getOperandTypes(), types))
    return op->emitOpError() << what << " yields (" << yield.getOperandTypes()
                             << "), expected (" << types << ")";
  return success();
}

llvm::SmallVector<mlir::Type> IndexTypes(mlir::Operation* op, size_t count) {
  return llvm::SmallVector<mlir::Type>(count, mlir::IndexType::get(op->getContext()));
}

LogicalResult VerifyAccess(mlir::Operation* op, mlir::MemRefType view, size_t indices,
                           mlir::Type value) {
  if (indices != static_cast<size_t>(view.getRank()))
    return op->emitOpError() << "has " << indices << " indices for a view of rank "
                             << view.getRank();
  if (llvm::cast<mlir::RankedTensorType>(value).getElementType() != view.getElementType())
    return op->emitOpError() << "accesses " << view << " as " << value;
  return success();
}

}  // namespace

LogicalResult TenonDialect::verifyOperationAttribute(mlir::Operation* op,
                                                     mlir::NamedAttribute attribute) {
  if (attribute.getName() != kPlanAttr) return success();
  auto plan = llvm::dyn_cast<mlir::DictionaryAttr>(attribute.getValue());
  if (!plan) return op->emitOpError() << "has a plan that is not a dictionary";
  auto scratch = llvm::TypeSwitch<mlir::Operation*, mlir::Value>(op)
                     .Case<ContractOp, ConvolutionOp, FftOp, LinalgOp, SortOp>(
                         [](auto planned) { return planned.getScratch(); })
                     .Default([](mlir::Operation*) { return mlir::Value(); });
  if (!scratch) return op->emitOpError() << "has a plan, but is not a structured op";
  auto bytes = plan.getAs<mlir::IntegerAttr>("scratch_bytes");
  auto type = llvm::cast<mlir::MemRefType>(scratch.getType());
  int64_t size =
      type.getNumElements() * ElementBytes(ElementTypeOf(type.getElementType()));
  if (bytes && bytes.getInt() > size)
    return op->emitOpError() << "has " << size << " bytes of scratch, but its plan needs "
                             << bytes.getInt();
  return success();
}

LogicalResult FusionOp::verify() {
  if (mlir::failed(
          VerifyBlockArguments(*this, getBody(), "the body", getInputs().getTypes())))
    return mlir::failure();
  return VerifyYield(*this, getBody(), "the body", getOutputs().getTypes());
}

LogicalResult CollectiveOp::verify() {
  if (getInputs().size() != getOutputs().size())
    return emitOpError() << "has " << getInputs().size() << " inputs and "
                         << getOutputs().size() << " outputs";
  for (int64_t argument : getCombinerArguments()) {
    if (argument < 0 || argument > 2)
      return emitOpError() << "passes argument " << argument
                           << " to its combiner, which is none of 0, 1 and 2";
  }
  return success();
}

LogicalResult ProgramOp::verify() {
  int64_t parameters = getNumParameters();
  int64_t arguments = getBody().getNumArguments();
  if (parameters < 0 || parameters > arguments)
    return emitOpError() << "has " << parameters << " parameters but " << arguments
                         << " block arguments";
  if (static_cast<int64_t>(getResultAliases().size()) != arguments - parameters)
    return emitOpError() << "needs one entry in `aliases` per result (-1: none)";
  for (auto [result, parameter] : llvm::enumerate(getResultAliases())) {
    if (parameter < -1 || parameter >= parameters)
      return emitOpError() << "result " << result << " aliases parameter " << parameter
                           << ", which does not exist";
  }
  return success();
}

LogicalResult WhileOp::verify() {
  if (!llvm::equal(getInits().getTypes(), getOutputs().getTypes()))
    return emitOpError("results must have the types of the initial values");
  auto types = getInits().getTypes();
  if (mlir::failed(VerifyBlockArguments(*this, getCondition(), "the condition", types)) ||
      mlir::failed(VerifyBlockArguments(*this, getBody(), "the body", types)))
    return mlir::failure();
  mlir::Type pred =
      mlir::RankedTensorType::get({}, mlir::IntegerType::get(getContext(), 1));
  if (mlir::failed(VerifyYield(*this, getCondition(), "the condition", pred)))
    return mlir::failure();
  return VerifyYield(*this, getBody(), "the body", types);
}

LogicalResult CaseOp::verify() {
  if (getBranches().empty()) return emitOpError("needs a branch");
  for (mlir::Region& branch : getBranches()) {
    if (mlir::failed(VerifyBlockArguments(*this, branch, "a branch", {})) ||
        mlir::failed(VerifyYield(*this, branch, "a branch", getOutputs().getTypes())))
      return mlir::failure();
  }
  return success();
}

LogicalResult ParallelOp::verify() {
  if (getGrain() < 1) return emitOpError("needs a positive grain");
  for (int64_t size : getSizes())
    if (size < 0) return emitOpError("has a negative size");
  return VerifyBlockArguments(*this, getBody(), "the body",
                              IndexTypes(*this, getSizes().size()));
}

LogicalResult MapOp::verify() {
  return VerifyBlockArguments(*this, getBody(), "the body", IndexTypes(*this, 1));
}

LogicalResult TileOp::verify() {
  if (getSizes().size() != 2 ||
      llvm::any_of(getSizes(), [](int64_t n) { return n < kMinTileSide; }))
    return emitOpError("needs two sizes of at least ") << kMinTileSide;
  if (getBlock() < 16 || getBlock() % 16 != 0)
    return emitOpError("needs blocks of a multiple of 16 points");
  return VerifyBlockArguments(*this, getBody(), "the body", IndexTypes(*this, 2));
}

LogicalResult ForOp::verify() {
  if (!llvm::equal(getInits().getTypes(), getOutputs().getTypes()))
    return emitOpError("results must have the types of the initial values");
  auto types = IndexTypes(*this, 1);
  llvm::append_range(types, getInits().getTypes());
  if (mlir::failed(VerifyBlockArguments(*this, getBody(), "the body", types)))
    return mlir::failure();
  return VerifyYield(*this, getBody(), "the body", getOutputs().getTypes());
}

LogicalResult ReduceOp::verify() {
  auto accumulators = getInits().getTypes();
  if (!llvm::equal(accumulators, getOutputs().getTypes()))
    return emitOpError("results must have the types of the initial values");
  if (mlir::failed(VerifyBlockArguments(*this, getBody(), "the body",
                                        IndexTypes(*this, getSizes().size()))))
    return mlir::failure();
  if (mlir::failed(VerifyYield(*this, getBody(), "the body", accumulators)))
    return mlir::failure();
  llvm::SmallVector<mlir::Type> pairs(accumulators);
  llvm::append_range(pairs, accumulators);
  if (mlir::failed(VerifyBlockArguments(*this, getCombiner(), "the combiner", pairs)))
    return mlir::failure();
  return VerifyYield(*this, getCombiner(), "the combiner", accumulators);
}

LogicalResult ScanOp::verify() {
  auto accumulators = getInits().getTypes();
  if (mlir::failed(
          VerifyBlockArguments(*this, getBody(), "the body", IndexTypes(*this, 1))) ||
      mlir::failed(VerifyYield(*this, getBody(), "the body", accumulators)))
    return mlir::failure();
  llvm::SmallVector<mlir::Type> pairs(accumulators);
  llvm::append_range(pairs, accumulators);
  if (mlir::failed(VerifyBlockArguments(*this, getCombiner(), "the combiner", pairs)) ||
      mlir::failed(VerifyYield(*this, getCombiner(), "the combiner", accumulators)))
    return mlir::failure();
  auto stored = IndexTypes(*this, 1);
  llvm::append_range(stored, accumulators);
  if (mlir::failed(VerifyBlockArguments(*this, getStore(), "the store", stored)))
    return mlir::failure();
  return VerifyYield(*this, getStore(), "the store", {});
}

LogicalResult LoadOp::verify() {
  if (static_cast<bool>(getMask()) != static_cast<bool>(getOther()))
    return emitOpError("needs `other` with a mask");
  if (getOther() && getOther().getType() != getValue().getType())
    return emitOpError("`other` must have the type of the result");
  return VerifyAccess(*this, getView().getType(), getIndices().size(),
                      getValue().getType());
}

LogicalResult StoreOp::verify() {
  return VerifyAccess(*this, getView().getType(), getIndices().size(),
                      getValue().getType());
}

LogicalResult SubviewOp::verify() {
  if (static_cast<int64_t>(getIndices().size()) != getSource().getType().getRank())
    return emitOpError("needs an index for each dimension of the source");
  return success();
}

LogicalResult ContractOp::verify() {
  if (getLhs().getType().getRank() != 3 || getRhs().getType().getRank() != 3)
    return emitOpError("needs operands of rank 3");
  auto lhs = getLhs().getType().getShape(), rhs = getRhs().getType().getShape();
  if (lhs[0] != rhs[0] || lhs[2] != rhs[1])
    return emitOpError("operand shapes do not match");
  auto types = IndexTypes(*this, 3);
  types.push_back(mlir::RankedTensorType::get({}, getAccumulate()));
  return VerifyBlockArguments(*this, getEpilogue(), "the epilogue", types);
}

namespace {

// The ranks of a tenon.linalg's inputs and outputs. Rank 3: batches of matrices. Rank 2:
// batches of status values, pivots or taus.
struct LinalgRanks {
  llvm::SmallVector<int64_t, 5> inputs, outputs;
};

LinalgRanks RanksOf(LinalgKind kind) {
  switch (kind) {
    case LinalgKind::kCholesky:
    case LinalgKind::kLu:
    case LinalgKind::kQr:
      return {{3}, {3, 2}};
    case LinalgKind::kLuPanel:
      return {{3}, {3, 2, 2}};
    case LinalgKind::kTriangularSolve:
      return {{3, 3}, {3}};
    case LinalgKind::kHouseholderProduct:
      return {{3, 2}, {3}};
    case LinalgKind::kEigh:
    case LinalgKind::kEigvalsh:
      return {{3}, {3, 2, 2}};
    case LinalgKind::kSvd:
    case LinalgKind::kSvdFull:
    case LinalgKind::kSvdvals:
      return {{3}, {3, 2, 3, 3, 2}};
  }
  llvm_unreachable("all kinds have ranks");
}

}  // namespace

LogicalResult LinalgOp::verify() {
  auto [inputs, outputs] = RanksOf(getKind());
  if (getInputs().size() != inputs.size() || getOutputs().size() != outputs.size())
    return emitOpError("needs ")
           << inputs.size() << " inputs and " << outputs.size() << " outputs";
  auto fits = [](mlir::ValueRange views, llvm::ArrayRef<int64_t> ranks) {
    return llvm::all_of(llvm::zip_equal(views, ranks), [](auto pair) {
      auto [view, rank] = pair;
      return llvm::cast<mlir::MemRefType>(view.getType()).getRank() == rank;
    });
  };
  if (!fits(getInputs(), inputs)) return emitOpError("needs matrices of rank 3");
  if (!fits(getOutputs(), outputs))
    return emitOpError("needs a result of rank 3 and numbers of rank 2");
  return success();
}

LogicalResult SortOp::verify() {
  int64_t inputs = getInputs().size(), outputs = getOutputs().size();
  if (inputs == 0 || outputs == 0) return emitOpError("needs an input and an output");
  if (getSources().size() != getTargets().size() ||
      getComparator().getNumArguments() != 2 * getSources().size())
    return emitOpError("needs a source, a target and two arguments for every operand");
  for (auto [source, target] : llvm::zip_equal(getSources(), getTargets()))
    if (source < -1 || source >= inputs || target < -1 || target >= outputs)
      return emitOpError("has a source or target that is not an input or output");
  for (mlir::Type type : llvm::concat<const mlir::Type>(
           llvm::SmallVector<mlir::Type>(getInputs().getTypes()),
           llvm::SmallVector<mlir::Type>(getOutputs().getTypes())))
    if (llvm::cast<mlir::MemRefType>(type).getRank() != 3)
      return emitOpError("needs views of rank 3");
  return success();
}

}  // namespace tenon::ir
