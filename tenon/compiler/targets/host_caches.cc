#include "tenon/compiler/targets/host_caches.h"

#include <algorithm>
#include <fstream>

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace tenon::compiler {
namespace {

std::string FirstLine(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// "1024K" as bytes; 0 for other texts.
int64_t ParseSize(llvm::StringRef text) {
  int64_t kibibytes = 0;
  if (!text.consume_back("K") || text.getAsInteger(10, kibibytes)) return 0;
  return kibibytes > 0 && kibibytes < (1 << 20) ? kibibytes << 10 : 0;
}

// How many processors "0-3,8" names; at least 1.
int64_t CountProcessors(llvm::StringRef list) {
  llvm::SmallVector<llvm::StringRef> ranges;
  list.split(ranges, ',');
  int64_t count = 0;
  for (llvm::StringRef range : ranges) {
    auto [first, last] = range.split('-');
    int64_t begin = 0, end = 0;
    if (first.trim().getAsInteger(10, begin)) continue;
    if (last.empty() || last.trim().getAsInteger(10, end)) end = begin;
    count += std::max<int64_t>(end - begin + 1, 0);
  }
  return std::max<int64_t>(count, 1);
}

int64_t WithinLimits(int64_t bytes, int64_t min, int64_t max) {
  return bytes >= min && bytes <= max ? bytes : 0;
}

}  // namespace

CacheSizes ReadCacheSizes(const std::string& folder) {
  constexpr int kMaxCaches = 16;
  CacheSizes sizes;
  int64_t threads_per_core = 1;  // the processors that share the level 1 cache
  for (int i = 0; i < kMaxCaches; ++i) {
    const std::string cache = folder + "/index" + std::to_string(i) + "/";
    const std::string level = FirstLine(cache + "level");
    if (level.empty()) break;
    const std::string type = FirstLine(cache + "type");
    if (type != "Data" && type != "Unified") continue;
    const int64_t bytes = ParseSize(FirstLine(cache + "size"));
    const int64_t processors = CountProcessors(FirstLine(cache + "shared_cpu_list"));
    if (level == "1") {
      sizes.l1_bytes = bytes;
      threads_per_core = processors;
    } else if (level == "2") {
      sizes.l2_bytes = bytes / std::max<int64_t>(processors / threads_per_core, 1);
    }
  }
  sizes.l1_bytes = WithinLimits(sizes.l1_bytes, 8 << 10, 1 << 20);
  sizes.l2_bytes = WithinLimits(sizes.l2_bytes, 64 << 10, 64 << 20);
  return sizes;
}

}  // namespace tenon::compiler
