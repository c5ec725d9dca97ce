#include "tenon/compiler/codegen/grid/attention_phase.h"

#include "tenon/compiler/codegen/elementwise/conversions.h"
#include "tenon/compiler/codegen/grid/matrix_phase.h"
#include "tenon/compiler/targets/matrix_instructions.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::codegen {
namespace {

constexpr ElementType kElement = ElementType::kF32;

mlir::MemRefType TypeOf(mlir::Value view) {
  return llvm::cast<mlir::MemRefType>(view.getType());
}

// An operand of one batch of a view [batch, ., .], of which dimension `side` is the side.
MatrixOperand OperandOf(mlir::Value view, unsigned side, GroupBody& body,
                        llvm::Value* batch, ir::KernelOp kernel) {
  llvm::IRBuilderBase& b = body.builder();
  const auto strides = ir::ViewStrides(TypeOf(view));
  const ElementType type = ir::ElementTypeOf(TypeOf(view).getElementType());
  llvm::Type* memory = b.getIntNTy(static_cast<unsigned>(ElementBits(type)));
  MatrixOperand operand;
  operand.side_stride = strides[side];
  operand.depth_stride = strides[3 - side];
  llvm::Value* pointer =
      b.CreateGEP(memory,
                  b.CreateAddrSpaceCast(body.points().View(view),
                                        b.getPtrTy(compiler::kGlobalMemory)),
                  b.CreateMul(batch, b.getInt64(static_cast<uint64_t>(strides[0]))));
  operand.pointer = pointer;
  if (IsCopied(type, TypeOf(view).getDimSize(0), strides[0], operand.side_stride,
               operand.depth_stride) &&
      IsAligned(view, kernel))
    return operand;
  operand.loads_along_depth = operand.depth_stride == 1;
  operand.load = [&b, memory, pointer,
                  at = std::pair(operand.side_stride, operand.depth_stride)](
                     llvm::Value* position, llvm::Value* k) -> StatusOr<llvm::Value*> {
    auto scaled = [&](llvm::Value* index, int64_t stride) {
      return b.CreateMul(index, b.getInt64(static_cast<uint64_t>(stride)));
    };
    llvm::Value* offset = b.CreateAdd(scaled(position, at.first), scaled(k, at.second));
    return b.CreateLoad(memory, b.CreateGEP(memory, pointer, offset));
  };
  return operand;
}

// Emits the regions of the op.
class Regions {
 public:
  Regions(GroupBody& body, const MatrixInstructions& instructions)
      : body_(body), instructions_(instructions) {}

  // Sets the arguments: indices, then scalars of type kElement. Emits the ops.
  Status Emit(mlir::Region& region, llvm::ArrayRef<llvm::Value*> indices,
              llvm::ArrayRef<llvm::Value*> scalars) {
    SetArguments(region, indices, scalars);
    return body_.InItem([&] { return body_.EmitBlock(region.front()); });
  }

  // The yielded values. Exponentials and divisions are the instructions': there are some
  // for each product of two elements.
  StatusOr<IrValues> Element(mlir::Region& region, llvm::ArrayRef<llvm::Value*> indices,
                             llvm::ArrayRef<llvm::Value*> scalars) {
    SetArguments(region, indices, scalars);
    mlir::Block& block = region.front();
    for (mlir::Operation& op : block.without_terminator())
      if (!EmitByInstruction(op))
        TENON_RETURN_IF_ERROR(body_.InItem([&] { return body_.EmitOp(op); }));
    IrValues values;
    for (mlir::Value value : block.back().getOperands())
      values.push_back(body_.points().Scalar(value).re);
    return values;
  }

 private:
  void SetArguments(mlir::Region& region, llvm::ArrayRef<llvm::Value*> indices,
                    llvm::ArrayRef<llvm::Value*> scalars) {
    PointEmitter& points = body_.points();
    // What was loaded for another point may be in a branch that this one does not take.
    points.memory().ForgetLoads();
    unsigned next = 0;
    for (llvm::Value* index : indices)
      points.SetIndex(region.getArgument(next++), {index, 0, 1});
    for (llvm::Value* scalar : scalars)
      points.SetScalar(region.getArgument(next++), {kElement, scalar, nullptr});
  }

  bool EmitByInstruction(mlir::Operation& op) {
    const bool is_exponential = llvm::isa<stablehlo::ExpOp>(op);
    if (!is_exponential && !llvm::isa<stablehlo::DivOp>(op)) return false;
    const ElementType type = ir::ElementTypeOfShaped(op.getResult(0).getType());
    if (type != kElement && type != ElementType::kBF16 && type != ElementType::kF16)
      return false;
    llvm::IRBuilderBase& b = body_.builder();
    PointEmitter& points = body_.points();
    compiler::Conversions convert(b, points.options().elementwise);
    auto operand = [&](unsigned number) {
      return convert.Convert(type, kElement, points.Scalar(op.getOperand(number)).re);
    };
    llvm::Value* x = operand(0);
    llvm::Value* result =
        is_exponential
            ? instructions_.exp2(
                  b, b.CreateFMul(x, llvm::ConstantFP::get(x->getType(), 0x1.715476p+0)))
            : instructions_.divide(b, x, operand(1));
    points.SetScalar(op.getResult(0),
                     {type, convert.Convert(kElement, type, result), nullptr});
    return true;
  }

