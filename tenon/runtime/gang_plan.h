// Which devices meet in each collective of a program. Immutable; any thread.
#ifndef TENON_RUNTIME_GANG_PLAN_H_
#define TENON_RUNTIME_GANG_PLAN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tenon/executable/image.h"

namespace tenon::runtime {

// The devices of a program are numbered replica * num_partitions + partition.
class GangPlan {
 public:
  // Devices that wait for each other.
  struct Group {
    std::vector<int32_t> members;
    // Of a permutation or broadcast: for each member, the position in `members` from
    // which it gets its data, or -1 if it gets zeros. Otherwise empty.
    std::vector<int32_t> sources;
  };
  // The groups of one or several collectives. Every device is in one group: devices that
  // no group of the collective names are in a group of their own.
  struct Grouping {
    std::vector<Group> groups;
    std::vector<int32_t> group_of;  // by device
  };

  // `info` has been validated.
  explicit GangPlan(const ExecutableInfo& info);

  int num_devices() const { return num_devices_; }
  int num_sites() const { return static_cast<int>(grouping_of_.size()); }
  const Grouping& grouping(int64_t site) const {
    return groupings_[grouping_of_[static_cast<size_t>(site)]];
  }
  // The number of the group of `device` at `site` among the groups of all sites.
  size_t RendezvousOf(int64_t site, int device) const {
    return first_rendezvous_[static_cast<size_t>(site)] +
           static_cast<size_t>(grouping(site).group_of[static_cast<size_t>(device)]);
  }
  size_t num_rendezvous() const { return num_rendezvous_; }
  // "partition 3", or "replica 1, partition 3" if there are several replicas.
  std::string DeviceName(int device) const;

 private:
  int num_devices_;
  int64_t num_replicas_, num_partitions_;
  std::vector<Grouping> groupings_;       // distinct ones
  std::vector<size_t> grouping_of_;       // by site
  std::vector<size_t> first_rendezvous_;  // by site
  size_t num_rendezvous_ = 0;
};

}  // namespace tenon::runtime

#endif  // TENON_RUNTIME_GANG_PLAN_H_
