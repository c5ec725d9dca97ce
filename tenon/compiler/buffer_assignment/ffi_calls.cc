#include "tenon/compiler/buffer_assignment/ffi_calls.h"

#include "tenon/compiler/diagnostics_to_status.h"
#include "tenon/dialects/tenon/element_types.h"
#include "tenon/ffi/attributes.h"

namespace tenon::compiler {
namespace {

using ffi::Attribute;

// `layouts`: the call's operand_layouts or result_layouts, minor dimension first; may be
// absent. `as_in_memory`: the type's dimensions are already in the order of the layout.
ImageTensor Describe(mlir::RankedTensorType type, std::optional<mlir::ArrayAttr> layouts,
                     size_t number, bool as_in_memory) {
  ImageTensor tensor;
  tensor.type = ir::ElementTypeOf(type.getElementType());
  tensor.dims.assign(type.getShape().begin(), type.getShape().end());
  auto layout = layouts && number < layouts->size()
                    ? llvm::dyn_cast<mlir::DenseIntElementsAttr>((*layouts)[number])
                    : mlir::DenseIntElementsAttr();
  if (layout && layout.getNumElements() == type.getRank()) {
    int64_t rank = type.getRank();
    for (auto [i, dim] : llvm::enumerate(layout.getValues<llvm::APInt>())) {
      tensor.minor_to_major.push_back(as_in_memory ? rank - 1 - i : dim.getSExtValue());
      if (as_in_memory) tensor.dims[dim.getSExtValue()] = type.getDimSize(rank - 1 - i);
    }
  } else {
    for (int64_t d = type.getRank(); d-- > 0;) tensor.minor_to_major.push_back(d);
  }
  return tensor;
}

std::string Bytes(const llvm::APInt& bits, int64_t size) {
  return std::string(reinterpret_cast<const char*>(bits.getRawData()), size);
}

std::optional<Attribute> Convert(llvm::StringRef name, mlir::Attribute attr) {
  if (auto text = llvm::dyn_cast<mlir::StringAttr>(attr))
    return Attribute::String(name.str(), text.str());
  if (auto flag = llvm::dyn_cast<mlir::BoolAttr>(attr))
    return Attribute::Scalar(name.str(), ElementType::kPred,
                             std::string(1, flag.getValue() ? 1 : 0));
  if (auto number = llvm::dyn_cast<mlir::IntegerAttr>(attr)) {
    ElementType type = ir::ElementTypeOf(number.getType());
    if (type == ElementType::kInvalid) return std::nullopt;
    return Attribute::Scalar(name.str(), type,
                             Bytes(number.getValue(), ElementBytes(type)));
  }
  if (auto number = llvm::dyn_cast<mlir::FloatAttr>(attr)) {
    ElementType type = ir::ElementTypeOf(number.getType());
    return Attribute::Scalar(
        name.str(), type, Bytes(number.getValue().bitcastToAPInt(), ElementBytes(type)));
  }
  if (auto array = llvm::dyn_cast<mlir::DenseArrayAttr>(attr)) {
    ElementType type = ir::ElementTypeOf(array.getElementType());
    llvm::ArrayRef<char> raw = array.getRawData();
    return Attribute::Array(name.str(), type, std::string(raw.data(), raw.size()));
  }
  if (auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(attr)) {
    ElementType type = ir::ElementTypeOf(dense.getElementType());
    if (type == ElementType::kInvalid || !dense.getElementType().isIntOrFloat())
      return std::nullopt;
    std::string bytes;
    if (llvm::isa<mlir::FloatType>(dense.getElementType())) {
      for (llvm::APFloat value : dense.getValues<llvm::APFloat>())
        bytes += Bytes(value.bitcastToAPInt(), ElementBytes(type));
    } else {
      for (llvm::APInt value : dense.getValues<llvm::APInt>())
        bytes += Bytes(value, ElementBytes(type));
    }
    return Attribute::Array(name.str(), type, bytes);
  }
  if (auto dictionary = llvm::dyn_cast<mlir::DictionaryAttr>(attr)) {
    std::vector<Attribute> entries;
    for (mlir::NamedAttribute entry : dictionary) {
      auto converted = Convert(entry.getName(), entry.getValue());
      if (!converted) return std::nullopt;
      entries.push_back(std::move(*converted));
    }
    return Attribute::Dictionary(name.str(), std::move(entries));
  }
  return std::nullopt;
}

}  // namespace

StatusOr<ImageFfiCall> DescribeFfiCall(stablehlo::CustomCallOp call) {
  std::string target = call.getCallTargetName().str();
  auto unsupported = [&](llvm::StringRef why) {
    return UnsupportedOp(*call, "custom call target '" + target + "': " + why.str());
  };
  // A dictionary of attributes belongs to the typed FFI whatever the API version says.
  // Older StableHLO had no place for such a dictionary, and frameworks still send it
  // here.
  auto discardable = call->getAttrOfType<mlir::DictionaryAttr>("mhlo.backend_config");
  if (!discardable &&
      call.getApiVersion() != stablehlo::CustomCallApiVersion::API_VERSION_TYPED_FFI)
    return unsupported("only calls through the typed FFI (API version 4) are supported");
  ImageFfiCall ffi_call;
  ffi_call.target = target;
  ffi_call.has_side_effect = call.getHasSideEffect();
  bool as_in_memory = call->hasAttr(kTypesInMemoryOrder);
  for (auto [number, input] : llvm::enumerate(call.getInputs())) {
    if (auto type = llvm::dyn_cast<mlir::RankedTensorType>(input.getType()))
      ffi_call.operands.push_back(
          Describe(type, call.getOperandLayouts(), number, as_in_memory));
    else if (llvm::isa<stablehlo::TokenType>(input.getType()))
      ffi_call.operands.emplace_back().type = ElementType::kToken;
    else
      return unsupported("operands must be tensors or tokens");
  }
  for (auto [number, result] : llvm::enumerate(call.getResults())) {
    if (auto type = llvm::dyn_cast<mlir::RankedTensorType>(result.getType()))
      ffi_call.results.push_back(
          Describe(type, call.getResultLayouts(), number, as_in_memory));
    else if (llvm::isa<stablehlo::TokenType>(result.getType()))
      ffi_call.results.emplace_back().type = ElementType::kToken;
    else
      return unsupported("results must be tensors or tokens");
  }
  std::vector<Attribute> attributes;
  auto dictionary = discardable;
  if (auto config = call.getBackendConfig(); config && !dictionary)
    dictionary = llvm::dyn_cast<mlir::DictionaryAttr>(*config);
  if (dictionary) {
    for (mlir::NamedAttribute entry : dictionary) {
      auto converted = Convert(entry.getName(), entry.getValue());
      if (!converted)
        return unsupported("attribute '" + entry.getName().str() +
                           "' has a type that the typed FFI does not support");
      attributes.push_back(std::move(*converted));
    }
  }
  ffi_call.attributes = ffi::EncodeAttributes(std::move(attributes));
  return ffi_call;
}

double EstimateNs(stablehlo::CustomCallOp call, const CostModel& cost) {
  double ns = cost.library_call_ns;
  for (mlir::Type operand : call->getOperandTypes()) {
    auto type = llvm::dyn_cast<mlir::RankedTensorType>(operand);
    if (!type || type.getRank() < 2) continue;
    llvm::ArrayRef<int64_t> matrix = type.getShape().take_back(2);
    ns += cost.library_product_ns * static_cast<double>(type.getNumElements()) *
          static_cast<double>(std::min(matrix[0], matrix[1]));
  }
  return ns;
}

std::optional<int64_t> FfiAlias(stablehlo::CustomCallOp call, int64_t number) {
  for (mlir::Attribute attr : call.getOutputOperandAliases()) {
    auto alias = llvm::cast<stablehlo::OutputOperandAliasAttr>(attr);
    auto indices = alias.getOutputTupleIndices();
    bool whole = indices.empty() && number == 0 && call.getNumResults() == 1;
    if (whole || (indices.size() == 1 && indices[0] == number))
      return alias.getOperandIndex();
  }
  return std::nullopt;
}

}  // namespace tenon::compiler
