#include "tenon/runtime/machine_limits.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>
#include <vector>

#include "tenon/runtime/affinity.h"

namespace tenon::runtime {
namespace {

std::string FirstLine(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

int64_t Number(std::string_view& text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return 0;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return value;
}

// The folders of a process's control groups and of their ancestors. Groups of version 2
// are at `mount`, or in "unified" if version 1 is mounted too. Groups of version 1 are in
// the controller's folder.
std::vector<std::string> Folders(const ControlGroups& groups,
                                 std::string_view controller) {
  std::vector<std::string> folders;
  std::istringstream lines(groups.membership);
  // Each line is "hierarchy:controller,controller:/path"; for version 2 it is "0::/path".
  for (std::string line; std::getline(lines, line);) {
    const size_t names = line.find(':'), path = line.find(':', names + 1);
    if (path == std::string::npos) continue;
    const std::string controllers = "," + line.substr(names + 1, path - names - 1) + ",";
    std::vector<std::string> bases;
    if (controllers == ",,") {
      bases = {groups.mount, groups.mount + "/unified"};
    } else if (controllers.find("," + std::string(controller) + ",") !=
               std::string::npos) {
      bases = {groups.mount + "/" + std::string(controller)};
    }
    for (const std::string& base : bases) {
      for (std::string group = line.substr(path + 1);
           group.size() > 1 && group.starts_with('/'); group.resize(group.rfind('/'))) {
        folders.push_back(base + group);
      }
      // In a container the root may be the group's own folder.
      folders.push_back(base);
    }
  }
  return folders;
}

}  // namespace

int CpusOfQuota(std::string_view cpu_max) {
  if (cpu_max.starts_with("max")) return 0;
  const int64_t quota = Number(cpu_max);
  const int64_t period = Number(cpu_max);
  if (quota <= 0 || period <= 0) return 0;
  return static_cast<int>((quota + period - 1) / period);
}

int64_t BytesOfLimit(std::string_view memory_max) {
  if (memory_max.starts_with("max")) return 0;
  return std::max<int64_t>(Number(memory_max), 0);
}

ControlGroups OwnControlGroups() {
  std::ifstream file("/proc/self/cgroup");
  return {{std::istreambuf_iterator<char>(file), {}}, "/sys/fs/cgroup"};
}

int CpusOfGroups(const ControlGroups& groups) {
  int cpus = 0;
  for (const std::string& folder : Folders(groups, "cpu")) {
    for (const std::string& limit :
         {FirstLine(folder + "/cpu.max"), FirstLine(folder + "/cpu.cfs_quota_us") + " " +
                                              FirstLine(folder + "/cpu.cfs_period_us")}) {
      const int quota = CpusOfQuota(limit);
      if (quota > 0 && (cpus == 0 || quota < cpus)) cpus = quota;
    }
  }
  return cpus;
}

int64_t BytesOfGroups(const ControlGroups& groups) {
  int64_t bytes = 0;
  for (const std::string& folder : Folders(groups, "memory")) {
    for (const char* file : {"/memory.max", "/memory.limit_in_bytes"}) {
      const int64_t limit = BytesOfLimit(FirstLine(folder + file));
      if (limit > 0 && (bytes == 0 || limit < bytes)) bytes = limit;
    }
  }
  return bytes;
}

int AvailableCpus() {
  int cpus = static_cast<int>(AllowedProcessors().size());
  if (cpus == 0) cpus = static_cast<int>(std::thread::hardware_concurrency());
  const int quota = CpusOfGroups(OwnControlGroups());
  if (quota > 0) cpus = std::min(cpus, quota);
  return std::max(cpus, 1);
}

int64_t AvailableMemory() {
  int64_t bytes = static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  if (bytes <= 0) bytes = int64_t{1} << 40;
  const int64_t limit = BytesOfGroups(OwnControlGroups());
  return limit > 0 ? std::min(bytes, limit) : bytes;
}

}  // namespace tenon::runtime
