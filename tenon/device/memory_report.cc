#include "tenon/device/memory_report.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <iterator>

namespace tenon::device {
namespace {

constexpr size_t kReportedBlocks = 5;

}  // namespace

std::string ByteCount(size_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, unit ? "%.1f %s" : "%.0f %s", value, kUnits[unit]);
  return text;
}

std::string LargestBlocks(std::vector<size_t> blocks) {
  std::ranges::sort(blocks, std::greater<>());
  std::string text;
  for (size_t b = 0; b < std::min(blocks.size(), kReportedBlocks); ++b) {
    text += (b ? ", " : "; largest blocks: ") + ByteCount(blocks[b]);
  }
  return text;
}

}  // namespace tenon::device
