#include "tenon/compiler/import/chlo_bytecode.h"

#include <optional>

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "tenon/dialects/chlo/chlo.h"

namespace tenon::compiler {
namespace {

using mlir::Attribute;
using mlir::DialectBytecodeReader;

template <typename Attr, typename Enum>
Attribute ReadEnum(DialectBytecodeReader& reader,
                   std::optional<Enum> (*symbolize)(uint32_t), llvm::StringRef what) {
  uint64_t code;
  if (failed(reader.readVarInt(code))) return {};
  std::optional<Enum> value =
      code <= UINT32_MAX ? symbolize(static_cast<uint32_t>(code)) : std::nullopt;
  if (value) return Attr::get(reader.getContext(), *value);
  reader.emitError("unknown chlo ") << what << " " << code;
  return {};
}

// Attributes without an encoding of their own are stored as text, which the bytecode
// reader parses.
struct ChloReader : mlir::BytecodeDialectInterface {
  explicit ChloReader(mlir::Dialect* dialect) : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(DialectBytecodeReader& reader) const override {
    uint64_t code;
    if (failed(reader.readVarInt(code))) return {};
    switch (code) {
      case 0:
        return ReadEnum<chlo::ComparisonDirectionAttr>(
            reader, chlo::symbolizeComparisonDirection, "comparison direction");
      case 1:
        return ReadEnum<chlo::ComparisonTypeAttr>(reader, chlo::symbolizeComparisonType,
                                                  "comparison type");
      default:
        reader.emitError("unknown chlo attribute code ") << code;
        return {};
    }
  }
};

}  // namespace

void LoadChloForBytecode(mlir::MLIRContext* context) {
  auto* dialect = context->getOrLoadDialect<chlo::ChloDialect>();
  if (dialect->getRegisteredInterface<mlir::BytecodeDialectInterface>() == nullptr)
    dialect->addInterfaces<ChloReader>();
}

}  // namespace tenon::compiler
