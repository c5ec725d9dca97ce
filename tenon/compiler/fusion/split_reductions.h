// Reduces the outer dimensions before the inner ones.
#ifndef TENON_COMPILER_FUSION_SPLIT_REDUCTIONS_H_
#define TENON_COMPILER_FUSION_SPLIT_REDUCTIONS_H_

#include "mlir/IR/Block.h"

namespace tenon::compiler {

// Splits large reductions over outer and short innermost dimensions with kept dimensions
// between, as the sums of channels in NCHW. Each result is in many short pieces of memory
// then. Reduced over the outer dimensions first, the array is read in order by columns,
// and the inner dimensions of the small result are reduced last. The combiner must be
// reorderable, and its rounding that of the elements.
void SplitReductions(mlir::Block& block);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_FUSION_SPLIT_REDUCTIONS_H_
