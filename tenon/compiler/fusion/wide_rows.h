// Computes the rows of 16-bit attention in 32 bits.
#ifndef TENON_COMPILER_FUSION_WIDE_ROWS_H_
#define TENON_COMPILER_FUSION_WIDE_ROWS_H_

#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::compiler {

// Removes roundings to 16 bits between the products of an attention fusion. Scores and
// the values computed from them have 32 bits until a product or another kernel reads
// them.
void WidenRows(ir::FusionOp fusion);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_FUSION_WIDE_ROWS_H_
