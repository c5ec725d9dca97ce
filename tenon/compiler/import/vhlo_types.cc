#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "tenon/compiler/import/vhlo_entries.h"
#include "tenon/dialects/stablehlo/dialect.h"

namespace tenon::compiler {
namespace {

using llvm::SmallVector;
using mlir::DialectBytecodeReader;
using mlir::IntegerType;
using mlir::Type;

Type ReadTensor(DialectBytecodeReader& reader, bool has_encoding) {
  mlir::Attribute encoding;
  SmallVector<int64_t> shape;
  Type element;
  if ((has_encoding && failed(reader.readAttribute(encoding))) ||
      failed(reader.readSignedVarInts(shape)) || failed(reader.readType(element))) {
    return {};
  }
  return mlir::RankedTensorType::getChecked([&] { return reader.emitError(); }, shape,
                                            element, encoding);
}

Type ReadBuffer(DialectBytecodeReader& reader) {
  SmallVector<int64_t> shape;
  Type element;
  if (failed(reader.readSignedVarInts(shape)) || failed(reader.readType(element)))
    return {};
  return mlir::MemRefType::getChecked([&] { return reader.emitError(); }, shape, element,
                                      mlir::MemRefLayoutAttrInterface(),
                                      mlir::Attribute());
}

Type ReadFunction(DialectBytecodeReader& reader) {
  SmallVector<Type> inputs, results;
  if (failed(reader.readTypes(inputs)) || failed(reader.readTypes(results))) return {};
  return mlir::FunctionType::get(reader.getContext(), inputs, results);
}

bool ReadDouble(DialectBytecodeReader& reader, double& value) {
  auto bits = reader.readAPFloatWithKnownSemantics(llvm::APFloat::IEEEdouble());
  if (failed(bits)) return false;
  value = bits->convertToDouble();
  return true;
}

Type ReadQuantized(DialectBytecodeReader& reader) {
  uint64_t flags;
  Type storage, expressed;
  double scale;
  int64_t zero_point, min, max;
  if (failed(reader.readVarInt(flags)) || failed(reader.readType(storage)) ||
      failed(reader.readType(expressed)) || !ReadDouble(reader, scale) ||
      failed(reader.readSignedVarInt(zero_point)) ||
      failed(reader.readSignedVarInt(min)) || failed(reader.readSignedVarInt(max))) {
    return {};
  }
  return mlir::quant::UniformQuantizedType::getChecked([&] { return reader.emitError(); },
                                                       flags, storage, expressed, scale,
                                                       zero_point, min, max);
}

Type ReadQuantizedPerAxis(DialectBytecodeReader& reader) {
  uint64_t flags, dimension;
  Type storage, expressed;
  SmallVector<double> scales;
  SmallVector<int64_t> zero_points;
  int64_t min, max;
  auto read_scale = [&](double& scale) {
    return mlir::success(ReadDouble(reader, scale));
  };
  if (failed(reader.readVarInt(flags)) || failed(reader.readType(storage)) ||
      failed(reader.readType(expressed)) || failed(reader.readVarInt(dimension)) ||
      failed(reader.readSignedVarInt(min)) || failed(reader.readSignedVarInt(max)) ||
      failed(reader.readList(scales, read_scale)) ||
      failed(reader.readSignedVarInts(zero_points))) {
    return {};
  }
  if (dimension > std::numeric_limits<int32_t>::max()) {
    reader.emitError("quantized dimension out of range");
    return {};
  }
  return mlir::quant::UniformQuantizedPerAxisType::getChecked(
      [&] { return reader.emitError(); }, flags, storage, expressed, scales, zero_points,
      static_cast<int32_t>(dimension), min, max);
}

// Reads a type composed of one type or of one list of types.
Type ReadComposed(DialectBytecodeReader& reader, uint64_t code) {
  auto error = [&] { return reader.emitError(); };
  SmallVector<Type> types;
  Type element;
  switch (code) {
    case 1:
      if (failed(reader.readType(element))) return {};
      return mlir::ComplexType::getChecked(error, element);
    case 23:
      if (failed(reader.readTypes(types))) return {};
      return mlir::TupleType::get(reader.getContext(), types);
    case 25:
      if (failed(reader.readType(element))) return {};
      return mlir::UnrankedTensorType::getChecked(error, element);
    default:  // 42
      if (failed(reader.readTypes(types))) return {};
      return stablehlo::FutureType::getChecked(error, reader.getContext(),
                                               llvm::ArrayRef<Type>(types));
  }
}

// The builtin integer type with VHLO's type code; null for other codes.
Type IntegerTypeOf(mlir::MLIRContext* context, uint64_t code) {
  auto signless = [&](unsigned width) { return IntegerType::get(context, width); };
  auto unsigned_type = [&](unsigned width) {
    return IntegerType::get(context, width, IntegerType::Unsigned);
  };
  switch (code) {
    case 0:
      return signless(1);
    case 10:
      return signless(4);
    case 11:
      return signless(8);
    case 12:
      return signless(16);
    case 13:
      return signless(32);
    case 14:
      return signless(64);
    case 15:
      return unsigned_type(4);
    case 16:
      return unsigned_type(8);
    case 17:
      return unsigned_type(16);
    case 18:
      return unsigned_type(32);
    case 19:
      return unsigned_type(64);
    case 31:
      return signless(2);
    case 32:
      return unsigned_type(2);
    default:
      return {};
  }
}

// The builtin float type with VHLO's type code; null for other codes.
Type FloatTypeOf(mlir::MLIRContext* context, uint64_t code) {
  switch (code) {
    case 2:
      return mlir::BFloat16Type::get(context);
    case 3:
      return mlir::Float16Type::get(context);
    case 4:
      return mlir::Float32Type::get(context);
    case 5:
      return mlir::Float64Type::get(context);
    case 6:
      return mlir::Float8E4M3FNType::get(context);
    case 7:
      return mlir::Float8E5M2Type::get(context);
    case 27:
      return mlir::Float8E4M3FNUZType::get(context);
    case 28:
      return mlir::Float8E5M2FNUZType::get(context);
    case 29:
      return mlir::Float8E4M3B11FNUZType::get(context);
    case 34:
      return mlir::FloatTF32Type::get(context);
    case 35:
      return mlir::Float8E4M3Type::get(context);
    case 36:
      return mlir::Float8E3M4Type::get(context);
    case 37:
      return mlir::Float4E2M1FNType::get(context);
    case 38:
      return mlir::Float6E2M3FNType::get(context);
    case 39:
      return mlir::Float6E3M2FNType::get(context);
    case 40:
      return mlir::Float8E8M0FNUType::get(context);
    default:
      return {};
  }
}

}  // namespace

Type ReadVhloType(DialectBytecodeReader& reader) {
  mlir::MLIRContext* context = reader.getContext();
  uint64_t code;
  if (failed(reader.readVarInt(code))) return {};
  if (Type type = IntegerTypeOf(context, code)) return type;
  if (Type type = FloatTypeOf(context, code)) return type;
  switch (code) {
    case 8:
      return ReadFunction(reader);
    case 9:
      return mlir::IndexType::get(context);
    case 20:
      return ReadTensor(reader, /*has_encoding=*/false);
    case 21:
      return ReadTensor(reader, /*has_encoding=*/true);
    case 22:
      return stablehlo::TokenType::get(context);
    case 24:
      return ReadQuantized(reader);
    case 26:
      reader.emitError("shape witness types are not supported");
      return {};
    case 30:
      return ReadQuantizedPerAxis(reader);
    case 33:
      return mlir::NoneType::get(context);
    case 41:
      return ReadBuffer(reader);
    case 1:
    case 23:
    case 25:
    case 42:
      return ReadComposed(reader, code);
    default:
      reader.emitError("unknown VHLO type code ") << code;
      return {};
  }
}

}  // namespace tenon::compiler
