// All StableHLO ops, attributes and types: the one include for users of the dialect.
#ifndef TENON_COMPILER_DIALECTS_STABLEHLO_OPS_H_
#define TENON_COMPILER_DIALECTS_STABLEHLO_OPS_H_

#include "tenon/compiler/dialects/stablehlo/binary_ops.h"
#include "tenon/compiler/dialects/stablehlo/call_ops.h"
#include "tenon/compiler/dialects/stablehlo/collective_ops.h"
#include "tenon/compiler/dialects/stablehlo/contraction_ops.h"
#include "tenon/compiler/dialects/stablehlo/control_flow_ops.h"
#include "tenon/compiler/dialects/stablehlo/dialect.h"
#include "tenon/compiler/dialects/stablehlo/indexing_ops.h"
#include "tenon/compiler/dialects/stablehlo/reduction_ops.h"
#include "tenon/compiler/dialects/stablehlo/shape_ops.h"
#include "tenon/compiler/dialects/stablehlo/traits.h"
#include "tenon/compiler/dialects/stablehlo/unary_ops.h"

#endif  // TENON_COMPILER_DIALECTS_STABLEHLO_OPS_H_
