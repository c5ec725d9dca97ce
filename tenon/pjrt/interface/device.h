// Devices and their memory spaces.
//
// The Client owns both. They keep their addresses and may be used from any thread. Every
// span and string view that they return lives as long as the client.
#ifndef TENON_PJRT_INTERFACE_DEVICE_H_
#define TENON_PJRT_INTERFACE_DEVICE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "tenon/base/status.h"
#include "tenon/pjrt/interface/device_description.h"
#include "tenon/pjrt/interface/named_value.h"

namespace tenon::pjrt {

class Client;
class Device;

// A slot in which the API layer keeps its own handle of an object. It is set once, before
// a second thread can see the object. Implementations of the interface never read it.
class ApiHandleSlot {
 public:
  void* api_handle() const { return api_handle_; }
  void set_api_handle(void* handle) { api_handle_ = handle; }

 private:
  void* api_handle_ = nullptr;
};

class MemorySpace : public ApiHandleSlot {
 public:
  virtual ~MemorySpace() = default;

  virtual int id() const = 0;                 // unique in the client
  virtual std::string_view kind() const = 0;  // "device", "pinned_host", "unpinned_host"
  virtual int kind_id() const = 0;            // the same for spaces of the same kind
  virtual std::string_view debug_string() const = 0;
  virtual std::string_view to_string() const = 0;
  // The devices that can use buffers in this memory; at least one.
  virtual std::span<Device* const> devices() const = 0;
};

// All are bytes, except num_allocs. Fields without a value are unknown.
struct MemoryStats {
  int64_t bytes_in_use = 0;
  std::optional<int64_t> peak_bytes_in_use;
  std::optional<int64_t> num_allocs;
  std::optional<int64_t> largest_alloc_size;
  std::optional<int64_t> bytes_limit;
  std::optional<int64_t> bytes_reserved;
  std::optional<int64_t> peak_bytes_reserved;
  std::optional<int64_t> bytes_reservable_limit;
  std::optional<int64_t> largest_free_block_bytes;
  std::optional<int64_t> pool_bytes;
  std::optional<int64_t> peak_pool_bytes;
};

class Device : public ApiHandleSlot {
 public:
  virtual ~Device() = default;

  // One of the descriptions in the client's topology.
  virtual const DeviceDescription& description() const = 0;
  virtual bool is_addressable() const = 0;
  virtual int local_hardware_id() const = 0;  // -1 if unknown
  // Empty, and null, for a device that is not addressable.
  virtual std::span<MemorySpace* const> memories() const = 0;
  virtual MemorySpace* default_memory() const = 0;
  // Attributes that only a running client knows. The same types as in DeviceDescription.
  virtual const NamedValueMap& attributes() const = 0;

  virtual StatusOr<MemoryStats> GetMemoryStats() const {
    return Unimplemented("this device keeps no memory statistics");
  }
  // Resets peaks and counts.
  virtual Status ClearMemoryStats() {
    return Unimplemented("this device keeps no memory statistics");
  }
  // The driver's own stream, such as a CUstream, into which other libraries put what must
  // run before they give memory to the client.
  virtual StatusOr<intptr_t> GetExternalStream() {
    return Unimplemented("this platform has no streams");
  }
  // Makes the enqueued executions of `launch_id` fail with `error`. Returns whether there
  // were any.
  virtual StatusOr<bool> PoisonExecution(int32_t launch_id, Status error) {
    (void)launch_id;
    (void)error;
    return Unimplemented("this device cannot poison executions");
  }
};

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_INTERFACE_DEVICE_H_
