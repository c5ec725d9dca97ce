#include "tenon/reference/fold.h"

#include <cstring>

#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/element_types.h"
#include "tenon/reference/element_program.h"
#include "tenon/reference/evaluate.h"
#include "tenon/reference/literal_from_attr.h"
#include "tenon/reference/quantized.h"
#include "tenon/reference/same_bits.h"

namespace tenon::reference {
namespace {

using Results = std::optional<llvm::SmallVector<mlir::Attribute>>;

bool MayFold(mlir::Operation* op) {
  if (llvm::isa<stablehlo::ConstantOp, stablehlo::CustomCallOp, stablehlo::RngOp,
                stablehlo::CompositeOp, stablehlo::OptimizationBarrierOp,
                mlir::func::CallOp>(op))
    return false;
  // An op without operands (iota) is as good as a constant, and smaller.
  if (op->getNumResults() == 0 || op->getNumOperands() == 0) return false;
  if (op->hasTrait<mlir::OpTrait::IsTerminator>()) return false;
  if (llvm::any_of(op->getOperandTypes(), IsQuantized)) return false;
  for (mlir::Type type : op->getResultTypes()) {
    auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape() ||
        ir::ElementTypeOf(tensor.getElementType()) == ElementType::kInvalid)
      return false;
  }
  // A number of the device may be in a region.
  const bool depends_on_device =
      op->walk([](mlir::Operation* inner) {
          return llvm::isa<stablehlo::PartitionIdOp, stablehlo::ReplicaIdOp>(inner)
                     ? mlir::WalkResult::interrupt()
                     : mlir::WalkResult::advance();
        }).wasInterrupted();
  return !depends_on_device && mlir::isMemoryEffectFree(op) && HasExactResult(op);
}

int64_t StoredBytes(mlir::ElementsAttr attr) {
  if (auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(attr))
    return static_cast<int64_t>(dense.getRawData().size());
  const auto type = attr.getShapedType();
  return attr.getNumElements() * ElementBytes(ir::ElementTypeOf(type.getElementType()));
}

// Returns the elements of the splat operands; empty if any operand is not a splat.
std::vector<Literal> SplatElements(llvm::ArrayRef<mlir::ElementsAttr> operands) {
  std::vector<Literal> elements;
  for (mlir::ElementsAttr operand : operands) {
    auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(operand);
    if (!dense || !dense.isSplat()) return {};
    auto element = SplatElementFromAttr(dense);
    if (!element.ok()) return {};
    elements.push_back(*std::move(element));
  }
  return elements;
}

// Returns whether floats with these bits, of which `mantissa` are the mantissa, contain
// denormals.
template <typename Bits>
bool HasDenormalBits(llvm::ArrayRef<char> raw, int mantissa) {
  const Bits fraction = static_cast<Bits>((uint64_t{1} << mantissa) - 1);
  const Bits magnitude = static_cast<Bits>(~Bits{0}) >> 1;
  bool found = false;
  for (size_t i = 0; i + sizeof(Bits) <= raw.size(); i += sizeof(Bits)) {
    Bits bits;
    std::memcpy(&bits, raw.data() + i, sizeof(Bits));
    bits &= magnitude;
    found |= bits != 0 && bits <= fraction;
  }
  return found;
}

// Returns whether `attr` has denormals of a type for which code flushes them. The result
// of such an op depends on the target's instructions, and several of these keep
// denormals.
bool HasDenormals(mlir::ElementsAttr attr) {
  llvm::ArrayRef<char> raw;
  if (auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(attr)) {
    raw = dense.getRawData();
  } else if (auto resource = llvm::dyn_cast<mlir::DenseResourceElementsAttr>(attr)) {
    if (mlir::AsmResourceBlob* blob = resource.getRawHandle().getBlob())
      raw = blob->getData();
  }
  switch (ir::ElementTypeOf(attr.getShapedType().getElementType())) {
    case ElementType::kBF16:
      return HasDenormalBits<uint16_t>(raw, 7);
    case ElementType::kF32:
    case ElementType::kC64:
      return HasDenormalBits<uint32_t>(raw, 23);
    case ElementType::kF64:
    case ElementType::kC128:
      return HasDenormalBits<uint64_t>(raw, 52);
    default:
      return false;
  }
}

// Folds ops that map equal elements to equal elements, by computing one element.
Results FoldSplats(mlir::Operation* op, llvm::ArrayRef<mlir::ElementsAttr> operands,
                   const FoldOptions& options) {
  const std::vector<Literal> elements = SplatElements(operands);
  if (elements.empty()) return std::nullopt;
  auto type = llvm::cast<mlir::RankedTensorType>(op->getResult(0).getType());
  if (llvm::isa<stablehlo::BroadcastOp, stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp,
                stablehlo::TransposeOp, stablehlo::ReverseOp, stablehlo::SliceOp,
                stablehlo::DynamicSliceOp, stablehlo::GatherOp>(op))
    return llvm::SmallVector<mlir::Attribute>{
        AttrFromLiteral(elements[0],
                        mlir::RankedTensorType::get({}, type.getElementType()))
            .resizeSplat(type)};
  const std::optional<ElementOp> element_op = ElementOpOf(op);
  if (!element_op) return std::nullopt;
  auto instruction = MakeInstruction(op, *element_op);
  if (!instruction.ok()) return std::nullopt;
  alignas(16) uint8_t values[3][16];
  alignas(16) uint8_t computed[16];
  const void* inputs[3] = {values[0], values[1], values[2]};
  for (size_t i = 0; i < elements.size(); ++i)
    LoadElements(elements[i].type(), elements[i].data(), values[i], 1);
  RunInstruction(*instruction, inputs, computed, 1, options.flush_denormals);
  Literal result(instruction->params.result_type, {});
  StoreElements(result.type(), computed, result.mutable_data(), 1);
  return llvm::SmallVector<mlir::Attribute>{
      AttrFromLiteral(result, mlir::RankedTensorType::get({}, type.getElementType()))
          .resizeSplat(type)};
}

}  // namespace

