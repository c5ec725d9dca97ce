#include "tenon/compiler/diagnostics_to_status.h"

#include "llvm/ADT/StringRef.h"
#include "mlir/IR/Operation.h"

namespace tenon::compiler {
namespace {

constexpr int kMaxErrors = 3;
constexpr llvm::StringRef kUnsupportedMark = "unsupported: ";

// Returns the innermost file position of a location. For a call site this is the callee's
// side, the position of the op itself.
mlir::FileLineColRange FindFile(mlir::Location location) {
  mlir::FileLineColRange found;
  location->walk([&](mlir::Location inner) {
    if (auto file = llvm::dyn_cast<mlir::FileLineColRange>(inner);
        file && file.getStartLine() > 0) {
      found = file;
      return mlir::WalkResult::interrupt();
    }
    return mlir::WalkResult::advance();
  });
  return found;
}

}  // namespace

std::string DescribeLocation(mlir::Location location) {
  if (mlir::FileLineColRange file = FindFile(location)) {
    return file.getFilename().str() + ":" + std::to_string(file.getStartLine()) + ":" +
           std::to_string(file.getStartColumn());
  }
  if (auto name = location->findInstanceOf<mlir::NameLoc>()) {
    return "\"" + name.getName().str() + "\"";
  }
  return "";
}

mlir::InFlightDiagnostic EmitUnsupported(mlir::Operation* op) {
  return mlir::emitError(op->getLoc())
         << kUnsupportedMark << "'" << op->getName() << "' op ";
}

Status UnsupportedOp(mlir::Operation& op, llvm::StringRef why) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << op.getName() << " on (";
  llvm::interleaveComma(op.getOperandTypes(), os);
  os << ")";
  if (!why.empty()) os << ": " << why;
  os << " (at " << op.getLoc() << ")";
  return Unimplemented(text);
}

DiagnosticCollector::DiagnosticCollector(mlir::MLIRContext* context)
    : handler_(context, [this](mlir::Diagnostic& diagnostic) {
        if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error) return;
        if (++num_errors_ > kMaxErrors) return;
        std::string text = diagnostic.str();
        if (llvm::StringRef(text).starts_with(kUnsupportedMark)) {
          text.erase(0, kUnsupportedMark.size());
          unsupported_ |= num_errors_ == 1;
        }
        if (!message_.empty()) message_ += "; ";
        message_ += text;
        std::string where = DescribeLocation(diagnostic.getLocation());
        if (!where.empty()) message_ += " at " + where;
      }) {}

Status DiagnosticCollector::ToStatus(StatusCode code, std::string_view fallback) const {
  if (num_errors_ == 0) return Status(code, std::string(fallback));
  std::string message = message_;
  if (num_errors_ > kMaxErrors) {
    message += "; and " + std::to_string(num_errors_ - kMaxErrors) + " more errors";
  }
  return Status(unsupported_ ? StatusCode::kUnimplemented : code, message);
}

}  // namespace tenon::compiler
