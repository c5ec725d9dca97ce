// Turns MLIR's diagnostics into a Status: the one place where that happens.
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

// Where `location` lies in the user's source: "file.py:12:3", else the name it carries in
// quotes, else empty.
std::string DescribeLocation(mlir::Location location);

// Reports that Tenon does not support `op`, as in "'stablehlo.fft' op on f16 is not
// supported"; the caller streams what comes after "op ". A collector makes it
// UNIMPLEMENTED.
mlir::InFlightDiagnostic EmitUnsupported(mlir::Operation* op);

// UNIMPLEMENTED: "<op> on <types>: <why> (at <location>)".
Status UnsupportedOp(mlir::Operation& op, llvm::StringRef why);

// While alive, takes the context's diagnostics; warnings and remarks are dropped.
class DiagnosticCollector {
 public:
  explicit DiagnosticCollector(mlir::MLIRContext* context);

  bool has_errors() const { return num_errors_ > 0; }

  // The errors so far as "<message> at file.py:12:3", the first few of them. Their code
  // is UNIMPLEMENTED if the first was emitted by EmitUnsupported, else `code`. `fallback`
  // is the message if something failed without a diagnostic.
  Status ToStatus(StatusCode code, std::string_view fallback) const;

 private:
  std::string message_;
  int num_errors_ = 0;
  bool unsupported_ = false;
  mlir::ScopedDiagnosticHandler handler_;
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_DIAGNOSTICS_TO_STATUS_H_
