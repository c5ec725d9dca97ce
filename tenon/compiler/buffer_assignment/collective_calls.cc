#include "tenon/compiler/buffer_assignment/collective_calls.h"

#include <algorithm>

#include "llvm/ADT/TypeSwitch.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "tenon/compiler/analysis/point_ops.h"
#include "tenon/compiler/diagnostics_to_status.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/element_types.h"
#include "tenon/executable/validate_collective.h"

namespace tenon::compiler {
namespace {

// Elements of a combiner's tile. The tiles of a tree over eight f32 inputs fit into a
// first-level cache of 32 KiB, and a call costs little beside a tile (an all_reduce of
// 16 MiB in place takes 8.9 ms of processor time, with tiles of 1,024 elements 10.0).
constexpr int64_t kTileElements = 512;

StatusOr<ImageTensor> Describe(mlir::Operation& op, mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor) return UnsupportedOp(op, "a collective can only communicate tensors");
  ImageTensor result;
  result.type = ir::ElementTypeOf(tensor.getElementType());
  result.dims.assign(tensor.getShape().begin(), tensor.getShape().end());
  for (int64_t d = tensor.getRank(); d-- > 0;) result.minor_to_major.push_back(d);
  return result;
}

std::optional<CollectiveKind> KindOf(mlir::Operation& op) {
  return llvm::TypeSwitch<mlir::Operation*, std::optional<CollectiveKind>>(&op)
      .Case([](stablehlo::AllReduceOp) { return CollectiveKind::kAllReduce; })
      .Case([](stablehlo::AllGatherOp) { return CollectiveKind::kAllGather; })
      .Case([](stablehlo::ReduceScatterOp) { return CollectiveKind::kReduceScatter; })
      .Case([](stablehlo::AllToAllOp) { return CollectiveKind::kAllToAll; })
      .Case([](stablehlo::CollectivePermuteOp) { return CollectiveKind::kPermute; })
      .Case([](stablehlo::CollectiveBroadcastOp) { return CollectiveKind::kBroadcast; })
      .Default([](mlir::Operation* other) -> std::optional<CollectiveKind> {
        if (!stablehlo::IsRaggedAllToAll(other)) return std::nullopt;
        return CollectiveKind::kRaggedAllToAll;
      });
}

// Returns the number of members that every group must have: as often as the result is
// larger, or the operand, or the number of parts. 0 if groups may have any size.
int64_t MembersPerGroup(mlir::Operation& op, const ImageCollective& site) {
  if (auto exchange = llvm::dyn_cast<stablehlo::AllToAllOp>(op))
    return exchange.getSplitCount();
  const auto dim = static_cast<size_t>(site.dimension);
  const bool gathers = site.kind == CollectiveKind::kAllGather;
  if (!gathers && site.kind != CollectiveKind::kReduceScatter) return 0;
  const int64_t whole = (gathers ? site.results : site.operands)[0].dims[dim];
  const int64_t part = (gathers ? site.operands : site.results)[0].dims[dim];
  return part > 0 ? whole / part : 0;
}

Status CheckGroups(mlir::Operation& op, const ImageCollective& site,
                   const stablehlo::ProcessGrid& grid) {
  auto wrong = [&](const std::string& why) {
    return InvalidArgument("'" + op.getName().getStringRef().str() + "' op " + why +
                           " (at " + DescribeLocation(op.getLoc()) + ")");
  };
  const int64_t members = MembersPerGroup(op, site);
  int64_t listed = 0;
  for (const std::vector<int64_t>& group : site.groups) {
    listed += static_cast<int64_t>(group.size());
    if (members > 0 && std::ssize(group) != members)
      return wrong("has a group of " + std::to_string(group.size()) +
                   " devices, but its shapes are for " + std::to_string(members));
  }
  const bool copies =
      site.kind == CollectiveKind::kPermute || site.kind == CollectiveKind::kBroadcast;
  if (!copies && listed != grid.size())
    return wrong("has groups of " + std::to_string(listed) +
                 " devices in all, but the program runs on " +
                 std::to_string(grid.size()));
  return OkStatus();
}

Status DescribeRagged(mlir::Operation& op, ImageCollective& site) {
  for (mlir::Type type : op.getOperandTypes()) {
    TENON_ASSIGN_OR_RETURN(site.operands.emplace_back(), Describe(op, type));
  }
  for (mlir::Type type : op.getResultTypes()) {
    TENON_ASSIGN_OR_RETURN(site.results.emplace_back(), Describe(op, type));
  }
  const std::string fault = RaggedFault(site);
  if (fault.empty()) return OkStatus();
  return InvalidArgument("custom call 'ragged_all_to_all' has " + fault + " (at " +
                         site.source + ")");
}

}  // namespace

