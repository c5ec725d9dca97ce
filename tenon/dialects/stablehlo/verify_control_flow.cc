// Verifiers of control flow, tuples and barriers.
#include "tenon/dialects/stablehlo/control_flow_ops.h"
#include "tenon/dialects/stablehlo/verify_util.h"

using mlir::failed;
using mlir::failure;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::success;
using mlir::Type;
using mlir::TypeRange;

namespace tenon::stablehlo {
namespace {

LogicalResult VerifyTypes(Operation* op, const llvm::Twine& what, TypeRange actual,
                          TypeRange expected) {
  if (actual.size() == expected.size() &&
      llvm::all_of(llvm::zip_equal(actual, expected), [](auto pair) {
        return CompatibleTypes(std::get<0>(pair), std::get<1>(pair));
      })) {
    return success();
  }
  return op->emitOpError() << what << " (" << actual << "), expected (" << expected
                           << ')';
}

TypeRange ReturnedTypes(mlir::Region& region) {
  return region.front().getTerminator()->getOperandTypes();
}

// A branch takes no arguments and returns the result types of the op.
LogicalResult VerifyBranch(Operation* op, const llvm::Twine& name, mlir::Region& branch) {
  if (branch.getNumArguments() != 0) {
    return op->emitOpError() << name << " takes " << branch.getNumArguments()
                             << " arguments, expected none";
  }
  return VerifyTypes(op, name + " returns", ReturnedTypes(branch), op->getResultTypes());
}

LogicalResult VerifyScalarOperand(Operation* op, llvm::StringRef name, Type type) {
  if (mlir::cast<mlir::ShapedType>(type).getRank() == 0) return success();
  return op->emitOpError() << name << " must be a scalar, got " << type;
}

}  // namespace

LogicalResult IfOp::verify() {
  return VerifyScalarOperand(*this, "pred", getPred().getType());
}

LogicalResult IfOp::verifyRegions() {
  if (failed(VerifyBranch(*this, "true_branch", getTrueBranch()))) return failure();
  return VerifyBranch(*this, "false_branch", getFalseBranch());  // if_c1, if_c2, if_c3
}

LogicalResult CaseOp::verify() {
  if (getBranches().empty()) return emitOpError() << "has no branches";  // case_c1
  return VerifyScalarOperand(*this, "index", getIndex().getType());
}

LogicalResult CaseOp::verifyRegions() {  // case_c2, case_c3, case_c4
  for (auto [index, branch] : llvm::enumerate(getBranches())) {
    if (failed(VerifyBranch(*this, "branch " + llvm::Twine(index), branch))) {
      return failure();
    }
  }
  return success();
}

LogicalResult WhileOp::verify() {  // while_c3
  return VerifyTypes(*this, "results have types", getResultTypes(), getOperandTypes());
}

LogicalResult WhileOp::verifyRegions() {
  TypeRange types = getOperandTypes();
  if (failed(VerifyTypes(*this, "cond takes", getCond().getArgumentTypes(), types)) ||
      failed(VerifyReturnsPred(*this, "cond", getCond())) ||  // while_c1
      failed(VerifyTypes(*this, "body takes", getBody().getArgumentTypes(), types))) {
    return failure();
  }
  return VerifyTypes(*this, "body returns", ReturnedTypes(getBody()), types);  // while_c2
}

LogicalResult TupleOp::verify() {  // tuple_c1
  return VerifyTypes(*this, "operands have types", getOperandTypes(),
                     mlir::cast<mlir::TupleType>(getType()).getTypes());
}

LogicalResult GetTupleElementOp::verify() {
  auto tuple = mlir::cast<mlir::TupleType>(getOperand().getType());
  int64_t index = getIndex();
  if (failed(VerifyDim(*this, "index", index, tuple.size()))) return failure();  // c1
  return VerifyCompatible(*this, "element", tuple.getType(index), "result",
                          getType());  // get_tuple_element_c2
}

}  // namespace tenon::stablehlo
