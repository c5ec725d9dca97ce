// How much of the machine this process may use: affinity masks and control groups count.
//
// Each call asks the system anew; any thread.
#ifndef TENON_RUNTIME_MACHINE_LIMITS_H_
#define TENON_RUNTIME_MACHINE_LIMITS_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace tenon::runtime {

// Processors that this process may keep busy; at least 1.
int AvailableCpus();
// Bytes of memory that this process may use; positive.
int64_t AvailableMemory();

// Where a process's control groups are found.
struct ControlGroups {
  std::string membership;  // what /proc/PID/cgroup holds
  std::string mount;       // the folder they are mounted in
};
ControlGroups OwnControlGroups();
// The least that a group or one above it allows, of either version; 0: no limit.
int CpusOfGroups(const ControlGroups& groups);
int64_t BytesOfGroups(const ControlGroups& groups);

// The processors' worth of a cgroup v2 "cpu.max" line ("max 100000", "150000 100000"),
// rounded up; 0: no limit.
int CpusOfQuota(std::string_view cpu_max);
// The bytes of a cgroup memory limit file; 0: no limit.
int64_t BytesOfLimit(std::string_view memory_max);

}  // namespace tenon::runtime

#endif  // TENON_RUNTIME_MACHINE_LIMITS_H_
