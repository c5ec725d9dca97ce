// CHLO ops that are loops, sorts or products. Each gives the results, or nothing after it
// has emitted an error. Stateless.
#ifndef TENON_COMPILER_LEGALIZE_CHLO_STRUCTURE_H_
#define TENON_COMPILER_LEGALIZE_CHLO_STRUCTURE_H_

#include "tenon/compiler/legalize/graph_builder.h"
#include "tenon/dialects/chlo/chlo.h"

namespace tenon::compiler {

// A loop over the scanned dimension.
Values BuildScan(GraphBuilder& g, chlo::ScanOp op);
// A stable sort in descending order, cut off.
Values BuildTopK(GraphBuilder& g, chlo::TopKOp op);
// A product for each group, of which each row keeps its own.
mlir::Value BuildRaggedDot(GraphBuilder& g, chlo::RaggedDotOp op);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_LEGALIZE_CHLO_STRUCTURE_H_
