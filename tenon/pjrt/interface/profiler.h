// Traces the plugin for frameworks' profilers.
//
// Process-wide, because profilers do not name a client. Thread-safe.
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

// The spans of one thread. Two spans are either disjoint or nested.
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
  // FAILED_PRECONDITION if a trace is in progress.
  virtual Status Start() = 0;
  // Ends the trace and returns it. Empty if none is in progress.
  virtual std::vector<TracePlane> Stop() = 0;
};

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_INTERFACE_PROFILER_H_
