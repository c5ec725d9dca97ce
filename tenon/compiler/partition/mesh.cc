#include "tenon/compiler/partition/mesh.h"

#include <algorithm>
#include <utility>

#include "llvm/ADT/STLExtras.h"

namespace tenon::compiler::partition {

using llvm::SmallVector;

int64_t Mesh::num_devices() const {
  int64_t count = 1;
  for (int32_t size : sizes) count *= size;
  return count;
}

int64_t Mesh::Stride(int32_t axis) const {
  int64_t stride = 1;
  for (int32_t size : llvm::drop_begin(sizes, axis + 1)) stride *= size;
  return stride;
}

std::optional<int32_t> Mesh::FindAxis(llvm::StringRef name) const {
  auto it = llvm::find(names, name);
  if (it == names.end()) return std::nullopt;
  return static_cast<int32_t>(it - names.begin());
}

int64_t Mesh::Coordinate(int64_t position, Axis axis) const {
  int64_t post = sizes[axis.index] / axis.next();
  return position / (Stride(axis.index) * post) % axis.size;
}

std::optional<int64_t> Mesh::PositionOf(int64_t device) const {
  if (device_ids.empty()) {
    if (device < 0 || device >= num_devices()) return std::nullopt;
    return device;
  }
  auto it = llvm::find(device_ids, device);
  if (it == device_ids.end()) return std::nullopt;
  return it - device_ids.begin();
}

bool Mesh::SameAs(const Mesh& other) const {
  return names == other.names && sizes == other.sizes && device_ids == other.device_ids &&
         maximal == other.maximal;
}

StatusOr<Mesh> ReadMesh(sdy::MeshAttr attribute) {
  Mesh mesh;
  int64_t count = 1;
  for (sdy::MeshAxisAttr axis : attribute.getAxes()) {
    if (llvm::MulOverflow(count, axis.getSize(), count) || count > kMaxMeshDevices) {
      return Unimplemented("a mesh may have at most " + std::to_string(kMaxMeshDevices) +
                           " devices, but axis \"" + axis.getName().str() +
                           "\" of size " + std::to_string(axis.getSize()) +
                           " exceeds that");
    }
    if (axis.getSize() == 1) continue;
    mesh.names.push_back(axis.getName().str());
    mesh.sizes.push_back(static_cast<int32_t>(axis.getSize()));
  }
  llvm::ArrayRef<int64_t> ids = attribute.getDeviceIds();
  if (attribute.getAxes().empty()) {
    if (!ids.empty()) mesh.maximal = ids.front();
  } else if (!llvm::equal(ids, llvm::seq<int64_t>(0, count))) {
    mesh.device_ids.assign(ids.begin(), ids.end());
  }
  return mesh;
}

StatusOr<MeshTable> MeshTable::Read(mlir::ModuleOp module) {
  MeshTable table;
  for (auto op : module.getOps<sdy::MeshOp>()) {
    TENON_ASSIGN_OR_RETURN(Mesh mesh, ReadMesh(op.getMesh()));
    mesh.symbol = op.getSymName().str();
    int32_t number = table.Add(std::move(mesh));
    auto name = mlir::FlatSymbolRefAttr::get(op.getSymNameAttr());
    table.numbers_[name] = number;
    table.named_meshes_[name] = op.getMesh();
  }
  return table;
}

StatusOr<int32_t> MeshTable::Find(mlir::Attribute mesh_or_ref) {
  if (auto it = numbers_.find(mesh_or_ref); it != numbers_.end()) return it->second;
  auto attribute = llvm::dyn_cast<sdy::MeshAttr>(mesh_or_ref);
  if (!attribute) {
    auto name = llvm::dyn_cast<mlir::FlatSymbolRefAttr>(mesh_or_ref);
    return InvalidArgument("a sharding refers to mesh @" +
                           (name ? name.getValue().str() : std::string("?")) +
                           ", which the program does not define");
  }
  TENON_ASSIGN_OR_RETURN(Mesh mesh, ReadMesh(attribute));
  int32_t number = Add(std::move(mesh));
  numbers_[mesh_or_ref] = number;
  return number;
}

sdy::MeshAttr MeshTable::AttributeOf(mlir::Attribute mesh_or_ref) const {
  if (auto attribute = llvm::dyn_cast<sdy::MeshAttr>(mesh_or_ref)) return attribute;
  return named_meshes_.lookup(mesh_or_ref);
}

int32_t MeshTable::Add(Mesh mesh) {
  for (auto [number, other] : llvm::enumerate(meshes_)) {
    if (other.SameAs(mesh)) return static_cast<int32_t>(number);
  }
  meshes_.push_back(std::move(mesh));
  return size() - 1;
}

namespace {

std::string Describe(const Mesh& mesh) {
  std::string text = "[";
  for (auto [name, size] : llvm::zip_equal(mesh.names, mesh.sizes)) {
    text += (text.size() > 1 ? ", \"" : "\"") + name + "\"=" + std::to_string(size);
  }
  return text + "]";
}

// The devices of the mesh in increasing order; empty if these are 0 to N-1.
DeviceOrder SortedDevices(const Mesh& mesh) {
  DeviceOrder sorted = mesh.device_ids;
  llvm::sort(sorted);
  for (auto [i, device] : llvm::enumerate(sorted)) {
    if (device != static_cast<int64_t>(i)) return sorted;
  }
  return {};
}

bool SameDevices(const Mesh& a, const Mesh& b) {
  return a.device_ids == b.device_ids || SortedDevices(a) == SortedDevices(b);
}

// Numbers the orders of devices. The order 0 to N-1 comes first if a mesh has it, because
// most values are on such meshes.
void FindOrders(const MeshTable& meshes, CommonMesh& common) {
  for (int32_t i = 0; i < meshes.size(); ++i) {
    const Mesh& mesh = meshes[i];
    if (mesh.sizes.empty() || llvm::is_contained(common.orders, mesh.device_ids)) {
      continue;
    }
    common.orders.insert(
        mesh.device_ids.empty() ? common.orders.begin() : common.orders.end(),
        mesh.device_ids);
  }
  if (common.orders.empty()) common.orders.emplace_back();
  for (int32_t i = 0; i < meshes.size(); ++i) {
    const auto order = llvm::find(common.orders, meshes[i].device_ids);
    common.order_of.push_back(meshes[i].sizes.empty()
                                  ? 0
                                  : static_cast<int32_t>(order - common.orders.begin()));
  }
  common.mesh.device_ids = common.orders.front();
}

// The strides at which the axes of all meshes begin and end, in decreasing order. Each
// must divide the one before.
StatusOr<SmallVector<int64_t, 8>> Strides(const MeshTable& meshes) {
  SmallVector<int64_t, 8> strides;
  const Mesh* first = nullptr;
  for (int32_t i = 0; i < meshes.size(); ++i) {
    const Mesh& mesh = meshes[i];
    if (mesh.sizes.empty()) continue;
    if (!first) first = &mesh;
    if (mesh.num_devices() != first->num_devices() || !SameDevices(mesh, *first)) {
      return Unimplemented("meshes " + Describe(*first) + " and " + Describe(mesh) +
                           " of one program must have the same devices");
    }
    strides.push_back(mesh.num_devices());
    for (int32_t axis = 0; axis < static_cast<int32_t>(mesh.sizes.size()); ++axis) {
      strides.push_back(mesh.Stride(axis));
    }
  }
  llvm::sort(strides, std::greater<>());
  strides.erase(std::unique(strides.begin(), strides.end()), strides.end());
  for (size_t i = 0; i + 1 < strides.size(); ++i) {
    if (strides[i] % strides[i + 1] != 0) {
      return Unimplemented(
          "the axes of the program's meshes cannot be split into common parts: parts "
          "of " +
          std::to_string(strides[i]) + " and " + std::to_string(strides[i + 1]) +
          " devices; use meshes whose sizes divide each other");
    }
  }
  return strides;
}

// A name for the axis of the common mesh from stride `high` down to `low`: that of the
// first mesh that has such an axis.
std::string NameOf(const MeshTable& meshes, int64_t high, int64_t low,
                   const std::vector<std::string>& used) {
  std::string name;
  for (int32_t i = 0; i < meshes.size() && name.empty(); ++i) {
    const Mesh& mesh = meshes[i];
    for (int32_t axis = 0; axis < static_cast<int32_t>(mesh.sizes.size()); ++axis) {
      int64_t stride = mesh.Stride(axis);
      if (stride == low && stride * mesh.sizes[axis] == high) name = mesh.names[axis];
    }
  }
  if (name.empty()) name = "axis_" + std::to_string(low);
  while (llvm::is_contained(used, name)) name += "_";
  return name;
}

}  // namespace

Axes CommonMesh::Translate(int32_t number, Axis axis) const {
  AxesRef parts = axes[number][axis.index];
  Axes result;
  // `pre` of the parts seen so far within the translated axis.
  int64_t pre = 1;
  for (Axis part : parts) {
    int64_t begin = std::max<int64_t>(pre, axis.pre);
    int64_t end = std::min<int64_t>(pre * part.size, axis.next());
    if (begin < end) {
      AppendAxis(result, {part.index, static_cast<int32_t>(begin / pre),
                          static_cast<int32_t>(end / begin)});
    }
    pre *= part.size;
  }
  return result;
}

StatusOr<CommonMesh> FindCommonMesh(const MeshTable& meshes) {
  TENON_ASSIGN_OR_RETURN(auto strides, Strides(meshes));
  CommonMesh common;
  for (size_t i = 0; i + 1 < strides.size(); ++i) {
    common.mesh.names.push_back(
        NameOf(meshes, strides[i], strides[i + 1], common.mesh.names));
    common.mesh.sizes.push_back(static_cast<int32_t>(strides[i] / strides[i + 1]));
  }
  FindOrders(meshes, common);
  for (int32_t i = 0; i < meshes.size(); ++i) {
    const Mesh& mesh = meshes[i];
    std::vector<Axes>& lists = common.axes.emplace_back();
    if (!mesh.sizes.empty() && mesh.sizes == common.mesh.sizes &&
        common.order_of[i] == 0) {
      common.mesh.symbol = mesh.symbol;
    }
    for (int32_t axis = 0; axis < static_cast<int32_t>(mesh.sizes.size()); ++axis) {
      int64_t low = mesh.Stride(axis), high = low * mesh.sizes[axis];
      Axes& list = lists.emplace_back();
      for (size_t part = 0; part + 1 < strides.size(); ++part) {
        if (strides[part] <= high && strides[part + 1] >= low) {
          list.push_back(common.mesh.WholeAxis(static_cast<int32_t>(part)));
        }
      }
    }
  }
  return common;
}

}  // namespace tenon::compiler::partition
