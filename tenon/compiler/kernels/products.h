// Shared by the kernels of products and convolutions.
#ifndef TENON_COMPILER_KERNELS_PRODUCTS_H_
#define TENON_COMPILER_KERNELS_PRODUCTS_H_

#include "tenon/compiler/kernels/kernel_frame.h"

namespace tenon::compiler {

// A dot_general as a product of views [batch, m, k] and [batch, k, n].
struct ProductViews {
  mlir::MemRefType lhs, rhs;
  llvm::SmallVector<int64_t> batch, m, n;  // sizes of the dimensions of the result
};
// INTERNAL unless each group of dimensions can be collapsed, which legalization ensures.
StatusOr<ProductViews> ViewsOfProduct(stablehlo::DotGeneralOp dot);

// The type of the accumulators of products of `type`.
mlir::Type AccumulateTypeOf(mlir::Type type);

// Adds a tenon.contract to `block`. Its epilogue has its arguments, but no ops.
ir::ContractOp AddContract(mlir::Block* block, mlir::Location loc, mlir::Value lhs,
                           mlir::Value rhs, mlir::Value scratch, mlir::Type accumulate);

// Computes the indices of a result element in its tensor.
using IndicesOf = llvm::function_ref<llvm::SmallVector<mlir::Value>(IndexBuilder&)>;

// Stores the results of the fusion at a point where `hero` has the value `accumulated`.
Status BuildEpilogue(KernelFrame& frame, mlir::Block* block, mlir::Value hero,
                     IndicesOf indices_of, mlir::Value accumulated);

// Converts `accumulated` to an element of `tensor`.
mlir::Value AsElementOf(mlir::Value tensor, mlir::Value accumulated,
                        PointBuilder& points);

// Adds the operands that ops other than `heroes` use, without changing their views.
void AddOtherInputs(KernelFrame& frame, llvm::ArrayRef<mlir::Operation*> heroes);

// The number of the fusion operand that operand `number` of `hero` refers to.
StatusOr<int64_t> HeroOperand(mlir::Operation* hero, unsigned number);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_KERNELS_PRODUCTS_H_
