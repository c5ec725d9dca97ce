// Builds the CHLO ops that become loops, sorts or products. Each function returns the
// results; after an error, which it emits, the list is empty or the value is null.
// Stateless.
#ifndef TENON_COMPILER_LEGALIZE_CHLO_STRUCTURE_H_
#define TENON_COMPILER_LEGALIZE_CHLO_STRUCTURE_H_

#include "tenon/compiler/legalize/graph_builder.h"
#include "tenon/dialects/chlo/chlo.h"

namespace tenon::compiler {

// Becomes a loop over the scanned dimension.
Values BuildScan(GraphBuilder& g, chlo::ScanOp op);
// Becomes a stable sort in descending order and a slice.
Values BuildTopK(GraphBuilder& g, chlo::TopKOp op);
// Becomes one product per group. Each row selects the product of its own group.
mlir::Value BuildRaggedDot(GraphBuilder& g, chlo::RaggedDotOp op);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_LEGALIZE_CHLO_STRUCTURE_H_
