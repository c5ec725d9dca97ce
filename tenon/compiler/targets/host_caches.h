// Sizes of this machine's caches, as Linux reports them in sysfs.
#ifndef TENON_COMPILER_TARGETS_HOST_CACHES_H_
#define TENON_COMPILER_TARGETS_HOST_CACHES_H_

#include <cstdint>
#include <string>

namespace tenon::compiler {

// Bytes of data for each core; 0 where the system does not say, or says something that no
// processor has.
struct CacheSizes {
  int64_t l1_bytes = 0;
  int64_t l2_bytes = 0;
};

// Reads the files `level`, `type`, `size` and `shared_cpu_list` of `folder`/index0,
// index1, and so on. A cache that cores share counts in equal parts.
CacheSizes ReadCacheSizes(
    const std::string& folder = "/sys/devices/system/cpu/cpu0/cache");

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TARGETS_HOST_CACHES_H_
