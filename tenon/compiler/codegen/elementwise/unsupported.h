// The error for an operation that is not defined on a type.
#ifndef TENON_COMPILER_CODEGEN_ELEMENTWISE_UNSUPPORTED_H_
#define TENON_COMPILER_CODEGEN_ELEMENTWISE_UNSUPPORTED_H_

#include <string>

#include "tenon/base/status.h"
#include "tenon/compiler/analysis/elementwise_op.h"
#include "tenon/types/element_type.h"

namespace tenon::compiler {

inline Status Unsupported(ElementwiseOp op, ElementType type) {
  return Unimplemented(ElementwiseOpName(op).str() + " on " +
                       std::string(ElementTypeName(type)));
}

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_CODEGEN_ELEMENTWISE_UNSUPPORTED_H_
