// A Fourier transform of several dimensions as transforms of one each. No state.
#ifndef TENON_COMPILER_LEGALIZE_SPLIT_FFT_H_
#define TENON_COMPILER_LEGALIZE_SPLIT_FFT_H_

#include "tenon/compiler/legalize/graph_builder.h"

namespace tenon::compiler {

// Transforms the last dimension, which has `length` numbers on the longer side.
mlir::Value TransformLast(GraphBuilder& g, mlir::Value x, stablehlo::FftType kind,
                          int64_t length);
// The result of `op`, by a transform of the last dimension for each of its dimensions.
mlir::Value TransformEachDimension(GraphBuilder& g, stablehlo::FftOp op);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_LEGALIZE_SPLIT_FFT_H_
