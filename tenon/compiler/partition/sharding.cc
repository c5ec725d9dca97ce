#include "tenon/compiler/partition/sharding.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace tenon::compiler::partition {
namespace {

// Appends the axis that `ref` names, unless it has size 1.
Status ReadAxis(sdy::AxisRefAttr ref, sdy::MeshAttr attribute, const Mesh& mesh,
                Axes& axes, Axes& seen) {
  std::string name = ref.getName().str();
  std::optional<int32_t> index = mesh.FindAxis(name);
  if (!index) {
    if (attribute && attribute.getAxisSize(name)) return OkStatus();
    return InvalidArgument("a sharding uses axis \"" + name +
                           "\", which its mesh does not have");
  }
  Axis axis = mesh.WholeAxis(*index);
  if (sdy::SubAxisInfoAttr part = ref.getSubAxisInfo()) {
    int64_t pre = part.getPreSize(), size = part.getSize();
    if (pre > axis.size || size > axis.size || axis.size % (pre * size) != 0) {
      return InvalidArgument("sub-axis \"" + name + "\":(" + std::to_string(pre) + ")" +
                             std::to_string(size) + " does not divide an axis of size " +
                             std::to_string(axis.size));
    }
    axis.pre = static_cast<int32_t>(pre);
    axis.size = static_cast<int32_t>(size);
  }
  if (OverlapsAny(axis, seen)) {
    return InvalidArgument("a sharding uses axis \"" + name + "\" twice");
  }
  seen.push_back(axis);
  AppendAxis(axes, axis);
  return OkStatus();
}

sdy::AxisRefAttr WriteAxis(Axis axis, const Mesh& mesh, mlir::MLIRContext* context) {
  sdy::SubAxisInfoAttr part;
  if (!mesh.IsWhole(axis)) part = sdy::SubAxisInfoAttr::get(context, axis.pre, axis.size);
  return sdy::AxisRefAttr::get(context, mesh.names[axis.index], part);
}

llvm::SmallVector<sdy::AxisRefAttr> WriteAxes(AxesRef axes, const Mesh& mesh,
                                              mlir::MLIRContext* context) {
  return llvm::map_to_vector(axes,
                             [&](Axis axis) { return WriteAxis(axis, mesh, context); });
}

// The mesh as an attribute, for meshes that no sdy.mesh defines.
sdy::MeshAttr WriteMesh(const Mesh& mesh, mlir::MLIRContext* context) {
  llvm::SmallVector<sdy::MeshAxisAttr> axes;
  for (auto [name, size] : llvm::zip_equal(mesh.names, mesh.sizes)) {
    axes.push_back(sdy::MeshAxisAttr::get(context, name, size));
  }
  llvm::SmallVector<int64_t> ids(mesh.device_ids.begin(), mesh.device_ids.end());
  if (mesh.IsMaximal()) ids.push_back(mesh.maximal);
  return sdy::MeshAttr::get(context, axes, ids);
}

}  // namespace

Sharding Sharding::Replicated(int32_t mesh, int64_t rank, bool open) {
  Sharding sharding;
  sharding.mesh = mesh;
  sharding.dims.resize(rank);
  for (DimSharding& dim : sharding.dims) dim.open = open;
  return sharding;
}

bool Sharding::HasNoAxes() const {
  return replicated.empty() && unreduced.empty() &&
         llvm::all_of(dims, [](const DimSharding& dim) { return dim.axes.empty(); });
}

bool Sharding::IsReplicated() const {
  return maximal < 0 && unreduced.empty() &&
         llvm::all_of(dims, [](const DimSharding& dim) { return dim.axes.empty(); });
}

bool Sharding::IsFullyClosed() const {
  return llvm::none_of(dims, [](const DimSharding& dim) { return dim.open; });
}

bool Sharding::IsFullyOpen() const {
  return llvm::all_of(dims, [](const DimSharding& dim) { return dim.open; });
}

Axes Sharding::UsedAxes() const {
  Axes used;
  for (const DimSharding& dim : dims) used.append(dim.axes);
  return used;
}

Sharding Sharding::Closed() const {
  Sharding closed = *this;
  for (DimSharding& dim : closed.dims) {
    dim.open = false;
    dim.priority = 0;
  }
  closed.replicated.clear();
  return closed;
}

bool SamePlacement(const Sharding& a, const Sharding& b) {
  if (a.maximal != b.maximal || a.unreduced != b.unreduced || a.rank() != b.rank()) {
    return false;
  }
  if (!a.unreduced.empty() && a.reduction != b.reduction) return false;
  return llvm::all_of(llvm::zip_equal(a.dims, b.dims), [](auto pair) {
    return std::get<0>(pair).axes == std::get<1>(pair).axes;
  });
}

