#include "tenon/compiler/import/stablehlo_bytecode.h"

#include <optional>

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "tenon/dialects/stablehlo/dialect.h"

namespace tenon::compiler {
namespace {

using mlir::Attribute;
using mlir::DialectBytecodeReader;
using Dims = llvm::SmallVector<int64_t>;

// The codes of attributes, from StablehloBytecode.cpp. Attributes without a code of their
// own are stored as text, which MLIR parses.
enum AttributeCode {
  kChannelHandle = 1,
  kComparisonDirection = 2,
  kComparisonType = 3,
  kConvDimensionNumbers = 4,
  kDotDimensionNumbers = 5,
  kFftType = 6,
  kGatherDimensionNumbers = 7,
  kPrecision = 8,
  kRngAlgorithm = 9,
  kRngDistribution = 10,
  kScatterDimensionNumbers = 11,
  kTranspose = 12,
  kOutputOperandAlias = 14,
  kDotAlgorithm = 15,
};

template <typename Attr, typename Enum>
Attribute ReadEnum(DialectBytecodeReader& reader,
                   std::optional<Enum> (*symbolize)(uint32_t)) {
  uint64_t code;
  if (failed(reader.readVarInt(code))) return {};
  std::optional<Enum> value =
      code <= UINT32_MAX ? symbolize(static_cast<uint32_t>(code)) : std::nullopt;
  if (value) return Attr::get(reader.getContext(), *value);
  reader.emitError("unknown number ") << code << " of an enumeration";
  return {};
}

// Reads numbers and lists of numbers in the order of the arguments.
bool Read(DialectBytecodeReader& reader, int64_t& number) {
  return succeeded(reader.readSignedVarInt(number));
}
bool Read(DialectBytecodeReader& reader, Dims& dims) {
  return succeeded(reader.readSignedVarInts(dims));
}
bool Read(DialectBytecodeReader& reader, mlir::Type& type) {
  return succeeded(reader.readType(type));
}
template <typename... Fields>
bool ReadAll(DialectBytecodeReader& reader, Fields&... fields) {
  return (Read(reader, fields) && ...);
}

Attribute ReadConvolution(DialectBytecodeReader& reader) {
  int64_t input_batch, input_feature, kernel_input, kernel_output, output_batch,
      output_feature;
  Dims input, kernel, output;
  if (!ReadAll(reader, input_batch, input_feature, input, kernel_input, kernel_output,
               kernel, output_batch, output_feature, output))
    return {};
  return stablehlo::ConvDimensionNumbersAttr::get(
      reader.getContext(), input_batch, input_feature, input, kernel_input, kernel_output,
      kernel, output_batch, output_feature, output);
}

Attribute ReadDot(DialectBytecodeReader& reader) {
  Dims lhs_batch, rhs_batch, lhs, rhs;
  if (!ReadAll(reader, lhs_batch, rhs_batch, lhs, rhs)) return {};
  return stablehlo::DotDimensionNumbersAttr::get(reader.getContext(), lhs_batch,
                                                 rhs_batch, lhs, rhs);
}

Attribute ReadDotAlgorithm(DialectBytecodeReader& reader) {
  mlir::Type lhs, rhs, accumulation;
  int64_t lhs_components, rhs_components, operations;
  bool imprecise;
  if (!ReadAll(reader, lhs, rhs, accumulation, lhs_components, rhs_components,
               operations) ||
      failed(reader.readBool(imprecise)))
    return {};
  return stablehlo::DotAlgorithmAttr::getChecked(
      [&] { return reader.emitError(); }, reader.getContext(), lhs, rhs, accumulation,
      lhs_components, rhs_components, operations, imprecise);
}

Attribute ReadGather(DialectBytecodeReader& reader) {
  Dims offset, collapsed, operand_batch, index_batch, map;
  int64_t vector_dim;
  if (!ReadAll(reader, offset, collapsed, operand_batch, index_batch, map, vector_dim))
    return {};
  return stablehlo::GatherDimensionNumbersAttr::get(reader.getContext(), offset,
                                                    collapsed, operand_batch, index_batch,
                                                    map, vector_dim);
}

Attribute ReadScatter(DialectBytecodeReader& reader) {
  Dims window, inserted, input_batch, index_batch, map;
  int64_t vector_dim;
  if (!ReadAll(reader, window, inserted, input_batch, index_batch, map, vector_dim))
    return {};
  return stablehlo::ScatterDimensionNumbersAttr::get(
      reader.getContext(), window, inserted, input_batch, index_batch, map, vector_dim);
}

Attribute ReadChannelHandle(DialectBytecodeReader& reader) {
  int64_t handle, type;
  if (!ReadAll(reader, handle, type)) return {};
  return stablehlo::ChannelHandleAttr::get(reader.getContext(), handle, type);
}

Attribute ReadAlias(DialectBytecodeReader& reader) {
  Dims output, operand;
  int64_t index;
  if (!ReadAll(reader, output, index, operand)) return {};
  return stablehlo::OutputOperandAliasAttr::get(reader.getContext(), output, index,
                                                operand);
}

struct StablehloReader : mlir::BytecodeDialectInterface {
  explicit StablehloReader(mlir::Dialect* dialect) : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(DialectBytecodeReader& reader) const override {
    uint64_t code;
    if (failed(reader.readVarInt(code))) return {};
    switch (code) {
      case kChannelHandle:
        return ReadChannelHandle(reader);
      case kComparisonDirection:
        return ReadEnum<stablehlo::ComparisonDirectionAttr>(
            reader, stablehlo::symbolizeComparisonDirection);
      case kComparisonType:
        return ReadEnum<stablehlo::ComparisonTypeAttr>(
            reader, stablehlo::symbolizeComparisonType);
      case kConvDimensionNumbers:
        return ReadConvolution(reader);
      case kDotDimensionNumbers:
        return ReadDot(reader);
      case kFftType:
        return ReadEnum<stablehlo::FftTypeAttr>(reader, stablehlo::symbolizeFftType);
      case kGatherDimensionNumbers:
        return ReadGather(reader);
      case kPrecision:
        return ReadEnum<stablehlo::PrecisionAttr>(reader, stablehlo::symbolizePrecision);
      case kRngAlgorithm:
        return ReadEnum<stablehlo::RngAlgorithmAttr>(reader,
                                                     stablehlo::symbolizeRngAlgorithm);
      case kRngDistribution:
        return ReadEnum<stablehlo::RngDistributionAttr>(
            reader, stablehlo::symbolizeRngDistribution);
      case kScatterDimensionNumbers:
        return ReadScatter(reader);
      case kTranspose:
        return ReadEnum<stablehlo::TransposeAttr>(reader, stablehlo::symbolizeTranspose);
      case kOutputOperandAlias:
        return ReadAlias(reader);
      case kDotAlgorithm:
        return ReadDotAlgorithm(reader);
      default:
        reader.emitError("unknown stablehlo attribute code ") << code;
        return {};
    }
  }

  mlir::Type readType(DialectBytecodeReader& reader) const override {
    uint64_t code;
    if (failed(reader.readVarInt(code))) return {};
    constexpr uint64_t kToken = 0;
    if (code == kToken) return stablehlo::TokenType::get(reader.getContext());
    reader.emitError("unknown stablehlo type code ") << code;
    return {};
  }

  // The version is not needed: the writer is in the same process.
  std::unique_ptr<mlir::DialectVersion> readVersion(
      DialectBytecodeReader& reader) const override {
    uint64_t number;
    for (int i = 0; i < 3; ++i) {
      if (failed(reader.readVarInt(number))) return nullptr;
    }
    return std::make_unique<Version>();
  }

 private:
  struct Version : mlir::DialectVersion {};
};

}  // namespace

void LoadStablehloForBytecode(mlir::MLIRContext* context) {
  auto* dialect = context->getOrLoadDialect<stablehlo::StableHLODialect>();
  if (dialect->getRegisteredInterface<mlir::BytecodeDialectInterface>() == nullptr)
    dialect->addInterfaces<StablehloReader>();
}

}  // namespace tenon::compiler
