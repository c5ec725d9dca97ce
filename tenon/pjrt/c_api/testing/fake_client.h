// A fake client for tests of the C layer. It has two devices and two memory kinds. Its
// programs are "add_one" (f32 in, f32 out), "add_one donate" (the result is in the
// argument's storage) and "fail" (the result fails). Only as thread-safe as the tests
// need.
#ifndef TENON_PJRT_C_API_TESTING_FAKE_CLIENT_H_
#define TENON_PJRT_C_API_TESTING_FAKE_CLIENT_H_

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tenon/pjrt/c_api/plugin.h"
#include "tenon/pjrt/c_api/shapes.h"
#include "tenon/pjrt/interface/client.h"

namespace tenon::pjrt::testing {

class FakeTopology final : public Topology {
 public:
  explicit FakeTopology(int num_devices) {
    for (int id = 0; id < num_devices; ++id) {
      std::string name = "FakeDevice(id=" + std::to_string(id) + ")";
      devices_.push_back({
          .id = id,
          .process_index = 0,
          .kind = "fake",
          .debug_string = name,
          .to_string = "fake:" + std::to_string(id),
          .attributes = {{"cores", int64_t{4}}, {"vendor", std::string("none")}},
          .memories = {{"device", 0}, {"pinned_host", 1}},
          .default_memory_index = 0,
      });
    }
  }
  std::string_view platform_name() const override { return "fake"; }
  std::string_view platform_version() const override { return "fake 1"; }
  std::span<const DeviceDescription> devices() const override { return devices_; }
  const NamedValueMap& attributes() const override { return attributes_; }
  StatusOr<uint64_t> Fingerprint() const override { return uint64_t{42}; }
  StatusOr<std::string> Serialize() const override {
    return std::to_string(devices_.size());
  }
  StatusOr<std::shared_ptr<Executable>> Compile(const Program& program,
                                                std::string_view options) override;

 private:
  std::vector<DeviceDescription> devices_;
  NamedValueMap attributes_{{"mesh", std::vector<int64_t>{2, 1}}};
};

class FakeMemory final : public MemorySpace {
 public:
  FakeMemory(int id, std::string kind, int kind_id, Device* device)
      : id_(id), kind_(std::move(kind)), kind_id_(kind_id), device_(device) {}
  int id() const override { return id_; }
  std::string_view kind() const override { return kind_; }
  int kind_id() const override { return kind_id_; }
  std::string_view debug_string() const override { return kind_; }
  std::string_view to_string() const override { return kind_; }
  std::span<Device* const> devices() const override { return {&device_, 1}; }

 private:
  int id_;
  std::string kind_;
  int kind_id_;
  Device* device_;
};

class FakeDevice final : public Device {
 public:
  explicit FakeDevice(const DeviceDescription& description)
      : description_(description),
        device_memory_(2 * description.id, "device", 0, this),
        host_memory_(2 * description.id + 1, "pinned_host", 1, this) {}
  const DeviceDescription& description() const override { return description_; }
  bool is_addressable() const override { return true; }
  int local_hardware_id() const override { return description_.id; }
  std::span<MemorySpace* const> memories() const override { return memories_; }
  MemorySpace* default_memory() const override { return memories_[0]; }
  const NamedValueMap& attributes() const override { return attributes_; }
  StatusOr<MemoryStats> GetMemoryStats() const override {
    MemoryStats stats;
    stats.bytes_in_use = 7;
    stats.peak_pool_bytes = 9;
    return stats;
  }

