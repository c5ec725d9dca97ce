// Text for errors about memory that is full.
#ifndef TENON_DEVICE_MEMORY_REPORT_H_
#define TENON_DEVICE_MEMORY_REPORT_H_

#include <cstddef>
#include <string>
#include <vector>

namespace tenon::device {

// "1.5 GiB".
std::string ByteCount(size_t bytes);
// "; largest blocks: 1.0 GiB, 20.0 MiB", or nothing if there are no blocks.
std::string LargestBlocks(std::vector<size_t> blocks);

}  // namespace tenon::device

#endif  // TENON_DEVICE_MEMORY_REPORT_H_
