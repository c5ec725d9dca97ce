// Loads, stores, conversions and multiply-adds of ElementValues, shared by the emitters
// of this folder. Emits at the builder's insertion point. Only conversions may create
// blocks.
#ifndef TENON_COMPILER_CODEGEN_CONTRACT_ELEMENT_MEMORY_H_
#define TENON_COMPILER_CODEGEN_CONTRACT_ELEMENT_MEMORY_H_

#include "tenon/compiler/codegen/elementwise/elementwise_emitter.h"
#include "tenon/compiler/codegen/ir/loops.h"
#include "tenon/compiler/codegen/ir/plan_names.h"

namespace tenon::codegen {

using compiler::ElementValue;

// A mask <lanes x i1> whose lane l is l < count. Null if count is a constant >= lanes.
llvm::Value* LaneMask(IrBuilder& b, llvm::Value* count, int lanes);

// `lanes` elements at pointer, `stride` elements apart (0: one element in all lanes).
// Lanes outside the mask are not accessed, and their value is undefined. The first lane
// must be accessible unless stride is 1.
ElementValue LoadElements(IrBuilder& b, ElementType type, llvm::Value* pointer, int lanes,
                          int64_t stride, llvm::Value* mask = nullptr);
void StoreElements(IrBuilder& b, const ElementValue& value, llvm::Value* pointer,
                   int lanes, int64_t stride, llvm::Value* mask = nullptr);

// Values of accumulators and micro-panels, in registers and in memory: the parts of
// complex values are separate vectors, `part_bytes` apart; predicates are bytes.
ElementValue LoadPlanar(IrBuilder& b, ElementType type, llvm::Value* pointer, int lanes,
                        int64_t part_bytes);
void StorePlanar(IrBuilder& b, const ElementValue& value, llvm::Value* pointer, int lanes,
                 int64_t part_bytes);

ElementValue ZeroElements(IrBuilder& b, ElementType type, int lanes);
ElementValue Splat(IrBuilder& b, const ElementValue& scalar, int lanes);
// `value` where the mask is set, zero elsewhere. A null mask is all set.
ElementValue ZeroOutside(IrBuilder& b, const ElementValue& value, llvm::Value* mask,
                         int lanes);
StatusOr<ElementValue> ConvertElements(IrBuilder& b, const ElementValue& value,
                                       ElementType type,
                                       const compiler::ElementwiseOptions& options);
ElementValue AddElements(IrBuilder& b, const ElementValue& x, const ElementValue& y);
// accumulator + x * y; for predicates, accumulator or (x and y).
ElementValue MultiplyAdd(IrBuilder& b, const ElementValue& accumulator,
                         const ElementValue& x, const ElementValue& y, bool fma);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_CONTRACT_ELEMENT_MEMORY_H_