 private:
  const DeviceDescription& description_;
  FakeMemory device_memory_, host_memory_;
  std::vector<MemorySpace*> memories_{&device_memory_, &host_memory_};
  NamedValueMap attributes_{{"numa_node", int64_t{0}}};
};

class FakeBuffer final : public Buffer {
 public:
  FakeBuffer(ElementType type, std::vector<int64_t> dims, MemorySpace* memory,
             Event ready)
      : type_(type),
        dims_(std::move(dims)),
        minor_to_major_(RowMajorLayout(dims_.size())),
        memory_(memory),
        ready_(std::move(ready)) {
    int64_t bytes = ElementBytes(type);
    for (int64_t size : dims_) bytes *= size;
    storage_ = std::make_shared<std::vector<char>>(bytes);
  }
  ElementType element_type() const override { return type_; }
  std::span<const int64_t> dims() const override { return dims_; }
  std::span<const int64_t> minor_to_major() const override { return minor_to_major_; }
  MemorySpace* memory() const override { return memory_; }
  Device* device() const override { return memory_->devices()[0]; }
  bool is_on_cpu() const override { return true; }
  StatusOr<size_t> OnDeviceSizeInBytes() const override { return storage_->size(); }
  size_t HostSizeInBytes() const override { return storage_->size(); }
  Event ReadyEvent() override {
    return deleted_ ? Event::Failed(FailedPrecondition("buffer is deleted")) : ready_;
  }
  void Delete() override { deleted_ = true; }
  bool IsDeleted() const override { return deleted_; }
  Event ToHost(void* dst, size_t,
               std::optional<std::span<const int64_t>> byte_strides) override {
    if (deleted_) return ReadyEvent();
    std::vector<int64_t> own =
        c_api::DenseByteStrides(minor_to_major_, dims_, ElementBytes(type_));
    std::vector<int64_t> to =
        byte_strides ? std::vector<int64_t>(byte_strides->begin(), byte_strides->end())
                     : own;
    Copy(0, static_cast<char*>(dst), to, storage_->data(), own);
    return Event::Ready();
  }
  Event CopyRawToHost(void* dst, int64_t offset, int64_t size) override {
    std::memcpy(dst, storage_->data() + offset, size);
    return Event::Ready();
  }
  Event CopyRawToHostFuture(Event dst, std::shared_ptr<void*> location, int64_t offset,
                            int64_t size) override {
    Event done = Event::Pending();
    dst.OnReady([done, location, storage = storage_, offset, size](const Status& status) {
      if (status.ok()) std::memcpy(*location, storage->data() + offset, size);
      done.Set(status);
    });
    return done;
  }
  StatusOr<std::unique_ptr<Buffer>> CopyToMemory(MemorySpace* memory) override {
    auto copy = std::make_unique<FakeBuffer>(type_, dims_, memory, ready_);
    *copy->storage_ = *storage_;
    return std::unique_ptr<Buffer>(std::move(copy));
  }
  StatusOr<std::unique_ptr<Buffer>> DonateWithControlDependency(
      Event dependency) override {
    auto donated = std::make_unique<FakeBuffer>(type_, dims_, memory_, dependency);
    donated->storage_ = storage_;
    deleted_ = true;
    return std::unique_ptr<Buffer>(std::move(donated));
  }
  Status IncreaseExternalReferenceCount() override {
    ++external_;
    return OkStatus();
  }
  Status DecreaseExternalReferenceCount() override {
    if (external_ == 0) return FailedPrecondition("external reference count is 0");
    --external_;
    return OkStatus();
  }
  StatusOr<void*> OpaquePointer() override {
    return static_cast<void*>(storage_->data());
  }
  StatusOr<uintptr_t> UnsafePointer() override {
    return reinterpret_cast<uintptr_t>(storage_->data());
  }

  void Fill(const char* from, const std::vector<int64_t>& strides) {
    Copy(0, storage_->data(),
         c_api::DenseByteStrides(minor_to_major_, dims_, ElementBytes(type_)), from,
         strides);
  }
  std::vector<char>& storage() { return *storage_; }
  void set_ready(Event ready) { ready_ = std::move(ready); }
  std::function<void()> on_delete;

  ~FakeBuffer() override {
    if (on_delete) on_delete();
  }

 private:
  void Copy(size_t dim, char* to, std::span<const int64_t> to_strides, const char* from,
            std::span<const int64_t> from_strides) {
    if (dim == dims_.size()) {
      std::memcpy(to, from, ElementBytes(type_));
      return;
    }
    for (int64_t i = 0; i < dims_[dim]; ++i) {
      Copy(dim + 1, to + i * to_strides[dim], to_strides, from + i * from_strides[dim],
           from_strides);
    }
  }

