// Fourier transforms on a device whose lengths no group of items can transform: they
// become convolutions of such a length. No state.
#ifndef TENON_COMPILER_PIPELINE_EXPAND_LONG_FFTS_H_
#define TENON_COMPILER_PIPELINE_EXPAND_LONG_FFTS_H_

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tenon/compiler/targets/traits.h"

namespace tenon::compiler {

// Replaces the transforms of `entry` that have no plan for the device's groups. Those
// that are too long for a convolution, too, are kept. Only after the optimized program is
// written: it keeps the ops.
void ExpandLongFfts(mlir::func::FuncOp entry, const TargetTraits& traits);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PIPELINE_EXPAND_LONG_FFTS_H_
