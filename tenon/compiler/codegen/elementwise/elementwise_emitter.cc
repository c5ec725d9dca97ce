#include "tenon/compiler/codegen/elementwise/elementwise_emitter.h"

namespace tenon::compiler {

StatusOr<ElementValue> ElementwiseEmitter::Emit(ElementwiseOp op,
                                                llvm::ArrayRef<ElementValue> operands,
                                                ElementType result,
                                                const ElementwiseAttrs& attrs) {
  if (!builder_.GetInsertBlock()) return Internal("no insertion point");
  return Unimplemented(ElementwiseOpName(op).str() + " on " +
                       std::string(ElementTypeName(result)));
}

}  // namespace tenon::compiler
