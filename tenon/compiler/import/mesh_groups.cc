#include "tenon/compiler/import/mesh_groups.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "llvm/ADT/STLExtras.h"
#include "mlir/IR/Verifier.h"
#include "tenon/compiler/diagnostics_to_status.h"
#include "tenon/dialects/sdy/sdy.h"
#include "tenon/dialects/stablehlo/dialect.h"

namespace tenon::compiler {
namespace {

using mlir::Attribute;
using stablehlo::ReplicaGroupMeshAxesAttr;

// A program is sent by a client, and a matrix has a number for each device.
constexpr int64_t kMaxDevices = int64_t{1} << 20;
constexpr llvm::StringLiteral kGroups = "replica_groups";
constexpr llvm::StringLiteral kOptions = "backend_config";

struct Axis {
  llvm::StringRef name;
  int64_t size;
};

struct Mesh {
  std::vector<Axis> axes;           // major first
  std::vector<int64_t> device_ids;  // empty: 0, 1, ...

  int64_t size() const {
    int64_t product = 1;
    for (const Axis& axis : axes) {
      if (axis.size < 1 || axis.size > kMaxDevices / product) return 0;
      product *= axis.size;
    }
    return product;
  }
};

// A part of an axis: `size` coordinates whose positions in the mesh are `stride` apart.
struct Part {
  int64_t size;
  int64_t stride;
};

std::optional<Mesh> MeshOf(Attribute attribute, mlir::ModuleOp module) {
  Mesh mesh;
  if (auto name = llvm::dyn_cast<mlir::FlatSymbolRefAttr>(attribute)) {
    auto symbol = module.lookupSymbol<sdy::MeshOp>(name.getAttr());
    if (!symbol) return std::nullopt;
    for (sdy::MeshAxisAttr axis : symbol.getMesh().getAxes()) {
      mesh.axes.push_back({axis.getName(), axis.getSize()});
    }
    llvm::append_range(mesh.device_ids, symbol.getMesh().getDeviceIds());
  } else {
    auto own = llvm::cast<stablehlo::MeshAttr>(attribute);
    for (stablehlo::MeshAxisAttr axis : own.getAxes()) {
      mesh.axes.push_back({axis.getName(), axis.getSize()});
    }
    if (mlir::DenseIntElementsAttr ids = own.getDeviceIds()) {
      for (const llvm::APInt& id : ids) mesh.device_ids.push_back(id.getSExtValue());
    }
  }
  const int64_t size = mesh.size();
  if (size == 0 || (!mesh.device_ids.empty() &&
                    static_cast<int64_t>(mesh.device_ids.size()) != size)) {
    return std::nullopt;
  }
  return mesh;
}

// What references to axes have of a mesh, and what is left of it.
struct Parts {
  std::vector<Part> grouped;  // in the order of the references
  std::vector<Part> others;   // in the order of the axes
};

// Nullopt if a reference is not to a part of an axis, or two have a part in common.
std::optional<Parts> Split(const Mesh& mesh, llvm::ArrayRef<Attribute> refs) {
  struct Range {  // of the factors of an axis' size, as products of those before
    int64_t begin, end;
  };
  std::vector<std::pair<size_t, Range>> ranges;
  for (Attribute attribute : refs) {
    auto ref = llvm::cast<stablehlo::AxisRefAttr>(attribute);
    const auto axis = llvm::find_if(mesh.axes, [&](const Axis& candidate) {
      return candidate.name == ref.getName();
    });
    if (axis == mesh.axes.end()) return std::nullopt;
    Range range{1, axis->size};
    if (auto sub_axis = ref.getSubAxisInfo()) {
      const int64_t begin = sub_axis.getPreSize(), size = sub_axis.getSize();
      if (begin < 1 || size < 1 || begin > axis->size || size > axis->size / begin ||
          axis->size % (begin * size) != 0) {
        return std::nullopt;
      }
      range = {begin, begin * size};
    }
    ranges.emplace_back(axis - mesh.axes.begin(), range);
  }
  Parts parts;
  for (const auto& [axis, range] : ranges) {
    int64_t stride = mesh.axes[axis].size / range.end;
    for (size_t i = axis + 1; i < mesh.axes.size(); ++i) stride *= mesh.axes[i].size;
    parts.grouped.push_back({range.end / range.begin, stride});
  }
  int64_t after = mesh.size();  // the positions of a part and all parts after it
  for (size_t axis = 0; axis < mesh.axes.size(); ++axis) {
    std::vector<Range> own;
    for (const auto& [other, range] : ranges) {
      if (other == axis) own.push_back(range);
    }
    llvm::sort(own, [](Range a, Range b) { return a.begin < b.begin; });
    own.push_back({mesh.axes[axis].size, mesh.axes[axis].size});
    int64_t done = 1;
    for (const Range range : own) {
      if (range.begin < done || range.begin % done != 0) return std::nullopt;
      const int64_t between = range.begin / done;
      parts.others.push_back({between, after / range.begin});
      done = range.end;
    }
    after /= mesh.axes[axis].size;
  }
  return parts;
}

// The positions of all coordinates along `parts`, in row-major order.
std::vector<int64_t> Positions(llvm::ArrayRef<Part> parts) {
  std::vector<int64_t> positions = {0};
  for (const Part& part : parts) {
    std::vector<int64_t> next;
    next.reserve(positions.size() * part.size);
    for (int64_t position : positions) {
      for (int64_t i = 0; i < part.size; ++i) next.push_back(position + i * part.stride);
    }
    positions = std::move(next);
  }
  return positions;
}

// Null if the groups cannot be resolved.
mlir::DenseIntElementsAttr MatrixOf(ReplicaGroupMeshAxesAttr groups,
                                    mlir::ModuleOp module) {
  const std::optional<Mesh> mesh = MeshOf(groups.getMesh(), module);
  if (!mesh) return {};
  const std::optional<Parts> parts = Split(*mesh, groups.getAxes().getValue());
  if (!parts) return {};
  const std::vector<int64_t> columns = Positions(parts->grouped);
  const std::vector<int64_t> rows = Positions(parts->others);
  std::vector<int64_t> numbers;
  numbers.reserve(rows.size() * columns.size());
  for (int64_t row : rows) {
    for (int64_t column : columns) {
      const int64_t position = row + column;
      numbers.push_back(mesh->device_ids.empty() ? position : mesh->device_ids[position]);
    }
  }
  auto type = mlir::RankedTensorType::get(
      {static_cast<int64_t>(rows.size()), static_cast<int64_t>(columns.size())},
      mlir::IntegerType::get(module.getContext(), 64));
  return mlir::DenseIntElementsAttr::get(type, numbers);
}

// Whether the groups of `op` were replaced.
bool Resolve(mlir::Operation* op, mlir::ModuleOp module) {
  if (auto groups = op->getAttrOfType<ReplicaGroupMeshAxesAttr>(kGroups)) {
    mlir::DenseIntElementsAttr matrix = MatrixOf(groups, module);
    if (matrix) op->setAttr(kGroups, matrix);
    return static_cast<bool>(matrix);
  }
  // Of a custom call, such as ragged_all_to_all, they are among its options.
  auto options = op->getAttrOfType<mlir::DictionaryAttr>(kOptions);
  auto groups = options ? options.getAs<ReplicaGroupMeshAxesAttr>(kGroups)
                        : ReplicaGroupMeshAxesAttr();
  mlir::DenseIntElementsAttr matrix =
      groups ? MatrixOf(groups, module) : mlir::DenseIntElementsAttr();
  if (!matrix) return false;
  mlir::NamedAttrList changed(options);
  changed.set(kGroups, matrix);
  op->setAttr(kOptions, changed.getDictionary(op->getContext()));
  return true;
}

}  // namespace

Status ResolveMeshGroups(mlir::ModuleOp module) {
  DiagnosticCollector diagnostics(module.getContext());
  const mlir::WalkResult result = module->walk([&](mlir::Operation* op) {
    const bool valid = !Resolve(op, module) || succeeded(mlir::verify(op));
    return valid ? mlir::WalkResult::advance() : mlir::WalkResult::interrupt();
  });
  if (!result.wasInterrupted()) return OkStatus();
  return diagnostics.ToStatus(StatusCode::kInvalidArgument, "malformed program");
}

}  // namespace tenon::compiler
