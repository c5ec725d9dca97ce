// tenon.attention (see attention_op.td).
#ifndef TENON_DIALECTS_TENON_ATTENTION_OP_H_
#define TENON_DIALECTS_TENON_ATTENTION_OP_H_

#include "tenon/dialects/tenon/tenon_ops.h"

#define GET_OP_CLASSES
#include "tenon/dialects/tenon/attention_op.h.inc"

#endif  // TENON_DIALECTS_TENON_ATTENTION_OP_H_
