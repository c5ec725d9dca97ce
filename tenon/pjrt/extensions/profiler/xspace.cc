#include "tenon/pjrt/extensions/profiler/xspace.h"

#include <algorithm>
#include <map>
#include <protozero/pbf_writer.hpp>
#include <string_view>

namespace tenon::pjrt::c_api {
namespace {

// Field numbers.
enum XSpace { kPlanes = 1 };
enum XPlane { kPlaneId = 1, kPlaneName, kLines, kEventMetadata, kStatMetadata };
enum XLine { kLineId = 1, kLineName, kTimestampNs, kEvents };
enum XEvent { kMetadataId = 1, kOffsetPs, kDurationPs, kStats };
enum XStat { kStatMetadataId = 1, kInt64Value = 4, kStrValue = 5 };
enum MapEntry { kKey = 1, kValue };
enum Metadata { kId = 1, kName };

constexpr int64_t kPicosecondsPerNanosecond = 1000;

// The names of events or stats. A plane refers to them by number.
class Names {
 public:
  int64_t IdOf(std::string_view name) {
    auto found = ids_.find(name);
    if (found == ids_.end()) {
      found = ids_.emplace(name, static_cast<int64_t>(ids_.size()) + 1).first;
    }
    return found->second;
  }
  void Write(protozero::pbf_writer& plane, XPlane field) const {
    for (const auto& [name, id] : ids_) {
      protozero::pbf_writer entry(plane, field);
      entry.add_int64(kKey, id);
      protozero::pbf_writer metadata(entry, kValue);
      metadata.add_int64(kId, id);
      metadata.add_string(kName, name);
    }
  }

 private:
  std::map<std::string, int64_t, std::less<>> ids_;
};

class PlaneWriter {
 public:
  explicit PlaneWriter(std::string& bytes) : plane_(bytes) {}

  void Write(const TracePlane& plane, int64_t id) {
    plane_.add_int64(kPlaneId, id);
    plane_.add_string(kPlaneName, plane.name);
    for (const TraceLine& line : plane.lines) WriteLine(line);
    event_names_.Write(plane_, kEventMetadata);
    stat_names_.Write(plane_, kStatMetadata);
  }

 private:
  void WriteLine(const TraceLine& line) {
    protozero::pbf_writer writer(plane_, kLines);
    writer.add_int64(kLineId, line.id);
    writer.add_string(kLineName, line.name);
    const auto first = std::ranges::min_element(line.spans, {}, &TraceSpan::start_ns);
    const int64_t start_ns = first == line.spans.end() ? 0 : first->start_ns;
    writer.add_int64(kTimestampNs, start_ns);
    for (const TraceSpan& span : line.spans) {
      protozero::pbf_writer event(writer, kEvents);
      event.add_int64(kMetadataId, event_names_.IdOf(span.name));
      event.add_int64(kOffsetPs, (span.start_ns - start_ns) * kPicosecondsPerNanosecond);
      event.add_int64(kDurationPs, span.duration_ns * kPicosecondsPerNanosecond);
      for (const auto& [name, value] : span.stats) {
        protozero::pbf_writer stat(event, kStats);
        stat.add_int64(kStatMetadataId, stat_names_.IdOf(name));
        if (const auto* number = std::get_if<int64_t>(&value)) {
          stat.add_int64(kInt64Value, *number);
        } else {
          stat.add_string(kStrValue, std::get<std::string>(value));
        }
      }
    }
  }

  protozero::pbf_writer plane_;
  Names event_names_, stat_names_;
};

}  // namespace

std::string WriteXSpace(std::span<const TracePlane> planes) {
  std::string bytes;
  protozero::pbf_writer space(bytes);
  int64_t id = 0;
  for (const TracePlane& plane : planes) {
    std::string text;
    PlaneWriter(text).Write(plane, ++id);
    space.add_message(kPlanes, text);
  }
  return bytes;
}

}  // namespace tenon::pjrt::c_api
