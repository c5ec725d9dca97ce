// Emits StableHLO's elementwise operations as inlined LLVM IR, for scalars and fixed
// vectors alike. Made for one function under construction and used by the thread that
// owns its LLVMContext.
//
// No libm call and no intrinsic that becomes a call is emitted. Errors of transcendentals
// are at most 2 ulp (power: 4) for normal operands and results; results of 16-bit floats
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

  // Emits `op` at the builder's insertion point. All operands have the same number of
  // lanes, and so has the result, of type `result`; a scalar predicate of select and
  // scalar bounds of clamp are allowed with vectors.
  //
  // Rarely taken paths (range reduction of huge angles) and loops (integer power) are
  // made as new basic blocks: the builder then stands at the end of a later block than
  // before, and stack slots, if any, are in the function's entry block. The current block
  // must have no terminator.
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
  // `value`, of a float type, as arithmetic takes it.
  llvm::Value* Wide(const ElementValue& value);
  // `value` itself, whatever precision arithmetic may keep.
  llvm::Value* WideRounded(const ElementValue& value);
  // The float of `type` that is `computed` rounded.
  ElementValue Rounded(ElementType type, llvm::Value* computed, NarrowResult kind);
  // negate and abs of 16-bit floats.
  ElementValue EmitSign(ElementwiseOp op, const ElementValue& value);
  // Of the bits of f16; null: not one of the target's instructions.
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
