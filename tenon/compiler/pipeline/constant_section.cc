#include "tenon/compiler/pipeline/constant_section.h"

#include <cstring>

#include "tenon/dialects/tenon/element_types.h"
#include "tenon/dialects/tenon/tenon_ops.h"
#include "tenon/reference/literal_from_attr.h"

namespace tenon::compiler {

StatusOr<ConstantData> BuildConstantSection(mlir::ModuleOp module) {
  int64_t size = 0;
  llvm::SmallVector<ir::ConstantDataOp> constants(module.getOps<ir::ConstantDataOp>());
  for (ir::ConstantDataOp data : constants) {
    auto type = llvm::cast<mlir::RankedTensorType>(data.getValue().getShapedType());
    size = std::max<int64_t>(
        size, data.getOffset() + type.getNumElements() * ElementBytes(ir::ElementTypeOf(
                                                             type.getElementType())));
  }
  llvm::sort(constants, [](ir::ConstantDataOp a, ir::ConstantDataOp b) {
    return a.getOffset() < b.getOffset();
  });
  ConstantData section(size);
  uint64_t end = 0;
  for (ir::ConstantDataOp data : constants) {
    TENON_ASSIGN_OR_RETURN(Literal literal, LiteralFromAttr(data.getValue()));
    if (literal.byte_size() == 0) continue;
    if (data.getOffset() < end) return Internal("constants overlap");
    std::memcpy(section.data() + data.getOffset(), literal.data(), literal.byte_size());
    end = data.getOffset() + literal.byte_size();
  }
  return section;
}

}  // namespace tenon::compiler
