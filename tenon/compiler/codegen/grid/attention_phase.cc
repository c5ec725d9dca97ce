#include "tenon/compiler/codegen/grid/attention_phase.h"

#include "tenon/compiler/codegen/grid/matrix_phase.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::codegen {
namespace {

constexpr ElementType kScore = ElementType::kF32;

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

// Sets the arguments of a region: indices, then scalars of type kScore. Emits its ops.
Status EmitRegion(GroupBody& body, mlir::Region& region,
                  llvm::ArrayRef<llvm::Value*> indices,
                  llvm::ArrayRef<llvm::Value*> scalars) {
  PointEmitter& points = body.points();
  // What was loaded for another point may be in a branch that this one does not take.
  points.memory().ForgetLoads();
  unsigned next = 0;
  for (llvm::Value* index : indices)
    points.SetIndex(region.getArgument(next++), {index, 0, 1});
  for (llvm::Value* scalar : scalars)
    points.SetScalar(region.getArgument(next++), {kScore, scalar, nullptr});
  return body.InItem([&] { return body.EmitBlock(region.front()); });
}

}  // namespace

StatusOr<AttentionPhase> PlanAttentionPhase(ir::AttentionOp op,
                                            const compiler::DeviceTarget& device) {
  mlir::MemRefType queries = op.getQueries().getType(), values = op.getValues().getType();
  AttentionPhase phase;
  phase.attention.rows = queries.getDimSize(1);
  phase.attention.keys = values.getDimSize(1);
  phase.attention.depth = queries.getDimSize(2);
  phase.attention.columns = values.getDimSize(2);
  phase.attention.operand = ir::ElementTypeOf(queries.getElementType());
  std::optional<AttentionTile> tile;
  if (device.matrix)
    tile = ChooseAttentionTile(
        phase.attention, *device.matrix,
        {.local_bytes = device.local_bytes, .max_items = device.max_group_items});
  if (!tile) return UnsupportedOp(*op, "the device has no matrix instructions for it");
  phase.tile = *tile;
  phase.items = tile->subgroups * device.matrix->lanes;
  phase.groups =
      queries.getDimSize(0) * ((phase.attention.rows + tile->rows() - 1) / tile->rows());
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
      body.local().Allocate(phase.tile.local_bytes(), MatrixTile::kAlignment),
      b.getPtrTy(compiler::kLocalMemory));

  attention.query_operand = OperandOf(op.getQueries(), 1, body, batch, kernel);
  attention.key_operand = OperandOf(op.getKeys(), 2, body, batch, kernel);
  attention.value_operand = OperandOf(op.getValues(), 2, body, batch, kernel);
  attention.score = [&](llvm::Value* row, llvm::Value* key,
                        llvm::Value* sum) -> StatusOr<llvm::Value*> {
    TENON_RETURN_IF_ERROR(EmitRegion(body, op.getScore(), {batch, row, key}, {sum}));
    return body.points().Scalar(op.getScore().front().back().getOperand(0)).re;
  };
  attention.store = [&](llvm::Value* row, llvm::Value* column,
                        llvm::ArrayRef<llvm::Value*> results) -> Status {
    for (auto [i, value] : llvm::enumerate(results))
      TENON_RETURN_IF_ERROR(EmitRegion(body, op.getResult(),
                                       {batch, row, b.CreateAdd(column, b.getInt64(i))},
                                       {value}));
    return OkStatus();
  };
  if (!op.getRow().front().empty())
    attention.store_row = [&](llvm::Value* row, llvm::Value* maximum, llvm::Value* sum) {
      return EmitRegion(body, op.getRow(), {batch, row}, {maximum, sum});
    };
  return EmitMatrixAttention(b, attention, *device.matrix, phase.tile, group);
}

}  // namespace tenon::codegen
