#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/raw_ostream.h"
#include "tenon/compiler/diagnostics_to_status.h"
#include "tenon/compiler/partition/prepare.h"

namespace tenon::compiler::partition {
namespace {

using mlir::Value;

std::string Describe(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

// Members of a group must have one shape and be in one manual computation.
Status CheckMember(sdy::ShardingGroupOp first, sdy::ShardingGroupOp op) {
  std::string where = " at " + DescribeLocation(op.getLoc());
  std::string group = "sharding group " + std::to_string(op.getGroupId());
  if (first.getInput().getType().getShape() != op.getInput().getType().getShape()) {
    return InvalidArgument("all values of " + group +
                           " must have one shape, but there are " +
                           Describe(first.getInput().getType()) + " and " +
                           Describe(op.getInput().getType()) + where);
  }
  if (first->getParentOfType<sdy::ManualComputationOp>() !=
      op->getParentOfType<sdy::ManualComputationOp>()) {
    return InvalidArgument("values of " + group +
                           " are inside and outside of a manual computation," + where);
  }
  return OkStatus();
}

// The sharding that the first member with one has, and whether another contradicts it.
std::pair<const Sharding*, bool> CommonSharding(llvm::ArrayRef<Value> members,
                                                ShardingTable& table) {
  const Sharding* common = nullptr;
  for (Value member : members) {
    const Sharding* sharding = table.Find(member);
    bool says_nothing = !sharding || (sharding->HasNoAxes() && sharding->IsFullyOpen());
    if (members.size() == 1) return {sharding, false};
    if (says_nothing) continue;
    if (!common) {
      common = sharding;
    } else if (*common != *sharding) {
      return {common, true};
    }
  }
  return {common, false};
}

void AddOpenConstraint(Value& member, int32_t mesh, ShardingTable& table) {
  Sharding open = Sharding::Replicated(
      mesh, llvm::cast<mlir::RankedTensorType>(member.getType()).getRank(),
      /*open=*/true);
  mlir::OpBuilder builder(member.getContext());
  builder.setInsertionPointAfterValue(member);
  auto constraint = sdy::ShardingConstraintOp::create(
      builder, member.getLoc(), member,
      WriteSharding(open, table.meshes(), member.getContext()));
  member.replaceAllUsesExcept(constraint, constraint);
  member = constraint.getResult();
  table.Replace(table.PlaceOf(member), open);
}

}  // namespace

StatusOr<ShardingGroups> ImportGroups(mlir::ModuleOp module, ShardingTable& table) {
  llvm::SmallVector<sdy::ShardingGroupOp> ops;
  module.walk([&](sdy::ShardingGroupOp op) { ops.push_back(op); });
  ShardingGroups groups;
  if (ops.empty()) return groups;

  llvm::DenseMap<int64_t, sdy::ShardingGroupOp> first_of;
  llvm::MapVector<Value, int64_t> id_of;
  llvm::EquivalenceClasses<int64_t> classes;
  for (sdy::ShardingGroupOp op : ops) {
    auto id = static_cast<int64_t>(op.getGroupId());
    classes.insert(id);
    TENON_RETURN_IF_ERROR(CheckMember(first_of.try_emplace(id, op).first->second, op));
    auto [it, inserted] = id_of.insert({op.getInput(), id});
    if (!inserted) classes.unionSets(it->second, id);
  }
  llvm::DenseMap<int64_t, int32_t> number_of;
  for (sdy::ShardingGroupOp op : ops) {
    int64_t leader = classes.getLeaderValue(static_cast<int64_t>(op.getGroupId()));
    auto [it, inserted] =
        number_of.try_emplace(leader, static_cast<int32_t>(groups.members.size()));
    if (inserted) groups.members.emplace_back();
    auto& members = groups.members[it->second];
    if (llvm::is_contained(members, op.getInput())) {
      op.erase();  // one use per member, as uses count in propagation
    } else {
      members.push_back(op.getInput());
    }
  }
  for (auto [number, members] : llvm::enumerate(groups.members)) {
    auto [common, contradicted] = CommonSharding(members, table);
    if (common) {
      Sharding sharding = *common;
      for (Value& member : members) {
        if (contradicted) {
          AddOpenConstraint(member, sharding.mesh, table);
        } else if (Place place = table.PlaceOf(member); place >= 0) {
          table.Set(place, sharding);
        }
      }
    }
    for (Value member : members) groups.group_of[member] = static_cast<int32_t>(number);
  }
  return groups;
}

}  // namespace tenon::compiler::partition