Results FoldOp(mlir::Operation* op, const FoldOptions& options) {
  if (!MayFold(op)) return std::nullopt;
  llvm::SmallVector<mlir::ElementsAttr> constants;
  int64_t operand_bytes = 0;
  for (mlir::Value operand : op->getOperands()) {
    mlir::ElementsAttr constant;
    if (!mlir::matchPattern(operand, mlir::m_Constant(&constant))) return std::nullopt;
    if (ir::ElementTypeOf(constant.getShapedType().getElementType()) ==
        ElementType::kInvalid)
      return std::nullopt;
    if (options.flush_denormals && !MovesElements(op) && HasDenormals(constant))
      return std::nullopt;
    operand_bytes += StoredBytes(constant);
    constants.push_back(constant);
  }
  if (Results splat = FoldSplats(op, constants, options)) return splat;

  if (operand_bytes > options.max_operand_bytes) return std::nullopt;
  int64_t expanded_bytes = 0;
  for (mlir::ElementsAttr constant : constants) {
    auto bytes = CountBytes(ir::ElementTypeOf(constant.getShapedType().getElementType()),
                            constant.getShapedType().getShape());
    if (!bytes.ok() || *bytes > options.max_operand_bytes - expanded_bytes)
      return std::nullopt;
    expanded_bytes += *bytes;
  }
  int64_t result_bytes = 0;
  for (mlir::Type type : op->getResultTypes()) {
    auto tensor = llvm::cast<mlir::RankedTensorType>(type);
    auto bytes =
        CountBytes(ir::ElementTypeOf(tensor.getElementType()), tensor.getShape());
    if (!bytes.ok() || *bytes > options.max_growth_bytes + operand_bytes - result_bytes)
      return std::nullopt;
    result_bytes += *bytes;
  }
  std::vector<Literal> literals;
  for (mlir::ElementsAttr constant : constants) {
    auto literal = LiteralFromAttr(constant);
    if (!literal.ok()) return std::nullopt;
    literals.push_back(*std::move(literal));
  }
  EvaluateOptions evaluate;
  evaluate.flush_denormals = options.flush_denormals;
  evaluate.max_steps = options.max_steps;
  evaluate.max_work = options.max_work;
  evaluate.max_literal_bytes = options.max_operand_bytes;
  auto results = EvaluateOp(op, literals, evaluate);
  if (!results.ok()) return std::nullopt;
  llvm::SmallVector<mlir::Attribute> attributes;
  for (auto [literal, type] : llvm::zip_equal(*results, op->getResultTypes()))
    attributes.push_back(
        AttrFromLiteral(literal, llvm::cast<mlir::RankedTensorType>(type)));
  return attributes;
}

}  // namespace tenon::reference
