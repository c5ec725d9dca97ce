// Tuples, tokens, barriers, device numbers and the custom calls @check.* of test suites.
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/reference/evaluator.h"
#include "tenon/types/literal_compare.h"

namespace tenon::reference {
namespace {

constexpr int64_t kCloseUlps = 3;      // @check.expect_close
constexpr double kAlmostEqual = 1e-4;  // @check.expect_almost_eq

// Returns the bound in a check's backend_config, given as an integer or a float.
double BoundOrDefault(stablehlo::CustomCallOp op, llvm::StringRef name,
                      double default_value) {
  auto config = op->getAttrOfType<mlir::DictionaryAttr>("backend_config");
  mlir::Attribute bound = config ? config.get(name) : mlir::Attribute();
  if (auto integer = llvm::dyn_cast_or_null<mlir::IntegerAttr>(bound))
    return static_cast<double>(integer.getInt());
  if (auto real = llvm::dyn_cast_or_null<mlir::FloatAttr>(bound))
    return real.getValueAsDouble();
  return default_value;
}

}  // namespace

// tuple, optimization_barrier and async_done: the leaves of the results are the leaves of
// the operands.
Status EvalForward(OpContext& context) {
  context.results = std::move(context.operands);
  return OkStatus();
}

Status EvalToken(OpContext& context) {
  context.results.push_back(Literal::Token());
  return OkStatus();
}

Status EvalGetTupleElement(OpContext& context) {
  auto op = llvm::cast<stablehlo::GetTupleElementOp>(context.op);
  auto tuple = llvm::cast<mlir::TupleType>(op.getOperand().getType());
  size_t first = 0;
  for (unsigned i = 0; i < static_cast<unsigned>(op.getIndex()); ++i)
    first += LeafCount(tuple.getType(i));
  const size_t count = LeafCount(op.getResult().getType());
  if (first + count > context.operands.size())
    return InvalidArgument("there is no element " + std::to_string(op.getIndex()));
  for (size_t i = first; i < first + count; ++i)
    context.results.push_back(std::move(context.operands[i]));
  return OkStatus();
}

Status EvalDeviceNumber(OpContext& context) {
  const Evaluator& device = context.evaluator;
  const int64_t number = llvm::isa<stablehlo::PartitionIdOp>(context.op)
                             ? device.grid().PartitionOf(device.process())
                             : device.grid().ReplicaOf(device.process());
  context.results.push_back(
      Literal::Scalar(ElementType::kU32, static_cast<uint32_t>(number)));
  return OkStatus();
}

Status EvalCustomCall(OpContext& context) {
  auto op = llvm::cast<stablehlo::CustomCallOp>(context.op);
  if (stablehlo::IsRaggedAllToAll(op)) return EvalCollective(context);
  const llvm::StringRef target = op.getCallTargetName();
  if (!target.starts_with("check."))
    return Unimplemented("custom call '" + target.str() + "'");
  if (context.operands.size() != 2)
    return InvalidArgument("@" + target.str() + " compares two values");
  const Literal& actual = context.operands[0];
  const Literal& expected = context.operands[1];
  Status status;
  if (target == "check.expect_eq" || target == "check.eq")
    status = CompareEqual(actual, expected);
  else if (target == "check.expect_close")
    status = CompareUlpsOrNorm(
        actual, expected,
        static_cast<int64_t>(BoundOrDefault(op, "max_ulp_difference", kCloseUlps)),
        context.evaluator.options().check_norm_epsilons);
  else if (target == "check.expect_almost_eq") {
    const double tolerance = BoundOrDefault(op, "tolerance", kAlmostEqual);
    status = CompareClose(actual, expected, tolerance, tolerance);
  } else
    return Unimplemented("custom call '" + target.str() + "'");
  if (target == "check.eq" && op.getNumResults() == 1) {
    TENON_ASSIGN_OR_RETURN(Literal result, context.NewResult());
    if (result.type() != ElementType::kPred) return Unimplemented("result of @check.eq");
    for (uint8_t& value : result.mutable_values<uint8_t>()) value = status.ok();
    context.results.push_back(std::move(result));
  }
  return status.ok() ? status : status.WithPrefix("@" + target.str());
}

}  // namespace tenon::reference
