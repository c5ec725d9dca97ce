#include "tenon/compiler/import/sdy_bytecode.h"

#include <memory>
#include <optional>

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "tenon/dialects/sdy/sdy.h"

namespace tenon::compiler {
namespace {

using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;
using mlir::Attribute;
using mlir::DialectBytecodeReader;
using mlir::MLIRContext;

// A null result means failure. As in vhlo_entries.h, only errors in a value itself are
// reported.

// Reads an attribute that consists of one list of attributes.
template <typename T, typename Element>
Attribute ReadList(DialectBytecodeReader& reader) {
  SmallVector<Element> elements;
  if (failed(reader.readAttributes(elements))) return {};
  return T::get(reader.getContext(), elements);
}

Attribute ReadMeshAxis(DialectBytecodeReader& reader) {
  StringRef name;
  int64_t size;
  if (failed(reader.readString(name)) || failed(reader.readSignedVarInt(size))) return {};
  return sdy::MeshAxisAttr::getChecked([&] { return reader.emitError(); },
                                       reader.getContext(), name, size);
}

Attribute ReadMesh(DialectBytecodeReader& reader) {
  SmallVector<sdy::MeshAxisAttr> axes;
  SmallVector<int64_t> device_ids;
  if (failed(reader.readAttributes(axes)) ||
      failed(reader.readSignedVarInts(device_ids))) {
    return {};
  }
  return sdy::MeshAttr::getChecked([&] { return reader.emitError(); },
                                   reader.getContext(), ArrayRef(axes),
                                   ArrayRef(device_ids));
}

Attribute ReadSubAxisInfo(DialectBytecodeReader& reader) {
  int64_t pre_size, size;
  if (failed(reader.readSignedVarInt(pre_size)) ||
      failed(reader.readSignedVarInt(size))) {
    return {};
  }
  return sdy::SubAxisInfoAttr::getChecked([&] { return reader.emitError(); },
                                          reader.getContext(), pre_size, size);
}

Attribute ReadAxisRef(DialectBytecodeReader& reader) {
  StringRef name;
  sdy::SubAxisInfoAttr sub_axis;
  if (failed(reader.readString(name)) || failed(reader.readOptionalAttribute(sub_axis))) {
    return {};
  }
  return sdy::AxisRefAttr::get(reader.getContext(), name, sub_axis);
}

Attribute ReadDimensionSharding(DialectBytecodeReader& reader) {
  SmallVector<sdy::AxisRefAttr> axes;
  bool is_closed, has_priority;
  uint64_t priority;
  if (failed(reader.readAttributes(axes)) || failed(reader.readBool(is_closed)) ||
      failed(reader.readVarIntWithFlag(priority, has_priority))) {
    return {};
  }
  std::optional<int64_t> optional_priority;
  if (has_priority) optional_priority = static_cast<int64_t>(priority);
  return sdy::DimensionShardingAttr::get(reader.getContext(), axes, is_closed,
                                         optional_priority);
}

// The versions differ in the fields after the replicated axes.
Attribute ReadTensorSharding(DialectBytecodeReader& reader, int version) {
  Attribute mesh;
  SmallVector<sdy::DimensionShardingAttr> dimensions;
  SmallVector<sdy::AxisRefAttr> replicated, unreduced;
  int64_t reduction = 0;
  if (failed(reader.readAttribute(mesh)) || failed(reader.readAttributes(dimensions)) ||
      failed(reader.readAttributes(replicated)) ||
      (version >= 2 && failed(reader.readAttributes(unreduced))) ||
      (version >= 3 && failed(reader.readSignedVarInt(reduction)))) {
    return {};
  }
  auto op = reduction >= 0 && reduction <= std::numeric_limits<int32_t>::max()
                ? sdy::symbolizeReductionOp(static_cast<uint32_t>(reduction))
                : std::nullopt;
  if (!op.has_value()) {
    reader.emitError("unknown sdy reduction ") << reduction;
    return {};
  }
  if (!llvm::isa<mlir::FlatSymbolRefAttr, sdy::MeshAttr>(mesh)) {
    reader.emitError("sdy sharding over something other than a mesh: ") << mesh;
    return {};
  }
  return sdy::TensorShardingAttr::getChecked(
      [&] { return reader.emitError(); }, reader.getContext(), mesh, ArrayRef(dimensions),
      ArrayRef(replicated), ArrayRef(unreduced), *op);
}

Attribute ReadDimMapping(DialectBytecodeReader& reader) {
  SmallVector<int64_t> factors;
  if (failed(reader.readSignedVarInts(factors))) return {};
  for (int64_t factor : factors) {
    if (factor < 0) {
      reader.emitError("negative factor in an sdy sharding rule");
      return {};
    }
  }
  return sdy::DimMappingAttr::get(reader.getContext(), factors);
}

Attribute ReadOpShardingRule(DialectBytecodeReader& reader) {
  SmallVector<int64_t> sizes, reduction, need_replication, permutation,
      blocked_propagation;
  SmallVector<sdy::TensorMappingAttr> operands, results;
  bool is_custom;
  if (failed(reader.readSignedVarInts(sizes)) ||
      failed(reader.readAttributes(operands)) || failed(reader.readAttributes(results)) ||
      failed(reader.readSignedVarInts(reduction)) ||
      failed(reader.readSignedVarInts(need_replication)) ||
      failed(reader.readSignedVarInts(permutation)) ||
      failed(reader.readSignedVarInts(blocked_propagation)) ||
      failed(reader.readBool(is_custom))) {
    return {};
  }
  return sdy::OpShardingRuleAttr::get(reader.getContext(), sizes, operands, results,
                                      reduction, need_replication, permutation,
                                      blocked_propagation, is_custom);
}

struct SdyVersion : mlir::DialectVersion {};

struct SdyReader : mlir::BytecodeDialectInterface {
  explicit SdyReader(mlir::Dialect* dialect) : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(DialectBytecodeReader& reader) const override {
    uint64_t code;
    if (failed(reader.readVarInt(code))) return {};
    switch (code) {
      case 0:
        return ReadList<sdy::ManualAxesAttr, mlir::StringAttr>(reader);
      case 1:
        return ReadMeshAxis(reader);
      case 2:
        return ReadMesh(reader);
      case 3:
        return ReadSubAxisInfo(reader);
      case 4:
        return ReadAxisRef(reader);
      case 5:
        return ReadDimensionSharding(reader);
      case 6:
        return ReadTensorSharding(reader, 1);
      case 7:
      case 16:
        return ReadList<sdy::TensorShardingPerValueAttr, sdy::TensorShardingAttr>(reader);
      case 8:
        return ReadDimMapping(reader);
      case 9:
        return ReadList<sdy::TensorMappingAttr, sdy::DimMappingAttr>(reader);
      case 10:
        return ReadOpShardingRule(reader);
      case 15:
        return ReadTensorSharding(reader, 2);
      case 17:
        return ReadTensorSharding(reader, 3);
      default:
        reader.emitError("unknown sdy attribute code ") << code;
        return {};
    }
  }

  // A version is three numbers; all versions so far are read in the same way.
  std::unique_ptr<mlir::DialectVersion> readVersion(
      DialectBytecodeReader& reader) const override {
    uint64_t number;
    for (int i = 0; i < 3; ++i) {
      if (failed(reader.readVarInt(number))) return nullptr;
    }
    return std::make_unique<SdyVersion>();
  }
};

}  // namespace

void LoadSdyForBytecode(MLIRContext* context) {
  auto* dialect = context->getOrLoadDialect<sdy::SdyDialect>();
  if (dialect->getRegisteredInterface<mlir::BytecodeDialectInterface>() == nullptr) {
    dialect->addInterfaces<SdyReader>();
  }
}

}  // namespace tenon::compiler
