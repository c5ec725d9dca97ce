#include "tenon/compiler/codegen/grid/matrix_phase.h"

#include <tuple>

#include "tenon/base/integer_division.h"
#include "tenon/compiler/analysis/roundable.h"
#include "tenon/compiler/codegen/grid/product_ops.h"
#include "tenon/compiler/plan/op_specs.h"
#include "tenon/compiler/targets/device_target.h"

namespace tenon::codegen {
namespace {

using compiler::ContractSpec;

constexpr int64_t kUnit = MatrixInstructions::kCopyBytes;

// The operands' type, or kInvalid if they differ.
ElementType OperandType(mlir::Operation& op) {
  auto common = [](ElementType lhs, ElementType rhs) {
    return lhs == rhs ? lhs : ElementType::kInvalid;
  };
  if (auto contract = llvm::dyn_cast<ir::ContractOp>(op)) {
    const ContractSpec spec = compiler::SpecOf(contract).spec;
    return common(spec.lhs_type, spec.rhs_type);
  }
  const compiler::ConvSpec spec =
      compiler::SpecOf(llvm::cast<ir::ConvolutionOp>(op)).spec;
  return common(spec.lhs_type, spec.rhs_type);
}

class Operands {
 public:
  Operands(GroupBody& body, const TiledProduct& tiled, llvm::Value* batch,
           ElementType type)
      : body_(body), tiled_(tiled), batch_(batch), type_(type) {}

  // The operand if it is copied from a view.
  MatrixOperand Copied(mlir::Value view, const compiler::ContractStrides& strides,
                       int64_t side_stride, int64_t depth_stride) {
    llvm::IRBuilderBase& b = body_.builder();
    llvm::Value* pointer = b.CreateAddrSpaceCast(body_.points().View(view),
                                                 b.getPtrTy(compiler::kGlobalMemory));
    pointer = b.CreateGEP(
        compiler::ElementMemoryType(b.getContext(), type_), pointer,
        b.CreateMul(batch_, b.getInt64(static_cast<uint64_t>(strides.batch))));
    MatrixOperand operand;
    operand.pointer = pointer;
    operand.side_stride = side_stride;
    operand.depth_stride = depth_stride;
    return operand;
  }
  // The operand of a convolution if it is copied from a view.
  MatrixOperand Placed(mlir::Value view, bool is_lhs) {
    MatrixOperand operand = Copied(view, {}, 0, 0);
    const bool along_depth = is_lhs ? tiled_.lhs_along_depth : !tiled_.rhs_along_columns;
    (along_depth ? operand.depth_stride : operand.side_stride) = 1;
    operand.place = [this, is_lhs](llvm::Value* side, llvm::Value* k) {
      const OperandPlace place =
          is_lhs ? tiled_.place_lhs(batch_, side, k) : tiled_.place_rhs(batch_, k, side);
      return MatrixOperand::UnitPlace{place.offset, place.exists};
    };
    return operand;
  }
  MatrixOperand Loaded(bool is_lhs) {
    MatrixOperand operand;
    operand.loads_along_depth =
        is_lhs ? tiled_.lhs_along_depth : !tiled_.rhs_along_columns;
    operand.load = [this, is_lhs](llvm::Value* side,
                                  llvm::Value* k) -> StatusOr<llvm::Value*> {
      return body_.InItem([&]() -> StatusOr<llvm::Value*> {
        TENON_ASSIGN_OR_RETURN(
            const ElementValue value,
            is_lhs ? tiled_.load_lhs(batch_, side, k) : tiled_.load_rhs(batch_, k, side));
        return value.re;
      });
    };
    return operand;
  }