  ElementType type_;
  std::vector<int64_t> dims_;
  std::vector<int64_t> minor_to_major_;
  MemorySpace* memory_;
  Event ready_;
  std::shared_ptr<std::vector<char>> storage_;
  bool deleted_ = false;
  int external_ = 0;
};

class FakeExecutable final : public Executable {
 public:
  FakeExecutable(std::string program, std::string options)
      : program_(std::move(program)), options_(std::move(options)) {
    TensorInfo info;
    info.type = ElementType::kF32;
    info.dims = {2, 3};
    info.minor_to_major = {1, 0};
    info.sharding = "";
    infos_.push_back(info);
  }
  std::string_view name() const override { return program_; }
  int64_t num_replicas() const override { return 1; }
  int64_t num_partitions() const override { return 1; }
  std::span<const TensorInfo> parameters() const override { return infos_; }
  std::span<const TensorInfo> outputs() const override { return infos_; }
  int64_t generated_code_size() const override { return -1; }
  std::string_view compile_options() const override { return options_; }
  StatusOr<std::string> Fingerprint() const override { return "print of " + program_; }
  StatusOr<std::string> Serialize() const override { return program_; }
  StatusOr<ProgramText> OptimizedProgram() const override {
    return ProgramText{"mlir", "module of " + program_};
  }
  StatusOr<NamedValueMap> CostAnalysis() const override {
    return NamedValueMap{{"flops", 6.0f}};
  }
  StatusOr<CompiledMemoryStats> GetCompiledMemoryStats() const override {
    CompiledMemoryStats stats;
    stats.argument_size = 24;
    stats.peak_memory = 48;
    stats.peak_unpadded_heap = 50;
    return stats;
  }

 private:
  std::string program_, options_;
  std::vector<TensorInfo> infos_;
};

class FakeLoadedExecutable final : public LoadedExecutable {
 public:
  FakeLoadedExecutable(std::shared_ptr<Executable> executable, Device* device)
      : executable_(std::move(executable)), device_(device) {}
  const std::shared_ptr<Executable>& executable() const override { return executable_; }
  std::span<Device* const> addressable_devices() const override { return {&device_, 1}; }
  std::span<const LogicalDeviceId> addressable_logical_ids() const override {
    return {&logical_id_, 1};
  }
  const DeviceAssignment& device_assignment() const override { return assignment_; }
  void Delete() override { deleted_ = true; }
  bool IsDeleted() const override { return deleted_; }
  Status Execute(std::span<const std::span<Buffer* const>> arguments,
                 std::span<const std::span<std::unique_ptr<Buffer>>> outputs,
                 std::span<Event> done, const ExecuteOptions& options) override {
    last_options = options;
    last_location = options.call_location;
    auto* argument = static_cast<FakeBuffer*>(arguments[0][0]);
    if (argument->IsDeleted()) return InvalidArgument("argument 0 is deleted");
    Device* device = options.device ? options.device : device_;
    auto result =
        std::make_unique<FakeBuffer>(ElementType::kF32, std::vector<int64_t>{2, 3},
                                     device->default_memory(), Event::Ready());
    Event end = Event::Ready();
    if (executable_->name() == "fail") {
      end = Event::Failed(Internal("the program failed"));
      result->set_ready(end);
    } else {
      for (int i = 0; i < 6; ++i) {
        reinterpret_cast<float*>(result->storage().data())[i] =
            reinterpret_cast<float*>(argument->storage().data())[i] + 1;
      }
    }
    auto& kept = options.non_donatable_input_indices;
    if (executable_->name() == "add_one donate" &&
        std::find(kept.begin(), kept.end(), 0) == kept.end()) {
      argument->Delete();
    }
    outputs[0][0] = std::move(result);
    if (!done.empty()) done[0] = end;
    return OkStatus();
  }

  ExecuteOptions last_options;
  std::string last_location;

