// Tests the client library over the fake client's function table.
#include "tenon/pjrt/interface/client.h"

#include <gtest/gtest.h>

#include "tenon/pjrt/c_api/testing/test_api.h"
#include "tenon/pjrt/c_api_client/executable.h"
#include "tenon/pjrt/c_api_client/plugin.h"

namespace tenon::pjrt::c_api_client {
namespace {

using testing::Api;
using testing::LastClient;

class ClientTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto plugin = Plugin::FromApi(&Api(), "fake");
    ASSERT_TRUE(plugin.ok()) << plugin.status().ToString();
    auto client = plugin->CreateClient({{{"name", std::string("x")}}, nullptr});
    ASSERT_TRUE(client.ok()) << client.status().ToString();
    client_ = *std::move(client);
  }

  std::unique_ptr<Buffer> Upload(const std::vector<float>& values) {
    static const int64_t kDims[] = {2, 3};
    auto transfer = client_->BufferFromHost(
        {values.data(), ElementType::kF32, kDims, std::nullopt},
        HostBufferSemantics::kImmutableOnlyDuringCall,
        client_->addressable_devices()[0]->default_memory(), std::nullopt);
    EXPECT_TRUE(transfer.ok()) << transfer.status().ToString();
    EXPECT_TRUE(transfer->done.Await().ok());
    return std::move(transfer->buffer);
  }

  static std::vector<float> Download(Buffer& buffer) {
    std::vector<float> values(6);
    Status status = buffer.ToHost(values.data(), 24, std::nullopt).Await();
    EXPECT_TRUE(status.ok()) << status.ToString();
    return values;
  }

  std::unique_ptr<LoadedExecutable> Compile(std::string_view code) {
    auto executable = client_->Compile({"mlir", code}, "options");
    EXPECT_TRUE(executable.ok()) << executable.status().ToString();
    return *std::move(executable);
  }

  static Status Run(LoadedExecutable& executable, Buffer* argument,
                    std::unique_ptr<Buffer>* result, Event* done,
                    const ExecuteOptions& options = {}) {
    Buffer* arguments[] = {argument};
    std::span<Buffer* const> argument_lists[] = {arguments};
    std::span<std::unique_ptr<Buffer>> output_lists[] = {{result, 1}};
    return executable.Execute(argument_lists, output_lists, {done, 1}, options);
  }

  std::unique_ptr<Client> client_;
};

TEST_F(ClientTest, ClientAndDevices) {
  EXPECT_EQ(client_->platform_name(), "fake");
  EXPECT_EQ(client_->platform_version(), "fake 1");
  EXPECT_EQ(std::get<std::string>(LastClient()->options.values.at("name")), "x");
  ASSERT_EQ(client_->devices().size(), 2u);
  ASSERT_EQ(client_->addressable_memories().size(), 4u);
  Device* device = client_->devices()[1];
  EXPECT_EQ(device->description().id, 1);
  EXPECT_EQ(device->description().kind, "fake");
  EXPECT_EQ(device->description().debug_string, "FakeDevice(id=1)");
  EXPECT_EQ(std::get<int64_t>(device->description().attributes.at("cores")), 4);
  EXPECT_EQ(&device->description(), &client_->topology().devices()[1]);
  EXPECT_EQ(std::get<int64_t>(device->attributes().at("numa_node")), 0);
  EXPECT_TRUE(device->is_addressable());
  EXPECT_EQ(device->local_hardware_id(), 1);
  ASSERT_EQ(device->memories().size(), 2u);
  EXPECT_EQ(device->default_memory(), device->memories()[0]);
  EXPECT_EQ(device->memories()[1]->kind(), "pinned_host");
  EXPECT_EQ(device->memories()[1]->kind_id(), 1);
  ASSERT_EQ(device->memories()[1]->devices().size(), 1u);
  EXPECT_EQ(device->memories()[1]->devices()[0], device);
  auto stats = device->GetMemoryStats();
  ASSERT_TRUE(stats.ok());
  EXPECT_EQ(stats->bytes_in_use, 7);
  EXPECT_EQ(stats->peak_pool_bytes, 9);
  EXPECT_EQ(stats->bytes_limit, std::nullopt);
  auto assignment = client_->DefaultDeviceAssignment(2, 1);
  ASSERT_TRUE(assignment.ok());
  EXPECT_EQ(assignment->device_ids, (std::vector<int>{0, 1}));
}

