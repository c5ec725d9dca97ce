#include <protozero/pbf_reader.hpp>
#include <string>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "tenon/compiler/partition/gspmd_sharding.h"
#include "tenon/compiler/partition/op_sharding.h"
#include "tenon/compiler/partition/op_sharding_fields.h"

namespace tenon::compiler::partition {
namespace {

using namespace op_sharding;

using Numbers = llvm::SmallVector<int64_t>;

// A repeated number, packed or not.
void ReadNumbers(protozero::pbf_reader& reader, Numbers& numbers) {
  if (reader.wire_type() != protozero::pbf_wire_type::length_delimited) {
    numbers.push_back(reader.get_int64());
    return;
  }
  for (int64_t number : reader.get_packed_int64()) numbers.push_back(number);
}

// The axes whose coordinates are the digits of device numbers, major first.
StatusOr<Axes> AxesOf(DeviceDigits digits, const Mesh& mesh) {
  Axes axes;
  int64_t high = digits.stride * digits.size;
  for (int32_t i = 0; i < static_cast<int32_t>(mesh.sizes.size()); ++i) {
    const int64_t begin = mesh.Stride(i) * mesh.sizes[i], end = mesh.Stride(i);
    if (high > begin || digits.stride >= begin || high <= end) continue;
    const int64_t low = std::max(end, digits.stride);
    if (begin % high != 0 || high % low != 0 || low % end != 0) break;
    AppendAxis(axes,
               {i, static_cast<int32_t>(begin / high), static_cast<int32_t>(high / low)});
    high = low;
  }
  if (high != digits.stride) {
    return Unimplemented(
        "an OpSharding that the axes of the program's meshes do not have");
  }
  return axes;
}

}  // namespace

StatusOr<std::string> OpShardingText(std::string_view bytes) {
  int64_t type = kReplicated;
  bool replicates_last = false;
  Numbers tiles, devices, last, reshape, order;
  try {
    protozero::pbf_reader reader(bytes.data(), bytes.size());
    while (reader.next()) {
      switch (reader.tag()) {
        case kType:
          type = reader.get_int64();
          break;
        case kTileDimensions:
          ReadNumbers(reader, tiles);
          break;
        case kTileDevices:
          ReadNumbers(reader, devices);
          break;
        case kReplicateOnLastTileDim:
          replicates_last = reader.get_bool();
          break;
        case kLastTileDims:
          ReadNumbers(reader, last);
          break;
        case kIotaReshapeDims:
          ReadNumbers(reader, reshape);
          break;
        case kIotaTransposePerm:
          ReadNumbers(reader, order);
          break;
        default:
          reader.skip();
      }
    }
  } catch (const protozero::exception&) {
    return InvalidArgument("a sharding is not an OpSharding message");
  }
  if (type == kReplicated) return std::string("{replicated}");
  if (type != kOther || !last.empty()) {
    return Unimplemented("an OpSharding of this type");
  }
  auto join = [](const Numbers& numbers) {
    return llvm::join(
        llvm::map_range(numbers, [](int64_t n) { return std::to_string(n); }), ",");
  };
  std::string text = "{devices=[" + join(tiles) + "]";
  text += reshape.empty() ? join(devices) : "<=[" + join(reshape) + "]";
  if (!reshape.empty() && !llvm::is_sorted(order)) text += "T(" + join(order) + ")";
  return text + (replicates_last ? " last_tile_dim_replicate}" : "}");
}

StatusOr<Sharding> DecodeOpSharding(std::string_view bytes, size_t rank,
                                    const Mesh& mesh) {
  TENON_ASSIGN_OR_RETURN(const std::string text, OpShardingText(bytes));
  TENON_ASSIGN_OR_RETURN(const std::vector<GspmdSharding> read,
                         ParseGspmdShardings(text));
  Sharding sharding = Sharding::Replicated(0, static_cast<int64_t>(rank), /*open=*/false);
  if (read[0].kind == GspmdSharding::Kind::kReplicated) return sharding;
  if (read[0].kind != GspmdSharding::Kind::kTiled || read[0].dims.size() != rank ||
      read[0].num_devices != mesh.num_devices()) {
    return InvalidArgument("the sharding " + text + " does not fit a tensor of " +
                           std::to_string(rank) + " dimensions on " +
                           std::to_string(mesh.num_devices()) + " devices");
  }
  if (!mesh.device_ids.empty() || !read[0].order.empty()) {
    return Unimplemented("an OpSharding over devices in an order of their own");
  }
  for (auto [dim, digits] : llvm::zip_equal(sharding.dims, read[0].dims)) {
    for (DeviceDigits part : digits) {
      TENON_ASSIGN_OR_RETURN(const Axes axes, AxesOf(part, mesh));
      AppendAxes(dim.axes, axes);
    }
  }
  return sharding;
}

}  // namespace tenon::compiler::partition
