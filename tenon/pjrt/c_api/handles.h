// The types behind the opaque handles of the C API.
//
// Handles of buffers, transfer managers and events are the interface objects themselves,
// so that frequent calls allocate no handles. All other handles are structs that also own
// the arrays that the C getters return. Handles are as thread-safe as the objects in
// them; a mutex protects members that change.
#ifndef TENON_PJRT_C_API_HANDLES_H_
#define TENON_PJRT_C_API_HANDLES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tenon/base/event.h"
#include "tenon/pjrt/abi/pjrt_c_api.h"
#include "tenon/pjrt/c_api/named_values.h"
#include "tenon/pjrt/interface/buffer.h"
#include "tenon/pjrt/interface/client.h"
#include "tenon/pjrt/interface/device.h"
#include "tenon/pjrt/interface/executable.h"
#include "tenon/pjrt/interface/execute_context.h"
#include "tenon/pjrt/interface/topology.h"
#include "tenon/pjrt/interface/transfer_manager.h"

// One memory kind of a device description.
struct PJRT_MemoryDescription {
  const tenon::pjrt::MemoryDescription* description;
};

struct PJRT_DeviceDescription {
  explicit PJRT_DeviceDescription(const tenon::pjrt::DeviceDescription& description);
  // `memory_pointers` points into `memories`.
  PJRT_DeviceDescription(const PJRT_DeviceDescription&) = delete;
  PJRT_DeviceDescription& operator=(const PJRT_DeviceDescription&) = delete;

  const tenon::pjrt::DeviceDescription& description;
  tenon::pjrt::c_api::NamedValueArray attributes;
  std::vector<PJRT_MemoryDescription> memories;
  std::vector<const PJRT_MemoryDescription*> memory_pointers;
};

struct PJRT_TopologyDescription {
  // The topology of a client, which owns it.
  explicit PJRT_TopologyDescription(tenon::pjrt::Topology& topology);
  // A topology without a client. PJRT_TopologyDescription_Destroy deletes it.
  explicit PJRT_TopologyDescription(std::unique_ptr<tenon::pjrt::Topology> topology);

  PJRT_DeviceDescription* Find(int device_id);

  std::unique_ptr<tenon::pjrt::Topology> owned;
  tenon::pjrt::Topology& topology;
  tenon::pjrt::c_api::NamedValueArray attributes;
  std::deque<PJRT_DeviceDescription> descriptions;
  std::vector<PJRT_DeviceDescription*> description_pointers;
  std::vector<int> memory_kind_ids;
};

struct PJRT_Device {
  tenon::pjrt::Device* device = nullptr;
  PJRT_Client* client = nullptr;
  PJRT_DeviceDescription* description = nullptr;
  std::vector<PJRT_Memory*> memories;
  tenon::pjrt::c_api::NamedValueArray attributes;
};

struct PJRT_ExecuteContext {
  std::shared_ptr<tenon::pjrt::ExecuteContext> context;
};

namespace tenon::pjrt::c_api {

// PJRT_Memory begins with a pointer to functions, by which a framework attaches its own
// data to a memory.
struct MemoryHandle : PJRT_Memory {
  MemoryHandle(MemorySpace* memory, PJRT_Client* client);
  MemoryHandle(const MemoryHandle&) = delete;
  MemoryHandle& operator=(const MemoryHandle&) = delete;
  ~MemoryHandle();

  struct UserData {
    void* data = nullptr;
    void (*destroy)(void*) = nullptr;
  };

  MemorySpace* memory;
  PJRT_Client* client;
  std::vector<PJRT_Device*> devices;
  std::mutex mutex;
  std::map<const void*, UserData> user_data;  // guarded by mutex
};

}  // namespace tenon::pjrt::c_api

// Reference-counted. A framework with a garbage collector may destroy a client before its
// buffers and executables, so each of their handles holds a reference.
struct PJRT_Client {
  explicit PJRT_Client(std::unique_ptr<tenon::pjrt::Client> client);

