// What attention makes of rows of 16-bit elements is computed in 32 bits.
#ifndef TENON_COMPILER_FUSION_WIDE_ROWS_H_
#define TENON_COMPILER_FUSION_WIDE_ROWS_H_

#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::compiler {

// Leaves out roundings to 16 bits between the products of a fusion of attention: scores
// and what is made of them are of 32 bits, until a product or another kernel reads them.
void WidenRows(ir::FusionOp fusion);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_FUSION_WIDE_ROWS_H_
