// Products and convolutions whose f32 operands a device may round to fewer bits of
// mantissa, which frameworks allow by precision DEFAULT. No state.
//
// Such an op carries an explicit precision_config of DEFAULT. Ops that passes make on
// their own have none, so these, and those of higher precision, are never rounded.
#ifndef TENON_COMPILER_ANALYSIS_ROUNDABLE_H_
#define TENON_COMPILER_ANALYSIS_ROUNDABLE_H_

#include "mlir/IR/Operation.h"

namespace tenon::compiler {

// If `allowed`, marks the products and convolutions in `root` of f32 operands and results
// that have precision DEFAULT, explicit or not, and no algorithm. Removes the mark of all
// others. Only directly after the import.
void SetRoundable(mlir::Operation* root, bool allowed);
// Whether `op`, a stablehlo.dot_general or stablehlo.convolution, is marked.
bool MayRound(mlir::Operation* op);
// The attribute of a tenon.contract or tenon.convolution that is made from such an op.
inline constexpr char kMayRound[] = "may_round";

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_ANALYSIS_ROUNDABLE_H_
