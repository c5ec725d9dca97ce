// Records what the plugin does between two calls, for frameworks' profilers.
//
// Process-wide, because profilers name no client. Thread-safe.
#ifndef TENON_PJRT_INTERFACE_PROFILER_H_
#define TENON_PJRT_INTERFACE_PROFILER_H_

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tenon/base/status.h"

namespace tenon::pjrt {

struct TraceSpan {
  std::string name;
  int64_t start_ns = 0;  // since 1970
  int64_t duration_ns = 0;
  std::vector<std::pair<std::string, std::variant<int64_t, std::string>>> stats;
};

// What happened on a thread; spans lie beside or within each other.
struct TraceLine {
  int64_t id = 0;
  std::string name;
  std::vector<TraceSpan> spans;
};

struct TracePlane {
  std::string name;
  std::vector<TraceLine> lines;
};

class Profiler {
 public:
  virtual ~Profiler() = default;
  // FAILED_PRECONDITION if it runs already.
  virtual Status Start() = 0;
  // Nothing if it does not run.
  virtual std::vector<TracePlane> Stop() = 0;
};

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_INTERFACE_PROFILER_H_
