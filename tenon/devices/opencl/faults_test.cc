// Tests devices and drivers that fail. Entries of the table of OpenCL's functions are
// replaced by functions that return errors.
#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "tenon/devices/opencl/selection.h"
#include "tenon/devices/opencl/testing.h"

namespace tenon::opencl {
namespace {

using namespace testing;  // NOLINT
using pjrt::Buffer;
using pjrt::Compile;
using pjrt::Execute;
using pjrt::Executed;
using pjrt::FromHost;
using pjrt::Values;

// The driver's functions, and how many calls are left until one fails; negative: none.
Api real;
std::atomic<int> launches_left{-1}, kernels_left{-1};
std::atomic<cl_event> failed_kernel{nullptr};

StatusOr<Api> LoadFaulty(const std::string& path) {
  TENON_ASSIGN_OR_RETURN(real, LoadApi(path));
  Api api = real;
  api.EnqueueNDRangeKernel = [](cl_command_queue queue, cl_kernel kernel, cl_uint rank,
                                const size_t* offsets, const size_t* sizes,
                                const size_t* group, cl_uint num_waits,
                                const cl_event* waits, cl_event* end) -> cl_int {
    if (launches_left.fetch_sub(1) == 0) return CL_OUT_OF_RESOURCES;
    const cl_int code = real.EnqueueNDRangeKernel(queue, kernel, rank, offsets, sizes,
                                                  group, num_waits, waits, end);
    if (kernels_left.fetch_sub(1) == 0) {
      real.RetainEvent(*end);  // so that no other event gets its address
      failed_kernel = *end;
    }
    return code;
  };
  // A kernel that the device could not run to its end.
  api.GetEventInfo = [](cl_event event, cl_event_info what, size_t size, void* value,
                        size_t* actual) -> cl_int {
    const cl_int code = real.GetEventInfo(event, what, size, value, actual);
    if (what == CL_EVENT_COMMAND_EXECUTION_STATUS && event == failed_kernel) {
      *static_cast<cl_int*>(value) = CL_OUT_OF_RESOURCES;
    }
    return code;
  };
  return api;
}

std::unique_ptr<pjrt::LocalClient> FaultyClient() {
  static const OpenClPlatform& platform = *new OpenClPlatform(LoadFaulty);
  launches_left = kernels_left = -1;
  return MakeClient({}, platform);
}

void ExpectThirdFails(pjrt::LocalClient& client, std::atomic<int>& left,
                      const std::string& message) {
  auto program = Compile(client, AddOneImage());
  auto in = FromHost<int32_t>(client, All(0));
  ASSERT_TRUE(in->ReadyEvent().Await().ok());
  left = 2;
  std::vector<Executed> runs;
  for (int i = 0; i < 5; ++i) {
    Buffer* last = i == 0 ? in.get() : runs.back().outputs[0].get();
    runs.push_back(Execute(*program, {last}));
    ASSERT_TRUE(runs.back().status.ok());
  }
  EXPECT_TRUE(runs[1].done.Await().ok());
  EXPECT_EQ(Values<int32_t>(*runs[1].outputs[0]), All(2));
  for (int i = 2; i < 5; ++i) {
    EXPECT_EQ(runs[static_cast<size_t>(i)].done.Await().ToString(), message);
    std::vector<int32_t> values(kSize);
    EXPECT_EQ(runs[static_cast<size_t>(i)]
                  .outputs[0]
                  ->ToHost(values.data(), kSize * 4, std::nullopt)
                  .Await()
                  .ToString(),
              message);
  }
  // The device remains usable.
  EXPECT_EQ(Values<int32_t>(*Execute(*program, {in.get()}).outputs[0]), All(1));
}

// The first device, as errors name it.
std::string DeviceName() {
  auto selected = Select(*LoadApi("libOpenCL.so.1"), {});
  EXPECT_TRUE(selected.ok()) << selected.status().ToString();
  return "OpenCL device 0 ('" + (*selected)->devices()[0].name + "')";
}

TEST(OpenClFaultsTest, AFailedLaunchFailsWhatDependsOnIt) {
  auto client = FaultyClient();
  if (!client) return;
  ExpectThirdFails(*client, launches_left,
                   "RESOURCE_EXHAUSTED: " + DeviceName() +
                       ": the launch of kernel 'add_scalar' of program 'test' with 2 "
                       "groups of 64 work items failed: CL_OUT_OF_RESOURCES");
}

TEST(OpenClFaultsTest, AFailedKernelFailsWhatDependsOnIt) {
  auto client = FaultyClient();
  if (!client) return;
  ExpectThirdFails(*client, kernels_left,
                   "RESOURCE_EXHAUSTED: " + DeviceName() +
                       ": kernel 'add_scalar' of program 'test': execution failed: "
                       "CL_OUT_OF_RESOURCES");
}

TEST(OpenClFaultsTest, AMissingLoaderSaysWhatToInstall) {
  const auto client =
      TryClient({{"opencl_library", std::string("/nowhere/libOpenCL.so")}});
  EXPECT_EQ(client.status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(client.status().message(),
            "the OpenCL loader '/nowhere/libOpenCL.so' cannot be used: "
            "/nowhere/libOpenCL.so: cannot open shared object file: No such file or "
            "directory; " +
                std::string(kAdvice));
  const auto other = TryClient({{"opencl_library", std::string("libm.so.6")}});
  EXPECT_NE(other.status().message().find("it has no function clBuildProgram"),
            std::string_view::npos)
      << other.status().ToString();
}

// What the driver says of its devices instead of the truth; null: the truth.
const char* il_version = nullptr;
const char* extensions = nullptr;
StatusOr<Api> LoadOld(const std::string& path) {
  TENON_ASSIGN_OR_RETURN(real, LoadApi(path));
  Api api = real;
  api.GetDeviceInfo = [](cl_device_id device, cl_device_info what, size_t size,
                         void* value, size_t* actual) -> cl_int {
    const char* text = what == CL_DEVICE_IL_VERSION   ? il_version
                       : what == CL_DEVICE_EXTENSIONS ? extensions
                                                      : nullptr;
    if (what == CL_DEVICE_SVM_CAPABILITIES && extensions) {
      *static_cast<cl_device_svm_capabilities*>(value) = 0;
      return CL_SUCCESS;
    }
    if (!text) return real.GetDeviceInfo(device, what, size, value, actual);
    if (actual) *actual = std::string_view(text).size() + 1;
    if (value) std::string_view(text).copy(static_cast<char*>(value), size);
    return CL_SUCCESS;
  };
  return api;
}

TEST(OpenClFaultsTest, AnOldDriverSaysWhatToInstall) {
  static const OpenClPlatform& platform = *new OpenClPlatform(LoadOld);
  auto client = MakeClient({}, platform);
  if (!client) return;
  const auto message = [&](const pjrt::NamedValueMap& options = {}) {
    const auto refused = TryClient(options, platform);
    EXPECT_EQ(refused.status().code(), StatusCode::kUnavailable);
    return std::string(refused.status().message());
  };
  il_version = "SPIR-V_1.0 SPIR-V_1.1";
  EXPECT_NE(message().find("does not take SPIR-V 1.2 (it takes: SPIR-V_1.0 SPIR-V_1.1)"),
            std::string::npos);
  EXPECT_NE(message().find(kAdvice), std::string::npos);
  il_version = "";
  EXPECT_NE(message().find("(it takes: none)"), std::string::npos);
  il_version = "SPIR-V_2.0";
  extensions = "cl_khr_il_program";
  EXPECT_TRUE(TryClient({}, platform).ok());  // with buffers
  EXPECT_NE(message({{"opencl_memory", std::string("svm")}})
                .find("has no shared virtual memory"),
            std::string::npos);
  EXPECT_NE(message({{"opencl_memory", std::string("usm")}})
                .find("has no unified shared memory (cl_intel_unified_shared_memory)"),
            std::string::npos);
  il_version = extensions = nullptr;
  EXPECT_NE(message({{"opencl_device", std::string("no such device")}})
                .find("is not 'no such device' (create option 'opencl_device')"),
            std::string::npos);
}

TEST(OpenClFaultsTest, OptionsThatCannotBeMet) {
  if (!MakeClient()) return;
  const auto message = [](const pjrt::NamedValueMap& options) {
    const auto refused = TryClient(options);
    EXPECT_EQ(refused.status().code(), StatusCode::kInvalidArgument);
    return std::string(refused.status().message());
  };
  EXPECT_NE(message({{"device_count", int64_t{1000}}})
                .find("create option 'opencl_sub_devices' splits devices"),
            std::string::npos);
  EXPECT_NE(message({{"opencl_sub_devices", int64_t{1024}}}).find("is not possible"),
            std::string::npos);
  EXPECT_EQ(message({{"opencl_memory", std::string("fast")}}),
            "create option 'opencl_memory' is 'fast', but must be usm, svm or "
            "buffers, or empty for what the device has");
}

Status LoadError(pjrt::LocalClient& client, Image image) {
  auto executable = std::make_shared<pjrt::LocalExecutable>(
      std::make_shared<const Image>(std::move(image)));
  return client.Load(std::move(executable), "").status();
}

TEST(OpenClFaultsTest, BadKernelsAreRefused) {
  auto client = MakeClient();
  if (!client) return;
  const auto error = [&](const DeviceCode& code) {
    return LoadError(*client, ImageWith(AddOne, 1, kSize, code)).ToString();
  };
  DeviceCode code = TestKernels();
  code.module = ModuleOf("unresolved");
  code.kernels = {{.name = "add", .arguments = {0}}};
  const std::string message = error(code);
  EXPECT_NE(message.find("building the kernels of program 'test' for OpenCL device"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("; the driver's log: "), std::string::npos) << message;
  EXPECT_NE(message.find("nowhere"), std::string::npos) << message;
  for (size_t size : {0, 4, 20, 200, 201}) {
    code.module = ModuleOf("kernels").substr(0, size);
    EXPECT_EQ(error(code),
              "DATA_LOSS: the SPIR-V module of program 'test' is truncated or damaged")
        << size;
  }
  code = TestKernels();
  code.kernels[1].name = "multiply";
  EXPECT_NE(error(code).find("creating kernel 'multiply' of program 'test' failed: "
                             "CL_INVALID_KERNEL_NAME"),
            std::string::npos)
      << error(code);
  code = TestKernels();
  code.kernels[0].arguments = {0};
  EXPECT_EQ(error(code),
            "DATA_LOSS: kernel 'add' of program 'test' takes 4 arguments, but is listed "
            "with 1");
  code = TestKernels();
  code.kernels[0].group_size = 1 << 20;
  EXPECT_NE(error(code).find("needs groups of 1048576 work items, but OpenCL device"),
            std::string::npos);
  code = TestKernels();
  code.kernels[0].subgroup_size = 7;
  EXPECT_NE(error(code).find("needs subgroups of 7 work items, which OpenCL device"),
            std::string::npos);
  code = TestKernels();
  code.format = "ptx";
  EXPECT_EQ(error(code),
            "FAILED_PRECONDITION: executable 'test' has no SPIR-V code for an OpenCL "
            "device; compile it for target spirv64");
  EXPECT_NE(LoadError(*client, pjrt::AddOneImage()).ToString().find("runs without a "),
            std::string::npos);
}

TEST(OpenClFaultsTest, AnErrorOfTheLauncherFailsTheRun) {
  auto client = MakeClient();
  if (!client) return;
  const auto run = [&](EntryPoint entry) {
    auto program = Compile(*client, ImageWith(entry, 1, kSize));
    auto in = FromHost<int32_t>(*client, All(1));
    return Execute(*program, {in.get()}).done.Await().ToString();
  };
  EXPECT_EQ(
      run([](RunContext* context, const RunBuffer*, const RunBuffer*, void*) -> int32_t {
        return context->table->launch(context, 7, nullptr, 1);
      }),
      "INTERNAL: program 'test' on " + DeviceName() +
          ": the launcher starts kernel 7 of 2");
  EXPECT_EQ(run([](RunContext* context, const RunBuffer* args, const RunBuffer* results,
                   void*) -> int32_t {
              AddOne(context, args, results, nullptr);
              context->table->set_error(context, 11, "index 9", 7);
              return 11;
            }),
            "OUT_OF_RANGE: index 9");
}

}  // namespace
}  // namespace tenon::opencl
