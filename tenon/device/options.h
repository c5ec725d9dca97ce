// How the devices of a client are to be, as its create options say. Plain values.
#ifndef TENON_DEVICE_OPTIONS_H_
#define TENON_DEVICE_OPTIONS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::device {

// An option that one platform alone has: a number, or a text.
struct Option {
  std::string_view name;
  bool is_text = false;
  // Of numbers: least, most and default value.
  int64_t least = 0, most = 0, value = 0;
};

// docs/options.md says what each is for.
struct SystemOptions {
  std::string platform_name;  // "": the platform's own
  int64_t device_count = 1;   // devices, each running programs of its own
  int64_t threads = 0;        // that compute, callers included; 0: as many as processors
  std::vector<int> affinity;  // processors that threads run on, ascending; empty: any
  int64_t spin_microseconds = 300;  // how long idle threads look for work
  int64_t memory_limit = 0;         // bytes; 0: what there is
  bool huge_pages = true;           // asked for, for large buffers
  // The platform's own options, all of them.
  std::map<std::string, int64_t, std::less<>> numbers;
  std::map<std::string, std::string, std::less<>> texts;

  int64_t number(std::string_view name) const { return numbers.find(name)->second; }
  const std::string& text(std::string_view name) const {
    return texts.find(name)->second;
  }
};

}  // namespace tenon::device

#endif  // TENON_DEVICE_OPTIONS_H_
