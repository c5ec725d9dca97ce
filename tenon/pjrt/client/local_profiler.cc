// Implements Profiler by the runtime's tracer.
#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "tenon/pjrt/client/local_platform.h"
#include "tenon/runtime/trace.h"

namespace tenon::pjrt {
namespace {

using runtime::ThreadTrace;
using runtime::TraceEvent;

// Viewers show planes whose names begin with "/device:CUSTOM:".
constexpr char kCompilerPlane[] = "/device:CUSTOM:Tenon compiler";
constexpr char kDevicePlane[] = "/device:CUSTOM:Tenon device ";

std::string PlaneOf(const TraceEvent& event) {
  const bool compiles = event.kind == TraceEvent::Kind::kCompile ||
                        event.kind == TraceEvent::Kind::kCompilePhase;
  return compiles ? kCompilerPlane : kDevicePlane + std::to_string(event.device_id);
}

// Stats have XLA's names, so that viewers recognize them.
TraceSpan Span(const TraceEvent& event) {
  TraceSpan span{event.name, event.start_ns, event.end_ns - event.start_ns, {}};
  if (!event.program) return span;
  const ExecutableInfo& program = event.program->info();
  span.stats = {{"hlo_module", program.name}, {"run_id", event.run_id}};
  if (event.kind == TraceEvent::Kind::kRun) {
    span.name = program.name;
  } else if (event.kind == TraceEvent::Kind::kCustomCall) {
    span.name = program.ffi_calls[static_cast<size_t>(event.index)].target;
  } else if (event.kind == TraceEvent::Kind::kKernel) {
    const ImageKernel& kernel =
        event.program->code().kernels[static_cast<size_t>(event.index)];
    span.name = kernel.op_name.empty() ? kernel.name : kernel.op_name;
    span.stats.emplace_back("hlo_op", kernel.name);
    if (!kernel.op_name.empty()) span.stats.emplace_back("tf_op", kernel.op_name);
    if (!kernel.source.empty()) span.stats.emplace_back("source", kernel.source);
  }
  return span;
}

class LocalProfilerImpl final : public Profiler {
 public:
  Status Start() override { return runtime::Tracer::Global().Start(); }

  std::vector<TracePlane> Stop() override {
    std::map<std::string, TracePlane> planes;
    for (const ThreadTrace& thread : runtime::Tracer::Global().Stop()) {
      std::map<std::string, TraceLine> lines;  // by plane
      for (const TraceEvent& event : thread.events) {
        lines[PlaneOf(event)].spans.push_back(Span(event));
      }
      for (auto& [plane, line] : lines) {
        line.id = thread.thread_id;
        line.name = thread.thread_name + "/" + std::to_string(thread.thread_id);
        if (thread.num_dropped) {
          line.name += " (" + std::to_string(thread.num_dropped) + " events left out)";
        }
        // Sort outer spans before the ones that they contain.
        std::ranges::sort(line.spans, [](const TraceSpan& a, const TraceSpan& b) {
          return std::pair(a.start_ns, -a.duration_ns) <
                 std::pair(b.start_ns, -b.duration_ns);
        });
        planes[plane].lines.push_back(std::move(line));
      }
    }
    std::vector<TracePlane> result;
    for (auto& [name, plane] : planes) {
      plane.name = name;
      result.push_back(std::move(plane));
    }
    return result;
  }
};

}  // namespace

Profiler& LocalProfiler() {
  static LocalProfilerImpl profiler;
  return profiler;
}

}  // namespace tenon::pjrt