TEST_F(ClientTest, Topology) {
  Topology& topology = client_->topology();
  EXPECT_EQ(std::get<std::vector<int64_t>>(topology.attributes().at("mesh")),
            (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(*topology.Fingerprint(), 42u);
  auto bytes = topology.Serialize();
  ASSERT_TRUE(bytes.ok());
  auto again = Plugin::FromApi(&Api(), "fake")->DeserializeTopology(*bytes);
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_EQ((*again)->devices().size(), 2u);
  auto made = Plugin::FromApi(&Api(), "fake")->CreateTopology("", {});
  ASSERT_TRUE(made.ok());
  EXPECT_EQ((*made)->devices().size(), 3u);
  auto executable = topology.Compile({"mlir", "add_one"}, "");
  ASSERT_TRUE(executable.ok());
  auto loaded = client_->Load(*executable, "");
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  EXPECT_EQ((*loaded)->executable()->name(), "add_one");
}

TEST_F(ClientTest, BufferRoundTrip) {
  auto buffer = Upload({0, 1, 2, 3, 4, 5});
  EXPECT_EQ(buffer->element_type(), ElementType::kF32);
  EXPECT_EQ(std::vector<int64_t>(buffer->dims().begin(), buffer->dims().end()),
            (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(std::vector<int64_t>(buffer->minor_to_major().begin(),
                                 buffer->minor_to_major().end()),
            (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(buffer->HostSizeInBytes(), 24u);
  EXPECT_EQ(*buffer->OnDeviceSizeInBytes(), 24u);
  EXPECT_TRUE(buffer->is_on_cpu());
  EXPECT_EQ(buffer->memory(), client_->addressable_memories()[0]);
  EXPECT_EQ(Download(*buffer), (std::vector<float>{0, 1, 2, 3, 4, 5}));

  const int64_t transposed[] = {4, 8};
  std::vector<float> values(6);
  ASSERT_TRUE(buffer->ToHost(values.data(), 24, transposed).Await().ok());
  EXPECT_EQ(values, (std::vector<float>{0, 3, 1, 4, 2, 5}));
  float raw[2];
  ASSERT_TRUE(buffer->CopyRawToHost(raw, 4, 8).Await().ok());
  EXPECT_EQ(raw[1], 2);
  Event ready = Event::Pending();
  auto location = std::make_shared<void*>(nullptr);
  Event copied = buffer->CopyRawToHostFuture(ready, location, 20, 4);
  EXPECT_FALSE(copied.IsReady());
  *location = raw;
  ready.Set();
  ASSERT_TRUE(copied.Await().ok());
  EXPECT_EQ(raw[0], 5);

  auto copy = buffer->CopyToMemory(client_->addressable_memories()[3]);
  ASSERT_TRUE(copy.ok());
  EXPECT_EQ((*copy)->memory()->kind(), "pinned_host");
  EXPECT_EQ((*copy)->device(), client_->devices()[1]);
  EXPECT_EQ(*buffer->UnsafePointer(),
            reinterpret_cast<uintptr_t>(*buffer->OpaquePointer()));
  EXPECT_EQ(buffer->DecreaseExternalReferenceCount().code(),
            StatusCode::kFailedPrecondition);
  EXPECT_TRUE(buffer->IncreaseExternalReferenceCount().ok());
  buffer->Delete();
  EXPECT_TRUE(buffer->IsDeleted());
  EXPECT_EQ(buffer->ReadyEvent().Await().code(), StatusCode::kFailedPrecondition);
}

TEST_F(ClientTest, EventsCompleteLaterAndWithErrors) {
  auto buffer = Upload({0, 1, 2, 3, 4, 5});
  Event dependency = Event::Pending();
  auto donated = buffer->DonateWithControlDependency(dependency);
  ASSERT_TRUE(donated.ok());
  EXPECT_TRUE(buffer->IsDeleted());
  Event ready = (*donated)->ReadyEvent();
  EXPECT_FALSE(ready.IsReady());
  dependency.Set(Status(StatusCode::kAborted, "the other side left"));
  EXPECT_EQ(ready.Await().ToString(), "ABORTED: the other side left");

  auto failed = client_->CreateErrorBuffer(Status(StatusCode::kDataLoss, "gone"),
                                           {ElementType::kF32, {}, std::nullopt},
                                           client_->addressable_memories()[0]);
  ASSERT_TRUE(failed.ok());
  EXPECT_EQ((*failed)->ReadyEvent().Await().ToString(), "DATA_LOSS: gone");
}

TEST_F(ClientTest, Execute) {
  auto executable = Compile("add_one donate");
  const Executable& program = *executable->executable();
  EXPECT_EQ(program.name(), "add_one donate");
  EXPECT_EQ(program.num_replicas(), 1);
  EXPECT_EQ(program.compile_options(), "options");
  ASSERT_EQ(program.outputs().size(), 1u);
  EXPECT_EQ(program.outputs()[0].type, ElementType::kF32);
  EXPECT_EQ(program.outputs()[0].dims, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(program.outputs()[0].memory_kind, "device");
  ASSERT_EQ(program.parameters().size(), 1u);
  EXPECT_EQ(*program.Fingerprint(), "print of add_one donate");
  EXPECT_EQ(program.OptimizedProgram()->code, "module of add_one donate");
  EXPECT_EQ(std::get<float>(program.CostAnalysis()->at("flops")), 6.0f);
  EXPECT_EQ(program.GetCompiledMemoryStats()->peak_unpadded_heap, 50);
  ASSERT_EQ(executable->addressable_devices().size(), 1u);
  EXPECT_EQ(executable->addressable_devices()[0], client_->devices()[0]);
  EXPECT_EQ(executable->device_assignment().device_ids, std::vector<int>{0});
  ASSERT_EQ(executable->addressable_logical_ids().size(), 1u);

  auto argument = Upload({0, 1, 2, 3, 4, 5});
  std::unique_ptr<Buffer> result;
  Event done;
  const int64_t keep[] = {0};
  ExecuteOptions options;
  options.non_donatable_input_indices = keep;
  options.call_location = "here.py:1";
  Status status = Run(*executable, argument.get(), &result, &done, options);
  ASSERT_TRUE(status.ok()) << status.ToString();
  ASSERT_TRUE(done.Await().ok());
  EXPECT_EQ(Download(*result), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_FALSE(argument->IsDeleted());
  ASSERT_TRUE(Run(*executable, argument.get(), &result, &done).ok());
  EXPECT_TRUE(argument->IsDeleted());
  status = Run(*executable, argument.get(), &result, &done);
  EXPECT_EQ(status.ToString(), "INVALID_ARGUMENT: argument 0 is deleted");
  executable->Delete();
  EXPECT_TRUE(executable->IsDeleted());
}

TEST_F(ClientTest, ErrorsOfCompileAndExecution) {
  auto bad = client_->Compile({"mlir", "add_one"}, "bad");
  EXPECT_EQ(bad.status().ToString(), "INVALID_ARGUMENT: malformed options");
  auto executable = Compile("fail");
  auto argument = Upload({0, 1, 2, 3, 4, 5});
  std::unique_ptr<Buffer> result;
  Event done;
  ASSERT_TRUE(Run(*executable, argument.get(), &result, &done).ok());
  EXPECT_EQ(done.Await().ToString(), "INTERNAL: the program failed");
  EXPECT_EQ(result->ReadyEvent().Await().code(), StatusCode::kInternal);
}

TEST_F(ClientTest, SerializeAndLoad) {
  auto executable = Compile("add_one");
  auto bytes = executable->executable()->Serialize();
  ASSERT_TRUE(bytes.ok());
  auto again = client_->DeserializeAndLoad(*bytes, "", {});
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  auto argument = Upload({0, 0, 0, 0, 0, 0});
  std::unique_ptr<Buffer> result;
  Event done;
  ASSERT_TRUE(Run(**again, argument.get(), &result, &done).ok());
  EXPECT_EQ(Download(*result)[5], 1);
}

TEST_F(ClientTest, ViewsAndUploadsInChunks) {
  MemorySpace* memory = client_->addressable_memories()[0];
  const int64_t dims[] = {2, 3};
  const ArrayShape shape{ElementType::kF32, dims, std::nullopt};
  float values[] = {5, 4, 3, 2, 1, 0};
  int deletions = 0;
  auto view =
      client_->CreateViewOfDeviceBuffer(values, shape, memory, 0, [&] { ++deletions; });
  ASSERT_TRUE(view.ok());
  EXPECT_EQ(Download(**view)[0], 5);
  EXPECT_EQ(deletions, 0);
  view->reset();
  EXPECT_EQ(deletions, 1);

  const ArrayShape shapes[] = {shape, shape};
  auto manager = client_->CreateBuffersForAsyncHostToDevice(shapes, memory);
  ASSERT_TRUE(manager.ok());
  EXPECT_EQ((*manager)->buffer_count(), 2u);
  EXPECT_EQ((*manager)->BufferSize(1), 24u);
  EXPECT_EQ((*manager)->device(), client_->devices()[0]);
  auto buffer = (*manager)->RetrieveBuffer(1);
  ASSERT_TRUE(buffer.ok());
  EXPECT_FALSE((*manager)->RetrieveBuffer(1).ok());
  EXPECT_FALSE((*buffer)->ReadyEvent().IsReady());
  ASSERT_TRUE((*manager)->TransferData(1, values, 0, 12, false).ok());
  ASSERT_TRUE((*manager)->TransferData(1, values, 12, 12, true).ok());
  ASSERT_TRUE((*buffer)->ReadyEvent().Await().ok());
  EXPECT_EQ(Download(**buffer), (std::vector<float>{5, 4, 3, 5, 4, 3}));
  auto other = (*manager)->RetrieveBuffer(0);
  ASSERT_TRUE(other.ok());
  (*manager)->SetBufferError(0, Internal("no data"));
  EXPECT_EQ((*other)->ReadyEvent().Await().ToString(), "INTERNAL: no data");
}

class MapStore final : public KeyValueStore {
 public:
  StatusOr<std::string> Get(std::string_view key, std::chrono::milliseconds) override {
    return TryGet(key);
  }
  StatusOr<std::string> TryGet(std::string_view key) override {
    auto found = values.find(key);
    if (found == values.end()) return NotFound("no key " + std::string(key));
    return found->second;
  }
  Status Put(std::string_view key, std::string_view value) override {
    values[std::string(key)] = value;
    return OkStatus();
  }
  std::map<std::string, std::string, std::less<>> values;
};

TEST_F(ClientTest, KeyValueStore) {
  auto store = std::make_shared<MapStore>();
  auto client = Plugin::FromApi(&Api(), "fake")
                    ->CreateClient({.values = {{"num_nodes", int64_t{2}}},
                                    .key_value_store = store});
  ASSERT_TRUE(client.ok());
  KeyValueStore* through = LastClient()->options.key_value_store.get();
  ASSERT_NE(through, nullptr);
  EXPECT_TRUE(through->Put("a", "1").ok());
  EXPECT_EQ(store->values["a"], "1");
  EXPECT_EQ(*through->Get("a", std::chrono::milliseconds(1)), "1");
  EXPECT_EQ(through->TryGet("b").status().ToString(), "NOT_FOUND: no key b");
}

TEST(PluginTest, RejectsPluginsThatItCannotUse) {
  EXPECT_EQ(Plugin::Load("/nowhere/plugin.so").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(Plugin::Load("libm.so.6").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(Plugin::FromApi(nullptr, "null").status().code(),
            StatusCode::kInvalidArgument);
  PJRT_Api other = Api();
  other.pjrt_api_version.major_version = PJRT_API_MAJOR + 1;
  EXPECT_EQ(Plugin::FromApi(&other, "new").status().code(), StatusCode::kUnimplemented);
  other.struct_size = sizeof(size_t);
  EXPECT_EQ(Plugin::FromApi(&other, "short").status().code(),
            StatusCode::kInvalidArgument);
  auto attributes = Plugin::FromApi(&Api(), "fake")->Attributes();
  ASSERT_TRUE(attributes.ok());
  EXPECT_EQ(std::get<int64_t>(attributes->at("xla_version")), 2);
  auto client =
      Plugin::FromApi(&Api(), "fake")->CreateClient({{{"fail", true}}, nullptr});
  EXPECT_EQ(client.status().ToString(), "INTERNAL: create failed");
}

// A table with the size of an old plugin's, and with null for a function that it lacks.
TEST(PluginTest, MissingFunctionsOfOldPluginsAreUnimplemented) {
  PJRT_Api old = Api();
  old.pjrt_api_version.minor_version = 54;
  old.struct_size = offsetof(PJRT_Api, PJRT_Buffer_CopyRawToHost);
  old.PJRT_Client_TopologyDescription = nullptr;
  auto plugin = Plugin::FromApi(&old, "old");
  ASSERT_TRUE(plugin.ok()) << plugin.status().ToString();
  auto client = plugin->CreateClient({});
  ASSERT_TRUE(client.ok()) << client.status().ToString();
  EXPECT_EQ((*client)->devices()[1]->description().id, 1);
  EXPECT_TRUE((*client)->devices()[1]->attributes().empty());
  EXPECT_EQ((*client)->topology().Fingerprint().status().code(),
            StatusCode::kUnimplemented);
  auto executable = (*client)->Compile({"mlir", "add_one"}, "");
  ASSERT_TRUE(executable.ok()) << executable.status().ToString();
  EXPECT_EQ((*client)->DmaMap(nullptr, 0).ToString(),
            "UNIMPLEMENTED: PJRT_Client_DmaMap is not in the plugin, whose PJRT API is "
            "0.54");
}

TEST(DeviceAssignmentTest, MalformedBytesAreErrors) {
  EXPECT_FALSE(ParseDeviceAssignment("\x1a\xff").ok());
  EXPECT_FALSE(ParseDeviceAssignment(std::string("\x08\x02\x10\x01", 4)).ok());
  auto empty = ParseDeviceAssignment("");
  ASSERT_TRUE(empty.ok());
  EXPECT_EQ(empty->num_replicas, 0);
}

}  // namespace
}  // namespace tenon::pjrt::c_api_client
