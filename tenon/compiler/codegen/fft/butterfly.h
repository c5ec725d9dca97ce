// Transforms of a few complex numbers in registers. Stateless.
#ifndef TENON_COMPILER_CODEGEN_FFT_BUTTERFLY_H_
#define TENON_COMPILER_CODEGEN_FFT_BUTTERFLY_H_

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"

namespace tenon::codegen {

// A vector of real parts and a vector of imaginary parts.
struct ComplexVector {
  llvm::Value* re = nullptr;
  llvm::Value* im = nullptr;
};

class Butterfly {
 public:
  Butterfly(llvm::IRBuilderBase& b, bool fma) : b_(b), fma_(fma) {}

  // The forward transform of `x`, in place. The number of elements is 2, 4, 8, 9 or an
  // odd prime.
  void Transform(llvm::MutableArrayRef<ComplexVector> x);
  ComplexVector Multiply(ComplexVector x, ComplexVector y);
  ComplexVector Scale(ComplexVector x, double factor);
  ComplexVector Add(ComplexVector x, ComplexVector y);
  ComplexVector Sub(ComplexVector x, ComplexVector y);
  // x + sign * i * y
  ComplexVector AddRotated(ComplexVector x, ComplexVector y, int sign);
  // x * y + z and z - x * y
  llvm::Value* MulAdd(llvm::Value* x, llvm::Value* y, llvm::Value* z);
  llvm::Value* NegMulAdd(llvm::Value* x, llvm::Value* y, llvm::Value* z);

 private:
  void Transform4(ComplexVector& x0, ComplexVector& x1, ComplexVector& x2,
                  ComplexVector& x3);
  void Transform8(llvm::MutableArrayRef<ComplexVector> x);
  void Transform9(llvm::MutableArrayRef<ComplexVector> x);
  void TransformOdd(llvm::MutableArrayRef<ComplexVector> x);

  llvm::IRBuilderBase& b_;
  bool fma_;
};

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_FFT_BUTTERFLY_H_
