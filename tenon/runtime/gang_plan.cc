#include "tenon/runtime/gang_plan.h"

#include <map>
#include <numeric>
#include <utility>

namespace tenon::runtime {
namespace {

using Groups = std::vector<std::vector<int64_t>>;

// Adds a group of one for each device that is in no group yet.
void AddSingles(GangPlan::Grouping& grouping, bool copies) {
  for (size_t device = 0; device < grouping.group_of.size(); ++device) {
    if (grouping.group_of[device] >= 0) continue;
    grouping.group_of[device] = static_cast<int32_t>(grouping.groups.size());
    GangPlan::Group& group = grouping.groups.emplace_back();
    group.members = {static_cast<int32_t>(device)};
    if (copies) group.sources = {-1};
  }
}

// The groups as the program lists them.
GangPlan::Grouping Listed(const Groups& groups, bool is_broadcast, size_t num_devices) {
  GangPlan::Grouping grouping;
  grouping.group_of.assign(num_devices, -1);
  for (const std::vector<int64_t>& listed : groups) {
    if (listed.empty()) continue;
    GangPlan::Group& group = grouping.groups.emplace_back();
    for (int64_t device : listed) {
      group.members.push_back(static_cast<int32_t>(device));
      grouping.group_of[static_cast<size_t>(device)] =
          static_cast<int32_t>(grouping.groups.size() - 1);
    }
    if (is_broadcast) group.sources.assign(listed.size(), 0);
  }
  AddSingles(grouping, is_broadcast);
  return grouping;
}

// Pairs of source and target. The devices of one chain or cycle of pairs wait for each
// other.
GangPlan::Grouping Chains(const Groups& pairs, size_t num_devices) {
  std::vector<int32_t> source(num_devices, -1), root(num_devices), position(num_devices);
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int32_t device) {
    while (root[static_cast<size_t>(device)] != device) {
      int32_t& above = root[static_cast<size_t>(device)];
      above = root[static_cast<size_t>(above)];
      device = above;
    }
    return device;
  };
  std::vector<bool> is_named(num_devices);
  for (const std::vector<int64_t>& pair : pairs) {
    const auto from = static_cast<int32_t>(pair[0]), to = static_cast<int32_t>(pair[1]);
    source[static_cast<size_t>(to)] = from;
    is_named[static_cast<size_t>(from)] = is_named[static_cast<size_t>(to)] = true;
    root[static_cast<size_t>(find(from))] = find(to);
  }
  GangPlan::Grouping grouping;
  grouping.group_of.assign(num_devices, -1);
  std::map<int32_t, int32_t> group_of_root;
  for (size_t device = 0; device < num_devices; ++device) {
    if (!is_named[device]) continue;
    const auto [found, is_new] = group_of_root.try_emplace(
        find(static_cast<int32_t>(device)), static_cast<int32_t>(grouping.groups.size()));
    if (is_new) grouping.groups.emplace_back();
    GangPlan::Group& group = grouping.groups[static_cast<size_t>(found->second)];
    grouping.group_of[device] = found->second;
    position[device] = static_cast<int32_t>(group.members.size());
    group.members.push_back(static_cast<int32_t>(device));
  }
  for (GangPlan::Group& group : grouping.groups) {
    for (int32_t member : group.members) {
      const int32_t from = source[static_cast<size_t>(member)];
      group.sources.push_back(from < 0 ? -1 : position[static_cast<size_t>(from)]);
    }
  }
  AddSingles(grouping, /*copies=*/true);
  return grouping;
}

}  // namespace

GangPlan::GangPlan(const ExecutableInfo& info)
    : num_devices_(static_cast<int>(info.num_replicas * info.num_partitions)),
      num_replicas_(info.num_replicas),
      num_partitions_(info.num_partitions) {
  // Sites with equal groups share them: a program has many sites and few groupings.
  std::map<std::pair<int, Groups>, size_t> known;
  for (const ImageCollective& site : info.collectives) {
    const bool permutes = site.kind == CollectiveKind::kPermute;
    const bool broadcasts = site.kind == CollectiveKind::kBroadcast;
    const auto [found, is_new] = known.try_emplace({permutes     ? 2
                                                    : broadcasts ? 1
                                                                 : 0,
                                                    site.groups},
                                                   groupings_.size());
    if (is_new) {
      const auto count = static_cast<size_t>(num_devices_);
      groupings_.push_back(permutes ? Chains(site.groups, count)
                                    : Listed(site.groups, broadcasts, count));
    }
    grouping_of_.push_back(found->second);
    first_rendezvous_.push_back(num_rendezvous_);
    num_rendezvous_ += groupings_[found->second].groups.size();
  }
}

std::string GangPlan::DeviceName(int device) const {
  const std::string partition = "partition " + std::to_string(device % num_partitions_);
  if (num_replicas_ == 1) return partition;
  return "replica " + std::to_string(device / num_partitions_) + ", " + partition;
}

}  // namespace tenon::runtime
