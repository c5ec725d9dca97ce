// The value a reduction, scan or scatter may start from without changing its results.
// Pure; any thread.
#ifndef TENON_COMPILER_CODEGEN_EMITTER_COMBINER_IDENTITY_H_
#define TENON_COMPILER_CODEGEN_EMITTER_COMBINER_IDENTITY_H_

#include <optional>

#include "llvm/IR/Constant.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace tenon::codegen {

// A value v with combine(v, x) = x, a rank-0 constant, for combiners of (accumulators,
// values) whose result `position` is one known op of accumulator and value.
std::optional<mlir::DenseElementsAttr> CombinerIdentity(mlir::Block& combiner,
                                                        size_t position);
// The same as a constant of `type`, the element in registers.
std::optional<llvm::Constant*> CombinerIdentity(mlir::Block& combiner, size_t position,
                                                llvm::Type* type);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_EMITTER_COMBINER_IDENTITY_H_
