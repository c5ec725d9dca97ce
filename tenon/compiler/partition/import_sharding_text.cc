#include "tenon/compiler/partition/import_sharding_text.h"

#include <string>

#include "llvm/ADT/STLExtras.h"
#include "mlir/AsmParser/AsmParser.h"
#include "tenon/compiler/diagnostics_to_status.h"
#include "tenon/compiler/partition/sharding_table.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler::partition {
namespace {

constexpr char kFrontendAttributes[] = "mhlo.frontend_attributes";
constexpr char kMeshes[] = "xla.sdy.meshes";
constexpr char kSharding[] = "xla.sdy.sharding";

// The text under `name`, or null.
mlir::StringAttr TextIn(mlir::Attribute frontend, llvm::StringRef name) {
  auto attributes = llvm::dyn_cast_or_null<mlir::DictionaryAttr>(frontend);
  return attributes ? attributes.getAs<mlir::StringAttr>(name) : mlir::StringAttr();
}

// XLA escapes quotation marks once more than MLIR.
std::string Unescape(llvm::StringRef text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    result += text[i];
  }
  return result;
}

template <typename Attr>
StatusOr<Attr> Parse(mlir::StringAttr text, mlir::Location loc) {
  // The message is that of the Status.
  mlir::ScopedDiagnosticHandler quiet(text.getContext(),
                                      [](mlir::Diagnostic&) { return mlir::success(); });
  auto result = llvm::dyn_cast_or_null<Attr>(
      mlir::parseAttribute(Unescape(text.getValue()), text.getContext()));
  if (result) return result;
  return InvalidArgument("cannot read the sharding '" + text.getValue().str() + "' (at " +
                         DescribeLocation(loc) + ")");
}

Status ImportMeshes(mlir::ModuleOp module, mlir::StringAttr text) {
  TENON_ASSIGN_OR_RETURN(auto meshes, Parse<mlir::DictionaryAttr>(text, module.getLoc()));
  mlir::OpBuilder b(module.getContext());
  b.setInsertionPointToStart(module.getBody());
  for (mlir::NamedAttribute entry : meshes) {
    auto mesh = llvm::dyn_cast<sdy::MeshAttr>(entry.getValue());
    if (!mesh) return InvalidArgument("'" + text.getValue().str() + "' has no meshes");
    sdy::MeshOp::create(b, module.getLoc(), entry.getName().strref(), mesh);
  }
  return OkStatus();
}

Status ImportArguments(mlir::func::FuncOp function) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto text = TextIn(function.getArgAttr(i, kFrontendAttributes), kSharding);
    if (!text) continue;
    TENON_ASSIGN_OR_RETURN(auto sharding,
                           Parse<sdy::TensorShardingAttr>(text, function.getLoc()));
    function.setArgAttr(i, kShardingAttr, sharding);
  }
  return OkStatus();
}

// `call` marks results of its function.
Status ImportResult(stablehlo::CustomCallOp call, sdy::TensorShardingAttr sharding) {
  for (mlir::OpOperand& use : call->getUses()) {
    if (!llvm::isa<mlir::func::ReturnOp>(use.getOwner()))
      return UnsupportedOp(*call, "it marks a value that is no result");
    call->getParentOfType<mlir::func::FuncOp>().setResultAttr(use.getOperandNumber(),
                                                              kShardingAttr, sharding);
  }
  call->replaceAllUsesWith(call->getOperands());
  call->erase();
  return OkStatus();
}

Status ImportOp(mlir::Operation* op) {
  auto call = llvm::dyn_cast<stablehlo::CustomCallOp>(op);
  const llvm::StringRef target = call ? call.getCallTargetName() : "";
  const bool is_result = target == "xla.sdy.FuncResultSharding";
  if (target.starts_with("xla.sdy.") && !is_result)
    return UnsupportedOp(*op, "this form of Shardy's ops is not supported");
  auto text = TextIn(op->getAttr(kFrontendAttributes), kSharding);
  if (!text) return OkStatus();
  TENON_ASSIGN_OR_RETURN(auto list,
                         Parse<sdy::TensorShardingPerValueAttr>(text, op->getLoc()));
  const bool is_marker = is_result || target == "Sharding";
  if (is_marker && (list.getShardings().size() != 1 || op->getNumOperands() != 1 ||
                    op->getNumResults() != 1))
    return UnsupportedOp(*op, "it does not mark one value");
  if (is_result) return ImportResult(call, list.getShardings()[0]);
  if (!is_marker) {
    op->setAttr(kShardingAttr, list);
    return OkStatus();
  }
  mlir::OpBuilder b(op);
  auto constraint = sdy::ShardingConstraintOp::create(b, op->getLoc(), op->getOperand(0),
                                                      list.getShardings()[0]);
  op->replaceAllUsesWith(constraint);
  op->erase();
  return OkStatus();
}

}  // namespace

Status ImportShardingText(mlir::ModuleOp module) {
  auto meshes = TextIn(module->getAttr(kFrontendAttributes), kMeshes);
  if (!meshes || !module.getOps<sdy::MeshOp>().empty()) return OkStatus();
  TENON_RETURN_IF_ERROR(ImportMeshes(module, meshes));
  llvm::SmallVector<mlir::Operation*> ops;
  module.walk([&](mlir::Operation* op) { ops.push_back(op); });
  for (mlir::Operation* op : ops) {
    auto function = llvm::dyn_cast<mlir::func::FuncOp>(op);
    TENON_RETURN_IF_ERROR(function ? ImportArguments(function) : ImportOp(op));
  }
  return OkStatus();
}

}  // namespace tenon::compiler::partition
