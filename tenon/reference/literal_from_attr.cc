#include "tenon/reference/literal_from_attr.h"

#include <cstring>

#include "mlir/IR/DialectResourceBlobManager.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon {
namespace {

std::string Text(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

// Converts bytes from the form in attributes to that in literals: signed integers below 8
// bits are sign-extended, pred becomes 0 or 1.
void Normalize(ElementType type, uint8_t* data, int64_t count) {
  switch (type) {
    case ElementType::kPred:
      for (int64_t i = 0; i < count; ++i) data[i] = data[i] != 0;
      return;
    case ElementType::kS2:
      for (int64_t i = 0; i < count; ++i)
        data[i] = static_cast<uint8_t>(static_cast<int8_t>(data[i] << 6) >> 6);
      return;
    case ElementType::kS4:
      for (int64_t i = 0; i < count; ++i)
        data[i] = static_cast<uint8_t>(static_cast<int8_t>(data[i] << 4) >> 4);
      return;
    default:
      return;
  }
}

bool NeedsNormalizing(ElementType type) {
  return type == ElementType::kPred || type == ElementType::kS2 ||
         type == ElementType::kS4;
}

size_t Alignment(ElementType type) {
  const int64_t bytes = ElementBytes(type);
  return type == ElementType::kC64 || type == ElementType::kC128 ? bytes / 2 : bytes;
}

struct TypeAndDims {
  ElementType type;
  Dims dims;
};

StatusOr<TypeAndDims> Describe(mlir::ShapedType type) {
  const ElementType element = ir::ElementTypeOf(type.getElementType());
  if (element == ElementType::kInvalid || element == ElementType::kToken)
    return Unimplemented("constant of type " + Text(type));
  if (!type.hasStaticShape())
    return InvalidArgument("constant of dynamic shape " + Text(type));
  TypeAndDims result{element, Dims(type.getShape().begin(), type.getShape().end())};
  TENON_ASSIGN_OR_RETURN([[maybe_unused]] int64_t bytes,
                         CountBytes(element, result.dims));
  return result;
}

StatusOr<Literal> FromRaw(TypeAndDims target, llvm::ArrayRef<char> raw) {
  const int64_t bytes = *CountBytes(target.type, target.dims);
  if (static_cast<int64_t>(raw.size()) < bytes)
    return InvalidArgument("constant " + ShapeString(target.type, target.dims) + " has " +
                           std::to_string(raw.size()) + " bytes of data instead of " +
                           std::to_string(bytes));
  const bool aligned =
      reinterpret_cast<uintptr_t>(raw.data()) % Alignment(target.type) == 0;
  if (aligned && !NeedsNormalizing(target.type))
    return Literal::Share(target.type, std::move(target.dims), raw.data(), nullptr);
  Literal literal = Literal::Copy(target.type, std::move(target.dims), raw.data());
  if (NeedsNormalizing(literal.type()))
    Normalize(literal.type(), literal.mutable_data(), literal.count());
  return literal;
}

// Repeats one element's storage.
Literal Repeat(TypeAndDims target, const uint8_t* element) {
  Literal literal(target.type, std::move(target.dims));
  const int64_t bytes = ElementBytes(literal.type());
  uint8_t* out = literal.mutable_data();
  const int64_t total = literal.byte_size();
  if (total == 0) return literal;
  std::memcpy(out, element, bytes);
  for (int64_t done = bytes; done < total; done *= 2)
    std::memcpy(out + done, out, std::min(done, total - done));
  return literal;
}

}  // namespace

StatusOr<Literal> SplatElementFromAttr(mlir::DenseElementsAttr attr) {
  const ElementType type = ir::ElementTypeOf(attr.getElementType());
  if (type == ElementType::kInvalid)
    return Unimplemented("constant of type " + Text(attr.getType()));
  if (type == ElementType::kPred)
    return Literal::Scalar<uint8_t>(type, attr.getSplatValue<bool>());
  const llvm::ArrayRef<char> raw = attr.getRawData();
  if (static_cast<int64_t>(raw.size()) < ElementBytes(type))
    return InvalidArgument("constant of type " + Text(attr.getType()) + " has no data");
  Literal literal = Literal::Copy(type, {}, raw.data());
  Normalize(type, literal.mutable_data(), 1);
  return literal;
}

StatusOr<Literal> LiteralFromAttr(mlir::ElementsAttr attr) {
  TENON_ASSIGN_OR_RETURN(TypeAndDims target, Describe(attr.getShapedType()));
  if (auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(attr)) {
    if (dense.isSplat()) {
      TENON_ASSIGN_OR_RETURN(Literal element, SplatElementFromAttr(dense));
      return Repeat(std::move(target), element.data());
    }
    if (target.type == ElementType::kPred) {  // packed, one bit per element
      Literal literal(target.type, std::move(target.dims));
      uint8_t* out = literal.mutable_data();
      const auto* raw = reinterpret_cast<const uint8_t*>(dense.getRawData().data());
      for (int64_t i = 0; i < literal.count(); ++i) out[i] = raw[i / 8] >> (i % 8) & 1;
      return literal;
    }
    return FromRaw(std::move(target), dense.getRawData());
  }
  if (auto resource = llvm::dyn_cast<mlir::DenseResourceElementsAttr>(attr)) {
    mlir::AsmResourceBlob* blob = resource.getRawHandle().getBlob();
    if (!blob)
      return InvalidArgument("resource constant '" +
                             resource.getRawHandle().getKey().str() + "' has no data");
    return FromRaw(std::move(target), blob->getData());
  }
  return Unimplemented("constant of type " + Text(attr.getShapedType()) +
                       " in an unknown storage form");
}

mlir::DenseElementsAttr AttrFromLiteral(const Literal& literal,
                                        mlir::RankedTensorType type) {
  const int64_t bytes = ElementBytes(literal.type());
  const uint8_t* data = literal.data();
  // All elements are equal if every byte equals the one an element earlier.
  const bool splat = literal.count() > 0 &&
                     std::memcmp(data, data + bytes, literal.byte_size() - bytes) == 0;
  const int64_t count = splat ? 1 : literal.count();
  if (literal.type() == ElementType::kPred) {
    llvm::SmallVector<bool> values(count);
    for (int64_t i = 0; i < count; ++i) values[i] = data[i] != 0;
    return mlir::DenseElementsAttr::get(type, values);
  }
  llvm::ArrayRef<char> raw(reinterpret_cast<const char*>(data), count * bytes);
  const int bits = ElementBits(literal.type());
  if (bits >= 8) return mlir::DenseElementsAttr::getFromRawBuffer(type, raw);
  // Attributes keep unused bits zero, so that equal constants are the same attribute.
  llvm::SmallVector<char> masked(raw);
  for (char& byte : masked) byte = static_cast<char>(byte & ((1 << bits) - 1));
  return mlir::DenseElementsAttr::getFromRawBuffer(type, masked);
}

mlir::RankedTensorType TensorTypeOf(const Literal& literal, mlir::MLIRContext* context) {
  mlir::Type element = ir::MlirTypeOf(literal.type(), context);
  if (!element) return nullptr;
  return mlir::RankedTensorType::get(literal.dims(), element);
}

}  // namespace tenon
