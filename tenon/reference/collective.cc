#include "tenon/reference/collective.h"

#include <algorithm>
#include <numeric>

#include "llvm/ADT/EquivalenceClasses.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/reference/group_reduction.h"
#include "tenon/reference/quantized.h"
#include "tenon/reference/strided_copy.h"

namespace tenon::reference {
namespace {

using stablehlo::ProcessGrid;
using stablehlo::ProcessGroup;
using OperandLists = std::span<const std::vector<Literal>>;
using ResultLists = std::vector<std::vector<Literal>>;

// Connects sources and targets.
std::vector<Rendezvous> PermuteRendezvous(const std::vector<ProcessGroup>& pairs,
                                          const ProcessGrid& grid) {
  llvm::EquivalenceClasses<int64_t> connected;
  for (int64_t process = 0; process < grid.size(); ++process) connected.insert(process);
  for (const ProcessGroup& pair : pairs) connected.unionSets(pair[0], pair[1]);
  std::vector<Rendezvous> rendezvous_list;
  std::vector<std::pair<size_t, size_t>> places(grid.size());  // rendezvous, position
  llvm::DenseMap<int64_t, size_t> rendezvous_of_leader;
  for (int64_t process = 0; process < grid.size(); ++process) {
    auto [found, is_new] = rendezvous_of_leader.try_emplace(
        connected.getLeaderValue(process), rendezvous_list.size());
    if (is_new) rendezvous_list.emplace_back();
    Rendezvous& rendezvous = rendezvous_list[found->second];
    places[process] = {found->second, rendezvous.members.size()};
    rendezvous.members.push_back(process);
  }
  for (const ProcessGroup& pair : pairs)
    rendezvous_list[places[pair[0]].first].moves.emplace_back(places[pair[0]].second,
                                                              places[pair[1]].second);
  return rendezvous_list;
}

// Copies the box of `sizes` elements at `from_start` to `to_start`.
void CopyBox(const Literal& from, const Dims& from_start, Literal& to,
             const Dims& to_start, const Dims& sizes) {
  if (ElementCount(sizes) == 0) return;
  const int64_t bytes = ElementBytes(from.type());
  const Dims from_strides = RowMajorStrides(from.dims());
  const Dims to_strides = RowMajorStrides(to.dims());
  auto offset = [&](const Dims& start, const Dims& strides) {
    return bytes *
           std::inner_product(start.begin(), start.end(), strides.begin(), int64_t{0});
  };
  StridedCopy(bytes, sizes, from_strides, to_strides)
      .Run(from.data() + offset(from_start, from_strides),
           to.mutable_data() + offset(to_start, to_strides));
}

// Part number `part` of `count` equal parts along `dim`.
StatusOr<Literal> Part(OpContext& context, const Literal& whole, int64_t dim,
                       int64_t part, int64_t count) {
  Dims sizes = whole.dims();
  if (sizes[dim] % count != 0)
    return InvalidArgument("size " + std::to_string(sizes[dim]) +
                           " is not divisible into " + std::to_string(count) + " parts");
  sizes[dim] /= count;
  Dims start(sizes.size(), 0);
  start[dim] = part * sizes[dim];
  TENON_ASSIGN_OR_RETURN(Literal result, context.NewLiteral(whole.type(), sizes));
  CopyBox(whole, start, result, Dims(sizes.size(), 0), sizes);
  return result;
}

StatusOr<Literal> Concatenated(OpContext& context, std::span<const Literal> parts,
                               int64_t dim) {
  Dims dims = parts[0].dims();
  dims[dim] *= static_cast<int64_t>(parts.size());
  TENON_ASSIGN_OR_RETURN(Literal result, context.NewLiteral(parts[0].type(), dims));
  Dims start(dims.size(), 0);
  for (const Literal& part : parts) {
    CopyBox(part, Dims(dims.size(), 0), result, start, part.dims());
    start[dim] += part.dims()[dim];
  }
  return result;
}

// Operand `index` of every member.
std::vector<Literal> Column(OperandLists operands, size_t index) {
  std::vector<Literal> column;
  for (const std::vector<Literal>& list : operands) column.push_back(list[index]);
  return column;
}

Status AllGather(OpContext& context, OperandLists operands, ResultLists& results) {
  auto op = llvm::cast<stablehlo::AllGatherOp>(context.op);
  for (size_t i = 0; i < operands[0].size(); ++i) {
    TENON_ASSIGN_OR_RETURN(Literal whole,
                           Concatenated(context, Column(operands, i),
                                        static_cast<int64_t>(op.getAllGatherDim())));
    for (std::vector<Literal>& list : results) list.push_back(whole);
  }
  return OkStatus();
}

Status AllToAll(OpContext& context, OperandLists operands, ResultLists& results) {
  auto op = llvm::cast<stablehlo::AllToAllOp>(context.op);
  const auto count = static_cast<int64_t>(operands.size());
  for (size_t i = 0; i < operands[0].size(); ++i)
    for (int64_t position = 0; position < count; ++position) {
      std::vector<Literal> parts;
      for (const std::vector<Literal>& list : operands) {
        TENON_ASSIGN_OR_RETURN(
            Literal part,
            Part(context, list[i], static_cast<int64_t>(op.getSplitDimension()), position,
                 count));
        parts.push_back(std::move(part));
      }
      TENON_ASSIGN_OR_RETURN(
          Literal result,
          Concatenated(context, parts, static_cast<int64_t>(op.getConcatDimension())));
      results[position].push_back(std::move(result));
    }
  return OkStatus();
}

Status AllReduce(OpContext& context, mlir::Region& computation, OperandLists operands,
                 ResultLists& results) {
  GroupReduction reduction(context, computation);
  for (size_t i = 0; i < operands[0].size(); ++i) {
    TENON_ASSIGN_OR_RETURN(Literal reduced, reduction.Reduce(Column(operands, i)));
    for (std::vector<Literal>& list : results) list.push_back(reduced);
  }
  return OkStatus();
}

Status CrossReplicaSum(OpContext& context, OperandLists operands, ResultLists& results) {
  GroupReduction reduction(context, ElementOp::kAdd, operands[0][0].type());
  TENON_ASSIGN_OR_RETURN(Literal sum, reduction.Reduce(Column(operands, 0)));
  for (std::vector<Literal>& list : results) list.push_back(sum);
  return OkStatus();
}

Status ReduceScatter(OpContext& context, OperandLists operands, ResultLists& results) {
  auto op = llvm::cast<stablehlo::ReduceScatterOp>(context.op);
  GroupReduction reduction(context, op.getComputation());
  TENON_ASSIGN_OR_RETURN(Literal reduced, reduction.Reduce(Column(operands, 0)));
  const auto count = static_cast<int64_t>(operands.size());
  for (int64_t position = 0; position < count; ++position) {
    TENON_ASSIGN_OR_RETURN(
        Literal part,
        Part(context, reduced, static_cast<int64_t>(op.getScatterDimension()), position,
             count));
    results[position].push_back(std::move(part));
  }
  return OkStatus();
}

// Zeros of the types of the results.
StatusOr<std::vector<Literal>> Zeros(OpContext& context) {
  std::vector<Literal> zeros;
  for (unsigned i = 0; i < context.op->getNumResults(); ++i) {
    TENON_ASSIGN_OR_RETURN(Literal zero, context.NewResult(i));
    zeros.push_back(std::move(zero));
  }
  return zeros;
}

Status Permute(OpContext& context, const Rendezvous& rendezvous, OperandLists operands,
               ResultLists& results) {
  TENON_ASSIGN_OR_RETURN(const std::vector<Literal> zeros, Zeros(context));
  for (std::vector<Literal>& list : results) list = zeros;
  for (auto [source, target] : rendezvous.moves) results[target] = operands[source];
  return OkStatus();
}

// Returns the position of the root of result `i`: 0, or what the last operand says.
StatusOr<size_t> RootOf(OpContext& context, OperandLists operands, size_t i) {
  if (!context.op->hasAttr("has_dynamic_root")) return 0;
  const int64_t root = operands[0].back().ValueAsInt(static_cast<int64_t>(i));
  if (root < 0 || root >= static_cast<int64_t>(operands.size()))
    return InvalidArgument("the root is position " + std::to_string(root) +
                           " of a group of " + std::to_string(operands.size()));
  return static_cast<size_t>(root);
}

Status Broadcast(OpContext& context, OperandLists operands, ResultLists& results) {
  for (size_t i = 0; i < context.op->getNumResults(); ++i) {
    TENON_ASSIGN_OR_RETURN(const size_t root, RootOf(context, operands, i));
    for (std::vector<Literal>& list : results) list.push_back(operands[root][i]);
  }
  return OkStatus();
}

Status CollectiveReduce(OpContext& context, OperandLists operands, ResultLists& results) {
  auto op = llvm::cast<stablehlo::CollectiveReduceOp>(context.op);
  GroupReduction reduction(context, op.getComputation());
  TENON_ASSIGN_OR_RETURN(const std::vector<Literal> zeros, Zeros(context));
  for (std::vector<Literal>& list : results) list = zeros;
  for (size_t i = 0; i < op->getNumResults(); ++i) {
    TENON_ASSIGN_OR_RETURN(const size_t root, RootOf(context, operands, i));
    TENON_ASSIGN_OR_RETURN(results[root][i], reduction.Reduce(Column(operands, i)));
  }
  return OkStatus();
}

// Copies rows from members to members, as runtime/ragged_all_to_all.h describes.
Status RaggedAllToAll(OpContext& context, OperandLists operands, ResultLists& results) {
  if (operands[0].size() != 6 || context.op->getNumResults() != 1)
    return InvalidArgument("six operands and a result are expected");
  for (size_t to = 0; to < operands.size(); ++to) {
    Literal& result = results[to].emplace_back(operands[to][1]);
    const int64_t size = result.dims().empty() ? 0 : result.dims()[0];
    for (const std::vector<Literal>& sender : operands) {
      const int64_t parts = sender[2].count() / std::ssize(operands);
      for (int64_t i = static_cast<int64_t>(to) * parts, end = i + parts; i < end; ++i) {
        const int64_t from_row = sender[2].ValueAsInt(i), rows = sender[3].ValueAsInt(i);
        const int64_t to_row = sender[4].ValueAsInt(i);
        if (from_row < 0 || rows < 0 || to_row < 0 || to_row + rows > size ||
            from_row + rows > sender[0].dims()[0])
          return InvalidArgument("part " + std::to_string(i) +
                                 " is outside of the arrays");
        Dims box = result.dims(), from(box.size(), 0), start = from;
        box[0] = rows;
        from[0] = from_row;
        start[0] = to_row;
        CopyBox(sender[0], from, result, start, box);
      }
    }
  }
  return OkStatus();
}

}  // namespace

StatusOr<std::vector<Rendezvous>> RendezvousOf(mlir::Operation* op,
                                               const ProcessGrid& grid) {
  TENON_ASSIGN_OR_RETURN(std::vector<ProcessGroup> groups,
                         stablehlo::ProcessGroupsOf(op, grid));
  if (llvm::isa<stablehlo::CollectivePermuteOp>(op))
    return PermuteRendezvous(groups, grid);
  std::vector<Rendezvous> rendezvous_list;
  std::vector<bool> joined(grid.size(), false);
  for (ProcessGroup& group : groups) {
    for (int64_t process : group) {
      if (joined[process])
        return InvalidArgument(grid.Name(process) + " is in two groups");
      joined[process] = true;
    }
    if (group.empty()) continue;
    rendezvous_list.emplace_back().members = std::move(group);
  }
  for (int64_t process = 0; process < grid.size(); ++process) {
    if (joined[process]) continue;
    if (!llvm::isa<stablehlo::CollectiveBroadcastOp, stablehlo::CollectiveReduceOp>(op))
      return InvalidArgument(grid.Name(process) + " is in no group");
    Rendezvous& alone = rendezvous_list.emplace_back();
    alone.members = {process};
    alone.is_group = false;
  }
  return rendezvous_list;
}

StatusOr<ResultLists> RunCollective(OpContext& context, const Rendezvous& rendezvous,
                                    OperandLists operands) {
  if (llvm::any_of(context.op->getOperandTypes(), IsQuantized))
    return Unimplemented("on quantized tensors");
  ResultLists results(operands.size());
  Status status;
  if (!rendezvous.is_group) {
    TENON_ASSIGN_OR_RETURN(results[0], Zeros(context));
  } else if (auto reduce = llvm::dyn_cast<stablehlo::AllReduceOp>(context.op)) {
    status = AllReduce(context, reduce.getComputation(), operands, results);
  } else if (llvm::isa<stablehlo::AllGatherOp>(context.op)) {
    status = AllGather(context, operands, results);
  } else if (llvm::isa<stablehlo::ReduceScatterOp>(context.op)) {
    status = ReduceScatter(context, operands, results);
  } else if (llvm::isa<stablehlo::AllToAllOp>(context.op)) {
    status = AllToAll(context, operands, results);
  } else if (llvm::isa<stablehlo::CollectivePermuteOp>(context.op)) {
    status = Permute(context, rendezvous, operands, results);
  } else if (llvm::isa<stablehlo::CollectiveBroadcastOp>(context.op)) {
    status = Broadcast(context, operands, results);
  } else if (llvm::isa<stablehlo::CollectiveReduceOp>(context.op)) {
    status = CollectiveReduce(context, operands, results);
  } else if (stablehlo::IsRaggedAllToAll(context.op)) {
    status = RaggedAllToAll(context, operands, results);
  } else if (llvm::isa<stablehlo::CrossReplicaSumOp>(context.op)) {
    status = CrossReplicaSum(context, operands, results);
  } else {
    status = Unimplemented("not evaluated by the reference");
  }
  if (!status.ok()) return status;
  return results;
}

// The device is the only one of the grid.
Status EvalCollective(OpContext& context) {
  TENON_ASSIGN_OR_RETURN(const std::vector<Rendezvous> rendezvous_list,
                         RendezvousOf(context.op, context.evaluator.grid()));
  const std::vector<std::vector<Literal>> operands = {std::move(context.operands)};
  TENON_ASSIGN_OR_RETURN(ResultLists results,
                         RunCollective(context, rendezvous_list[0], operands));
  context.results = std::move(results[0]);
  return OkStatus();
}

}  // namespace tenon::reference
