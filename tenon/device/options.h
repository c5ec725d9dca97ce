// The create options that configure the devices of a client. Plain values.
#ifndef TENON_DEVICE_OPTIONS_H_
#define TENON_DEVICE_OPTIONS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::device {

// A create option that only one platform has: an integer, or a string.
struct Option {
  // In snake_case. The environment variable TENON_NAME sets it too.
  std::string_view name;
  // Whether the value is a string, whose default is "". Otherwise it is an integer.
  bool is_text = false;
  // For integers: the smallest and the largest value allowed, and the default.
  int64_t min = 0, max = 0, default_value = 0;
};

// The values of one client's create options. docs/options.md explains each one.
struct SystemOptions {
  std::string platform_name;  // "" means Platform::name()
  int64_t device_count = 1;   // at least 1
  int64_t threads = 0;        // host threads that compute; 0 means one per processor
  std::vector<int> affinity;  // processors to run threads on, ascending; empty means any
  int64_t spin_microseconds = 300;  // how long an idle thread spins before it sleeps
  int64_t memory_limit = 0;         // bytes per device; 0 means the device's default
  bool huge_pages = true;           // whether large host blocks ask for huge pages
  // The values of Platform::options: each option has an entry, if only its default.
  std::map<std::string, int64_t, std::less<>> numbers;
  std::map<std::string, std::string, std::less<>> texts;

  // The value of one of the platform's own options, which must exist.
  int64_t number(std::string_view name) const { return numbers.find(name)->second; }
  const std::string& text(std::string_view name) const {
    return texts.find(name)->second;
  }
};

}  // namespace tenon::device

#endif  // TENON_DEVICE_OPTIONS_H_