 private:
  std::shared_ptr<Executable> executable_;
  Device* device_;
  LogicalDeviceId logical_id_{0, 0};
  DeviceAssignment assignment_{1, 1, {0}};
  bool deleted_ = false;
};

class FakeTransferManager final : public AsyncHostToDeviceTransferManager {
 public:
  FakeTransferManager(std::span<const ArrayShape> shapes, MemorySpace* memory)
      : memory_(memory) {
    for (const ArrayShape& shape : shapes) {
      events_.push_back(Event::Pending());
      buffers_.push_back(std::make_unique<FakeBuffer>(
          shape.type, std::vector<int64_t>(shape.dims.begin(), shape.dims.end()), memory,
          events_.back()));
      views_.push_back(buffers_.back().get());
    }
  }
  size_t buffer_count() const override { return views_.size(); }
  Device* device() const override { return memory_->devices()[0]; }
  size_t BufferSize(size_t index) const override {
    return views_[index]->storage().size();
  }
  StatusOr<std::unique_ptr<Buffer>> RetrieveBuffer(size_t index) override {
    if (!buffers_[index]) return FailedPrecondition("buffer retrieved twice");
    return std::unique_ptr<Buffer>(std::move(buffers_[index]));
  }
  StatusOr<Event> TransferData(size_t index, const void* data, int64_t offset,
                               int64_t size, bool last) override {
    std::memcpy(views_[index]->storage().data() + offset, data, size);
    if (last) events_[index].Set();
    return Event::Ready();
  }
  StatusOr<Event> TransferLiteral(size_t index, const HostArray& literal) override {
    std::vector<int64_t> strides =
        literal.byte_strides
            ? std::vector<int64_t>(literal.byte_strides->begin(),
                                   literal.byte_strides->end())
            : c_api::DenseByteStrides(RowMajorLayout(literal.dims.size()), literal.dims,
                                      ElementBytes(literal.type));
    views_[index]->Fill(static_cast<const char*>(literal.data), strides);
    events_[index].Set();
    return Event::Ready();
  }
  void SetBufferError(size_t index, Status error) override {
    events_[index].Set(std::move(error));
  }
  void AddMetadata(const NamedValueMap&) override {}

