// Tests clients, devices, memories and topologies through the C function table.
#include "tenon/pjrt/interface/client.h"

#include <climits>
#include <string>
#include <vector>

#include "tenon/pjrt/c_api/testing/test_api.h"

namespace tenon::pjrt::testing {
namespace {

TEST_F(ApiTest, ClientGetters) {
  MAKE_ARGS(name, PJRT_Client_PlatformName_Args);
  name.client = client_;
  CALL(PJRT_Client_PlatformName, name);
  EXPECT_EQ(std::string(name.platform_name, name.platform_name_size), "fake");
  MAKE_ARGS(index, PJRT_Client_ProcessIndex_Args);
  index.client = client_;
  CALL(PJRT_Client_ProcessIndex, index);
  EXPECT_EQ(index.process_index, 0);
  MAKE_ARGS(memories, PJRT_Client_AddressableMemories_Args);
  memories.client = client_;
  CALL(PJRT_Client_AddressableMemories, memories);
  EXPECT_EQ(memories.num_addressable_memories, 4u);
  MAKE_ARGS(info, PJRT_Client_UpdateGlobalProcessInfo_Args);
  info.client = client_;
  CALL(PJRT_Client_UpdateGlobalProcessInfo, info);
}

// A garbage collector may destroy the objects in this order.
TEST_F(ApiTest, BuffersAndExecutablesOutliveTheirClient) {
  PJRT_Buffer* buffer = Upload();
  PJRT_LoadedExecutable* executable = nullptr;
  ASSERT_EQ(Compile("add_one", &executable), "");
  int key = 0, destroyed = 0;
  memory_->vtable->set_user_data(memory_, &key, &destroyed,
                                 [](void* count) { ++*static_cast<int*>(count); });
  TearDown();
  EXPECT_EQ(Download(buffer)[5], 5.0f);
  Destroy(buffer);
  EXPECT_EQ(destroyed, 0);
  Destroy(executable);
  EXPECT_EQ(destroyed, 1);
  SetUp();
}

TEST_F(ApiTest, LookupDevice) {
  MAKE_ARGS(args, PJRT_Client_LookupDevice_Args);
  args.client = client_;
  args.id = 0;
  CALL(PJRT_Client_LookupDevice, args);
  EXPECT_EQ(args.device, device_);
  args.id = -1;
  EXPECT_EQ(Take(Api().PJRT_Client_LookupDevice(&args)),
            "INVALID_ARGUMENT: no device has id -1");
  MAKE_ARGS(local, PJRT_Client_LookupAddressableDevice_Args);
  local.client = client_;
  local.local_hardware_id = 7;
  EXPECT_EQ(Take(Api().PJRT_Client_LookupAddressableDevice(&local)),
            "INVALID_ARGUMENT: no addressable device has local hardware id 7");
}

TEST_F(ApiTest, DefaultDeviceAssignment) {
  int ids[4] = {-1, -1, -1, -1};
  MAKE_ARGS(args, PJRT_Client_DefaultDeviceAssignment_Args);
  args.client = client_;
  args.num_replicas = 2;
  args.num_partitions = 2;
  args.default_assignment = ids;
  args.default_assignment_size = 4;
  CALL(PJRT_Client_DefaultDeviceAssignment, args);
  EXPECT_EQ(ids[3], 3);
  args.default_assignment_size = 3;
  EXPECT_NE(Take(Api().PJRT_Client_DefaultDeviceAssignment(&args)), "");
  args.num_replicas = INT_MAX;
  args.num_partitions = 2;
  EXPECT_NE(Take(Api().PJRT_Client_DefaultDeviceAssignment(&args)), "");
  args.num_replicas = -1;
  EXPECT_NE(Take(Api().PJRT_Client_DefaultDeviceAssignment(&args)), "");
  args.num_replicas = 0;
  EXPECT_NE(Take(Api().PJRT_Client_DefaultDeviceAssignment(&args)), "");
}

TEST_F(ApiTest, DeviceAndDescription) {
  MAKE_ARGS(get, PJRT_Device_GetDescription_Args);
  get.device = device_;
  CALL(PJRT_Device_GetDescription, get);
  MAKE_ARGS(attributes, PJRT_DeviceDescription_Attributes_Args);
  attributes.device_description = get.device_description;
  CALL(PJRT_DeviceDescription_Attributes, attributes);
  ASSERT_EQ(attributes.num_attributes, 2u);
  EXPECT_EQ(attributes.attributes[0].int64_value, 4);
  EXPECT_EQ(std::string(attributes.attributes[1].string_value,
                        attributes.attributes[1].value_size),
            "none");
  MAKE_ARGS(own, PJRT_Device_GetAttributes_Args);
  own.device = device_;
  CALL(PJRT_Device_GetAttributes, own);
  EXPECT_EQ(own.num_attributes, 1u);
  ASSERT_NE(own.attributes_deleter, nullptr);
  own.attributes_deleter(own.device_attributes);
  MAKE_ARGS(track, PJRT_Device_CreateAsyncTrackingEvent_Args);
  track.device = device_;
  CALL(PJRT_Device_CreateAsyncTrackingEvent, track);
  MAKE_ARGS(poison, PJRT_Device_PoisonExecution_Args);
  poison.device = device_;
  poison.error_code = PJRT_Error_Code_INTERNAL;
  EXPECT_EQ(Take(Api().PJRT_Device_PoisonExecution(&poison)),
            "UNIMPLEMENTED: this device cannot poison executions");
}

TEST_F(ApiTest, MemoryStatsRespectStructSize) {
  auto args = Make<PJRT_Device_MemoryStats_Args>(
      offsetof(PJRT_Device_MemoryStats_Args, pool_bytes));
  args.device = device_;
  args.peak_pool_bytes = -3;
  args.num_allocs_is_set = true;
  CALL(PJRT_Device_MemoryStats, args);
  EXPECT_EQ(args.bytes_in_use, 7);
  EXPECT_FALSE(args.num_allocs_is_set);
  EXPECT_EQ(args.peak_pool_bytes, -3);
  args.struct_size = PJRT_Device_MemoryStats_Args_STRUCT_SIZE;
  CALL(PJRT_Device_MemoryStats, args);
  EXPECT_EQ(args.peak_pool_bytes, 9);
  EXPECT_TRUE(args.peak_pool_bytes_is_set);
}

TEST_F(ApiTest, MemoriesKeepUserData) {
  int key = 0, first = 0, second = 0;
  auto* functions = memory_->vtable;
  ASSERT_NE(functions, nullptr);
  EXPECT_EQ(functions->get_user_data(memory_, &key), nullptr);
  auto count = [](void* counter) { ++*static_cast<int*>(counter); };
  functions->set_user_data(memory_, &key, &first, count);
  EXPECT_EQ(functions->get_user_data(memory_, &key), &first);
  functions->set_user_data(memory_, &key, &second, count);
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 0);
  TearDown();
  EXPECT_EQ(second, 1);
  SetUp();
}

TEST_F(ApiTest, MemoryGetters) {
  MAKE_ARGS(kind, PJRT_Memory_Kind_Args);
  kind.memory = memory_;
  CALL(PJRT_Memory_Kind, kind);
  EXPECT_EQ(std::string(kind.kind, kind.kind_size), "device");
  MAKE_ARGS(devices, PJRT_Memory_AddressableByDevices_Args);
  devices.memory = memory_;
  CALL(PJRT_Memory_AddressableByDevices, devices);
  ASSERT_EQ(devices.num_devices, 1u);
  EXPECT_EQ(devices.devices[0], device_);
}

TEST_F(ApiTest, TopologyOfClient) {
  MAKE_ARGS(get, PJRT_Client_TopologyDescription_Args);
  get.client = client_;
  CALL(PJRT_Client_TopologyDescription, get);
  MAKE_ARGS(descriptions, PJRT_TopologyDescription_GetDeviceDescriptions_Args);
  descriptions.topology = get.topology;
  CALL(PJRT_TopologyDescription_GetDeviceDescriptions, descriptions);
  EXPECT_EQ(descriptions.num_descriptions, 2u);
  MAKE_ARGS(device, PJRT_Device_GetDescription_Args);
  device.device = device_;
  CALL(PJRT_Device_GetDescription, device);
  EXPECT_EQ(descriptions.descriptions[0], device.device_description);
  MAKE_ARGS(kinds, PJRT_TopologyDescription_GetMemorySpaceKindIds_Args);
  kinds.topology = get.topology;
  CALL(PJRT_TopologyDescription_GetMemorySpaceKindIds, kinds);
  ASSERT_EQ(kinds.num_memory_space_kind_ids, 2u);
  EXPECT_EQ(kinds.memory_space_kind_ids[1], 1);
  int64_t dims[2] = {300, 2};
  MAKE_ARGS(shape, PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args);
  shape.topology = get.topology;
  shape.dims = dims;
  shape.num_dims = 2;
  shape.element_type = PJRT_Buffer_Type_BF16;
  CALL(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace, shape);
  EXPECT_EQ(std::string(shape.serialized_shape, shape.serialized_shape_size),
            std::string("\x10\x10\x1a\x03\xac\x02\x02\x2a\x04\x0a\x02\x01\x00", 13));
  shape.serialized_shape_deleter(shape.serialized_shape);
}

TEST(TopologyTest, TopologyWithoutClient) {
  MAKE_ARGS(create, PJRT_TopologyDescription_Create_Args);
  CALL(PJRT_TopologyDescription_Create, create);
  MAKE_ARGS(serialize, PJRT_TopologyDescription_Serialize_Args);
  serialize.topology = create.topology;
  CALL(PJRT_TopologyDescription_Serialize, serialize);
  MAKE_ARGS(read, PJRT_TopologyDescription_Deserialize_Args);
  read.serialized_topology = serialize.serialized_bytes;
  read.serialized_topology_size = serialize.serialized_bytes_size;
  CALL(PJRT_TopologyDescription_Deserialize, read);
  serialize.serialized_topology_deleter(serialize.serialized_topology);
  MAKE_ARGS(descriptions, PJRT_TopologyDescription_GetDeviceDescriptions_Args);
  descriptions.topology = read.topology;
  CALL(PJRT_TopologyDescription_GetDeviceDescriptions, descriptions);
  EXPECT_EQ(descriptions.num_descriptions, 3u);

  std::string code = "add_one", format = "mlir";
  MAKE_ARGS(program, PJRT_Program);
  program.code = code.data();
  program.code_size = code.size();
  program.format = format.data();
  program.format_size = format.size();
  MAKE_ARGS(compile, PJRT_Compile_Args);
  compile.topology = create.topology;
  compile.program = &program;
  CALL(PJRT_Compile, compile);
  MAKE_ARGS(drop, PJRT_Executable_Destroy_Args);
  drop.executable = compile.executable;
  CALL(PJRT_Executable_Destroy, drop);

  for (PJRT_TopologyDescription* topology : {create.topology, read.topology}) {
    MAKE_ARGS(destroy, PJRT_TopologyDescription_Destroy_Args);
    destroy.topology = topology;
    CALL(PJRT_TopologyDescription_Destroy, destroy);
  }
}

TEST(ClientCreateTest, OptionsAreCopiedAndErrorsReturned) {
  std::vector<PJRT_NamedValue> options;
  auto add = [&](const char* name) -> PJRT_NamedValue& {
    MAKE_ARGS(value, PJRT_NamedValue);
    value.name = name;
    value.name_size = std::strlen(name);
    options.push_back(value);
    return options.back();
  };
  PJRT_NamedValue& text = add("text");
  text.type = PJRT_NamedValue_kString;
  text.string_value = "abc";
  text.value_size = 2;  // not NUL-terminated
  PJRT_NamedValue& flag = add("flag");
  flag.type = PJRT_NamedValue_kBool;
  flag.bool_value = true;
  // Clients of API 0.54 pass this size, with garbage in the key-value members.
  auto args = Make<PJRT_Client_Create_Args>(72);
  args.create_options = options.data();
  args.num_options = options.size();
  std::memset(&args.kv_get_callback, 0xee, 32);
  CALL(PJRT_Client_Create, args);
  const NamedValueMap& seen = LastClient()->options.values;
  EXPECT_EQ(std::get<std::string>(seen.at("text")), "ab");
  EXPECT_EQ(std::get<bool>(seen.at("flag")), true);
  EXPECT_EQ(LastClient()->options.key_value_store, nullptr);
  MAKE_ARGS(destroy, PJRT_Client_Destroy_Args);
  destroy.client = args.client;
  CALL(PJRT_Client_Destroy, destroy);

  add("fail").type = PJRT_NamedValue_kInt64;
  args.create_options = options.data();
  args.num_options = options.size();
  EXPECT_EQ(Take(Api().PJRT_Client_Create(&args)), "INTERNAL: create failed");
  options.back().type = static_cast<PJRT_NamedValue_Type>(9);
  EXPECT_EQ(Take(Api().PJRT_Client_Create(&args)),
            "INVALID_ARGUMENT: named value 'fail' has a null value or type 9, which is "
            "not a type of named values");
}

TEST(ClientCreateTest, KeyValueStoreOfADistributedJob) {
  MAKE_ARGS(nodes, PJRT_NamedValue);
  nodes.name = "num_nodes";
  nodes.name_size = 9;
  nodes.type = PJRT_NamedValue_kInt64;
  nodes.int64_value = 2;
  std::string stored = "value";
  MAKE_ARGS(args, PJRT_Client_Create_Args);
  args.create_options = &nodes;
  args.num_options = 1;
  args.kv_get_user_arg = &stored;
  args.kv_get_callback = [](PJRT_KeyValueGetCallback_Args* a) -> PJRT_Error* {
    auto* text = static_cast<std::string*>(a->user_arg);
    if (std::string(a->key, a->key_size) != "key") {
      return (*a->callback_error)(PJRT_Error_Code_DEADLINE_EXCEEDED, "too late", 8);
    }
    a->value = new char[text->size()];
    std::memcpy(a->value, text->data(), text->size());
    a->value_size = text->size();
    a->value_deleter_callback = [](char* value) { delete[] value; };
    return nullptr;
  };
  args.kv_put_user_arg = &stored;
  args.kv_put_callback = [](PJRT_KeyValuePutCallback_Args* a) -> PJRT_Error* {
    static_cast<std::string*>(a->user_arg)->assign(a->value, a->value_size);
    return nullptr;
  };
  CALL(PJRT_Client_Create, args);
  KeyValueStore* store = LastClient()->options.key_value_store.get();
  ASSERT_NE(store, nullptr);
  EXPECT_EQ(*store->Get("key", std::chrono::milliseconds(5)), "value");
  EXPECT_EQ(store->Get("x", std::chrono::milliseconds(5)).status().ToString(),
            "DEADLINE_EXCEEDED: too late");
  EXPECT_TRUE(store->Put("key", "new").ok());
  EXPECT_EQ(stored, "new");
  EXPECT_EQ(store->TryGet("key").status().code(), StatusCode::kUnimplemented);
  MAKE_ARGS(destroy, PJRT_Client_Destroy_Args);
  destroy.client = args.client;
  CALL(PJRT_Client_Destroy, destroy);
}

}  // namespace
}  // namespace tenon::pjrt::testing
