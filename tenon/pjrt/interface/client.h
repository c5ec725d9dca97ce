// A client: devices, their memory spaces, and the factory of buffers and executables.
//
// Thread-safe. It owns its devices, memory spaces and topology. Its buffers and
// executables must be destroyed before it. The destructor waits for work in flight.
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

// The key-value store by which the processes of a distributed job find each other.
// Thread-safe.
class KeyValueStore {
 public:
  virtual ~KeyValueStore() = default;
  // Blocks until the key exists. DEADLINE_EXCEEDED after `timeout`.
  virtual StatusOr<std::string> Get(std::string_view key,
                                    std::chrono::milliseconds timeout) = 0;
  virtual StatusOr<std::string> TryGet(std::string_view key) = 0;  // NOT_FOUND if absent
  virtual Status Put(std::string_view key, std::string_view value) = 0;
};

struct ClientOptions {
  NamedValueMap values;
  // Null unless this is a distributed job (num_nodes above 1). Lives as long as the
  // client.
  std::shared_ptr<KeyValueStore> key_value_store;
};

// A new buffer, and the event that completes when the caller's memory is no longer used.
// `done` is never null.
struct HostTransfer {
  std::unique_ptr<Buffer> buffer;
  Event done;
};

// A buffer whose contents another buffer will provide.
struct AliasBuffer {
  std::unique_ptr<Buffer> buffer;
  // Provides the contents from a buffer of the same shape, or fails the alias with an
  // error. The source remains usable. Call it once, from any thread. If it returns an
  // error, the alias fails with that error.
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

  // `options` are the bytes of a CompileOptionsProto. Blocks until the program is
  // compiled.
  virtual StatusOr<std::unique_ptr<LoadedExecutable>> Compile(
      const Program& program, std::string_view options) = 0;
  // Loads a program that was compiled without a client. If `options` is empty, the
  // options of its compilation apply.
  virtual StatusOr<std::unique_ptr<LoadedExecutable>> Load(
      std::shared_ptr<Executable> executable, std::string_view options) {
    (void)executable;
    (void)options;
    return Unimplemented("this client cannot load executables");
  }
  // Loads the bytes of Executable::Serialize. They must come from a compatible build.
  virtual StatusOr<std::unique_ptr<LoadedExecutable>> DeserializeAndLoad(
      std::string_view bytes, std::string_view options,
      const LoadOptions& load_options) = 0;

  // In all methods that create buffers, `memory` is one of addressable_memories().
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
  // Creates a buffer over the caller's memory. `on_delete`, which may be empty, runs
  // exactly once, when the buffer and all users of its storage are gone. It does not run
  // if an error is returned. If `stream`, the driver's own object, is not 0, the buffer
  // is ready when what is in it so far has run.
  virtual StatusOr<std::unique_ptr<Buffer>> CreateViewOfDeviceBuffer(
      void* data, const ArrayShape& shape, MemorySpace* memory, intptr_t stream,
      std::function<void()> on_delete) = 0;
  virtual StatusOr<std::unique_ptr<AsyncHostToDeviceTransferManager>>
  CreateBuffersForAsyncHostToDevice(std::span<const ArrayShape> shapes,
                                    MemorySpace* memory) = 0;

  // Allow devices to access host memory directly, and end that.
  virtual Status DmaMap(void* data, size_t size) = 0;
  virtual Status DmaUnmap(void* data) = 0;
  // Tells the client about the other processes. Cannot fail, because frameworks end the
  // job on an error.
  virtual void UpdateGlobalProcessInfo(std::span<const ProcessInfo> processes) {
    (void)processes;
  }
};

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_INTERFACE_CLIENT_H_
