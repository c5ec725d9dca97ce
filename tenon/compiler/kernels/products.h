// What kernels of products and convolutions share.
#ifndef TENON_COMPILER_KERNELS_PRODUCTS_H_
#define TENON_COMPILER_KERNELS_PRODUCTS_H_

#include "tenon/compiler/kernels/kernel_frame.h"

namespace tenon::compiler {

// A dot_general as a product of views [batch, m, k] and [batch, k, n].
struct ProductViews {
  mlir::MemRefType lhs, rhs;
  llvm::SmallVector<int64_t> batch, m, n;  // sizes of the dimensions of the result
};
// INTERNAL if dimensions cannot be seen as one each: simplification sees to that.
StatusOr<ProductViews> ViewsOfProduct(stablehlo::DotGeneralOp dot);

// The type in which products of `type` are summed.
mlir::Type AccumulateTypeOf(mlir::Type type);

// Adds a tenon.contract to `block`; its epilogue is empty, its arguments are there.
ir::ContractOp AddContract(mlir::Block* block, mlir::Location loc, mlir::Value lhs,
                           mlir::Value rhs, mlir::Value scratch, mlir::Type accumulate);

// Says where in the tensor a result lies.
using IndicesOf = llvm::function_ref<llvm::SmallVector<mlir::Value>(IndexBuilder&)>;

// Stores the results of the fusion at the point whose value of `hero` is `accumulated`.
Status BuildEpilogue(KernelFrame& frame, mlir::Block* block, mlir::Value hero,
                     IndicesOf indices_of, mlir::Value accumulated);

// `accumulated` as an element of `tensor`.
mlir::Value AsElementOf(mlir::Value tensor, mlir::Value accumulated,
                        PointBuilder& points);

// Adds the operands that others than `heroes` use, as they are.
void AddOtherInputs(KernelFrame& frame, llvm::ArrayRef<mlir::Operation*> heroes);

// The number of the fusion's operand that operand `number` of `hero` is.
StatusOr<int64_t> HeroOperand(mlir::Operation* hero, unsigned number);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_KERNELS_PRODUCTS_H_
