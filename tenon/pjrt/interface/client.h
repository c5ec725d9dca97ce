// A client: devices, their memories, and everything made for them.
//
// Thread-safe. It owns its devices, memory spaces and topology. Buffers and executables
// of a client are destroyed before it; work that is still in flight then is waited for.
#ifndef TENON_PJRT_INTERFACE_CLIENT_H_
#define TENON_PJRT_INTERFACE_CLIENT_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tenon/base/event.h"
#include "tenon/base/status.h"
#include "tenon/pjrt/interface/buffer.h"
#include "tenon/pjrt/interface/device.h"
#include "tenon/pjrt/interface/executable.h"
#include "tenon/pjrt/interface/named_value.h"
#include "tenon/pjrt/interface/program.h"
#include "tenon/pjrt/interface/topology.h"
#include "tenon/pjrt/interface/transfer_manager.h"

namespace tenon::pjrt {

// The job-wide store through which the processes of a distributed job meet. Thread-safe.
class KeyValueStore {
 public:
  virtual ~KeyValueStore() = default;
  // Blocks until the key is there, or DEADLINE_EXCEEDED.
  virtual StatusOr<std::string> Get(std::string_view key,
                                    std::chrono::milliseconds timeout) = 0;
  virtual StatusOr<std::string> TryGet(std::string_view key) = 0;  // NOT_FOUND if absent
  virtual Status Put(std::string_view key, std::string_view value) = 0;
};

struct ClientOptions {
  NamedValueMap values;
  // Only in a distributed job (num_nodes above 1), else null. Lives as long as the
  // client.
  std::shared_ptr<KeyValueStore> key_value_store;
};

// A new buffer, and when the caller's memory is no longer used. `done` is never null.
struct HostTransfer {
  std::unique_ptr<Buffer> buffer;
  Event done;
};

// A buffer whose contents another buffer will give.
struct AliasBuffer {
  std::unique_ptr<Buffer> buffer;
  // Gives it those of a buffer of the same shape, which lives on for itself, or an error.
  // To be called once, from any thread; an error that it returns is the buffer's too.
  std::function<Status(StatusOr<Buffer*> source)> fulfill;
};

// The state of a process of a distributed job.
struct ProcessInfo {
  int task_id = 0;
  uint64_t incarnation_id = 0;
  int state = 0;  // 0 unspecified, 1 uninitialized, 2 disconnected, 3 connected, 4 error
  Status error;
};

class Client {
 public:
  virtual ~Client() = default;

  virtual std::string_view platform_name() const = 0;
  virtual std::string_view platform_version() const = 0;
  virtual int process_index() const = 0;
  virtual Topology& topology() const = 0;
  // Stable for the client's life; addressable_devices is a subset of devices.
  virtual std::span<Device* const> devices() const = 0;
  virtual std::span<Device* const> addressable_devices() const = 0;
  virtual std::span<MemorySpace* const> addressable_memories() const = 0;

  // Row-major [replica][partition] ids. The counts are positive and their product fits an
  // int.
  virtual StatusOr<DeviceAssignment> DefaultDeviceAssignment(
      int num_replicas, int num_partitions) const = 0;

  // `options` is CompileOptionsProto bytes. Blocks until compiled.
  virtual StatusOr<std::unique_ptr<LoadedExecutable>> Compile(
      const Program& program, std::string_view options) = 0;
  // Loads a program compiled without a client. Empty `options`: those it was compiled
  // with.
  virtual StatusOr<std::unique_ptr<LoadedExecutable>> Load(
      std::shared_ptr<Executable> executable, std::string_view options) {
    (void)executable;
    (void)options;
    return Unimplemented("this client cannot load executables");
  }
  // What Executable::Serialize made, by the same build; anything else is an error.
  virtual StatusOr<std::unique_ptr<LoadedExecutable>> DeserializeAndLoad(
      std::string_view bytes, std::string_view options,
      const LoadOptions& load_options) = 0;

  // In all of these `memory` is one of addressable_memories().
  virtual StatusOr<HostTransfer> BufferFromHost(
      const HostArray& array, HostBufferSemantics semantics, MemorySpace* memory,
      std::optional<std::span<const int64_t>> minor_to_major) = 0;
  virtual StatusOr<std::unique_ptr<Buffer>> CreateUninitializedBuffer(
      const ArrayShape& shape, MemorySpace* memory) = 0;
  // A buffer whose ready event has failed with `error`.
  virtual StatusOr<std::unique_ptr<Buffer>> CreateErrorBuffer(Status error,
                                                              const ArrayShape& shape,
                                                              MemorySpace* memory) = 0;
  virtual StatusOr<AliasBuffer> CreateAliasBuffer(const ArrayShape& shape,
                                                  MemorySpace* memory) {
    (void)shape;
    (void)memory;
    return Unimplemented("this client has no alias buffers");
  }
  // A buffer over memory of the caller. `on_delete` (may be empty) runs exactly once,
  // when the buffer and all users of its storage are gone; not if an error is returned.
  virtual StatusOr<std::unique_ptr<Buffer>> CreateViewOfDeviceBuffer(
      void* data, const ArrayShape& shape, MemorySpace* memory, intptr_t stream,
      std::function<void()> on_delete) = 0;
  virtual StatusOr<std::unique_ptr<AsyncHostToDeviceTransferManager>>
  CreateBuffersForAsyncHostToDevice(std::span<const ArrayShape> shapes,
                                    MemorySpace* memory) = 0;

  // Lets devices read and write host memory directly, and ends it.
  virtual Status DmaMap(void* data, size_t size) = 0;
  virtual Status DmaUnmap(void* data) = 0;
  // News of the other processes. Never fails: clients end the job on an error.
  virtual void UpdateGlobalProcessInfo(std::span<const ProcessInfo> processes) {
    (void)processes;
  }
};

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_INTERFACE_CLIENT_H_