StatusOr<ImageCollective> DescribeCollective(mlir::Operation& op,
                                             const stablehlo::ProcessGrid& grid) {
  auto kind = KindOf(op);
  if (!kind) return UnsupportedOp(op, "this collective is not supported");
  ImageCollective site;
  site.kind = *kind;
  site.source = DescribeLocation(op.getLoc());
  auto groups = stablehlo::ProcessGroupsOf(&op, grid);
  if (!groups.ok()) {
    const std::string message = "'" + op.getName().getStringRef().str() +
                                "' op: " + std::string(groups.status().message()) +
                                " (at " + site.source + ")";
    return Status(groups.status().code(), message);
  }
  site.groups = *std::move(groups);
  llvm::TypeSwitch<mlir::Operation*>(&op)
      .Case([&](stablehlo::AllGatherOp gather) {
        site.dimension = static_cast<int64_t>(gather.getAllGatherDim());
      })
      .Case([&](stablehlo::ReduceScatterOp scatter) {
        site.dimension = static_cast<int64_t>(scatter.getScatterDimension());
      })
      .Case([&](stablehlo::AllToAllOp exchange) {
        site.dimension = static_cast<int64_t>(exchange.getSplitDimension());
        site.concat_dimension = static_cast<int64_t>(exchange.getConcatDimension());
      });
  if (site.kind == CollectiveKind::kRaggedAllToAll) {
    TENON_RETURN_IF_ERROR(DescribeRagged(op, site));
    TENON_RETURN_IF_ERROR(CheckGroups(op, site, grid));
    return site;
  }
  int64_t elements = 0;
  auto broadcast = llvm::dyn_cast<stablehlo::CollectiveBroadcastOp>(op);
  const bool has_roots = broadcast && broadcast.getHasDynamicRoot();
  for (auto [result, operand] :
       llvm::zip_first(op.getResultTypes(), op.getOperandTypes())) {
    TENON_ASSIGN_OR_RETURN(site.operands.emplace_back(), Describe(op, operand));
    TENON_ASSIGN_OR_RETURN(site.results.emplace_back(), Describe(op, result));
    if (site.operands.back().type != site.results.back().type)
      return UnsupportedOp(op, "a result of another element type is not supported");
    auto tensor = llvm::cast<mlir::RankedTensorType>(operand);
    elements = std::max(elements, tensor.getNumElements());
  }
  if (has_roots) {
    TENON_ASSIGN_OR_RETURN(site.operands.emplace_back(),
                           Describe(op, op.getOperands().back().getType()));
  }
  if (op.getNumRegions() > 0) site.tile_elements = std::min(elements, kTileElements);
  TENON_RETURN_IF_ERROR(CheckGroups(op, site, grid));
  return site;
}

StatusOr<ir::FusionOp> BuildCombiner(mlir::Operation& op, int64_t elements) {
  mlir::Block& reducer = op.getRegion(0).front();
  mlir::OpBuilder b(&op);
  const mlir::Location loc = op.getLoc();
  auto tile_of = [&](mlir::Type scalar) {
    return mlir::RankedTensorType::get(
        {elements}, llvm::cast<mlir::RankedTensorType>(scalar).getElementType());
  };
  mlir::Type element =
      llvm::cast<mlir::RankedTensorType>(op.getOperand(0).getType()).getElementType();
  llvm::SmallVector<mlir::Value> inputs;
  for (mlir::Type type : reducer.getArgumentTypes()) {
    if (tile_of(type).getElementType() != element)
      return UnsupportedOp(op, "a reducer of another element type is not supported");
    // Stands for a tile. The fusion is never run as a part of the program.
    inputs.push_back(mlir::UnrealizedConversionCastOp::create(b, loc, tile_of(type),
                                                              mlir::ValueRange())
                         .getResult(0));
  }
  auto fusion =
      ir::FusionOp::create(b, loc, inputs[0].getType(), inputs, ir::FusionKind::kLoop);
  mlir::Block* body = b.createBlock(&fusion.getBody());
  mlir::IRMapping mapping;
  for (auto [argument, input] : llvm::zip_equal(reducer.getArguments(), inputs))
    mapping.map(argument, body->addArgument(input.getType(), loc));
  for (mlir::Operation& inner : reducer.without_terminator()) {
    if (auto constant = llvm::dyn_cast<stablehlo::ConstantOp>(inner)) {
      auto type = tile_of(constant.getType());
      auto value = llvm::cast<mlir::DenseElementsAttr>(constant.getValue());
      mapping.map(constant.getResult(),
                  stablehlo::ConstantOp::create(b, loc, type, value.resizeSplat(type))
                      .getResult());
      continue;
    }
    if (!IsElementwise(&inner))
      return UnsupportedOp(inner,
                           "this op is not supported in the reducer of a "
                           "collective");
    mlir::Operation* clone = b.clone(inner, mapping);
    for (mlir::Value result : clone->getResults())
      result.setType(tile_of(result.getType()));
  }
  ir::YieldOp::create(b, loc, mapping.lookup(reducer.getTerminator()->getOperand(0)));
  return fusion;
}

}  // namespace tenon::compiler
