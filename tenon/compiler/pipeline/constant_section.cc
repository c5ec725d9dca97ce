#include "tenon/compiler/pipeline/constant_section.h"

#include "tenon/compiler/dialects/tenon/element_types.h"
#include "tenon/compiler/dialects/tenon/tenon_ops.h"
#include "tenon/reference/literal_from_attr.h"

namespace tenon::compiler {

StatusOr<std::vector<uint8_t>> BuildConstantSection(mlir::ModuleOp module) {
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
  // Appended, not copied over zeros: there may be gigabytes of them.
  std::vector<uint8_t> section;
  section.reserve(size);
  for (ir::ConstantDataOp data : constants) {
    TENON_ASSIGN_OR_RETURN(Literal literal, LiteralFromAttr(data.getValue()));
    if (literal.byte_size() == 0) continue;
    if (data.getOffset() < section.size()) return Internal("constants overlap");
    section.resize(data.getOffset());
    section.insert(section.end(), literal.data(), literal.data() + literal.byte_size());
  }
  return section;
}

}  // namespace tenon::compiler
