#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "tenon/compiler/import/vhlo_entries.h"
#include "tenon/dialects/stablehlo/dialect.h"

namespace tenon::compiler {
namespace {

using llvm::ArrayRef;
using llvm::SmallVector;
using mlir::Attribute;
using mlir::DenseElementsAttr;
using mlir::DialectBytecodeReader;
using mlir::MLIRContext;
using mlir::StringAttr;
using mlir::Type;

// Reads an enumeration's number as attribute T; null if `symbolize` does not know the
// number.
template <typename T, typename Symbolize>
Attribute ReadEnum(DialectBytecodeReader& reader, Symbolize symbolize) {
  uint64_t value;
  if (failed(reader.readVarInt(value))) return {};
  auto symbol = symbolize(static_cast<uint32_t>(value));
  if (value > std::numeric_limits<uint32_t>::max() || !symbol.has_value()) {
    reader.emitError("enumeration has no value ") << value;
    return {};
  }
  return T::get(reader.getContext(), *symbol);
}

Attribute ReadDictionary(DialectBytecodeReader& reader) {
  SmallVector<mlir::NamedAttribute> entries;
  auto read_entry = [&]() -> mlir::FailureOr<mlir::NamedAttribute> {
    StringAttr name;
    Attribute value;
    if (failed(reader.readAttribute(name)) || failed(reader.readAttribute(value))) {
      return mlir::failure();
    }
    return mlir::NamedAttribute(name, value);
  };
  if (failed(reader.readList(entries, read_entry))) return {};
  for (const mlir::NamedAttribute& entry : entries) {
    if (entry.getName().empty()) {
      reader.emitError("dictionary key is empty");
      return {};
    }
  }
  if (mlir::DictionaryAttr::findDuplicate(entries, /*isSorted=*/false)) {
    reader.emitError("dictionary has a key twice");
    return {};
  }
  return mlir::DictionaryAttr::get(reader.getContext(), entries);
}

Attribute ReadFloat(DialectBytecodeReader& reader) {
  mlir::FloatType type;
  if (failed(reader.readType(type))) return {};
  auto value = reader.readAPFloatWithKnownSemantics(type.getFloatSemantics());
  if (failed(value)) return {};
  return mlir::FloatAttr::get(type, *value);
}

Attribute ReadInteger(DialectBytecodeReader& reader) {
  Type type;
  if (failed(reader.readType(type))) return {};
  if (!type.isIntOrIndex()) {
    reader.emitError("integer attribute of type ") << type;
    return {};
  }
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  auto value = reader.readAPIntWithKnownWidth(width);
  if (failed(value)) return {};
  return mlir::IntegerAttr::get(type, *value);
}

// Builds an i1 tensor. Booleans are packed 8 per byte, lowest bit first. A single byte
// 0xFF or 0x00 is a splat. Some old programs have one byte per element.
Attribute MakeBooleans(DialectBytecodeReader& reader, mlir::RankedTensorType type,
                       ArrayRef<char> blob) {
  size_t count = type.getNumElements();
  if (blob.size() == 1 && blob[0] == '\xff') return DenseElementsAttr::get(type, true);
  if (blob.size() == 1 && blob[0] == '\0') return DenseElementsAttr::get(type, false);
  bool packed = blob.size() == (count + 7) / 8 && blob.size() != count;
  if (!packed && blob.size() != count) {
    reader.emitError("data does not fit ") << type;
    return {};
  }
  std::unique_ptr<bool[]> values(new bool[count]);
  for (size_t i = 0; i < count; ++i) {
    values[i] = packed ? (blob[i / 8] >> (i % 8)) & 1 : blob[i] != 0;
  }
  return DenseElementsAttr::get(type, ArrayRef<bool>(values.get(), count));
}

// The blob is the raw buffer of a DenseElementsAttr and is copied as one piece.
Attribute ReadTensor(DialectBytecodeReader& reader) {
  mlir::RankedTensorType type;
  ArrayRef<char> blob;
  if (failed(reader.readType(type)) || failed(reader.readBlob(blob))) return {};
  Type element = type.getElementType();
  bool number = element.isIntOrIndexOrFloat() || llvm::isa<mlir::ComplexType>(element);
  if (!type.hasStaticShape() || !number) {
    reader.emitError("constant data of type ") << type;
    return {};
  }
  if (element.isInteger(1)) return MakeBooleans(reader, type, blob);
  bool splat = false;
  if (!DenseElementsAttr::isValidRawBuffer(type, blob, splat)) {
    reader.emitError("data does not fit ") << type;
    return {};
  }
  return DenseElementsAttr::getFromRawBuffer(type, blob);
}

Attribute ReadOutputOperandAlias(DialectBytecodeReader& reader) {
  SmallVector<int64_t> output_indices, operand_indices;
  int64_t operand;
  if (failed(reader.readSignedVarInts(output_indices)) ||
      failed(reader.readSignedVarInt(operand)) ||
      failed(reader.readSignedVarInts(operand_indices))) {
    return {};
  }
  return stablehlo::OutputOperandAliasAttr::get(reader.getContext(), output_indices,
                                                operand, operand_indices);
}

Attribute ReadResultAccuracy(DialectBytecodeReader& reader) {
  auto atol = reader.readAPFloatWithKnownSemantics(llvm::APFloat::IEEEdouble());
  if (failed(atol)) return {};
  auto rtol = reader.readAPFloatWithKnownSemantics(llvm::APFloat::IEEEdouble());
  if (failed(rtol)) return {};
  int64_t ulps;
  stablehlo::ResultAccuracyModeAttr mode;
  if (failed(reader.readSignedVarInt(ulps)) || failed(reader.readAttribute(mode)))
    return {};
  return stablehlo::ResultAccuracyAttr::getChecked(
      [&] { return reader.emitError(); }, reader.getContext(), *atol, *rtol, ulps, mode);
}

Attribute ReadAxisRef(DialectBytecodeReader& reader) {
  StringAttr name;
  uint64_t has_sub_axis;
  stablehlo::SubAxisInfoAttr sub_axis;
  if (failed(reader.readAttribute(name)) || failed(reader.readVarInt(has_sub_axis)) ||
      (has_sub_axis == 1 && failed(reader.readAttribute(sub_axis)))) {
    return {};
  }
  return stablehlo::AxisRefAttr::get(reader.getContext(), name.getValue(), sub_axis);
}

Attribute ReadReplicaGroupMeshAxes(DialectBytecodeReader& reader) {
  Attribute mesh;
  mlir::ArrayAttr axes;
  if (failed(reader.readAttribute(mesh)) || failed(reader.readAttribute(axes))) return {};
  // Symbols are encoded as strings.
  if (auto name = llvm::dyn_cast<StringAttr>(mesh))
    mesh = mlir::FlatSymbolRefAttr::get(name);
  return stablehlo::ReplicaGroupMeshAxesAttr::getChecked(
      [&] { return reader.emitError(); }, reader.getContext(), mesh, axes);
}

Attribute ReadMesh(DialectBytecodeReader& reader) {
  mlir::ArrayAttr axes;
  mlir::DenseIntElementsAttr device_ids;
  if (failed(reader.readAttribute(axes)) ||
      failed(reader.readOptionalAttribute(device_ids))) {
    return {};
  }
  SmallVector<stablehlo::MeshAxisAttr> mesh_axes;
  for (Attribute axis : axes) {
    auto mesh_axis = llvm::dyn_cast<stablehlo::MeshAxisAttr>(axis);
    if (!mesh_axis) {
      reader.emitError("mesh axis expected, but got ") << axis;
      return {};
    }
    mesh_axes.push_back(mesh_axis);
  }
  return stablehlo::MeshAttr::get(reader.getContext(), mesh_axes, device_ids);
}

Attribute ReadStringOrList(DialectBytecodeReader& reader, uint64_t code) {
  MLIRContext* context = reader.getContext();
  SmallVector<Attribute> values;
  SmallVector<int64_t> bounds;
  llvm::StringRef text;
  switch (code) {
    case 1:
      if (failed(reader.readAttributes(values))) return {};
      return mlir::ArrayAttr::get(context, values);
    case 14:
      if (failed(reader.readString(text))) return {};
      return StringAttr::get(context, text);
    default:  // 18
      if (failed(reader.readSignedVarInts(bounds))) return {};
      return stablehlo::TypeExtensionsAttr::get(context, bounds);
  }
}

Attribute ReadBoolean(DialectBytecodeReader& reader) {
  uint64_t value;
  if (failed(reader.readVarInt(value))) return {};
  if (value > 1) {
    reader.emitError("boolean has no value ") << value;
    return {};
  }
  return mlir::BoolAttr::get(reader.getContext(), value == 1);
}

Attribute ReadType(DialectBytecodeReader& reader) {
  Type type;
  if (failed(reader.readType(type))) return {};
  return mlir::TypeAttr::get(type);
}

Attribute ReadSubAxisInfo(DialectBytecodeReader& reader) {
  int64_t pre_size, size;
  if (failed(reader.readSignedVarInt(pre_size)) || failed(reader.readSignedVarInt(size)))
    return {};
  return stablehlo::SubAxisInfoAttr::get(reader.getContext(), pre_size, size);
}

Attribute ReadMeshAxis(DialectBytecodeReader& reader) {
  StringAttr name;
  int64_t size;
  if (failed(reader.readAttribute(name)) || failed(reader.readSignedVarInt(size)))
    return {};
  return stablehlo::MeshAxisAttr::get(reader.getContext(), name.getValue(), size);
}

// Reads an enumeration by its attribute code.
Attribute ReadEnumeration(DialectBytecodeReader& reader, uint64_t code) {
  switch (code) {
    case 3:
      return ReadEnum<stablehlo::ComparisonDirectionAttr>(
          reader, [](uint32_t v) { return stablehlo::symbolizeComparisonDirection(v); });
    case 4:
      return ReadEnum<stablehlo::ComparisonTypeAttr>(
          reader, [](uint32_t v) { return stablehlo::symbolizeComparisonType(v); });
    case 5:
      return ReadEnum<stablehlo::CustomCallApiVersionAttr>(
          reader, [](uint32_t v) { return stablehlo::symbolizeCustomCallApiVersion(v); });
    case 7:
      return ReadEnum<stablehlo::FftTypeAttr>(
          reader, [](uint32_t v) { return stablehlo::symbolizeFftType(v); });
    case 11:
      return ReadEnum<stablehlo::PrecisionAttr>(
          reader, [](uint32_t v) { return stablehlo::symbolizePrecision(v); });
    case 12:
      return ReadEnum<stablehlo::RngAlgorithmAttr>(
          reader, [](uint32_t v) { return stablehlo::symbolizeRngAlgorithm(v); });
    case 13:
      return ReadEnum<stablehlo::RngDistributionAttr>(
          reader, [](uint32_t v) { return stablehlo::symbolizeRngDistribution(v); });
    case 16:
      return ReadEnum<stablehlo::TransposeAttr>(
          reader, [](uint32_t v) { return stablehlo::symbolizeTranspose(v); });
    default:  // 19
      return ReadEnum<stablehlo::ResultAccuracyModeAttr>(
          reader, [](uint32_t v) { return stablehlo::symbolizeResultAccuracyMode(v); });
  }
}

}  // namespace

Attribute ReadVhloAttribute(DialectBytecodeReader& reader) {
  uint64_t code;
  if (failed(reader.readVarInt(code))) return {};
  switch (code) {
    case 1:
    case 14:
    case 18:
      return ReadStringOrList(reader, code);
    case 2:
      return ReadBoolean(reader);
    case 3:
    case 4:
    case 5:
    case 7:
    case 11:
    case 12:
    case 13:
    case 16:
    case 19:
      return ReadEnumeration(reader, code);
    case 6:
      return ReadDictionary(reader);
    case 8:
      return ReadFloat(reader);
    case 9:
      return ReadInteger(reader);
    case 10:
      return ReadOutputOperandAlias(reader);
    case 15:
      return ReadTensor(reader);
    case 17:
      return ReadType(reader);
    case 20:
      return ReadResultAccuracy(reader);
    case 21:
      return ReadSubAxisInfo(reader);
    case 22:
      return ReadAxisRef(reader);
    case 23:
      return ReadReplicaGroupMeshAxes(reader);
    case 24:
      return ReadMeshAxis(reader);
    case 25:
      return ReadMesh(reader);
    default:
      reader.emitError("unknown VHLO attribute code ") << code;
      return {};
  }
}

}  // namespace tenon::compiler
