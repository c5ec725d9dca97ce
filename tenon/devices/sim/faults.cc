#include "tenon/devices/sim/faults.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace tenon::sim {
namespace {

bool ReadNumber(std::string_view text, int64_t* number) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, *number);
  return error == std::errc() && stop == end;
}

int64_t* FieldOf(Faults& faults, std::string_view kind) {
  if (kind == "launch") return &faults.launch;
  if (kind == "copy") return &faults.copy;
  if (kind == "lost") return &faults.lost;
  if (kind == "slow") return &faults.slow;
  return nullptr;
}

}  // namespace

StatusOr<std::vector<Faults>> ParseFaults(const std::string& text, int64_t num_devices) {
  std::vector<Faults> result(static_cast<size_t>(num_devices));
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view fault = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(fault.size() + 1, rest.size()));
    const size_t at_sign = fault.find('@'), colon = fault.find(':');
    int64_t number = 0, device = 0;
    Faults unused;
    if (at_sign == std::string_view::npos || !FieldOf(unused, fault.substr(0, at_sign)) ||
        !ReadNumber(fault.substr(at_sign + 1, colon - at_sign - 1), &number) ||
        number < 1 ||
        (colon != std::string_view::npos &&
         !ReadNumber(fault.substr(colon + 1), &device))) {
      return InvalidArgument("create option 'faults' has '" + std::string(fault) +
                             "', which is not KIND@NUMBER or KIND@NUMBER:DEVICE with a "
                             "kind of launch, copy, lost or slow");
    }
    if (device < 0 || device >= num_devices) {
      return InvalidArgument("create option 'faults' names device " +
                             std::to_string(device) + " of " +
                             std::to_string(num_devices));
    }
    *FieldOf(result[static_cast<size_t>(device)], fault.substr(0, at_sign)) = number;
  }
  return result;
}

}  // namespace tenon::sim
