// Processors, by the system's numbers, and threads that keep to some of them.
//
// Any thread.
#ifndef TENON_RUNTIME_AFFINITY_H_
#define TENON_RUNTIME_AFFINITY_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::runtime {

// A list as the system writes it, "0-3,8", in ascending order without doubles; nothing if
// `text` is none or a number is greater than the system can have.
std::optional<std::vector<int>> ParseProcessors(std::string_view text);
// The list of ascending numbers as text, "0-3,8".
std::string ProcessorsText(std::span<const int> processors);

// Those that the calling thread may run on; empty if the system does not tell.
std::vector<int> AllowedProcessors();
// Keeps the calling thread, and threads it starts, to `processors`; empty: does nothing.
// Processors that have gone offline since are ignored.
void KeepToProcessors(std::span<const int> processors);

}  // namespace tenon::runtime

#endif  // TENON_RUNTIME_AFFINITY_H_
