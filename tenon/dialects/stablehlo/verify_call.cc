// Verifiers of custom calls, composites and random number ops.
#include "llvm/ADT/StringExtras.h"
#include "tenon/dialects/stablehlo/call_ops.h"
#include "tenon/dialects/stablehlo/verify_util.h"

using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;
using mlir::cast;
using mlir::dyn_cast;
using mlir::failed;
using mlir::failure;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::ShapedType;
using mlir::success;
using mlir::Type;
using mlir::TypeRange;

namespace tenon::stablehlo {
namespace {

// Each layout lists the dimensions of its tensor, minor first. It is empty for other
// types.
LogicalResult VerifyLayouts(Operation* op, StringRef name, TypeRange types,
                            mlir::ArrayAttr layouts) {
  if (failed(VerifySize(op, name, layouts.size(), types.size()))) return failure();
  for (auto [index, type, layout] :
       llvm::enumerate(types, layouts.getAsRange<mlir::DenseIntElementsAttr>())) {
    auto shaped = dyn_cast<ShapedType>(type);
    if (shaped && !shaped.hasRank()) continue;
    int64_t rank = shaped ? shaped.getRank() : 0;
    SmallVector<int64_t> dims;
    for (const llvm::APInt& dim : layout.getValues<llvm::APInt>()) {
      dims.push_back(dim.getSExtValue());
    }
    std::string what = (name + "[" + llvm::Twine(index) + "]").str();
    if (failed(VerifySize(op, what, dims.size(), rank)) ||
        failed(VerifyDims(op, what, dims, rank)) ||
        failed(VerifyUnique(op, what, dims))) {
      return failure();
    }
  }
  return success();
}

// Returns the element of the nested tuple `type` at `indices`; null if there is none.
Type TuplePart(Type type, ArrayRef<int64_t> indices) {
  for (int64_t index : indices) {
    auto tuple = dyn_cast<mlir::TupleType>(type);
    if (!tuple || index < 0 || index >= static_cast<int64_t>(tuple.size())) return {};
    type = tuple.getType(index);
  }
  return type;
}

}  // namespace

LogicalResult CustomCallOp::verify() {
  if (getOperandLayouts().has_value() != getResultLayouts().has_value()) {
    return emitOpError() << "needs both operand_layouts and result_layouts or neither";
  }
  if (getOperandLayouts()) {
    // A single tuple has one layout per element.
    SmallVector<Type> results(getResultTypes());
    if (results.size() == 1) {
      if (auto tuple = dyn_cast<mlir::TupleType>(results.front())) {
        results.assign(tuple.begin(), tuple.end());
      }
    }
    if (failed(VerifyLayouts(*this, "operand_layouts", getOperandTypes(),
                             *getOperandLayouts())) ||
        failed(VerifyLayouts(*this, "result_layouts", results, *getResultLayouts()))) {
      return failure();
    }
  }

  Type result = getNumResults() == 1
                    ? getResult(0).getType()
                    : mlir::TupleType::get(getContext(), getResultTypes());
  for (auto alias : getOutputOperandAliases().getAsRange<OutputOperandAliasAttr>()) {
    if (failed(VerifyDim(*this, "operand_index of output_operand_alias",
                         alias.getOperandIndex(), getNumOperands()))) {
      return failure();
    }
    Type operandPart = TuplePart(getOperand(alias.getOperandIndex()).getType(),
                                 alias.getOperandTupleIndices());
    Type outputPart = TuplePart(result, alias.getOutputTupleIndices());
    if (!operandPart || !outputPart) {
      return emitOpError() << "indices of " << alias << " do not select a value";
    }
    if (operandPart != outputPart) {
      return emitOpError() << alias << " pairs type " << operandPart << " with "
                           << outputPart;
    }
  }

  std::optional<mlir::Attribute> config = getBackendConfig();
  auto text = config ? dyn_cast<mlir::StringAttr>(*config) : nullptr;
  bool typed = getApiVersion() == CustomCallApiVersion::API_VERSION_TYPED_FFI;
  // In both API versions an empty string means no configuration.
  if (config && (typed ? text && !text.empty() : !text)) {
    return emitOpError() << "backend_config must be a "
                         << (typed ? "dictionary" : "string") << " for "
                         << stringifyCustomCallApiVersion(getApiVersion());
  }
  return success();
}

LogicalResult CompositeOp::verify() {  // composite_c1
  auto isName = [](StringRef text) {
    return !text.empty() && (llvm::isAlpha(text.front()) || text.front() == '_') &&
           llvm::all_of(text, [](char c) {
             return llvm::isAlnum(c) || StringRef("_$.").contains(c);
           });
  };
  auto [dialect, op] = getName().split('.');
  if (isName(dialect) && isName(op)) return success();
  return emitOpError() << "name \"" << getName() << "\" is not of the form dialect.op";
}

LogicalResult RngOp::verify() {
  auto result = cast<RankedTensorType>(getType());
  if (getRngDistribution() == RngDistribution::NORMAL &&
      !mlir::isa<mlir::FloatType>(result.getElementType())) {  // rng_c2
    return emitOpError() << "NORMAL needs floats, got " << result;
  }
  int64_t size = cast<RankedTensorType>(getShape().getType()).getDimSize(0);
  if (size != result.getRank()) {  // rng_c3
    return emitOpError() << "shape has " << size << " elements, but the result type "
                         << result << " has rank " << result.getRank();
  }
  return success();
}

LogicalResult RngBitGeneratorOp::verify() {
  auto state = cast<RankedTensorType>(getInitialState().getType());
  if (failed(VerifyCompatible(*this, "initial_state", state, "output_state",
                              getOutputState().getType()))) {  // rng_bit_generator_c1
    return failure();
  }
  // Old artifacts have scalar states. Compilation rejects them, not the verifier.
  if (getRngAlgorithm() == RngAlgorithm::DEFAULT || state.getRank() == 0) {
    return success();
  }
  // rng_bit_generator_c2: the state size is in units of 64 bits.
  bool philox = getRngAlgorithm() == RngAlgorithm::PHILOX;
  if (state.getRank() != 1 ||
      (Differ(state.getDimSize(0), 2) && !(philox && !Differ(state.getDimSize(0), 3)))) {
    return emitOpError() << stringifyRngAlgorithm(getRngAlgorithm())
                         << " cannot have state type " << state;
  }
  return success();
}

}  // namespace tenon::stablehlo