 private:
  GroupBody& body_;
  const TiledProduct& tiled_;
  llvm::Value* batch_;
  ElementType type_;
};

// Which operands can be copied.
struct Copies {
  bool lhs = false, rhs = false;
};

Copies CopiesOf(mlir::Operation& op, int64_t batch, ElementType type) {
  Copies copies;
  auto contract = llvm::dyn_cast<ir::ContractOp>(op);
  if (!contract) return copies;
  auto kernel = op.getParentOfType<ir::KernelOp>();
  const ContractSpec spec = compiler::SpecOf(contract).spec;
  copies.lhs = IsCopied(type, batch, spec.lhs.batch, spec.lhs.row, spec.lhs.col) &&
               IsAligned(contract.getLhs(), kernel);
  copies.rhs = IsCopied(type, batch, spec.rhs.batch, spec.rhs.col, spec.rhs.row) &&
               IsAligned(contract.getRhs(), kernel);
  return copies;
}

void SetOperands(mlir::Operation& op, const TiledProduct& tiled, Operands& operands,
                 MatrixProduct& product) {
  product.lhs = operands.Loaded(true);
  product.rhs = operands.Loaded(false);
  if (auto convolution = llvm::dyn_cast<ir::ConvolutionOp>(op)) {
    if (tiled.lhs_unit * ElementBytes(product.operand) == kUnit)
      product.lhs = operands.Placed(convolution.getInput(), true);
    if (tiled.rhs_unit * ElementBytes(product.operand) == kUnit)
      product.rhs = operands.Placed(convolution.getKernel(), false);
    return;
  }
  const Copies copies = CopiesOf(op, tiled.batch, product.operand);
  auto contract = llvm::cast<ir::ContractOp>(op);
  const ContractSpec spec = compiler::SpecOf(contract).spec;
  if (copies.lhs)
    product.lhs =
        operands.Copied(contract.getLhs(), spec.lhs, spec.lhs.row, spec.lhs.col);
  if (copies.rhs)
    product.rhs =
        operands.Copied(contract.getRhs(), spec.rhs, spec.rhs.col, spec.rhs.row);
}

// The row and column of tile `number` (i32). Tiles that run at the same time form a
// block of the result, so that they share rows and columns of the operands in caches:
// numbers go through columns of kBlockRows tiles.
std::pair<llvm::Value*, llvm::Value*> TilePosition(llvm::IRBuilderBase& b,
                                                   llvm::Value* number, int64_t rows,
                                                   int64_t columns) {
  constexpr int64_t kBlockRows = 16;
  auto constant = [&](int64_t value) { return b.getInt32(static_cast<uint32_t>(value)); };
  llvm::Value* block_rows = constant(std::min(rows, kBlockRows));
  llvm::Value* block_tiles = constant(std::min(rows, kBlockRows) * columns);
  llvm::Value* first_row = b.CreateMul(b.CreateUDiv(number, block_tiles), block_rows);
  llvm::Value* in_block = b.CreateURem(number, block_tiles);
  // The last block may have fewer rows.
  if (rows > kBlockRows && rows % kBlockRows != 0)
    block_rows = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, block_rows,
                                         b.CreateSub(constant(rows), first_row));
  return {b.CreateAdd(first_row, b.CreateURem(in_block, block_rows)),
          b.CreateUDiv(in_block, block_rows)};
}

}  // namespace

// The argument is a whole buffer, or a part of the arena at such an offset.
bool IsAligned(mlir::Value view, ir::KernelOp kernel) {
  auto argument = llvm::dyn_cast<mlir::BlockArgument>(view);
  if (!argument || argument.getOwner()->getParentOp() != kernel.getOperation())
    return false;
  bool aligned = true;
  kernel->getParentOfType<mlir::ModuleOp>().walk([&](ir::LaunchOp launch) {
    if (launch.getKernelAttr().getAttr() != kernel.getSymNameAttr()) return;
    mlir::Value source = launch.getArguments_()[argument.getArgNumber()];
    while (auto cast = source.getDefiningOp<ir::CastViewOp>()) source = cast.getSource();
    if (auto arena = source.getDefiningOp<ir::ArenaViewOp>())
      aligned &= arena.getOffset() % kUnit == 0;
    else
      aligned &= llvm::isa<mlir::BlockArgument>(source);
  });
  return aligned;
}

bool IsCopied(ElementType type, int64_t batch, int64_t batch_stride, int64_t side_stride,
              int64_t depth_stride) {
  const int64_t bytes = ElementBytes(type);
  if (side_stride != 1 && depth_stride != 1) return false;
  const int64_t other = depth_stride == 1 ? side_stride : depth_stride;
  return other > 0 && other * bytes % kUnit == 0 &&
         (batch == 1 || batch_stride * bytes % kUnit == 0);
}

