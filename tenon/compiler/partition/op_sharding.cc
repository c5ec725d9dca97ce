#include "tenon/compiler/partition/op_sharding.h"

#include <vector>

#include "llvm/ADT/STLExtras.h"
#include "tenon/compiler/partition/op_sharding_fields.h"

namespace tenon::compiler::partition {
namespace {

using namespace op_sharding;

class Message {
 public:
  void Int(Field field, int64_t value) {
    Varint(field << 3);
    Varint(value);
  }
  void Ints(Field field, llvm::ArrayRef<int64_t> values) {
    Message packed;
    for (int64_t value : values) packed.Varint(value);
    Varint(field << 3 | 2);
    Varint(packed.bytes_.size());
    bytes_ += packed.bytes_;
  }
  std::string Take() && { return std::move(bytes_); }

 private:
  void Varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

// Writes the order of the devices as a transposed iota: `order` are axes, major to minor
// of the tiles, of which each is an element of `all`, the axes in the order of the mesh.
// Axes that keep their neighbor are merged.
void WriteIota(Message& message, AxesRef order, AxesRef all) {
  struct Run {
    int64_t first, last, size;
  };
  llvm::SmallVector<Run> runs;
  for (Axis axis : order) {
    int64_t place = llvm::find(all, axis) - all.begin();
    if (!runs.empty() && runs.back().last + 1 == place) {
      runs.back().last = place;
      runs.back().size *= axis.size;
    } else {
      runs.push_back({place, place, axis.size});
    }
  }
  llvm::SmallVector<Run> sorted = runs;
  llvm::sort(sorted, [](const Run& a, const Run& b) { return a.first < b.first; });
  llvm::SmallVector<int64_t> sizes, permutation;
  for (const Run& run : sorted) sizes.push_back(run.size);
  for (const Run& run : runs) {
    permutation.push_back(
        llvm::find_if(sorted,
                      [&](const Run& other) { return other.first == run.first; }) -
        sorted.begin());
  }
  message.Ints(kIotaReshapeDims, sizes);
  message.Ints(kIotaTransposePerm, permutation);
}

// Writes the devices in the order of the tiles, for meshes with an order of their own.
void WriteDevices(Message& message, AxesRef order, const Mesh& mesh) {
  std::vector<int64_t> devices(mesh.num_devices());
  for (auto [position, device] : llvm::enumerate(mesh.device_ids)) {
    int64_t tile = 0;
    for (Axis axis : order) {
      tile = tile * axis.size + mesh.Coordinate(static_cast<int64_t>(position), axis);
    }
    devices[tile] = device;
  }
  message.Ints(kTileDevices, devices);
}

}  // namespace

std::string EncodeManualSharding() {
  Message message;
  message.Int(kType, kManual);
  return std::move(message).Take();
}

std::string EncodeOpSharding(const Sharding& sharding, const Mesh& mesh) {
  Message message;
  if (sharding.maximal >= 0) {
    message.Int(kType, kMaximal);
    message.Ints(kTileDevices, {sharding.maximal});
    return std::move(message).Take();
  }
  Axes used = sharding.UsedAxes();
  int64_t unreduced = SizeOf(sharding.unreduced);
  if (used.empty() && unreduced == 1) return "";
  if (unreduced == mesh.num_devices()) {
    message.Int(kType, kUnreduced);
    return std::move(message).Take();
  }
  Axes cuts = used;
  cuts.append(sharding.unreduced);
  Axes all;
  for (int32_t i = 0; i < static_cast<int32_t>(mesh.sizes.size()); ++i) {
    all.push_back(mesh.WholeAxis(i));
  }
  all = SplitAt(all, cuts);
  Axes order = SplitAt(cuts, all);
  for (Axis axis : all) {
    if (!llvm::is_contained(order, axis)) order.push_back(axis);
  }
  llvm::SmallVector<int64_t> tile, last;
  for (const DimSharding& dim : sharding.dims) tile.push_back(dim.num_shards());
  int64_t rest = mesh.num_devices() / (SizeOf(used) * unreduced);
  if (unreduced > 1) {
    tile.push_back(unreduced);
    last.push_back(kUnreduced);
    if (rest > 1) last.push_back(kReplicated);
  }
  if (rest > 1) tile.push_back(rest);
  message.Int(kType, kOther);
  message.Ints(kTileDimensions, tile);
  if (!mesh.device_ids.empty()) WriteDevices(message, order, mesh);
  if (rest > 1 && last.empty()) message.Int(kReplicateOnLastTileDim, 1);
  if (!last.empty()) message.Ints(kLastTileDims, last);
  if (mesh.device_ids.empty()) WriteIota(message, order, all);
  return std::move(message).Take();
}

}  // namespace tenon::compiler::partition
