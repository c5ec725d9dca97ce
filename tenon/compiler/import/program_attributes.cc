#include "tenon/compiler/import/program_attributes.h"

#include "llvm/Support/raw_ostream.h"

namespace tenon::compiler {
namespace {

using llvm::StringRef;
using mlir::Attribute;
using mlir::DictionaryAttr;

Status Unexpected(const std::string& where, StringRef name, Attribute value) {
  std::string text;
  llvm::raw_string_ostream(text) << name << " = " << value;
  return InvalidArgument(where + " has an unexpected attribute " + text);
}

Status ReadString(const std::string& where, DictionaryAttr attributes, StringRef name,
                  std::string& result) {
  Attribute value = attributes.get(name);
  if (!value) return OkStatus();
  auto text = llvm::dyn_cast<mlir::StringAttr>(value);
  if (!text) return Unexpected(where, name, value);
  result = text.str();
  return OkStatus();
}

Status ReadBool(const std::string& where, DictionaryAttr attributes, StringRef name,
                bool& result) {
  Attribute value = attributes.get(name);
  if (!value) return OkStatus();
  auto flag = llvm::dyn_cast<mlir::BoolAttr>(value);
  if (!flag && !llvm::isa<mlir::UnitAttr>(value)) return Unexpected(where, name, value);
  result = !flag || flag.getValue();
  return OkStatus();
}

Status ReadValue(const std::string& where, DictionaryAttr attributes,
                 ValueAttributes& value) {
  TENON_RETURN_IF_ERROR(
      ReadString(where, attributes, "mhlo.memory_kind", value.memory_kind));
  TENON_RETURN_IF_ERROR(
      ReadString(where, attributes, "mhlo.layout_mode", value.layout_mode));
  TENON_RETURN_IF_ERROR(ReadString(where, attributes, "mhlo.sharding", value.sharding));
  TENON_RETURN_IF_ERROR(ReadBool(where, attributes, "jax.token", value.is_token));
  if (Attribute sharding = attributes.get("sdy.sharding")) {
    value.sharding.clear();
    llvm::raw_string_ostream(value.sharding) << sharding;
  }
  return OkStatus();
}

Status ReadAlias(const std::string& where, DictionaryAttr attributes, mlir::Type type,
                 mlir::TypeRange results, std::vector<bool>& taken,
                 ArgumentAttributes& argument) {
  Attribute value = attributes.get("tf.aliasing_output");
  if (!value) return OkStatus();
  auto index = llvm::dyn_cast<mlir::IntegerAttr>(value);
  if (!index || index.getValue().uge(results.size())) {
    return Unexpected(where, "tf.aliasing_output", value);
  }
  size_t result = index.getValue().getZExtValue();
  if (taken[result]) {
    return InvalidArgument(where + " aliases result " + std::to_string(result) +
                           ", which another argument aliases too");
  }
  if (results[result] != type) {
    std::string types;
    llvm::raw_string_ostream(types)
        << type << ", but result " << result << " is " << results[result];
    return InvalidArgument(where + " cannot alias its result: it is " + types);
  }
  taken[result] = true;
  argument.aliased_result = static_cast<int>(result);
  return OkStatus();
}

StatusOr<int64_t> ReadCount(mlir::ModuleOp module, StringRef name) {
  Attribute value = module->getAttr(name);
  if (!value) return int64_t{1};
  auto count = llvm::dyn_cast<mlir::IntegerAttr>(value);
  if (!count || count.getValue().getSignificantBits() > 32 || count.getInt() < 1) {
    return Unexpected("module", name, value);
  }
  return count.getInt();
}

}  // namespace

StatusOr<mlir::func::FuncOp> FindEntry(mlir::ModuleOp module) {
  if (auto main = module.lookupSymbol<mlir::func::FuncOp>("main")) {
    if (main.isExternal()) return InvalidArgument("function @main has no body");
    return main;
  }
  mlir::func::FuncOp entry;
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    if (!function.isPublic() || function.isExternal()) continue;
    if (entry)
      return InvalidArgument("module has several public functions, none of them @main");
    entry = function;
  }
  if (!entry) return InvalidArgument("module has no public function with a body");
  return entry;
}

StatusOr<ProgramAttributes> ReadProgramAttributes(mlir::ModuleOp module) {
  TENON_ASSIGN_OR_RETURN(mlir::func::FuncOp entry, FindEntry(module));
  ProgramAttributes program;
  program.name = module.getSymName().value_or("").str();
  TENON_ASSIGN_OR_RETURN(program.num_replicas, ReadCount(module, "mhlo.num_replicas"));
  TENON_ASSIGN_OR_RETURN(program.num_partitions,
                         ReadCount(module, "mhlo.num_partitions"));
  auto none = DictionaryAttr::get(module.getContext());
  mlir::TypeRange results = entry.getResultTypes();
  std::vector<bool> taken(results.size());
  for (unsigned i = 0; i < entry.getNumArguments(); ++i) {
    DictionaryAttr attributes = entry.getArgAttrDict(i);
    if (!attributes) attributes = none;
    std::string where = "argument " + std::to_string(i);
    ArgumentAttributes& argument = program.arguments.emplace_back();
    if (auto name = entry.getArgument(i).getLoc()->findInstanceOf<mlir::NameLoc>())
      argument.name = name.getName().str();
    TENON_RETURN_IF_ERROR(ReadValue(where, attributes, argument));
    TENON_RETURN_IF_ERROR(
        ReadBool(where, attributes, "jax.buffer_donor", argument.donated));
    TENON_RETURN_IF_ERROR(ReadAlias(where, attributes, entry.getArgument(i).getType(),
                                    results, taken, argument));
  }
  for (unsigned i = 0; i < results.size(); ++i) {
    DictionaryAttr attributes = entry.getResultAttrDict(i);
    if (!attributes) attributes = none;
    const std::string where = "result " + std::to_string(i);
    ValueAttributes& result = program.results.emplace_back();
    TENON_RETURN_IF_ERROR(ReadValue(where, attributes, result));
    TENON_RETURN_IF_ERROR(ReadString(where, attributes, "jax.result_info", result.name));
  }
  return program;
}

}  // namespace tenon::compiler
