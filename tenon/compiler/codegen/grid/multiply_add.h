// Arithmetic of products, for all types of sums. Parts of an element are one number, or
// the real and the imaginary one. Pure functions.
#ifndef TENON_COMPILER_CODEGEN_GRID_MULTIPLY_ADD_H_
#define TENON_COMPILER_CODEGEN_GRID_MULTIPLY_ADD_H_

#include "llvm/IR/IRBuilder.h"

namespace tenon::codegen {

inline llvm::Value* AddNumbers(llvm::IRBuilderBase& b, llvm::Value* x, llvm::Value* y) {
  return x->getType()->isIntegerTy() ? b.CreateAdd(x, y) : b.CreateFAdd(x, y);
}

inline llvm::Value* MultiplyAdd(llvm::IRBuilderBase& b, llvm::Value* x, llvm::Value* y,
                                llvm::Value* sum) {
  if (x->getType()->isIntegerTy()) return b.CreateAdd(b.CreateMul(x, y), sum);
  return b.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, y, sum});
}

// Adds the product of two elements to a sum.
inline void AddProduct(llvm::IRBuilderBase& b, llvm::ArrayRef<llvm::Value*> x,
                       llvm::ArrayRef<llvm::Value*> y,
                       llvm::MutableArrayRef<llvm::Value*> sum) {
  sum[0] = MultiplyAdd(b, x[0], y[0], sum[0]);
  if (x.size() == 1) return;
  sum[0] = MultiplyAdd(b, b.CreateFNeg(x[1]), y[1], sum[0]);
  sum[1] = MultiplyAdd(b, x[0], y[1], sum[1]);
  sum[1] = MultiplyAdd(b, x[1], y[0], sum[1]);
}

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_GRID_MULTIPLY_ADD_H_
