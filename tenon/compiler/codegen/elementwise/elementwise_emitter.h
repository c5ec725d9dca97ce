// Emits StableHLO's elementwise operations as inlined LLVM IR, for scalars and for fixed
// vectors. Built for one LLVM function; used by the thread that owns its LLVMContext.
//
// No libm call and no intrinsic that becomes a call is emitted. Errors of transcendentals
// are at most 2 ulp (power: 4) for normal operands and results. Results of 16-bit floats
// are computed in f32 and rounded once.
#ifndef TENON_COMPILER_CODEGEN_ELEMENTWISE_ELEMENTWISE_EMITTER_H_
#define TENON_COMPILER_CODEGEN_ELEMENTWISE_ELEMENTWISE_EMITTER_H_

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/IRBuilder.h"
#include "tenon/base/status.h"
#include "tenon/compiler/analysis/elementwise_op.h"
#include "tenon/compiler/codegen/elementwise/element_value.h"
#include "tenon/compiler/codegen/elementwise/narrow_result.h"
#include "tenon/compiler/targets/elementwise_options.h"

namespace tenon::compiler {

class ElementwiseEmitter {
 public:
  ElementwiseEmitter(llvm::IRBuilderBase& builder, const ElementwiseOptions& options)
      : builder_(builder), options_(options) {}

  // Emits `op` at the builder's insertion point. All operands and the result, of type
  // `result`, have the same number of lanes. But select may have a scalar predicate, and
  // clamp scalar bounds, with vectors.
  //
  // Rarely executed paths (range reduction of huge angles) and loops (integer power)
  // become new basic blocks. Then the builder ends at the end of a later block. Stack
  // slots are in the function's entry block. The current block must have no terminator.
  //
  // Errors: UNIMPLEMENTED naming op and type; INVALID_ARGUMENT for a wrong number of
  // operands.
  StatusOr<ElementValue> Emit(ElementwiseOp op, llvm::ArrayRef<ElementValue> operands,
                              ElementType result, const ElementwiseAttrs& attrs = {});

 private:
  StatusOr<ElementValue> EmitPredicate(ElementwiseOp op,
                                       llvm::ArrayRef<ElementValue> operands);
  StatusOr<ElementValue> EmitInteger(ElementwiseOp op,
                                     llvm::ArrayRef<ElementValue> operands);
  StatusOr<ElementValue> EmitFloat(ElementwiseOp op,
                                   llvm::ArrayRef<ElementValue> operands,
                                   const ElementwiseAttrs& attrs);
  StatusOr<ElementValue> EmitComplex(ElementwiseOp op,
                                     llvm::ArrayRef<ElementValue> operands);
  llvm::Value* EmitComplexCompare(const ElementValue& a, const ElementValue& b,
                                  ComparisonDirection direction);
  StatusOr<ElementValue> EmitCompare(ElementValue a, ElementValue b,
                                     const ElementwiseAttrs& attrs);
  StatusOr<ElementValue> EmitConvert(ElementValue operand, ElementType result);
  StatusOr<ElementValue> EmitBitcast(ElementValue operand, ElementType result);
  // Returns `value`, of a float type, in the type of its arithmetic.
  llvm::Value* Wide(const ElementValue& value);
  // As Wide, but without excess precision.
  llvm::Value* WideRounded(const ElementValue& value);
  // Rounds `computed` to `type`.
  ElementValue Rounded(ElementType type, llvm::Value* computed, NarrowResult kind);
  // Emits negate and abs of 16-bit floats.
  ElementValue EmitSign(ElementwiseOp op, const ElementValue& value);
  // Emits `op` on the bits of bf16. Returns null if the target has no instruction for it.
  llvm::Value* EmitNativeBf16(ElementwiseOp op, llvm::Value* a, llvm::Value* b);
  // Emits `op` on the bits of f16. Returns null if the target has no instruction for it.
  llvm::Value* EmitNativeHalf(ElementwiseOp op, llvm::Value* a, llvm::Value* b);
  ElementValue EmitSelect(llvm::ArrayRef<ElementValue> operands);
  StatusOr<ElementValue> EmitClamp(llvm::ArrayRef<ElementValue> operands,
                                   const ElementwiseAttrs& attrs);
  llvm::Value* ReducePrecision(ElementType type, llvm::Value* wide, int exponent_bits,
                               int mantissa_bits);

  llvm::IRBuilderBase& builder_;
  ElementwiseOptions options_;
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_CODEGEN_ELEMENTWISE_ELEMENTWISE_EMITTER_H_
