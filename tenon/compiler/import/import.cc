#include "tenon/compiler/import/import.h"

#include <string>

#include "llvm/Support/MemoryBuffer.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "tenon/compiler/diagnostics_to_status.h"
#include "tenon/compiler/import/bytecode_check.h"
#include "tenon/compiler/import/chlo_bytecode.h"
#include "tenon/compiler/import/mesh_groups.h"
#include "tenon/compiler/import/mhlo_text.h"
#include "tenon/compiler/import/sdy_bytecode.h"
#include "tenon/compiler/import/stablehlo_bytecode.h"
#include "tenon/compiler/import/text_check.h"
#include "tenon/compiler/import/vhlo_dialect.h"
#include "tenon/compiler/import/vhlo_to_stablehlo.h"
#include "tenon/dialects/chlo/chlo.h"
#include "tenon/dialects/sdy/sdy.h"
#include "tenon/dialects/stablehlo/dialect.h"

namespace tenon::compiler {
namespace {

using mlir::ModuleOp;
using mlir::OwningOpRef;

// The file name in the locations that MLIR itself creates.
constexpr llvm::StringLiteral kSourceName = "program";
constexpr std::string_view kVersions = "VHLO 0.9.0 to 1.20.0";

// Whether programs may be in bytecode of stablehlo and func, not only of vhlo.
enum class Dialects { kVersioned, kAll };

StatusOr<int> CountProperties(mlir::MLIRContext& context, Dialects dialects,
                              std::string_view dialect, std::string_view name) {
  std::string full_name = std::string(dialect) + "." + std::string(name);
  if (dialect == "vhlo") {
    if (const VhloOp* op = FindVhloOp(name))
      return static_cast<int>(op->properties.size());
    return InvalidArgument("unknown operation '" + full_name + "'; " +
                           std::string(kVersions) + " are read");
  }
  // Property records of scan hold operand segment sizes, whose encoding has changed.
  const bool reads_all = dialects == Dialects::kAll;
  if ((dialect == "stablehlo" && !reads_all) ||
      full_name == chlo::ScanOp::getOperationName()) {
    return Unimplemented(
        "operation '" + full_name + "' in bytecode of the '" + std::string(dialect) +
        "' dialect, which has no stable format; send a portable artifact (" +
        std::string(kVersions) + ") or text");
  }
  if (full_name == "stablehlo.custom_call") {
    return Unimplemented(
        "custom calls in a program that the framework returns for one of its calls");
  }
  bool known = dialect == "sdy" || dialect == "chlo" || full_name == "builtin.module" ||
               full_name == "builtin.unrealized_conversion_cast" ||
               (reads_all && (dialect == "stablehlo" || dialect == "func"));
  auto operation = mlir::RegisteredOperationName::lookup(full_name, &context);
  if (!known || !operation)
    return InvalidArgument("unknown operation '" + full_name + "'");
  return static_cast<int>(operation->getAttributeNames().size());
}

StatusOr<OwningOpRef<ModuleOp>> ReadBytecode(mlir::MLIRContext& context,
                                             std::string_view code, Dialects dialects) {
  context.loadDialect<VhloDialect>();
  LoadSdyForBytecode(&context);
  LoadChloForBytecode(&context);
  LoadStablehloForBytecode(&context);
  auto count = [&](std::string_view dialect, std::string_view name) {
    return CountProperties(context, dialects, dialect, name);
  };
  TENON_ASSIGN_OR_RETURN(BytecodeHeader header, CheckBytecode(code, count));
  DiagnosticCollector diagnostics(&context);
  auto error = [&] {
    return diagnostics
        .ToStatus(StatusCode::kInvalidArgument, "malformed program: unreadable bytecode")
        .WithPrefix("program written by '" + std::string(header.producer) + "'");
  };
  // VHLO operations cannot be verified before they are converted.
  mlir::ParserConfig config(&context, /*verifyAfterParse=*/false);
  std::string_view readable = header.rewritten.empty() ? code : header.rewritten;
  llvm::MemoryBufferRef buffer(llvm::StringRef(readable), kSourceName);
  mlir::Block block;
  if (failed(mlir::readBytecodeFile(buffer, &block, config))) return error();
  if (block.getOperations().size() != 1 || !llvm::isa<ModuleOp>(block.front())) {
    return InvalidArgument(
        "malformed program: the outermost operation is not one module");
  }
  auto module = llvm::cast<ModuleOp>(block.front());
  module->remove();
  OwningOpRef<ModuleOp> owner(module);
  if (failed(ConvertVhloToStablehlo(module)) || failed(mlir::verify(module)))
    return error();
  return owner;
}

StatusOr<OwningOpRef<ModuleOp>> ReadText(mlir::MLIRContext& context,
                                         std::string_view code) {
  if (code.find('\0') != std::string_view::npos) {
    return InvalidArgument(
        "program is neither MLIR bytecode nor MLIR text; send a StableHLO portable "
        "artifact or text");
  }
  TENON_RETURN_IF_ERROR(CheckTextNesting(code));
  DiagnosticCollector diagnostics(&context);
  // The copy is needed in any case: the lexer requires a terminating NUL.
  TENON_ASSIGN_OR_RETURN(std::string text, ReadMhloAsStablehlo(context, code));
  auto module =
      mlir::parseSourceString<ModuleOp>(text, mlir::ParserConfig(&context), kSourceName);
  if (!module) {
    return diagnostics.ToStatus(StatusCode::kInvalidArgument, "program is not MLIR text");
  }
  return module;
}

// Checks that only StableHLO, CHLO and Shardy operations reach the later passes, and that
// each region has one block. At module level only functions and meshes are allowed. They
// have no results, so no value is used before its definition, which a module's graph
// region would permit.
Status CheckOperations(ModuleOp module) {
  using mlir::func::CallOp, mlir::func::FuncOp, mlir::func::ReturnOp;
  Status status;
  module->walk([&](mlir::Operation* op) {
    if (op == module) return mlir::WalkResult::advance();
    llvm::StringRef dialect = op->getName().getDialectNamespace();
    bool top = op->getParentOp() == module;
    const char* problem = nullptr;
    if (top ? !llvm::isa<FuncOp, sdy::MeshOp>(op)
            : dialect != "stablehlo" && dialect != "chlo" && dialect != "sdy" &&
                  !llvm::isa<CallOp, ReturnOp>(op)) {
      problem = top ? "is neither a function nor a mesh"
                    : "is not an operation of stablehlo, chlo, sdy or func";
    }
    for (mlir::Region& region : op->getRegions()) {
      if (!region.empty() && !region.hasOneBlock())
        problem = "has a region of several blocks, which StableHLO does not allow";
    }
    if (problem == nullptr) return mlir::WalkResult::advance();
    std::string where = DescribeLocation(op->getLoc());
    status = InvalidArgument("'" + op->getName().getStringRef().str() + "' op " +
                             problem + (where.empty() ? "" : " at " + where));
    return mlir::WalkResult::interrupt();
  });
  return status;
}

StatusOr<OwningOpRef<ModuleOp>> Import(mlir::MLIRContext& context, std::string_view code,
                                       Dialects dialects) {
  context.loadDialect<mlir::func::FuncDialect, chlo::ChloDialect, sdy::SdyDialect,
                      stablehlo::StableHLODialect>();
  if (code.empty()) return InvalidArgument("program is empty");
  auto module =
      IsBytecode(code) ? ReadBytecode(context, code, dialects) : ReadText(context, code);
  if (!module.ok()) return module;
  TENON_RETURN_IF_ERROR(CheckOperations(module->get()));
  TENON_RETURN_IF_ERROR(ResolveMeshGroups(module->get()));
  return module;
}

}  // namespace

StatusOr<OwningOpRef<ModuleOp>> ImportProgram(mlir::MLIRContext& context,
                                              std::string_view code) {
  return Import(context, code, Dialects::kVersioned);
}

StatusOr<OwningOpRef<ModuleOp>> ImportUnversionedProgram(mlir::MLIRContext& context,
                                                         std::string_view code) {
  return Import(context, code, Dialects::kAll);
}

}  // namespace tenon::compiler
