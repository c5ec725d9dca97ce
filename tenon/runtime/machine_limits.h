// How much of the machine this process may use, limited by affinity masks and control
// groups.
//
// Every call asks the system again. Callable from any thread.
#ifndef TENON_RUNTIME_MACHINE_LIMITS_H_
#define TENON_RUNTIME_MACHINE_LIMITS_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace tenon::runtime {

// The number of processors that this process may keep busy; at least 1.
int AvailableCpus();
// The bytes of memory that this process may use; positive.
int64_t AvailableMemory();

// The control groups of a process.
struct ControlGroups {
  std::string membership;  // the contents of /proc/PID/cgroup
  std::string mount;       // the folder in which control groups are mounted
};
ControlGroups OwnControlGroups();
// The lowest limit of a group or of its ancestors, in version 1 or 2; 0 means no limit.
int CpusOfGroups(const ControlGroups& groups);
int64_t BytesOfGroups(const ControlGroups& groups);

// The number of processors, rounded up, that a cgroup v2 "cpu.max" line allows, such as
// "max 100000" or "150000 100000"; 0 means no limit.
int CpusOfQuota(std::string_view cpu_max);
// The bytes that the text of a cgroup memory limit file allows; 0 means no limit.
int64_t BytesOfLimit(std::string_view memory_max);

}  // namespace tenon::runtime

#endif  // TENON_RUNTIME_MACHINE_LIMITS_H_