  void Ref() { handles.fetch_add(1, std::memory_order_relaxed); }
  void Unref() {
    if (handles.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  std::atomic<int64_t> handles{1};
  // Declared before the client, so that they are destroyed after it: work in flight may
  // use the handles.
  std::deque<PJRT_Device> device_handles;
  std::deque<tenon::pjrt::c_api::MemoryHandle> memory_handles;
  std::vector<PJRT_Device*> devices;
  std::vector<PJRT_Device*> addressable_devices;
  std::vector<PJRT_Memory*> addressable_memories;
  std::optional<PJRT_TopologyDescription> topology;
  std::unique_ptr<tenon::pjrt::Client> client;
};

struct PJRT_Executable {
  explicit PJRT_Executable(std::shared_ptr<tenon::pjrt::Executable> executable);

  // The flat shapes of parameters or outputs as C arrays.
  struct Tensors {
    explicit Tensors(std::span<const tenon::pjrt::TensorInfo> infos);
    std::vector<PJRT_Buffer_Type> types;
    std::vector<int64_t> dims;  // of all tensors, concatenated
    std::vector<size_t> ranks;
    std::vector<const char*> memory_kinds;
    std::vector<size_t> memory_kind_sizes;
  };

  std::shared_ptr<tenon::pjrt::Executable> executable;
  Tensors parameters;
  Tensors outputs;

  // Created at the first query, and constant afterwards.
  std::mutex mutex;
  std::optional<std::string> fingerprint;
  std::optional<tenon::pjrt::ProgramText> optimized_program;
  std::optional<tenon::pjrt::c_api::NamedValueArray> costs;
  // The data of extensions for this executable, by the extension's key.
  std::map<const void*, std::shared_ptr<void>> extension_data;
};

struct PJRT_LoadedExecutable {
  PJRT_LoadedExecutable(std::unique_ptr<tenon::pjrt::LoadedExecutable> executable,
                        PJRT_Client* client);
  PJRT_LoadedExecutable(const PJRT_LoadedExecutable&) = delete;
  PJRT_LoadedExecutable& operator=(const PJRT_LoadedExecutable&) = delete;
  ~PJRT_LoadedExecutable();

  PJRT_Client* client;
  std::unique_ptr<tenon::pjrt::LoadedExecutable> executable;
  bool is_portable;  // each execution names its device
  size_t num_parameters;
  size_t num_outputs;
  std::vector<PJRT_Device*> devices;
  std::vector<PJRT_LogicalDeviceIds> logical_ids;
  std::mutex mutex;
  std::optional<std::string> fingerprint;  // guarded by mutex
};

namespace tenon::pjrt::c_api {

inline Buffer* Unwrap(PJRT_Buffer* buffer) { return reinterpret_cast<Buffer*>(buffer); }
inline PJRT_Client* ClientOf(const Buffer& buffer) {
  return static_cast<MemoryHandle*>(buffer.memory()->api_handle())->client;
}
inline PJRT_Buffer* Wrap(std::unique_ptr<Buffer> buffer) {
  ClientOf(*buffer)->Ref();
  return reinterpret_cast<PJRT_Buffer*>(buffer.release());
}

inline AsyncHostToDeviceTransferManager* Unwrap(
    PJRT_AsyncHostToDeviceTransferManager* manager) {
  return reinterpret_cast<AsyncHostToDeviceTransferManager*>(manager);
}
inline PJRT_Client* ClientOf(const AsyncHostToDeviceTransferManager& manager) {
  return static_cast<PJRT_Device*>(manager.device()->api_handle())->client;
}
inline PJRT_AsyncHostToDeviceTransferManager* Wrap(
    std::unique_ptr<AsyncHostToDeviceTransferManager> manager) {
  ClientOf(*manager)->Ref();
  return reinterpret_cast<PJRT_AsyncHostToDeviceTransferManager*>(manager.release());
}

inline MemorySpace* Unwrap(PJRT_Memory* memory) {
  return static_cast<MemoryHandle*>(memory)->memory;
}
inline PJRT_Memory* HandleOf(const MemorySpace* memory) {
  return memory ? static_cast<MemoryHandle*>(memory->api_handle()) : nullptr;
}
inline PJRT_Device* HandleOf(const Device* device) {
  return device ? static_cast<PJRT_Device*>(device->api_handle()) : nullptr;
}

inline PJRT_Event* Wrap(Event event) {
  return static_cast<PJRT_Event*>(std::move(event).Release());
}

// Views the event of a handle without changing its reference count. The handle must not
// be destroyed while the view is used.
class EventView {
 public:
  explicit EventView(PJRT_Event* handle) : event_(Event::Adopt(handle)) {}
  EventView(const EventView&) = delete;
  EventView& operator=(const EventView&) = delete;
  ~EventView() { std::move(event_).Release(); }
  const Event* operator->() const { return &event_; }

 private:
  Event event_;
};

// A string that the caller frees. The holder is the argument of the out parameter's
// deleter.
template <typename Holder>
Holder* HoldString(std::string text, const char** bytes, size_t* size) {
  auto* held = new std::string(std::move(text));
  *bytes = held->data();
  *size = held->size();
  return reinterpret_cast<Holder*>(held);
}
template <typename Holder>
void FreeHeldString(Holder* holder) {
  delete reinterpret_cast<std::string*>(holder);
}

inline std::string_view View(const char* text, size_t size) {
  return text ? std::string_view(text, size) : std::string_view();
}

}  // namespace tenon::pjrt::c_api

#endif  // TENON_PJRT_C_API_HANDLES_H_
