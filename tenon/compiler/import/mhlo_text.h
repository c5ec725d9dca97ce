// Reads MLIR text of the MHLO dialect, StableHLO's predecessor, which some clients still
// send: its ops that StableHLO has too are renamed before MLIR parses the text.
// Stateless.
#ifndef TENON_COMPILER_IMPORT_MHLO_TEXT_H_
#define TENON_COMPILER_IMPORT_MHLO_TEXT_H_

#include <string>
#include <string_view>

#include "mlir/IR/MLIRContext.h"
#include "tenon/base/status.h"

namespace tenon::compiler {

// `text` with MHLO's ops, attributes and types as StableHLO's (some ops as CHLO's); line
// numbers stay. Attributes that MHLO has as dense tensors become arrays. UNIMPLEMENTED,
// naming op and line, for an op that neither dialect of `context` has. Names of
// attributes such as mhlo.num_partitions, which StableHLO programs have too, are left
// alone.
StatusOr<std::string> ReadMhloAsStablehlo(mlir::MLIRContext& context,
                                          std::string_view text);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_IMPORT_MHLO_TEXT_H_
