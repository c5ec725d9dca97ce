// Reads the sdy dialect's attributes (version 0.0.x) from MLIR bytecode. Its operations
// read their property records with the code that TableGen generates.
#ifndef TENON_COMPILER_IMPORT_SDY_BYTECODE_H_
#define TENON_COMPILER_IMPORT_SDY_BYTECODE_H_

namespace mlir {
class MLIRContext;
}

namespace tenon::compiler {

// Loads the sdy dialect into `context` and adds a bytecode interface, unless it has one.
void LoadSdyForBytecode(mlir::MLIRContext* context);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_IMPORT_SDY_BYTECODE_H_
