// Turns MLIR's diagnostics into a Status. No other code does.
//
// A collector belongs to the thread that owns the context.
#ifndef TENON_COMPILER_DIAGNOSTICS_TO_STATUS_H_
#define TENON_COMPILER_DIAGNOSTICS_TO_STATUS_H_

#include <string>

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "tenon/base/status.h"

namespace mlir {
class Operation;
}

namespace tenon::compiler {

// Describes where `location` lies in the user's source: "file.py:12:3", or else its name
// in quotes, or else an empty string.
std::string DescribeLocation(mlir::Location location);

// Emits the error that Tenon does not support `op`, as in "'stablehlo.fft' op on f16 is
// not supported"; the caller streams the text after "op ". A collector turns it into
// UNIMPLEMENTED.
mlir::InFlightDiagnostic EmitUnsupported(mlir::Operation* op);

// UNIMPLEMENTED: "<op> on <types>: <why> (at <location>)".
Status UnsupportedOp(mlir::Operation& op, llvm::StringRef why);

// Collects the context's errors during its lifetime; warnings and remarks are dropped.
class DiagnosticCollector {
 public:
  explicit DiagnosticCollector(mlir::MLIRContext* context);

  bool has_errors() const { return num_errors_ > 0; }

  // Returns the first few errors as "<message> at file.py:12:3". Their code is
  // UNIMPLEMENTED if the first was emitted by EmitUnsupported, and otherwise `code`.
  // `fallback` is the message if an operation failed without a diagnostic.
  Status ToStatus(StatusCode code, std::string_view fallback) const;

 private:
  std::string message_;
  int num_errors_ = 0;
  bool unsupported_ = false;
  mlir::ScopedDiagnosticHandler handler_;
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_DIAGNOSTICS_TO_STATUS_H_
