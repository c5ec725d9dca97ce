// Verifiers of communication ops between devices and with the host.
#include "llvm/ADT/SmallSet.h"
#include "mlir/IR/SymbolTable.h"
#include "tenon/dialects/stablehlo/collective_ops.h"
#include "tenon/dialects/stablehlo/verify_util.h"

using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;
using mlir::cast;
using mlir::dyn_cast;
using mlir::failed;
using mlir::failure;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::ShapedType;
using mlir::succeeded;
using mlir::success;
using mlir::Type;
using mlir::TypeRange;

namespace tenon::stablehlo {
namespace {

RankedTensorType Tensor(Type type) { return cast<RankedTensorType>(type); }

enum class Groups {
  kAny,       // rows may be padded with -1, and devices may be in no group
  kComplete,  // the members are 0 to n - 1
  kEqual,     // complete, and all groups have the same size, without padding
};

// `groups` is a matrix in which each member occurs at most once. Does not check groups by
// mesh axes, which the partitioner resolves.
LogicalResult VerifyReplicaGroups(Operation* op, mlir::Attribute groups, Groups kind) {
  auto dense = dyn_cast<mlir::DenseIntElementsAttr>(groups);
  if (!dense) return success();
  if (dense.getType().getRank() != 2) {
    return op->emitOpError() << "replica_groups must have rank 2, got "
                             << dense.getType();
  }
  llvm::SmallSet<int64_t, 16> members;
  int64_t largest = -1;
  for (int64_t member : dense.getValues<int64_t>()) {
    if (member == -1 && kind != Groups::kEqual) continue;
    if (member < 0) {
      return op->emitOpError() << "replica_groups has the negative member " << member;
    }
    if (!members.insert(member).second) {
      return op->emitOpError() << "replica_groups has the member " << member << " twice";
    }
    largest = std::max(largest, member);
  }
  if (kind != Groups::kAny && largest >= static_cast<int64_t>(members.size())) {
    return op->emitOpError() << "replica_groups has " << members.size()
                             << " members, but not all from 0 to " << largest;
  }
  return success();
}

// Members per group; nullopt if the groups are given by mesh axes.
std::optional<int64_t> GroupSize(mlir::Attribute groups) {
  auto dense = dyn_cast<mlir::DenseIntElementsAttr>(groups);
  return dense ? std::optional(dense.getType().getDimSize(1)) : std::nullopt;
}

// Whether groups list replicas but all their partitions participate: a positive channel
// id without use_global_device_ids. The number of processes is then an unknown multiple
// of the group size.
bool SpansPartitions(bool useGlobalIds, std::optional<ChannelHandleAttr> channel) {
  return !useGlobalIds && channel && channel->getHandle() > 0;
}

// `whole` is `part` times a multiple of `count`, the members of a group.
LogicalResult VerifyMultiple(Operation* op, int64_t whole, int64_t part,
                             std::optional<int64_t> count) {
  if (ShapedType::isDynamic(whole) || ShapedType::isDynamic(part) || !count ||
      whole == 0) {
    return success();
  }
  if (part > 0 && *count > 0 && whole % part == 0 && whole / part % *count == 0) {
    return success();
  }
  return op->emitOpError() << "size " << whole << " is not " << part
                           << " times a multiple of " << *count << " members";
}

LogicalResult VerifyGlobalIds(Operation* op, bool useGlobalIds,
                              std::optional<ChannelHandleAttr> channel) {
  if (!useGlobalIds || (channel && channel->getHandle() > 0)) return success();
  return op->emitOpError() << "use_global_device_ids needs a positive channel id";
}

// source_target_pairs has shape [n, 2], with distinct sources and distinct targets.
LogicalResult VerifyPairs(Operation* op,
                          std::optional<mlir::DenseIntElementsAttr> pairs) {
  if (!pairs) return success();
  RankedTensorType type = Tensor(pairs->getType());
  if (type.getRank() != 2 || type.getDimSize(1) != 2) {
    return op->emitOpError() << "source_target_pairs has type " << type
                             << ", expected the shape [n, 2]";
  }
  SmallVector<int64_t> columns[2];
  for (auto [index, value] : llvm::enumerate(pairs->getValues<int64_t>())) {
    columns[index % 2].push_back(value);
  }
  return LogicalResult::success(
      succeeded(VerifyAtLeast(op, "source_target_pairs", columns[0], 0)) &&
      succeeded(VerifyAtLeast(op, "source_target_pairs", columns[1], 0)) &&
      succeeded(VerifyUnique(op, "sources of source_target_pairs", columns[0])) &&
      succeeded(VerifyUnique(op, "targets of source_target_pairs", columns[1])));
}

// One result per operand, at least one.
LogicalResult VerifyPairwiseCount(Operation* op, int64_t operands) {
  if (operands == 0) return op->emitOpError() << "has no operands";
  return VerifySize(op, "results", op->getNumResults(), operands);
}

// Result `index` has the shape of operand `index`.
LogicalResult VerifySameShapes(Operation* op, TypeRange operands) {
  for (auto [operand, result] : llvm::zip_equal(operands, op->getResultTypes())) {
    if (failed(VerifySameShape(op, "operand", operand, "result", result)))
      return failure();
  }
  return success();
}

// `computation` reduces two scalars to one, wide enough for every operand.
LogicalResult VerifyComputation(Operation* op, mlir::Region& computation,
                                TypeRange operands) {
  for (auto [operand, result] : llvm::zip_equal(operands, op->getResultTypes())) {
    if (failed(VerifyReducer(op, "computation", computation, operand, result))) {
      return failure();
    }
  }
  return success();
}

// Dynamic roots are one i32 per operand.
LogicalResult VerifyRoots(Operation* op, RankedTensorType roots, int64_t count) {
  if (roots.getRank() == 1 && !Differ(roots.getDimSize(0), count) &&
      roots.getElementType().isSignlessInteger(32)) {
    return success();
  }
  return op->emitOpError() << "roots must be one i32 per operand, got " << roots;
}

// `size` times or divided by the number of members; dynamic if either is unknown.
mlir::FailureOr<int64_t> Multiply(Operation* op, int64_t size,
                                  std::optional<int64_t> count) {
  if (ShapedType::isDynamic(size) || !count) return ShapedType::kDynamic;
  if (llvm::MulOverflow(size, *count, size)) {
    return op->emitOpError() << "size of the result exceeds 64 bits";
  }
  return size;
}

mlir::FailureOr<int64_t> Divide(Operation* op, int64_t size,
                                std::optional<int64_t> count) {
  if (ShapedType::isDynamic(size) || !count) return ShapedType::kDynamic;
  if (*count <= 0 || size % *count != 0) {
    return op->emitOpError() << "size " << size << " is not divisible into " << *count
                             << " parts";
  }
  return size / *count;
}

// Infeed and recv return data, then a token.
LogicalResult VerifyDataAndToken(Operation* op) {
  TypeRange types = op->getResultTypes();
  if (types.empty() || !mlir::isa<TokenType>(types.back())) {
    return op->emitOpError() << "last result must be a token";
  }
  for (Type type : types.drop_back()) {
    if (!mlir::isa<mlir::TensorType>(type)) {
      return op->emitOpError() << "result must be a tensor, got " << type;
    }
  }
  return success();
}

// Host communication uses channel type 2 (to the host) or 3 (from the host); else it
// is 1.
LogicalResult VerifyChannelKind(Operation* op, ChannelHandleAttr channel, bool toFromHost,
                                int64_t hostKind) {
  int64_t expected = toFromHost ? hostKind : 1;
  if (channel.getType() == expected) return success();
  return op->emitOpError() << "channel type is " << channel.getType() << ", expected "
                           << expected;
}

constexpr int64_t kDeviceToHost = 2;
constexpr int64_t kHostToDevice = 3;

}  // namespace

LogicalResult AllGatherOp::verify() {
  if (failed(VerifyPairwiseCount(*this, getOperands().size())) ||
      failed(VerifyReplicaGroups(*this, getReplicaGroups(), Groups::kEqual)) ||  // c2, c4
      failed(
          VerifyGlobalIds(*this, getUseGlobalDeviceIds(), getChannelHandle()))) {  // c5
    return failure();
  }
  for (auto [index, type] : llvm::enumerate(getOperandTypes())) {
    SmallVector<int64_t> shape(Tensor(type).getShape());
    if (failed(
            VerifyDim(*this, "all_gather_dim", getAllGatherDim(), shape.size()))) {  // c1
      return failure();
    }
    // all_gather_c6. The number of processes is a multiple of the group size, because
    // partitions may participate too. Compilation knows the number and checks it.
    ArrayRef<int64_t> result = Tensor(getResultTypes()[index]).getShape();
    if (result.size() == shape.size()) {
      int64_t& size = shape[getAllGatherDim()];
      if (failed(VerifyMultiple(*this, result[getAllGatherDim()], size,
                                GroupSize(getReplicaGroups())))) {
        return failure();
      }
      size = result[getAllGatherDim()];
    }
    if (failed(VerifyResultShape(*this, shape, index))) return failure();
  }
  return success();
}

LogicalResult AllReduceOp::verify() {
  return LogicalResult::success(
      succeeded(VerifyPairwiseCount(*this, getOperands().size())) &&
      succeeded(VerifyReplicaGroups(*this, getReplicaGroups(), Groups::kComplete)) &&
      succeeded(VerifyGlobalIds(*this, getUseGlobalDeviceIds(), getChannelHandle())) &&
      succeeded(VerifySameShapes(*this, getOperandTypes())));
}

LogicalResult AllReduceOp::verifyRegions() {  // all_reduce_c5, c7
  return VerifyComputation(*this, getComputation(), getOperandTypes());
}

LogicalResult ReduceScatterOp::verify() {
  SmallVector<int64_t> shape(Tensor(getOperand().getType()).getShape());
  if (failed(
          VerifyDim(*this, "scatter_dimension", getScatterDimension(), shape.size())) ||
      failed(VerifyReplicaGroups(*this, getReplicaGroups(), Groups::kEqual)) ||
      failed(VerifyGlobalIds(*this, getUseGlobalDeviceIds(), getChannelHandle()))) {
    return failure();
  }
  int64_t& size = shape[getScatterDimension()];
  if (SpansPartitions(getUseGlobalDeviceIds(), getChannelHandle())) {
    ArrayRef<int64_t> result = Tensor(getType()).getShape();
    if (result.size() == shape.size()) {
      if (failed(VerifyMultiple(*this, size, result[getScatterDimension()],
                                GroupSize(getReplicaGroups())))) {
        return failure();
      }
      size = result[getScatterDimension()];
    }
    return VerifyResultShape(*this, shape);
  }
  auto part = Divide(*this, size, GroupSize(getReplicaGroups()));  // reduce_scatter_c1
  if (failed(part)) return failure();
  size = *part;
  return VerifyResultShape(*this, shape);  // reduce_scatter_c8
}

LogicalResult ReduceScatterOp::verifyRegions() {  // reduce_scatter_c7, c9
  return VerifyComputation(*this, getComputation(), getOperation()->getOperandTypes());
}

LogicalResult AllToAllOp::verify() {
  int64_t count = getSplitCount();
  if (failed(VerifyPairwiseCount(*this, getOperands().size())) ||
      failed(VerifyReplicaGroups(*this, getReplicaGroups(), Groups::kEqual))) {
    return failure();
  }
  auto groupSize = GroupSize(getReplicaGroups());
  if (groupSize && *groupSize != count) {  // all_to_all_c8
    return emitOpError() << "split_count = " << count << ", but groups have "
                         << *groupSize << " members";
  }
  for (auto [index, type] : llvm::enumerate(getOperandTypes())) {
    SmallVector<int64_t> shape(Tensor(type).getShape());
    int64_t rank = shape.size();
    if (failed(VerifyDim(*this, "split_dimension", getSplitDimension(), rank)) ||    // c1
        failed(VerifyDim(*this, "concat_dimension", getConcatDimension(), rank))) {  // c3
      return failure();
    }
    auto part = Divide(*this, shape[getSplitDimension()], count);  // all_to_all_c2
    if (failed(part)) return failure();
    shape[getSplitDimension()] = *part;
    auto whole = Multiply(*this, shape[getConcatDimension()], count);
    if (failed(whole)) return failure();
    shape[getConcatDimension()] = *whole;
    if (failed(VerifyResultShape(*this, shape, index)))
      return failure();  // all_to_all_c9
  }
  return success();
}

LogicalResult CollectiveBroadcastOp::verify() {
  int64_t data =
      static_cast<int64_t>(getOperands().size()) - (getHasDynamicRoot() ? 1 : 0);
  if (data < 1) return emitOpError() << "has no operands to broadcast";  // c3, c4
  if (failed(VerifySize(*this, "results", getNumResults(), data)) ||     // c5
      failed(VerifyReplicaGroups(*this, getReplicaGroups(), Groups::kAny))) {
    return failure();
  }
  for (auto [operand, result] :
       llvm::zip_equal(TypeRange(getOperandTypes()).take_front(data), getResultTypes())) {
    if (failed(VerifyCompatible(*this, "operand", operand, "result", result))) {
      return failure();
    }
  }
  if (!getHasDynamicRoot()) return success();
  RankedTensorType root = Tensor(getOperands().back().getType());
  return VerifyRoots(*this, root, data);
}

LogicalResult CollectiveReduceOp::verify() {
  int64_t data =
      static_cast<int64_t>(getOperands().size()) - (getHasDynamicRoot() ? 1 : 0);
  if (data < 1) return emitOpError() << "has no operands to reduce";
  if (failed(VerifySize(*this, "results", getNumResults(), data)) ||
      failed(VerifyReplicaGroups(*this, getReplicaGroups(), Groups::kAny)) ||
      failed(VerifyGlobalIds(*this, getUseGlobalDeviceIds(), getChannelHandle())) ||
      failed(VerifySameShapes(*this,
                              TypeRange(getOperandTypes()).take_front(data)))) {  // c3
    return failure();
  }
  if (!getHasDynamicRoot()) return success();
  RankedTensorType root = Tensor(getOperands().back().getType());
  return VerifyRoots(*this, root, data);
}

LogicalResult CollectiveReduceOp::verifyRegions() {  // collective_reduce_c4
  return VerifyComputation(*this, getComputation(),
                           TypeRange(getOperandTypes()).take_front(getNumResults()));
}

LogicalResult CollectivePermuteOp::verify() {  // collective_permute_c1 to c4
  return VerifyPairs(*this, getSourceTargetPairs());
}

LogicalResult CrossReplicaSumOp::verify() {
  return VerifyReplicaGroups(*this, getReplicaGroups(), Groups::kComplete);
}

LogicalResult AsyncStartOp::verifyRegions() {
  static constexpr StringRef kAllowed[] = {
      "all_gather",          "all_reduce",     "all_to_all", "collective_broadcast",
      "collective_permute",  "reduce_scatter", "slice",      "dynamic_slice",
      "dynamic_update_slice"};
  mlir::Block& block = getBody().front();
  if (!llvm::hasSingleElement(block.without_terminator())) {  // async_start_c1
    return emitOpError() << "body must have one op and a return";
  }
  Operation& inner = block.front();
  if (inner.getName().getDialectNamespace() != StableHLODialect::getDialectNamespace() ||
      !llvm::is_contained(kAllowed, inner.getName().stripDialect())) {  // async_start_c2
    return emitOpError() << "body cannot have the op " << inner.getName();
  }
  if (!llvm::equal(block.getArgumentTypes(), getOperandTypes()) ||
      !llvm::equal(inner.getOperands(), block.getArguments())) {  // async_start_c3
    return emitOpError() << "operands are not those of the op in the body";
  }
  if (!llvm::equal(block.getTerminator()->getOperands(), inner.getResults()) ||
      !llvm::equal(cast<FutureType>(getType()).getTypes(),
                   inner.getResultTypes())) {  // async_start_c4
    return emitOpError() << "result " << getType()
                         << " is not a future of the results of the op in the body";
  }
  return success();
}

LogicalResult AsyncDoneOp::verify() {  // async_done_c1
  auto future = cast<FutureType>(getOperand().getType());
  ArrayRef<Type> types = future.getTypes();
  if (types.size() == 1 && types.front() == getType()) return success();
  return emitOpError() << "cannot return " << getType() << " from "
                       << getOperand().getType();
}

LogicalResult ReplicaIdOp::verify() { return VerifyResultShape(*this, {}); }
LogicalResult PartitionIdOp::verify() { return VerifyResultShape(*this, {}); }

LogicalResult InfeedOp::verify() {
  if (failed(VerifyDataAndToken(*this))) return failure();  // infeed_c1 to c3
  mlir::ArrayAttr layouts = getLayoutAttr();
  if (!layouts) return success();
  if (failed(VerifySize(*this, "layout", layouts.size(), getNumResults() - 1))) {
    return failure();
  }
  for (mlir::Attribute layout : layouts) {
    auto dims = dyn_cast<mlir::ArrayAttr>(layout);
    if (!dims || !llvm::all_of(dims, [](mlir::Attribute dim) {
          return mlir::isa<mlir::IntegerAttr>(dim);
        })) {
      return emitOpError() << "layout must be an array of integer arrays, got " << layout;
    }
  }
  return success();
}

LogicalResult SendOp::verify() {  // send_c1 to c5
  if (failed(VerifyPairs(*this, getSourceTargetPairs()))) return failure();
  return VerifyChannelKind(*this, getChannelHandle(), getIsHostTransfer(), kDeviceToHost);
}

LogicalResult RecvOp::verify() {  // recv_c1 to c5
  if (failed(VerifyPairs(*this, getSourceTargetPairs())) ||
      failed(VerifyDataAndToken(*this))) {
    return failure();
  }
  return VerifyChannelKind(*this, getChannelHandle(), getIsHostTransfer(), kHostToDevice);
}

}  // namespace tenon::stablehlo
