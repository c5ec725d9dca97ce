#include "tenon/compiler/import/vhlo_to_stablehlo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "tenon/compiler/import/vhlo_dialect.h"
#include "tenon/compiler/import/vhlo_to_stablehlo_attributes.h"

namespace tenon::compiler {
namespace {

using llvm::StringRef;
using mlir::ArrayAttr;
using mlir::Attribute;
using mlir::failure;
using mlir::LogicalResult;
using mlir::NamedAttrList;
using mlir::Operation;
using mlir::success;

class Converter {
 public:
  explicit Converter(mlir::MLIRContext* context) : builder_(context) {}

  LogicalResult ConvertRegions(Operation* op);

 private:
  LogicalResult ConvertOperation(Operation* op);
  LogicalResult CheckStructure(Operation* op, const VhloOp& row);
  mlir::FailureOr<NamedAttrList> ConvertFunctionAttributes(Operation* op,
                                                           VhloAttributes& in);
  LogicalResult FoldCast(Operation* op);

  mlir::OpBuilder builder_;
};

LogicalResult Converter::ConvertRegions(Operation* op) {
  for (mlir::Region& region : op->getRegions()) {
    for (mlir::Block& block : region) {
      for (Operation& inner : llvm::make_early_inc_range(block)) {
        if (failed(ConvertOperation(&inner))) return failure();
      }
    }
  }
  return success();
}

bool Matches(int expected, unsigned actual) {
  return expected >= 0 ? actual == static_cast<unsigned>(expected)
                       : actual >= static_cast<unsigned>(~expected);
}

LogicalResult Converter::CheckStructure(Operation* op, const VhloOp& row) {
  if (!Matches(row.operands, op->getNumOperands())) {
    return op->emitOpError("has ") << op->getNumOperands() << " operands";
  }
  if (!Matches(row.results, op->getNumResults())) {
    return op->emitOpError("has ") << op->getNumResults() << " results";
  }
  if (!Matches(row.regions, op->getNumRegions())) {
    return op->emitOpError("has ") << op->getNumRegions() << " regions";
  }
  return success();
}

// Removes a cast that the writer placed between a VHLO type and the type of a foreign
// operation.
LogicalResult Converter::FoldCast(Operation* op) {
  if (op->getOperandTypes() != op->getResultTypes() || op->getNumResults() != 1) {
    return op->emitOpError("casts between different types");
  }
  if (llvm::is_contained(op->getOperands(), op->getResult(0))) {
    return op->emitOpError("casts its own result");
  }
  op->replaceAllUsesWith(op->getOperands());
  op->erase();
  return success();
}

// An empty list means no attributes.
LogicalResult AddArgumentAttributes(Operation* op, StringRef name, ArrayAttr list,
                                    size_t expected, NamedAttrList& out) {
  if (!list || list.empty()) return success();
  if (list.size() != expected) {
    return op->emitOpError() << "has " << list.size() << " " << name << ", not "
                             << expected;
  }
  for (Attribute entry : list) {
    if (!llvm::isa<mlir::DictionaryAttr>(entry)) {
      return op->emitOpError() << "has " << name << " that are not dictionaries";
    }
  }
  out.append(name, list);
  return success();
}

mlir::FailureOr<NamedAttrList> Converter::ConvertFunctionAttributes(Operation* op,
                                                                    VhloAttributes& in) {
  auto name = in.Take<mlir::StringAttr>("sym_name");
  auto type = in.Take<mlir::TypeAttr>("function_type");
  auto visibility = in.Take<mlir::StringAttr>("sym_visibility");
  auto arguments = in.Take<ArrayAttr>("arg_attrs");
  auto results = in.Take<ArrayAttr>("res_attrs");
  if (in.failed()) return failure();
  auto function_type =
      type ? llvm::dyn_cast<mlir::FunctionType>(type.getValue()) : mlir::FunctionType();
  if (!name || name.empty() || !function_type) {
    return op->emitOpError("needs a name and a function type");
  }
  NamedAttrList out;
  out.append("sym_name", name);
  out.append("function_type", type);
  if (visibility && !visibility.empty()) out.append("sym_visibility", visibility);
  if (failed(AddArgumentAttributes(op, "arg_attrs", arguments,
                                   function_type.getNumInputs(), out)) ||
      failed(AddArgumentAttributes(op, "res_attrs", results,
                                   function_type.getNumResults(), out))) {
    return failure();
  }
  return out;
}

LogicalResult Converter::ConvertOperation(Operation* op) {
  if (op->getName().getStringRef() == "builtin.unrealized_conversion_cast")
    return FoldCast(op);
  if (op->getName().getDialectNamespace() != "vhlo") return ConvertRegions(op);
  StringRef versioned = op->getName().stripDialect();
  const VhloOp& row = *FindVhloOp(versioned);
  if (failed(CheckStructure(op, row))) return failure();

  StringRef name = versioned.substr(0, versioned.rfind("_v"));
  VhloAttributes in(op);
  NamedAttrList foreign;
  for (mlir::NamedAttribute attribute : op->getAttrs()) {
    StringRef attribute_name = attribute.getName().getValue();
    if (llvm::is_contained(row.properties, attribute_name)) {
      in.Add(attribute_name, attribute.getValue());
    } else {
      foreign.append(attribute);
    }
  }
  if (in.size() != row.properties.size()) {
    return op->emitOpError("lacks one of its attributes");
  }

  std::string target = ("stablehlo." + name).str();
  bool is_function = name == "func";
  if (is_function || name == "call" ||
      (name == "return" &&
       llvm::isa_and_nonnull<mlir::func::FuncOp>(op->getParentOp()))) {
    target = ("func." + name).str();
  }
  mlir::FailureOr<NamedAttrList> attributes =
      is_function ? ConvertFunctionAttributes(op, in) : in.Convert(name);
  if (failed(attributes)) return failure();

  auto target_name = mlir::RegisteredOperationName::lookup(target, op->getContext());
  if (!target_name) return op->emitOpError("has no counterpart in StableHLO");
  auto error = [&] { return op->emitError() << "'" << target << "' op "; };
  if (failed(target_name->verifyInherentAttrs(*attributes, error))) return failure();
  for (mlir::NamedAttribute attribute : foreign) {
    if (!attributes->get(attribute.getName())) attributes->append(attribute);
  }

  mlir::OperationState state(op->getLoc(), *target_name);
  state.addOperands(op->getOperands());
  state.addTypes(op->getResultTypes());
  state.addAttributes(*attributes);
  for (mlir::Region& region : op->getRegions()) state.addRegion()->takeBody(region);
  builder_.setInsertionPoint(op);
  Operation* converted = builder_.create(state);
  op->replaceAllUsesWith(converted);
  op->erase();
  return ConvertRegions(converted);
}

}  // namespace

LogicalResult ConvertVhloToStablehlo(mlir::ModuleOp module) {
  return Converter(module.getContext()).ConvertRegions(module);
}

}  // namespace tenon::compiler
