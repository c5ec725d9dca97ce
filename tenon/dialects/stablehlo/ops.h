// All StableHLO ops, attributes and types. Users of the dialect include this header.
#ifndef TENON_DIALECTS_STABLEHLO_OPS_H_
#define TENON_DIALECTS_STABLEHLO_OPS_H_

#include "tenon/dialects/stablehlo/binary_ops.h"
#include "tenon/dialects/stablehlo/call_ops.h"
#include "tenon/dialects/stablehlo/collective_ops.h"
#include "tenon/dialects/stablehlo/contraction_ops.h"
#include "tenon/dialects/stablehlo/control_flow_ops.h"
#include "tenon/dialects/stablehlo/dialect.h"
#include "tenon/dialects/stablehlo/indexing_ops.h"
#include "tenon/dialects/stablehlo/reduction_ops.h"
#include "tenon/dialects/stablehlo/shape_ops.h"
#include "tenon/dialects/stablehlo/traits.h"
#include "tenon/dialects/stablehlo/unary_ops.h"

#endif  // TENON_DIALECTS_STABLEHLO_OPS_H_
