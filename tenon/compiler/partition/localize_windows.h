// Ops of which an element depends on neighbors: convolutions, windows, and ops that shift
// elements (slice, pad, concatenate, reverse), along dimensions that are split.
#ifndef TENON_COMPILER_PARTITION_LOCALIZE_WINDOWS_H_
#define TENON_COMPILER_PARTITION_LOCALIZE_WINDOWS_H_

#include "mlir/IR/Operation.h"
#include "tenon/compiler/partition/decide.h"
#include "tenon/compiler/partition/mesh_code.h"

namespace tenon::compiler::partition {

// Whether the program of one device can compute `op` with factor `factor` split by
// fetching what its part of the result depends on (exchange.h). Each shard of the result
// then is a whole number of elements whose windows are known when the program is
// compiled. Not for dilated inputs, whose windows differ between shards; and not for
// windows of more than half of the dimension, for which other moves are cheaper.
bool MaySplitByExchange(mlir::Operation* op, const Rule& rule, int32_t factor);

// Whether an operand of `op` needs elements of other devices under `decision`.
bool NeedsExchange(mlir::Operation* op, const Decision& decision);

// Replaces `operands`, parts of those of `op`, by what the op on parts reads.
void ExchangeOperands(mlir::Operation* op, const Decision& decision, MeshCode& code,
                      mlir::OpBuilder& b, llvm::SmallVectorImpl<mlir::Value>& operands);

// Corrects the attributes of `part`, the op on what ExchangeOperands returned.
void SetWindows(mlir::Operation* part, mlir::Operation* op, const Decision& decision);

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_LOCALIZE_WINDOWS_H_
