// Named options and attributes, which frameworks pass as PJRT named values. Plain values.
#ifndef TENON_PJRT_INTERFACE_NAMED_VALUE_H_
#define TENON_PJRT_INTERFACE_NAMED_VALUE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace tenon::pjrt {

using NamedValue = std::variant<std::string, int64_t, std::vector<int64_t>, float, bool>;

// Ordered by name, so that iteration is deterministic.
using NamedValueMap = std::map<std::string, NamedValue, std::less<>>;

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_INTERFACE_NAMED_VALUE_H_
