#include "tenon/compiler/partition/sharding_report.h"

#include <algorithm>
#include <cstdio>

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "tenon/compiler/partition/box.h"

namespace tenon::compiler::partition {
namespace {

std::string Padded(std::string text, size_t width, bool right = false) {
  if (text.size() >= width) return text;
  const std::string space(width - text.size(), ' ');
  return right ? space + text : text + space;
}

std::string MeshText(const Mesh& mesh) {
  std::string text;
  for (size_t i = 0; i < mesh.sizes.size(); ++i) {
    text += (i ? ", \"" : "\"") + mesh.names[i] + "\"=" + std::to_string(mesh.sizes[i]);
  }
  return text.empty() ? "none" : text;
}

std::string LocalText(const TensorReport& tensor) {
  std::string text = tensor.type.substr(0, tensor.type.find('[')) + "[";
  for (auto [i, size] : llvm::enumerate(LocalShape(tensor.sharding, tensor.shape))) {
    text += (i ? "," : "") + std::to_string(size);
  }
  return text + "]";
}

void PrintTensors(llvm::raw_ostream& os, const std::vector<TensorReport>& tensors,
                  const Mesh& mesh) {
  size_t name = 0, type = 0, local = 0;
  for (const TensorReport& tensor : tensors) {
    name = std::max(name, tensor.name.size());
    type = std::max(type, tensor.type.size());
    local = std::max(local, LocalText(tensor).size());
  }
  for (const TensorReport& tensor : tensors) {
    os << "  " << Padded(tensor.name, name) << "  " << Padded(tensor.type, type)
       << "  on a device " << Padded(LocalText(tensor), local) << "  "
       << ToString(tensor.sharding, mesh) << "\n";
  }
}

std::string Joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string TimesText(const CollectiveReport& collective) {
  std::string text;
  if (collective.times != 1) text = "x" + std::to_string(collective.times);
  if (collective.in_loop) text += text.empty() ? "in loop" : " in loop";
  return text;
}

llvm::json::Array TensorsJson(const std::vector<TensorReport>& tensors,
                              const Mesh& mesh) {
  llvm::json::Array array;
  for (const TensorReport& tensor : tensors) {
    array.push_back(llvm::json::Object{{"name", tensor.name},
                                       {"type", tensor.type},
                                       {"local", LocalText(tensor)},
                                       {"sharding", ToString(tensor.sharding, mesh)}});
  }
  return array;
}

}  // namespace

double ShardingReport::received() const {
  double bytes = 0;
  for (const CollectiveReport& collective : collectives) bytes += collective.total();
  return bytes;
}

std::string BytesText(double bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < std::size(kUnits)) {
    bytes /= 1024;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 || bytes >= 100 ? "%.0f %s" : "%.1f %s",
                bytes, kUnits[unit]);
  return text;
}

std::string Render(const ShardingReport& report, const std::string& format,
                   const std::string& file) {
  const auto is = [&](const std::string& name) {
    return format == name || (format.empty() && file.ends_with("." + name));
  };
  if (is("html")) return ToHtml(report);
  return is("json") ? ToJson(report) : ToText(report);
}

std::string ToText(const ShardingReport& report) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << report.devices << (report.devices == 1 ? " device" : " devices") << ", mesh axes "
     << MeshText(report.mesh) << "\n\n";
  PrintTensors(os, report.arguments, report.mesh);
  PrintTensors(os, report.results, report.mesh);
  if (report.collectives.empty()) {
    os << "\nno communication\n";
    return text;
  }
  size_t kind = 10, axes = 4, times = 5;
  for (const CollectiveReport& collective : report.collectives) {
    kind = std::max(kind, collective.kind.size());
    axes = std::max(axes, collective.axes.size());
    times = std::max(times, TimesText(collective).size());
  }
  os << "\n"
     << Padded("collective", kind) << "  " << Padded("received", 10, true) << "  "
     << Padded("times", times) << "  " << Padded("axes", axes)
     << "  operands of a device, source, reason\n";
  for (const CollectiveReport& collective : report.collectives) {
    os << Padded(collective.kind, kind) << "  "
       << Padded(BytesText(collective.received), 10, true) << "  "
       << Padded(TimesText(collective), times) << "  " << Padded(collective.axes, axes)
       << "  " << Joined(collective.tensors);
    if (!collective.source.empty()) os << "  " << collective.source;
    os << "\n";
    if (collective.reasons.empty()) os << "    in the program itself\n";
    for (const std::string& reason : collective.reasons) os << "    " << reason << "\n";
  }
  os << "\n"
     << report.collectives.size()
     << (report.collectives.size() == 1 ? " collective" : " collectives")
     << "; a device receives " << BytesText(report.received()) << " in one execution\n";
  return text;
}

std::string ToJson(const ShardingReport& report) {
  llvm::json::Object mesh;
  for (size_t i = 0; i < report.mesh.sizes.size(); ++i) {
    mesh[report.mesh.names[i]] = report.mesh.sizes[i];
  }
  llvm::json::Array collectives;
  for (const CollectiveReport& collective : report.collectives) {
    collectives.push_back(
        llvm::json::Object{{"kind", collective.kind},
                           {"axes", collective.axes},
                           {"bytes", collective.received},
                           {"times", collective.times},
                           {"in_loop", collective.in_loop},
                           {"source", collective.source},
                           {"tensors", llvm::json::Array(collective.tensors)},
                           {"reasons", llvm::json::Array(collective.reasons)}});
  }
  const llvm::json::Object object{
      {"devices", report.devices},
      {"mesh", std::move(mesh)},
      {"arguments", TensorsJson(report.arguments, report.mesh)},
      {"results", TensorsJson(report.results, report.mesh)},
      {"collectives", std::move(collectives)},
      {"bytes", report.received()}};
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::formatv("{0:2}", llvm::json::Value(llvm::json::Object(object))) << "\n";
  return text;
}

}  // namespace tenon::compiler::partition