StatusOr<Sharding> ReadSharding(sdy::TensorShardingAttr attribute, int64_t rank,
                                MeshTable& meshes) {
  Sharding sharding;
  TENON_ASSIGN_OR_RETURN(sharding.mesh, meshes.Find(attribute.getMeshOrRef()));
  const Mesh& mesh = meshes[sharding.mesh];
  sdy::MeshAttr mesh_attribute = meshes.AttributeOf(attribute.getMeshOrRef());
  sharding.maximal = mesh.maximal;
  sharding.reduction = attribute.getReductionOp();
  if (static_cast<int64_t>(attribute.getDimShardings().size()) != rank) {
    // Shardings of one device may omit the dimensions.
    if (!mesh.IsMaximal() || !attribute.getDimShardings().empty()) {
      return InvalidArgument("a sharding has " +
                             std::to_string(attribute.getDimShardings().size()) +
                             " dimensions, but its tensor has " + std::to_string(rank));
    }
    sharding.dims.resize(rank);
  }
  Axes seen;
  for (sdy::DimensionShardingAttr dim : attribute.getDimShardings()) {
    DimSharding& read = sharding.dims.emplace_back();
    read.open = !dim.getIsClosed();
    int64_t priority = dim.getPriority().value_or(0);
    if (priority < 0 || priority > INT32_MAX) {
      return InvalidArgument("priority p" + std::to_string(priority) +
                             " of a sharding is not in 0 to 2147483647");
    }
    read.priority = static_cast<int32_t>(priority);
    for (sdy::AxisRefAttr axis : dim.getAxes()) {
      TENON_RETURN_IF_ERROR(ReadAxis(axis, mesh_attribute, mesh, read.axes, seen));
    }
  }
  for (sdy::AxisRefAttr axis : attribute.getReplicatedAxes()) {
    TENON_RETURN_IF_ERROR(
        ReadAxis(axis, mesh_attribute, mesh, sharding.replicated, seen));
  }
  for (sdy::AxisRefAttr axis : attribute.getUnreducedAxes()) {
    TENON_RETURN_IF_ERROR(ReadAxis(axis, mesh_attribute, mesh, sharding.unreduced, seen));
  }
  SortAndMerge(sharding.replicated);
  SortAndMerge(sharding.unreduced);
  return sharding;
}

sdy::TensorShardingAttr WriteSharding(const Sharding& sharding, const MeshTable& meshes,
                                      mlir::MLIRContext* context) {
  const Mesh& mesh = meshes[sharding.mesh];
  llvm::SmallVector<sdy::DimensionShardingAttr> dims;
  // Shardings of one device have no dimensions, as JAX writes them.
  if (sharding.maximal < 0) {
    for (const DimSharding& dim : sharding.dims) {
      std::optional<int64_t> priority;
      if (dim.priority != 0) priority = dim.priority;
      dims.push_back(sdy::DimensionShardingAttr::get(
          context, WriteAxes(dim.axes, mesh, context), !dim.open, priority));
    }
  }
  mlir::Attribute mesh_or_ref;
  if (mesh.symbol.empty()) {
    mesh_or_ref = WriteMesh(mesh, context);
  } else {
    mesh_or_ref = mlir::FlatSymbolRefAttr::get(context, mesh.symbol);
  }
  return sdy::TensorShardingAttr::get(
      context, mesh_or_ref, dims, WriteAxes(sharding.replicated, mesh, context),
      WriteAxes(sharding.unreduced, mesh, context), sharding.reduction);
}

Sharding Translate(const Sharding& sharding, const CommonMesh& common) {
  auto translate = [&](AxesRef axes) {
    Axes result;
    for (Axis axis : axes) AppendAxes(result, common.Translate(sharding.mesh, axis));
    return result;
  };
  Sharding result = sharding;
  result.mesh = 0;
  for (DimSharding& dim : result.dims) dim.axes = translate(dim.axes);
  result.replicated = translate(sharding.replicated);
  result.unreduced = translate(sharding.unreduced);
  return result;
}

std::string ToString(AxesRef axes, const Mesh& mesh) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(axes, os, [&](Axis axis) {
    os << '"' << mesh.names[axis.index] << '"';
    if (!mesh.IsWhole(axis)) os << ":(" << axis.pre << ')' << axis.size;
  });
  return text;
}

std::string ToString(const Sharding& sharding, const Mesh& mesh) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto print = [&](AxesRef axes, bool open) {
    os << '{' << ToString(axes, mesh);
    if (open) os << (axes.empty() ? "?" : ", ?");
    os << '}';
  };
  if (sharding.maximal >= 0) {
    os << "device " << sharding.maximal;
    return text;
  }
  os << '[';
  llvm::interleaveComma(sharding.dims, os, [&](const DimSharding& dim) {
    print(dim.axes, dim.open);
    if (dim.priority != 0) os << 'p' << dim.priority;
  });
  os << ']';
  if (!sharding.replicated.empty()) {
    os << ", replicated=";
    print(sharding.replicated, false);
  }
  if (!sharding.unreduced.empty()) {
    os << ", unreduced=";
    if (sharding.reduction != sdy::ReductionOp::SUM) {
      os << sdy::stringifyReductionOp(sharding.reduction);
    }
    print(sharding.unreduced, false);
  }
  return text;
}

}  // namespace tenon::compiler::partition
