// Decides what becomes one kernel: groups the ops of a function into tenon.fusion ops.
#ifndef TENON_COMPILER_FUSION_FUSION_H_
#define TENON_COMPILER_FUSION_FUSION_H_

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "tenon/base/status.h"

namespace tenon::compiler {

// Kinds of fusion, by the op that shapes the kernel's loops.
inline constexpr llvm::StringLiteral kLoopFusion = "loop";
inline constexpr llvm::StringLiteral kRoundsFusion = "rounds";
inline constexpr llvm::StringLiteral kContractFusion = "contract";
inline constexpr llvm::StringLiteral kAttentionFusion = "attention";
inline constexpr llvm::StringLiteral kConvolutionFusion = "convolution";
inline constexpr llvm::StringLiteral kFftFusion = "fft";
inline constexpr llvm::StringLiteral kSortFusion = "sort";
inline constexpr llvm::StringLiteral kLinalgFusion = "linalg";
inline constexpr llvm::StringLiteral kScanFusion = "scan";
inline constexpr llvm::StringLiteral kConcatenateFusion = "concatenate";
// These update result 0.. in place: the first operands hold the old values.
inline constexpr llvm::StringLiteral kScatterFusion = "scatter";
inline constexpr llvm::StringLiteral kUpdateSliceFusion = "update_slice";
inline constexpr llvm::StringLiteral kSelectAndScatterFusion = "select_and_scatter";

struct FusionOptions {
  bool excess_precision = false;  // rows of 16-bit attention are computed in 32 bits
};

// Fuses every block of `function`, nested ones included. What is left outside of fusions:
// scalar arithmetic, constants, reshapes (views), control flow and calls of the outside
// world. INTERNAL, naming an op, if a cluster's parts cannot be put in order.
Status FuseFunction(mlir::func::FuncOp function, const FusionOptions& options = {});

// An op on rank-0 values that is computed in registers wherever it stands.
bool IsScalarOp(mlir::Operation* op);

std::unique_ptr<mlir::Pass> CreateFusionPass();

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_FUSION_FUSION_H_
