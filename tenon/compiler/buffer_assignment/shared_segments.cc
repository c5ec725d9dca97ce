#include "tenon/compiler/buffer_assignment/shared_segments.h"

#include <algorithm>

namespace tenon::compiler {
namespace {

// Copies of fewer bytes stay in the first-level cache of the processor that reads them.
constexpr int64_t kMinSharedBytes = 4096;

}  // namespace

bool WritesMembersAlike(const ImageCollective& collective) {
  return (collective.kind == CollectiveKind::kAllReduce ||
          collective.kind == CollectiveKind::kAllGather) &&
         std::ranges::any_of(collective.groups,
                             [](const auto& group) { return group.size() > 1; });
}

std::vector<std::vector<int64_t>> SortedGroups(const ImageCollective& collective) {
  auto groups = collective.groups;
  for (std::vector<int64_t>& group : groups) std::ranges::sort(group);
  std::ranges::sort(groups);
  return groups;
}

std::optional<int64_t> SharedSegments::Find(const ImageCollective& collective,
                                            int64_t site, int64_t bytes) {
  if (bytes < kMinSharedBytes || !WritesMembersAlike(collective)) return std::nullopt;
  const auto groups = SortedGroups(collective);
  const auto found = std::ranges::find(groups_, groups);
  if (found != groups_.end()) return found - groups_.begin();
  groups_.push_back(groups);
  sites_.push_back(site);
  return std::ssize(sites_) - 1;
}

}  // namespace tenon::compiler