  GroupBody& body_;
  const MatrixInstructions& instructions_;
};

}  // namespace

StatusOr<AttentionPhase> PlanAttentionPhase(ir::AttentionOp op,
                                            const compiler::DeviceTarget& device) {
  mlir::MemRefType lhs = TypeOf(op.getLhs()[0]), rhs = TypeOf(op.getRhs()[0]);
  AttentionPhase phase;
  MatrixAttention& attention = phase.attention;
  attention.rows = lhs.getDimSize(1);
  attention.keys = rhs.getDimSize(2);
  attention.operand = ir::ElementTypeOf(lhs.getElementType());
  attention.softmax = op.getSoftmax();
  for (mlir::Value view : op.getLhs())
    attention.products.emplace_back().depth = TypeOf(view).getDimSize(2);
  for (auto [view, element, same_as] :
       llvm::zip_equal(op.getFactors(), op.getElements(), op.getSameAs())) {
    MatrixAttention::Result& result = attention.results.emplace_back();
    result.element = static_cast<size_t>(element);
    result.columns = TypeOf(view).getDimSize(2);
    result.same_as = static_cast<int>(same_as);
  }
  for (int64_t fold : op.getFolds())
    attention.folds.push_back(fold == 0 ? MatrixAttention::Fold::kSum
                                        : MatrixAttention::Fold::kMaximum);
  std::optional<AttentionTile> tile;
  if (device.matrix)
    tile = ChooseAttentionTile(
        attention, *device.matrix,
        {.local_bytes = device.local_bytes, .max_items = device.max_group_items});
  if (!tile) return UnsupportedOp(*op, "the device has no matrix instructions for it");
  phase.tile = *tile;
  phase.items = tile->subgroups * device.matrix->lanes;
  phase.groups = lhs.getDimSize(0) * ((attention.rows + tile->rows() - 1) / tile->rows());
  return phase;
}

Status EmitAttentionPhase(ir::AttentionOp op, GroupBody& body,
                          const AttentionPhase& phase,
                          const compiler::DeviceTarget& device) {
  auto& b = static_cast<llvm::IRBuilder<>&>(body.builder());
  auto kernel = op->getParentOfType<ir::KernelOp>();
  MatrixAttention attention = phase.attention;
  MatrixGroup group;
  llvm::Value* number = device.group_id(b);
  const int64_t tiles = (attention.rows + phase.tile.rows() - 1) / phase.tile.rows();
  llvm::Value* count = b.getInt32(static_cast<uint32_t>(tiles));
  group.tile_row = b.CreateURem(number, count);
  llvm::Value* batch = b.CreateZExt(b.CreateUDiv(number, count), b.getInt64Ty());
  group.item = b.CreateTrunc(body.item(), b.getInt32Ty());
  group.barrier = device.barrier;
  group.local = b.CreateAddrSpaceCast(
      body.local().Allocate(phase.tile.local_bytes, MatrixTile::kAlignment),
      b.getPtrTy(compiler::kLocalMemory));

  for (auto [product, lhs, rhs] :
       llvm::zip_equal(attention.products, op.getLhs(), op.getRhs())) {
    product.lhs = OperandOf(lhs, 1, body, batch, kernel);
    product.rhs = OperandOf(rhs, 2, body, batch, kernel);
  }
  Regions regions(body, *device.matrix);
  for (auto [result, factor, store] :
       llvm::zip_equal(attention.results, op.getFactors(), op.getResults())) {
    result.factor = OperandOf(factor, 2, body, batch, kernel);
    result.store = [&, region = &store](llvm::Value* row, llvm::Value* column,
                                        llvm::ArrayRef<llvm::Value*> values) -> Status {
      for (auto [i, value] : llvm::enumerate(values))
        TENON_RETURN_IF_ERROR(regions.Emit(
            *region, {batch, row, b.CreateAdd(column, b.getInt64(i))}, {value}));
      return OkStatus();
    };
  }
  attention.elements = [&](llvm::Value* row, llvm::Value* key,
                           llvm::ArrayRef<llvm::Value*> products) {
    return regions.Element(op.getElement(), {batch, row, key}, products);
  };
  if (!op.getRow().front().empty())
    attention.store_row = [&](llvm::Value* row, llvm::ArrayRef<llvm::Value*> values) {
      return regions.Emit(op.getRow(), {batch, row}, values);
    };
  return EmitMatrixAttention(b, attention, *device.matrix, phase.tile, group);
}

}  // namespace tenon::codegen
