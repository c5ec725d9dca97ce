// The `vhlo` dialect as MLIR's bytecode reader needs it: operations come from a table;
// types and attributes become builtin and StableHLO ones while they are read.
// vhlo_to_stablehlo.h removes the operations. Belongs to an MLIRContext, used by one
// thread at a time.
#ifndef TENON_COMPILER_IMPORT_VHLO_DIALECT_H_
#define TENON_COMPILER_IMPORT_VHLO_DIALECT_H_

#include <string_view>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "mlir/IR/ExtensibleDialect.h"

namespace tenon::compiler {

// One version of a VHLO operation. A negative count ~n is a minimum: at least n.
struct VhloOp {
  std::string_view name;  // "dot_general_v2"
  int operands;
  int results;
  int regions;
  llvm::SmallVector<llvm::StringRef, 0> properties;  // in the order of a property record
};

// Returns the table entry of operation `name` (without "vhlo."), or null.
const VhloOp* FindVhloOp(llvm::StringRef name);

class VhloDialect : public mlir::ExtensibleDialect {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VhloDialect)

  explicit VhloDialect(mlir::MLIRContext* context);
  static llvm::StringRef getDialectNamespace() { return "vhlo"; }
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_IMPORT_VHLO_DIALECT_H_
