// Devices and memories of a client, and layouts of arrays in them. Cheap to copy; any
// thread may use them.
#ifndef TENON_PJRT_CPP_DEVICE_HPP_
#define TENON_PJRT_CPP_DEVICE_HPP_

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tenon/pjrt/cpp/context.hpp"
#include "tenon/pjrt/cpp/named_values.hpp"

namespace pjrt {
inline namespace TENON_PJRT_NAMESPACE {

// The order of dimensions in memory, fastest first, and the sizes of tiles if the device
// has tiled layouts.
struct Layout {
  std::vector<int64_t> minor_to_major;
  std::vector<std::vector<int64_t>> tiles;

  static Layout row_major(size_t rank) {
    Layout layout;
    for (size_t i = rank; i > 0; --i) {
      layout.minor_to_major.push_back(static_cast<int64_t>(i - 1));
    }
    return layout;
  }
  bool operator==(const Layout&) const = default;
};

// Bytes of a device. What the plugin does not report is missing.
struct DeviceMemoryUsage {
  int64_t bytes_in_use = 0;
  std::optional<int64_t> peak_bytes_in_use, num_allocations, largest_allocation, limit;
};

class Device;

class Memory {
 public:
  Memory(detail::ClientRef client, PJRT_Memory* memory)
      : client_(std::move(client)), memory_(memory) {}

  PJRT_Memory* get() const { return memory_; }
  bool operator==(const Memory& other) const { return memory_ == other.memory_; }

  Result<int> id() const {
    raw::Args<raw::PJRT_Memory_Id> args;
    args.memory = memory_;
    if (Error error = client_.plugin().call(args)) return error;
    return args.id;
  }
  // Such as "device" or "pinned_host".
  Result<std::string> kind() const {
    raw::Args<raw::PJRT_Memory_Kind> args;
    args.memory = memory_;
    if (Error error = client_.plugin().call(args)) return error;
    return std::string(detail::view(args.kind, args.kind_size));
  }
  Result<std::string> to_string() const {
    raw::Args<raw::PJRT_Memory_ToString> args;
    args.memory = memory_;
    if (Error error = client_.plugin().call(args)) return error;
    return std::string(detail::view(args.to_string, args.to_string_size));
  }
  // The devices that can address this memory.
  inline Result<std::vector<Device>> devices() const;

 private:
  detail::ClientRef client_;
  PJRT_Memory* memory_;
};

class Device {
 public:
  Device(detail::ClientRef client, PJRT_Device* device)
      : client_(std::move(client)), device_(device) {}

  PJRT_Device* get() const { return device_; }
  bool operator==(const Device& other) const { return device_ == other.device_; }

  Result<int> id() const {
    raw::Args<raw::PJRT_DeviceDescription_Id> args;
    if (Error error = describe(args)) return error;
    return args.id;
  }
  Result<int> process_index() const {
    raw::Args<raw::PJRT_DeviceDescription_ProcessIndex> args;
    if (Error error = describe(args)) return error;
    return args.process_index;
  }
  // The vendor's name of this kind of device.
  Result<std::string> kind() const {
    raw::Args<raw::PJRT_DeviceDescription_Kind> args;
    if (Error error = describe(args)) return error;
    return std::string(detail::view(args.device_kind, args.device_kind_size));
  }
  Result<std::string> to_string() const {
    raw::Args<raw::PJRT_DeviceDescription_ToString> args;
    if (Error error = describe(args)) return error;
    return std::string(detail::view(args.to_string, args.to_string_size));
  }
  Result<NamedValues> attributes() const {
    raw::Args<raw::PJRT_DeviceDescription_Attributes> args;
    if (Error error = describe(args)) return error;
    return detail::from_c(args.attributes, args.num_attributes);
  }
  Result<bool> is_addressable() const {
    raw::Args<raw::PJRT_Device_IsAddressable> args;
    args.device = device_;
    if (Error error = client_.plugin().call(args)) return error;
    return args.is_addressable;
  }
  Result<int> local_hardware_id() const {
    raw::Args<raw::PJRT_Device_LocalHardwareId> args;
    args.device = device_;
    if (Error error = client_.plugin().call(args)) return error;
    return args.local_hardware_id;
  }
  Result<std::vector<Memory>> memories() const {
    raw::Args<raw::PJRT_Device_AddressableMemories> args;
    args.device = device_;
    if (Error error = client_.plugin().call(args)) return error;
    std::vector<Memory> result;
    for (PJRT_Memory* memory : std::span(args.memories, args.num_memories)) {
      result.emplace_back(client_, memory);
    }
    return result;
  }
  Result<Memory> default_memory() const {
    raw::Args<raw::PJRT_Device_DefaultMemory> args;
    args.device = device_;
    if (Error error = client_.plugin().call(args)) return error;
    return Memory(client_, args.memory);
  }
  Result<DeviceMemoryUsage> memory_usage() const {
    raw::Args<raw::PJRT_Device_MemoryStats> args;
    args.device = device_;
    if (Error error = client_.plugin().call(args)) return error;
    auto optional = [](int64_t value, bool is_set) {
      return is_set ? std::optional(value) : std::nullopt;
    };
    return DeviceMemoryUsage{
        args.bytes_in_use,
        optional(args.peak_bytes_in_use, args.peak_bytes_in_use_is_set),
        optional(args.num_allocs, args.num_allocs_is_set),
        optional(args.largest_alloc_size, args.largest_alloc_size_is_set),
        optional(args.bytes_limit, args.bytes_limit_is_set)};
  }

 private:
  template <typename F>
  Error describe(raw::Args<F>& args) const {
    raw::Args<raw::PJRT_Device_GetDescription> description;
    description.device = device_;
    if (Error error = client_.plugin().call(description)) return error;
    args.device_description = description.device_description;
    return client_.plugin().call(args);
  }

  detail::ClientRef client_;
  PJRT_Device* device_;
};

namespace detail {

inline std::vector<Device> to_devices(const ClientRef& client,
                                      PJRT_Device* const* devices, size_t count) {
  std::vector<Device> result;
  for (PJRT_Device* device : std::span(devices, count)) {
    result.emplace_back(client, device);
  }
  return result;
}

// A layout for the C API. Refers to `layout`, and not movable because it refers to
// itself.
class CLayout {
 public:
  explicit CLayout(const Layout& layout) {
    c_.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
    c_.tiled = raw::sized<PJRT_Buffer_MemoryLayout_Tiled>();
    c_.tiled.minor_to_major = layout.minor_to_major.data();
    c_.tiled.minor_to_major_size = layout.minor_to_major.size();
    for (const std::vector<int64_t>& tile : layout.tiles) {
      tile_dims_.insert(tile_dims_.end(), tile.begin(), tile.end());
      tile_sizes_.push_back(tile.size());
    }
    c_.tiled.tile_dims = tile_dims_.data();
    c_.tiled.tile_dim_sizes = tile_sizes_.data();
    c_.tiled.num_tiles = tile_sizes_.size();
  }
  CLayout(const CLayout&) = delete;
  PJRT_Buffer_MemoryLayout* get() { return &c_; }

 private:
  PJRT_Buffer_MemoryLayout c_ = raw::sized<PJRT_Buffer_MemoryLayout>();
  std::vector<int64_t> tile_dims_;
  std::vector<size_t> tile_sizes_;
};

}  // namespace detail

inline Result<std::vector<Device>> Memory::devices() const {
  raw::Args<raw::PJRT_Memory_AddressableByDevices> args;
  args.memory = memory_;
  if (Error error = client_.plugin().call(args)) return error;
  return detail::to_devices(client_, args.devices, args.num_devices);
}

}  // namespace TENON_PJRT_NAMESPACE
}  // namespace pjrt

#endif  // TENON_PJRT_CPP_DEVICE_HPP_
