#include "tenon/runtime/machine_limits.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <thread>
#include <vector>

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

// The folders of this process's v2 control group and of those above it, innermost first.
std::vector<std::string> ControlGroups() {
  std::vector<std::string> folders;
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("0::")) continue;
    for (std::string path = line.substr(3); !path.empty() && path != "/";
         path.resize(path.rfind('/'))) {
      folders.push_back("/sys/fs/cgroup" + path);
    }
  }
  folders.push_back("/sys/fs/cgroup");
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

int AvailableCpus() {
  int cpus = static_cast<int>(std::thread::hardware_concurrency());
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) cpus = CPU_COUNT(&set);
  for (const std::string& folder : ControlGroups()) {
    const int quota = CpusOfQuota(FirstLine(folder + "/cpu.max"));
    if (quota > 0) cpus = std::min(cpus, quota);
  }
  const std::string v1 = "/sys/fs/cgroup/cpu/cpu.cfs_";
  const int quota =
      CpusOfQuota(FirstLine(v1 + "quota_us") + " " + FirstLine(v1 + "period_us"));
  if (quota > 0) cpus = std::min(cpus, quota);
  return std::max(cpus, 1);
}

int64_t AvailableMemory() {
  int64_t bytes = static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  if (bytes <= 0) bytes = int64_t{1} << 40;
  std::vector<std::string> files;
  for (const std::string& folder : ControlGroups())
    files.push_back(folder + "/memory.max");
  files.push_back("/sys/fs/cgroup/memory/memory.limit_in_bytes");
  for (const std::string& file : files) {
    const int64_t limit = BytesOfLimit(FirstLine(file));
    if (limit > 0) bytes = std::min(bytes, limit);
  }
  return bytes;
}

}  // namespace tenon::runtime
