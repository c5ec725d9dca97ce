// Fusion: groups the ops of a function into tenon.fusion ops, one per kernel.
#ifndef TENON_COMPILER_FUSION_FUSION_H_
#define TENON_COMPILER_FUSION_FUSION_H_

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "tenon/base/status.h"
#include "tenon/compiler/targets/traits.h"

namespace tenon::compiler {

struct FusionOptions {
  TargetTraits target;
  bool excess_precision = false;  // rows of 16-bit attention are computed in 32 bits
};

// Fuses every block of `function`, nested ones included. Outside of fusions remain scalar
// arithmetic, constants, reshapes (views), control flow and external calls. INTERNAL,
// naming an op, if clusters depend on each other.
Status FuseFunction(mlir::func::FuncOp function, const FusionOptions& options = {});

std::unique_ptr<mlir::Pass> CreateFusionPass();

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_FUSION_FUSION_H_
