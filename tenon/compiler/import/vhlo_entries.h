// Decodes the types and attributes of VHLO into builtin and StableHLO ones (encoding:
// VHLO 0.9.0 to 1.20.0). Called by MLIR's bytecode reader, on its thread.
//
// A null result means failure. The reader may fail a nested read on purpose and call
// again later. So these functions return at the first failed read, and report only errors
// in values that they have read themselves.
#ifndef TENON_COMPILER_IMPORT_VHLO_ENTRIES_H_
#define TENON_COMPILER_IMPORT_VHLO_ENTRIES_H_

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Types.h"

namespace mlir {
class DialectBytecodeReader;
}

namespace tenon::compiler {

mlir::Type ReadVhloType(mlir::DialectBytecodeReader& reader);
mlir::Attribute ReadVhloAttribute(mlir::DialectBytecodeReader& reader);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_IMPORT_VHLO_ENTRIES_H_
