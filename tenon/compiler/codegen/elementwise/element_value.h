// One element, or a vector of elements, in LLVM registers. Plain values owned by the LLVM
// function under construction; used by the one thread that owns its LLVMContext.
//
// Registers and memory differ: predicates are i1 in registers and a byte in memory,
// integers of 2 and 4 bits are i2 and i4 in registers and a byte in memory.
#ifndef TENON_COMPILER_CODEGEN_ELEMENTWISE_ELEMENT_VALUE_H_
#define TENON_COMPILER_CODEGEN_ELEMENTWISE_ELEMENT_VALUE_H_

#include "llvm/IR/IRBuilder.h"
#include "tenon/compiler/analysis/element_kinds.h"
#include "tenon/types/element_type.h"

namespace tenon::compiler {

// `re` and `im` are scalars T or fixed vectors <N x T>, where T is ElementLlvmType(type).
// `im` is null unless the type is complex. A float of 16 bits is stored as its bits in an
// i16, a float of 8 bits and less in an i8. LLVM calls a library, or fails, for half and
// bfloat on processors without instructions for them.
//
// `wide`, if not null, is an f32 for arithmetic on this 16-bit float. It is the number
// itself or, if ElementwiseOptions::excess_precision permits it, the number before its
// rounding to `re`. Arithmetic uses `wide`, stores use `re`; the unused one is dead code.
struct ElementValue {
  ElementType type = ElementType::kInvalid;
  llvm::Value* re = nullptr;
  llvm::Value* im = nullptr;
  llvm::Value* wide = nullptr;
};

// Returns the scalar type in registers of `type`, or of one part of a complex `type`: i1
// i2 i4 i8 ... float double. Null for kToken and kInvalid.
llvm::Type* ElementLlvmType(llvm::LLVMContext& context, ElementType type);
// Returns the scalar type of loads and stores: i8 if ElementLlvmType is narrower, else
// the same.
llvm::Type* ElementMemoryType(llvm::LLVMContext& context, ElementType type);

// Converts a loaded ElementMemoryType (scalar or vector; one part if complex) to
// registers. Any nonzero byte is a true predicate. The high bits of a 2 or 4 bit
// integer's byte are ignored.
llvm::Value* LoadedToValue(llvm::IRBuilderBase& builder, ElementType type,
                           llvm::Value* loaded);
// The inverse of LoadedToValue. Predicates become 0 or 1; signed narrow integers are
// sign-extended to a byte.
llvm::Value* ValueToStored(llvm::IRBuilderBase& builder, ElementType type,
                           llvm::Value* value);

// The format of a float type of 16, 32 or 64 bits.
const llvm::fltSemantics& FloatSemantics(ElementType type);
// Returns `value`, of format FloatSemantics(type), as a constant in registers.
llvm::Constant* FloatConstant(llvm::LLVMContext& context, ElementType type,
                              const llvm::APFloat& value);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_CODEGEN_ELEMENTWISE_ELEMENT_VALUE_H_
