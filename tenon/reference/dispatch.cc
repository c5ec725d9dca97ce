// Runs single operations: checks types and selects the handler.
#include <limits>

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/reference/evaluator.h"
#include "tenon/reference/literal_from_attr.h"
#include "tenon/reference/quantized.h"
#include "tenon/reference/work.h"

namespace tenon::reference {
namespace {

const llvm::StringMap<Handler>& Handlers() {
  static const auto* map = new llvm::StringMap<Handler>{
#define X(text, handler) {text, handler},
#include "tenon/reference/handlers.inc"
#undef X
  };
  return *map;
}

// Returns whether `literal` can be a value of `type`, which may have dynamic sizes.
bool Fits(const Literal& literal, mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor)
    return llvm::isa<stablehlo::TokenType>(type) && literal.type() == ElementType::kToken;
  if (StoredElementType(type) != literal.type() || tensor.getRank() != literal.rank())
    return false;
  for (int64_t i = 0; i < tensor.getRank(); ++i)
    if (!tensor.isDynamicDim(i) && tensor.getDimSize(i) != literal.dims()[i])
      return false;
  return true;
}

}  // namespace

std::string TypeText(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

size_t LeafCount(mlir::Type type) {
  llvm::ArrayRef<mlir::Type> elements;
  if (auto tuple = llvm::dyn_cast<mlir::TupleType>(type))
    elements = tuple.getTypes();
  else if (auto future = llvm::dyn_cast<stablehlo::FutureType>(type))
    elements = future.getTypes();
  else
    return 1;
  size_t count = 0;
  for (mlir::Type element : elements) count += LeafCount(element);
  return count;
}

Status CheckLeaves(mlir::Type type, std::span<const Literal>& leaves) {
  if (auto tuple = llvm::dyn_cast<mlir::TupleType>(type)) {
    for (mlir::Type element : tuple.getTypes())
      TENON_RETURN_IF_ERROR(CheckLeaves(element, leaves));
    return OkStatus();
  }
  if (leaves.empty())
    return InvalidArgument("a value of type " + TypeText(type) + " is missing");
  if (!Fits(leaves.front(), type))
    return InvalidArgument("a " +
                           ShapeString(leaves.front().type(), leaves.front().dims()) +
                           " is not a value of type " + TypeText(type));
  leaves = leaves.subspan(1);
  return OkStatus();
}

Status WithLocation(const Status& status, mlir::Operation* op) {
  std::string where = op->getName().getStringRef().str();
  if (!llvm::isa<mlir::UnknownLoc>(op->getLoc())) {
    where += " at ";
    llvm::raw_string_ostream(where) << op->getLoc();
  }
  return status.WithPrefix(where);
}

Status Evaluator::Dispatch(mlir::Operation* op, std::vector<Literal> operands,
                           std::vector<Literal>& results, Environment& environment) {
  if (auto constant = llvm::dyn_cast<stablehlo::ConstantOp>(op)) {
    Literal& cached = constants_[op];
    if (!cached.valid()) {
      auto literal = LiteralFromAttr(constant.getValue());
      if (!literal.ok()) return WithLocation(literal.status(), op);
      cached = *std::move(literal);
      // A quantized constant's attribute has signless integers; the literal gets the
      // storage type.
      if (IsQuantized(constant.getType())) {
        const ElementType stored = StoredElementType(constant.getType());
        if (ElementBytes(stored) != ElementBytes(cached.type()))
          return WithLocation(
              Unimplemented("constant of type " + TypeText(constant.getType())), op);
        cached = cached.Retyped(stored);
      }
    }
    results.push_back(cached);
    return OkStatus();
  }
  Status status = llvm::any_of(op->getOperandTypes(), IsQuantized) ||
                          llvm::any_of(op->getResultTypes(), IsQuantized)
                      ? DispatchQuantized(op, std::move(operands), results, environment)
                      : Handle(op, std::move(operands), results, environment);
  if (!status.ok()) return WithLocation(status, op);
  std::span<const Literal> leaves = results;
  for (mlir::Type type : op->getResultTypes())
    if (Status fits = CheckLeaves(type, leaves); !fits.ok())
      return WithLocation(fits, op);
  return OkStatus();
}

Status Evaluator::Handle(mlir::Operation* op, std::vector<Literal> operands,
                         std::vector<Literal>& results, Environment& environment) {
  if (options_.max_work != std::numeric_limits<int64_t>::max()) {
    if (llvm::AddOverflow(work_, EstimateWork(op), work_) || work_ > options_.max_work)
      return ResourceExhausted("evaluation takes more than " +
                               std::to_string(options_.max_work) + " element operations");
  }
  OpContext context{op, std::move(operands), results, *this, environment};
  if (std::optional<ElementOp> element_op = ElementOpOf(op))
    return EvalElementwise(context, *element_op);
  auto found = Handlers().find(op->getName().getStringRef());
  if (found == Handlers().end()) return Unimplemented("not evaluated by the reference");
  // Handlers rely on sizes that the verifier has proved, which it can only for static
  // shapes.
  for (mlir::TypeRange types :
       {mlir::TypeRange(op->getOperandTypes()), mlir::TypeRange(op->getResultTypes())})
    for (mlir::Type type : types)
      if (auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
          tensor && !tensor.hasStaticShape())
        return Unimplemented("on dynamic sizes, " + TypeText(type));
  return found->second(context);
}

Status Evaluator::DispatchQuantized(mlir::Operation* op, std::vector<Literal> operands,
                                    std::vector<Literal>& results,
                                    Environment& environment) {
  if (llvm::isa<stablehlo::TupleOp, stablehlo::GetTupleElementOp, stablehlo::CustomCallOp,
                stablehlo::OptimizationBarrierOp>(op))
    return Handle(op, std::move(operands), results, environment);
  if (llvm::isa<stablehlo::BitcastConvertOp>(op))
    return Unimplemented("on quantized tensors");
  for (auto [operand, type] : llvm::zip_equal(operands, op->getOperandTypes())) {
    if (!IsQuantized(type)) continue;
    TENON_ASSIGN_OR_RETURN(operand, Dequantize(operand, type));
  }
  if (llvm::isa<stablehlo::UniformQuantizeOp, stablehlo::UniformDequantizeOp>(op))
    results = std::move(operands);
  else
    TENON_RETURN_IF_ERROR(Handle(op, std::move(operands), results, environment));
  for (auto [result, type] : llvm::zip_equal(results, op->getResultTypes())) {
    if (!IsQuantized(type)) continue;
    TENON_ASSIGN_OR_RETURN(result, Quantize(result, type));
  }
  return OkStatus();
}

StatusOr<Literal> OpContext::NewLiteral(ElementType type, Dims dims) const {
  TENON_ASSIGN_OR_RETURN(int64_t bytes, CountBytes(type, dims));
  if (bytes > evaluator.options().max_literal_bytes)
    return ResourceExhausted("a literal " + ShapeString(type, dims) + " of " +
                             std::to_string(bytes) + " bytes is over the limit of " +
                             std::to_string(evaluator.options().max_literal_bytes));
  return Literal::Create(type, std::move(dims));
}

StatusOr<Literal> OpContext::NewResult(unsigned i) const {
  mlir::Type type = op->getResult(i).getType();
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  const ElementType element = ComputedElementType(type);
  if (!tensor || !tensor.hasStaticShape() || element == ElementType::kInvalid)
    return Unimplemented("result of type " + TypeText(type));
  return NewLiteral(element, Dims(tensor.getShape().begin(), tensor.getShape().end()));
}

}  // namespace tenon::reference
