// The report as a page with pictures.
#include <algorithm>
#include <array>

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include "tenon/compiler/partition/box.h"
#include "tenon/compiler/partition/sharding_report.h"

namespace tenon::compiler::partition {
namespace {

// Colors are variables, so that the page follows the reader's light or dark theme.
constexpr char kHead[] = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sharding report</title>
<style>
:root { --bg: #fbfbfa; --card: #fff; --ink: #1d2329; --soft: #66707a; --line: #e3e6e8;
        --part: #2f6fde; --whole: #dfe7f5; --bar: #2f6fde; }
@media (prefers-color-scheme: dark) {
  :root { --bg: #14171a; --card: #1c2126; --ink: #e6e9ec; --soft: #98a2ac; --line: #2e353c;
          --part: #6ea1ff; --whole: #2a3647; --bar: #6ea1ff; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1180px; padding: 32px 24px 64px; background: var(--bg);
       color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 24px; margin: 0 0 16px; } h2 { font-size: 17px; margin: 36px 0 12px; }
code, .mono { font: 13px/1.45 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(170px, 1fr)); gap: 12px; }
.tile, .device { background: var(--card); border: 1px solid var(--line); border-radius: 10px;
                 padding: 12px 14px; }
.tile b { display: block; font-size: 21px; } .tile span, .soft { color: var(--soft); }
table { width: 100%; border-collapse: collapse; background: var(--card);
        border: 1px solid var(--line); border-radius: 10px; overflow: hidden; }
th { text-align: left; color: var(--soft); font-weight: 500; font-size: 13px; }
th, td { padding: 8px 12px; border-top: 1px solid var(--line); vertical-align: top; }
thead th { border-top: 0; } td.number, th.number { text-align: right; white-space: nowrap; }
.scroll { overflow-x: auto; }
.kind { font-weight: 600; white-space: nowrap; }
.bar { height: 6px; border-radius: 3px; background: var(--bar); min-width: 1px;
       margin: 5px 0 0 auto; }
.devices { display: grid; grid-template-columns: repeat(auto-fill, minmax(200px, 1fr)); gap: 12px; }
.device h3 { margin: 0 0 8px; font-size: 15px; } .device h3 span { font-weight: 400; }
.parts { display: flex; flex-wrap: wrap; gap: 8px; align-items: flex-end; }
figure { margin: 0; } figcaption { font-size: 11px; color: var(--soft); }
svg { display: block; } rect.whole { fill: var(--whole); } rect.part { fill: var(--part); }
ul { margin: 0; padding-left: 18px; }
</style>
</head>
<body>
)";

std::string Escaped(const std::string& text) {
  std::string escaped;
  for (char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

void Tile(llvm::raw_ostream& os, const std::string& value, const std::string& label) {
  os << "<div class=\"tile\"><b>" << Escaped(value) << "</b><span>" << Escaped(label)
     << "</span></div>\n";
}

std::vector<const TensorReport*> AllTensors(const ShardingReport& report) {
  std::vector<const TensorReport*> all;
  for (const TensorReport& tensor : report.arguments) all.push_back(&tensor);
  for (const TensorReport& tensor : report.results) all.push_back(&tensor);
  return all;
}

double BytesOf(const TensorReport& tensor, llvm::ArrayRef<int64_t> shape) {
  double bits = static_cast<double>(tensor.element_bits);
  for (int64_t size : shape) bits *= static_cast<double>(size);
  return bits / 8;
}

// The two dimensions that a picture shows: those with most shards, the later ones if
// there are several.
std::array<int64_t, 2> DrawnDims(const TensorReport& tensor) {
  llvm::SmallVector<int64_t, 4> dims;
  for (int64_t dim = static_cast<int64_t>(tensor.shape.size()); dim-- > 0;) {
    dims.push_back(dim);
  }
  std::stable_sort(dims.begin(), dims.end(), [&](int64_t a, int64_t b) {
    return tensor.sharding.dims[a].num_shards() > tensor.sharding.dims[b].num_shards();
  });
  dims.resize(std::min<size_t>(dims.size(), 2));
  std::sort(dims.begin(), dims.end());
  if (dims.empty()) return {-1, -1};
  if (dims.size() == 1) return {-1, dims[0]};
  return {dims[0], dims[1]};
}

// The whole tensor, and in it the part of a device.
void Picture(llvm::raw_ostream& os, const TensorReport& tensor, const Mesh& mesh,
             int64_t device) {
  constexpr double kSide = 46;
  const Box box = BoxOf(tensor.sharding, mesh, tensor.shape, device);
  const auto [rows, columns] = DrawnDims(tensor);
  const auto size = [&](int64_t dim) {
    return dim < 0 ? 1.0 : static_cast<double>(std::max<int64_t>(tensor.shape[dim], 1));
  };
  const double aspect = std::clamp(size(columns) / size(rows), 0.4, 2.5);
  const double width = aspect >= 1 ? kSide : kSide * aspect;
  const double height = aspect >= 1 ? kSide / aspect : kSide;
  struct Range {
    double from, length;
  };
  const auto range = [&](int64_t dim, double length) {
    if (dim < 0) return Range{0, box.empty ? 0 : length};
    return Range{static_cast<double>(box.start[dim]) / size(dim) * length,
                 static_cast<double>(box.size[dim]) / size(dim) * length};
  };
  const Range x = range(columns, width), y = range(rows, height);
  std::string where;
  for (size_t dim = 0; dim < tensor.shape.size(); ++dim) {
    where += (dim ? ", " : "") + std::to_string(box.start[dim]) + ":" +
             std::to_string(box.start[dim] + box.size[dim]);
  }
  os << "<figure><svg width=\"" << llvm::format("%.1f", width) << "\" height=\""
     << llvm::format("%.1f", height) << "\"><title>"
     << Escaped(tensor.name + ": [" + where + "] of " + tensor.type)
     << "</title><rect class=\"whole\" width=\"100%\" height=\"100%\" rx=\"2\"/>"
     << "<rect class=\"part\" x=\"" << llvm::format("%.1f", x.from) << "\" y=\""
     << llvm::format("%.1f", y.from) << "\" width=\"" << llvm::format("%.1f", x.length)
     << "\" height=\"" << llvm::format("%.1f", y.length)
     << "\" rx=\"2\"/></svg><figcaption>";
  // "argument 5 x" is a5.
  const std::string number = tensor.name.substr(tensor.name.find(' ') + 1);
  os << Escaped(tensor.name.substr(0, 1) + number.substr(0, number.find(' ')))
     << "</figcaption></figure>\n";
}

void Devices(llvm::raw_ostream& os, const ShardingReport& report) {
  constexpr size_t kMaxPictures = 8;
  std::vector<const TensorReport*> tensors = AllTensors(report);
  double bytes = 0;
  for (const TensorReport* tensor : tensors) {
    bytes += BytesOf(*tensor, LocalShape(tensor->sharding, tensor->shape));
  }
  const size_t all = tensors.size();
  std::stable_sort(tensors.begin(), tensors.end(), [](auto* a, auto* b) {
    return BytesOf(*a, a->shape) > BytesOf(*b, b->shape);
  });
  if (tensors.size() > kMaxPictures) tensors.resize(kMaxPictures);
  os << "<h2>What each device holds</h2>\n<p class=\"soft\">" << BytesText(bytes)
     << " of arguments and results on each device. Pictures: the part of a device in the "
        "whole tensor";
  if (all > tensors.size()) {
    os << ", for the " << tensors.size() << " largest of " << all;
  }
  os << "; a0 is argument 0, r0 is result 0.</p>\n<div class=\"devices\">\n";
  const int64_t drawn = std::min(report.mesh.num_devices(), kMaxDrawnDevices);
  for (int64_t position = 0; position < drawn; ++position) {
    const int64_t device =
        report.mesh.device_ids.empty() ? position : report.mesh.device_ids[position];
    os << "<div class=\"device\"><h3>" << device << " <span class=\"soft\">";
    for (size_t axis = 0; axis < report.mesh.sizes.size(); ++axis) {
      const Axis whole = report.mesh.WholeAxis(static_cast<int32_t>(axis));
      os << (axis ? ", " : "") << Escaped(report.mesh.names[axis]) << " "
         << report.mesh.Coordinate(position, whole);
    }
    os << "</span></h3><div class=\"parts\">\n";
    for (const TensorReport* tensor : tensors) {
      Picture(os, *tensor, report.mesh, device);
    }
    os << "</div></div>\n";
  }
  os << "</div>\n";
  if (drawn < report.mesh.num_devices()) {
    os << "<p class=\"soft\">The other " << report.mesh.num_devices() - drawn
       << " devices are not drawn.</p>\n";
  }
}

void Tensors(llvm::raw_ostream& os, const ShardingReport& report) {
  os << "<h2>Arguments and results</h2>\n<div class=\"scroll\"><table><thead><tr>"
        "<th>tensor</th><th>type</th><th>sharding</th><th class=\"number\">bytes on a "
        "device</th></tr></thead>\n";
  for (const TensorReport* tensor : AllTensors(report)) {
    os << "<tr><td>" << Escaped(tensor->name) << "</td><td><code>"
       << Escaped(tensor->type) << "</code></td><td><code>"
       << Escaped(ToString(tensor->sharding, report.mesh))
       << "</code></td><td class=\"number\">"
       << BytesText(BytesOf(*tensor, LocalShape(tensor->sharding, tensor->shape)))
       << "</td></tr>\n";
  }
  os << "</table></div>\n";
}

void Collectives(llvm::raw_ostream& os, const ShardingReport& report) {
  os << "<h2>Communication</h2>\n";
  if (report.collectives.empty()) {
    os << "<p>The devices do not communicate.</p>\n";
    return;
  }
  double largest = 1;
  for (const CollectiveReport& collective : report.collectives) {
    largest = std::max(largest, collective.total());
  }
  os << "<div class=\"scroll\"><table><thead><tr><th>collective</th><th>axes</th>"
        "<th>a device's operands</th><th class=\"number\">received by a device</th>"
        "<th>why</th></tr></thead>\n";
  for (const CollectiveReport& collective : report.collectives) {
    os << "<tr><td class=\"kind\">" << collective.kind << "</td><td><code>"
       << Escaped(collective.axes) << "</code></td><td>";
    for (const std::string& tensor : collective.tensors) {
      os << "<code>" << Escaped(tensor) << "</code><br>";
    }
    os << "</td><td class=\"number\">" << BytesText(collective.total());
    if (collective.times != 1) {
      os << "<br><span class=\"soft\">" << collective.times << " times "
         << BytesText(collective.received) << "</span>";
    }
    if (collective.in_loop) {
      os << "<br><span class=\"soft\">in each iteration of a loop</span>";
    }
    os << "<div class=\"bar\" style=\"width:"
       << llvm::format("%.0f", 100 * collective.total() / largest)
       << "%\"></div></td><td>";
    if (!collective.source.empty()) {
      os << "<code>" << Escaped(collective.source) << "</code>";
    }
    os << "<ul>";
    for (const std::string& reason : collective.reasons) {
      os << "<li>" << Escaped(reason) << "</li>";
    }
    if (collective.reasons.empty()) os << "<li>in the program itself</li>";
    os << "</ul></td></tr>\n";
  }
  os << "</table></div>\n";
}

}  // namespace

std::string ToHtml(const ShardingReport& report) {
  std::string text = kHead;
  llvm::raw_string_ostream os(text);
  os << "<h1>Sharding report</h1>\n<div class=\"tiles\">\n";
  std::string axes;
  for (size_t i = 0; i < report.mesh.sizes.size(); ++i) {
    axes += (i ? " x " : "") + std::to_string(report.mesh.sizes[i]) + " " +
            report.mesh.names[i];
  }
  Tile(os, std::to_string(report.devices), "devices");
  Tile(os, axes.empty() ? "none" : axes, "mesh");
  Tile(os, std::to_string(report.collectives.size()), "collectives");
  Tile(os, BytesText(report.received()), "received by a device");
  os << "</div>\n";
  Collectives(os, report);
  Tensors(os, report);
  Devices(os, report);
  os << "</body>\n</html>\n";
  return text;
}

}  // namespace tenon::compiler::partition
