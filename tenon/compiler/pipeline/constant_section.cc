#include "tenon/compiler/pipeline/constant_section.h"

#include <cstring>

#include "tenon/compiler/dialects/tenon/element_types.h"
#include "tenon/compiler/dialects/tenon/tenon_ops.h"
#include "tenon/reference/literal_from_attr.h"

namespace tenon::compiler {

StatusOr<std::vector<uint8_t>> BuildConstantSection(mlir::ModuleOp module) {
  int64_t size = 0;
  for (auto data : module.getOps<ir::ConstantDataOp>()) {
    auto type = llvm::cast<mlir::RankedTensorType>(data.getValue().getShapedType());
    size = std::max<int64_t>(
        size, data.getOffset() + type.getNumElements() * ElementBytes(ir::ElementTypeOf(
                                                             type.getElementType())));
  }
  std::vector<uint8_t> section(size);
  for (auto data : module.getOps<ir::ConstantDataOp>()) {
    TENON_ASSIGN_OR_RETURN(Literal literal, LiteralFromAttr(data.getValue()));
    std::memcpy(section.data() + data.getOffset(), literal.data(), literal.byte_size());
  }
  return section;
}

}  // namespace tenon::compiler
