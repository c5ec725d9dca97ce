// StableHLO's integer arithmetic as LLVM IR, on scalars or fixed vectors. All functions
// are total: no operands are undefined behaviour. Built for one insertion point; used by
// the thread that owns the LLVMContext.
#ifndef TENON_COMPILER_CODEGEN_ELEMENTWISE_INT_MATH_H_
#define TENON_COMPILER_CODEGEN_ELEMENTWISE_INT_MATH_H_

#include "llvm/IR/IRBuilder.h"

namespace tenon::compiler {

class IntMath {
 public:
  using Value = llvm::Value;

  // `type` is an integer or a fixed vector of integers. All operands below have this
  // type.
  IntMath(llvm::IRBuilderBase& builder, llvm::Type* type, bool is_signed)
      : builder_(builder), type_(type), is_signed_(is_signed) {}

  // x / 0 = -1 (all ones), MIN / -1 = MIN.
  Value* Divide(Value* a, Value* b);
  // x rem 0 = x, MIN rem -1 = 0. The result has the dividend's sign.
  Value* Remainder(Value* a, Value* b);
  // Computes modulo 2^bits. A negative exponent gives 0, except for the bases 1 and -1.
  Value* Power(Value* base, Value* exponent);
  Value* Minimum(Value* a, Value* b);
  Value* Maximum(Value* a, Value* b);
  Value* Abs(Value* a);   // MIN stays
  Value* Sign(Value* a);  // -1, 0 or 1
  // Shift amounts are unsigned. An amount of at least the width shifts out all bits.
  Value* ShiftLeft(Value* a, Value* amount);
  Value* ShiftRightLogical(Value* a, Value* amount);
  Value* ShiftRightArithmetic(Value* a, Value* amount);
  Value* CountLeadingZeros(Value* a);
  Value* PopulationCount(Value* a);

 private:
  unsigned bits() const { return type_->getScalarSizeInBits(); }
  Value* Const(uint64_t value) const;
  Value* MinValue() const;
  // The divisor must not be 0, and not -1 if the dividend is MIN.
  Value* PlainDivide(Value* a, Value* b);
  Value* SafeDivisor(Value* a, Value* b);
  Value* ConstantPower(Value* base, uint64_t exponent);

  llvm::IRBuilderBase& builder_;
  llvm::Type* type_;
  bool is_signed_;
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_CODEGEN_ELEMENTWISE_INT_MATH_H_