std::optional<MatrixPhase> PlanMatrixPhase(mlir::Operation& op,
                                           const TiledProduct& product,
                                           const compiler::DeviceTarget& device,
                                           ChooseCandidate choose) {
  // With fewer rows or columns most of an instruction's results are not used.
  constexpr int64_t kMinSide = 8;
  if (!device.matrix || product.rows < kMinSide || product.columns < kMinSide ||
      product.depth == 0)
    return std::nullopt;
  MatrixPhase phase;
  phase.product.rows = product.rows;
  phase.product.columns = product.columns;
  phase.product.depth = product.depth;
  phase.product.operand = OperandType(op);
  phase.product.sum = product.type;
  const Copies copies = CopiesOf(op, product.batch, phase.product.operand);
  const std::vector<MatrixTile> candidates =
      CandidateTiles(phase.product, *device.matrix,
                     {.local_bytes = device.local_bytes,
                      .dynamic_local_bytes = device.dynamic_local_bytes,
                      .max_items = device.max_group_items,
                      .processors = device.processors,
                      .batch = product.batch * product.parts,
                      .part_depth = product.parts > 1 ? product.part_depth : 0,
                      .copies = copies.lhs && copies.rhs,
                      .may_round = op.hasAttr(compiler::kMayRound)});
  if (candidates.empty()) return std::nullopt;
  const MatrixTile& tile = candidates[choose(candidates.size())];
  phase.tile = tile;
  phase.items = tile.subgroups() * device.matrix->lanes;
  phase.groups = product.batch * product.parts * CeilDiv(product.rows, tile.rows) *
                 CeilDiv(product.columns, tile.columns);
  const int64_t bytes = tile.local_bytes(ElementBytes(phase.product.operand));
  if (bytes > device.local_bytes) phase.dynamic_local_bytes = bytes;
  return phase;
}

Status EmitMatrixPhase(mlir::Operation& op, GroupBody& body, TiledProduct tiled,
                       const MatrixPhase& phase, const compiler::DeviceTarget& device) {
  auto& b = static_cast<llvm::IRBuilder<>&>(body.builder());
  MatrixProduct product = phase.product;
  const ElementType sum = tiled.type;
  tiled.type = product.operand;  // elements are loaded as they are
  BindProduct(op, body, tiled);

  MatrixGroup group;
  const int64_t tile_rows = CeilDiv(product.rows, phase.tile.rows);
  const int64_t tile_columns = CeilDiv(product.columns, phase.tile.columns);
  auto* tiles = b.getInt32(static_cast<uint32_t>(tile_rows * tile_columns));
  llvm::Value* number = device.group_id(b);
  const PartRange range =
      RangeOfPart(b, tiled, b.CreateZExt(b.CreateUDiv(number, tiles), b.getInt64Ty()));
  if (tiled.parts > 1) {
    if (tiled.part_depth % phase.tile.depth != 0)
      return Internal("a block of a product crosses the end of a part");
    group.begin = range.begin;
    group.end = range.end;
  }
  std::tie(group.tile_row, group.tile_column) =
      TilePosition(b, b.CreateURem(number, tiles), tile_rows, tile_columns);
  group.item = b.CreateTrunc(body.item(), b.getInt32Ty());
  group.barrier = device.barrier;
  llvm::Value* local =
      phase.dynamic_local_bytes > 0
          ? body.local().Dynamic(MatrixTile::kAlignment)
          : body.local().Allocate(phase.tile.local_bytes(ElementBytes(product.operand)),
                                  MatrixTile::kAlignment);
  group.local = b.CreateAddrSpaceCast(local, b.getPtrTy(compiler::kLocalMemory));

  Operands operands(body, tiled, range.batch, product.operand);
  SetOperands(op, tiled, operands, product);
  product.stores_units = tiled.stores_vectors;
  product.store = [&](llvm::Value* row, llvm::Value* column,
                      llvm::ArrayRef<llvm::Value*> sums) -> Status {
    if (tiled.stores_vectors && sums.size() > 1) {
      llvm::Value* vector = llvm::PoisonValue::get(llvm::FixedVectorType::get(
          sums[0]->getType(), static_cast<unsigned>(sums.size())));
      for (auto [i, value] : llvm::enumerate(sums))
        vector = b.CreateInsertElement(vector, value, i);
      return body.InItem([&] {
        return tiled.store(range.stored_batch, row, column, {sum, vector, nullptr});
      });
    }
    for (auto [i, value] : llvm::enumerate(sums)) {
      llvm::Value* at = b.CreateAdd(column, b.getInt64(i));
      TENON_RETURN_IF_ERROR(body.InItem([&] {
        return tiled.store(range.stored_batch, row, at, {sum, value, nullptr});
      }));
    }
    return OkStatus();
  };
  return EmitMatrixProduct(b, product, *device.matrix, phase.tile, group);
}

}  // namespace tenon::codegen
