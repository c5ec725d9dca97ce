#include "tenon/compiler/import/vhlo_dialect.h"

#include "llvm/ADT/SmallVector.h"
#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "tenon/compiler/import/vhlo_entries.h"

namespace tenon::compiler {
namespace {

constexpr int AtLeast(int count) { return ~count; }

VhloOp MakeRow(std::string_view name, int operands, int results, int regions,
               llvm::StringRef properties) {
  VhloOp op{name, operands, results, regions, {}};
  properties.split(op.properties, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  return op;
}

const llvm::StringMap<VhloOp>& Table() {
  static const auto* table = [] {
    auto* map = new llvm::StringMap<VhloOp>;
#define VHLO_OP(name, operands, results, regions, properties) \
  map->try_emplace(name, MakeRow(name, operands, results, regions, properties));
#include "tenon/compiler/import/vhlo_ops.inc"
    return map;
  }();
  return *table;
}

// Reads a property record: one attribute reference for each inherent attribute.
struct RecordReader : mlir::BytecodeOpInterface::FallbackModel<RecordReader> {
  static mlir::LogicalResult readProperties(mlir::DialectBytecodeReader& reader,
                                            mlir::OperationState& state) {
    const VhloOp* op = FindVhloOp(state.name.stripDialect());
    for (llvm::StringRef name : op->properties) {
      mlir::Attribute value;
      if (failed(reader.readAttribute(value))) return mlir::failure();
      state.addAttribute(name, value);
    }
    return mlir::success();
  }
  void writeProperties(mlir::Operation*, mlir::DialectBytecodeWriter&) const {}
};

struct EntryReader : mlir::BytecodeDialectInterface {
  explicit EntryReader(mlir::Dialect* dialect) : BytecodeDialectInterface(dialect) {}
  mlir::Attribute readAttribute(mlir::DialectBytecodeReader& reader) const override {
    return ReadVhloAttribute(reader);
  }
  mlir::Type readType(mlir::DialectBytecodeReader& reader) const override {
    return ReadVhloType(reader);
  }
};

}  // namespace

const VhloOp* FindVhloOp(llvm::StringRef name) {
  auto row = Table().find(name);
  return row == Table().end() ? nullptr : &row->second;
}

VhloDialect::VhloDialect(mlir::MLIRContext* context)
    : ExtensibleDialect(getDialectNamespace(), context,
                        mlir::TypeID::get<VhloDialect>()) {
  addInterfaces<EntryReader>();
  auto accept = [](mlir::Operation*) { return mlir::success(); };
  for (const auto& row : Table()) {
    registerDynamicOp(
        mlir::DynamicOpDefinition::get(row.second.name, this, accept, accept));
    std::string name = ("vhlo." + row.first()).str();
    mlir::RegisteredOperationName::lookup(name, context)->attachInterface<RecordReader>();
  }
}

}  // namespace tenon::compiler