 private:
  MemorySpace* memory_;
  std::vector<std::unique_ptr<FakeBuffer>> buffers_;
  std::vector<FakeBuffer*> views_;
  std::vector<Event> events_;
};

class FakeClient final : public Client {
 public:
  explicit FakeClient(const ClientOptions& given) : options(given), topology_(2) {
    for (const DeviceDescription& description : topology_.devices()) {
      owned_.push_back(std::make_unique<FakeDevice>(description));
      devices_.push_back(owned_.back().get());
      for (MemorySpace* memory : owned_.back()->memories()) memories_.push_back(memory);
    }
  }
  std::string_view platform_name() const override { return "fake"; }
  std::string_view platform_version() const override { return "fake 1"; }
  int process_index() const override { return 0; }
  Topology& topology() const override { return topology_; }
  std::span<Device* const> devices() const override { return devices_; }
  std::span<Device* const> addressable_devices() const override { return devices_; }
  std::span<MemorySpace* const> addressable_memories() const override {
    return memories_;
  }
  StatusOr<DeviceAssignment> DefaultDeviceAssignment(int replicas,
                                                     int partitions) const override {
    DeviceAssignment assignment{replicas, partitions, {}};
    for (int i = 0; i < replicas * partitions; ++i) assignment.device_ids.push_back(i);
    return assignment;
  }
  StatusOr<std::unique_ptr<LoadedExecutable>> Compile(const Program& program,
                                                      std::string_view given) override {
    TENON_ASSIGN_OR_RETURN(auto executable, topology_.Compile(program, given));
    return Load(std::move(executable), "");
  }
  StatusOr<std::unique_ptr<LoadedExecutable>> Load(std::shared_ptr<Executable> executable,
                                                   std::string_view) override {
    return std::unique_ptr<LoadedExecutable>(
        std::make_unique<FakeLoadedExecutable>(std::move(executable), devices_[0]));
  }
  StatusOr<std::unique_ptr<LoadedExecutable>> DeserializeAndLoad(
      std::string_view bytes, std::string_view given, const LoadOptions&) override {
    return Compile({"mlir", bytes}, given);
  }
  StatusOr<HostTransfer> BufferFromHost(
      const HostArray& array, HostBufferSemantics, MemorySpace* memory,
      std::optional<std::span<const int64_t>>) override {
    std::vector<int64_t> dims(array.dims.begin(), array.dims.end());
    auto buffer = std::make_unique<FakeBuffer>(array.type, dims, memory, Event::Ready());
    std::vector<int64_t> strides =
        array.byte_strides
            ? std::vector<int64_t>(array.byte_strides->begin(), array.byte_strides->end())
            : c_api::DenseByteStrides(RowMajorLayout(dims.size()), dims,
                                      ElementBytes(array.type));
    buffer->Fill(static_cast<const char*>(array.data), strides);
    return HostTransfer{std::move(buffer), Event::Ready()};
  }
  StatusOr<std::unique_ptr<Buffer>> CreateUninitializedBuffer(
      const ArrayShape& shape, MemorySpace* memory) override {
    return std::unique_ptr<Buffer>(Make(shape, memory, Event::Ready()));
  }
  StatusOr<std::unique_ptr<Buffer>> CreateErrorBuffer(Status error,
                                                      const ArrayShape& shape,
                                                      MemorySpace* memory) override {
    return std::unique_ptr<Buffer>(Make(shape, memory, Event::Failed(std::move(error))));
  }
  StatusOr<std::unique_ptr<Buffer>> CreateViewOfDeviceBuffer(
      void* data, const ArrayShape& shape, MemorySpace* memory, intptr_t,
      std::function<void()> on_delete) override {
    std::unique_ptr<FakeBuffer> buffer = Make(shape, memory, Event::Ready());
    std::memcpy(buffer->storage().data(), data, buffer->storage().size());
    buffer->on_delete = std::move(on_delete);
    return std::unique_ptr<Buffer>(std::move(buffer));
  }
  StatusOr<std::unique_ptr<AsyncHostToDeviceTransferManager>>
  CreateBuffersForAsyncHostToDevice(std::span<const ArrayShape> shapes,
                                    MemorySpace* memory) override {
    return std::unique_ptr<AsyncHostToDeviceTransferManager>(
        std::make_unique<FakeTransferManager>(shapes, memory));
  }
  Status DmaMap(void*, size_t) override { return OkStatus(); }
  Status DmaUnmap(void*) override { return OkStatus(); }

  ClientOptions options;

 private:
  static std::unique_ptr<FakeBuffer> Make(const ArrayShape& shape, MemorySpace* memory,
                                          Event ready) {
    return std::make_unique<FakeBuffer>(
        shape.type, std::vector<int64_t>(shape.dims.begin(), shape.dims.end()), memory,
        std::move(ready));
  }

  mutable FakeTopology topology_;
  std::vector<std::unique_ptr<FakeDevice>> owned_;
  std::vector<Device*> devices_;
  std::vector<MemorySpace*> memories_;
};

inline StatusOr<std::shared_ptr<Executable>> FakeTopology::Compile(
    const Program& program, std::string_view options) {
  if (program.format != "mlir") {
    return InvalidArgument("program format '" + std::string(program.format) +
                           "' is not mlir");
  }
  if (program.code == "throw") throw std::bad_alloc();
  if (options == "bad") return InvalidArgument("malformed options");
  return std::shared_ptr<Executable>(
      std::make_shared<FakeExecutable>(std::string(program.code), std::string(options)));
}

// The last client created, so that a test can inspect the calls that reached it.
inline FakeClient*& LastClient() {
  static FakeClient* last = nullptr;
  return last;
}

inline StatusOr<std::unique_ptr<Client>> CreateFakeClient(const ClientOptions& options) {
  if (options.values.contains("fail")) return Internal("create failed");
  auto client = std::make_unique<FakeClient>(options);
  LastClient() = client.get();
  return std::unique_ptr<Client>(std::move(client));
}

}  // namespace tenon::pjrt::testing

#endif  // TENON_PJRT_C_API_TESTING_FAKE_CLIENT_H_
