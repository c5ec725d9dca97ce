// Reads MLIR text of the MHLO dialect, StableHLO's predecessor, which some clients still
// send. Ops that StableHLO also has are renamed before MLIR parses the text. Stateless.
#ifndef TENON_COMPILER_IMPORT_MHLO_TEXT_H_
#define TENON_COMPILER_IMPORT_MHLO_TEXT_H_

#include <string>
#include <string_view>

#include "mlir/IR/MLIRContext.h"
#include "tenon/base/status.h"

namespace tenon::compiler {

// Returns `text` with MHLO's ops, attributes and types spelled as StableHLO's (some ops
// as CHLO's). Line numbers do not change. Attributes that are dense tensors in MHLO
// become arrays. Returns UNIMPLEMENTED, naming op and line, for an op that neither
// dialect in `context` has. Names of attributes that StableHLO programs also use, such as
// mhlo.num_partitions, do not change.
StatusOr<std::string> ReadMhloAsStablehlo(mlir::MLIRContext& context,
                                          std::string_view text);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_IMPORT_MHLO_TEXT_H_
