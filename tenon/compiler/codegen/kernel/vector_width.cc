#include "tenon/compiler/codegen/kernel/vector_width.h"

#include "tenon/compiler/analysis/element_kinds.h"
#include "tenon/compiler/codegen/point/point_emitter.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::codegen {

int ChooseWidth(mlir::Block& block, const TargetTraits& target) {
  int widest = 8;
  int ops = 0, wide_ops = 0;
  block.walk([&](mlir::Operation* op) {
    int op_bits = 0;
    auto consider = [&](mlir::Type type) {
      ElementType element = ir::ElementTypeOfShaped(type);
      if (element == ElementType::kInvalid) return;
      int bits = ElementBits(element) / ElementParts(element);
      // Floats of 16 bits and less are computed in 32 bits.
      if (compiler::IsFloat(element) && bits < 32) bits = 32;
      op_bits = std::max(op_bits, bits);
    };
    for (mlir::Value operand : op->getOperands()) {
      if (!llvm::isa<mlir::MemRefType>(operand.getType())) consider(operand.getType());
    }
    for (mlir::Type type : op->getResultTypes()) consider(type);
    widest = std::max(widest, op_bits);
    if (op_bits > 0) ++ops;
    if (op_bits > 32) ++wide_ops;
  });
  // If only a few values are 64 bits wide, such as the counters of random bits, the lanes
  // are chosen for 32 bits, and a wide value occupies two registers.
  if (widest > 32 && wide_ops * 8 <= ops) widest = 32;
  return std::max(1, target.vector_bits / widest);
}

size_t CountOps(mlir::Block& block) {
  size_t count = 0;
  block.walk([&](mlir::Operation*) { ++count; });
  return count;
}

}  // namespace tenon::codegen
