// Tests GPUs and drivers that fail. Entries of the table of the driver's functions are
// replaced by functions that return errors.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <iostream>
#include <string>

#include "tenon/devices/cuda/testing.h"

namespace tenon::cuda {
namespace {

using namespace testing;  // NOLINT
using pjrt::Buffer;
using pjrt::Compile;
using pjrt::Execute;
using pjrt::Executed;
using pjrt::FromHost;
using pjrt::Values;

constexpr char kLaunchFailed[] =
    "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES (too many resources requested for launch)";
constexpr char kLost[] =
    "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)";

// The driver's functions, and what is wrong with it.
Driver real;
std::atomic<int> launches_left{-1};         // until one fails; negative: none does
std::atomic<int> major{0}, start_error{0};  // 0: the truth

StatusOr<Driver> LoadFaulty(const std::string& path) {
  TENON_ASSIGN_OR_RETURN(real, LoadDriver(path));
  Driver driver = real;
  driver.LaunchKernel = [](auto... arguments) -> CUresult {
    return launches_left.fetch_sub(1) == 0 ? CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES
                                           : real.LaunchKernel(arguments...);
  };
  driver.DeviceGetAttribute = [](int* value, int attribute, CUdevice device) -> CUresult {
    const CUresult code = real.DeviceGetAttribute(value, attribute, device);
    if (attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR && major)
      *value = major;
    return code;
  };
  driver.DevicePrimaryCtxRetain = [](CUcontext* context, CUdevice device) -> CUresult {
    return start_error ? CUresult{start_error.load()}
                       : real.DevicePrimaryCtxRetain(context, device);
  };
  return driver;
}

const CudaPlatform& FaultyPlatform() {
  static const CudaPlatform& platform = *new CudaPlatform(LoadFaulty);
  return platform;
}

TEST(CudaFaultsTest, AFailedLaunchFailsWhatDependsOnIt) {
  auto client = MakeClient({}, FaultyPlatform());
  const std::string message =
      "INTERNAL: " + DeviceName() +
      ": the launch of kernel 'add_scalar' of program 'test' with 2 groups of 64 work "
      "items failed: " +
      kLaunchFailed;
  auto program = Compile(*client, AddOneImage());
  auto in = FromHost<int32_t>(*client, All(0));
  ASSERT_TRUE(in->ReadyEvent().Await().ok());
  launches_left = 2;
  std::vector<Executed> runs;
  for (int i = 0; i < 5; ++i) {
    Buffer* last = i == 0 ? in.get() : runs.back().outputs[0].get();
    runs.push_back(Execute(*program, {last}));
    ASSERT_TRUE(runs.back().status.ok());
  }
  EXPECT_EQ(Values<int32_t>(*runs[1].outputs[0]), All(2));
  for (size_t i = 2; i < 5; ++i) {
    EXPECT_EQ(runs[i].done.Await().ToString(), message);
    std::vector<int32_t> values(kSize);
    EXPECT_EQ(runs[i]
                  .outputs[0]
                  ->ToHost(values.data(), kSize * 4, std::nullopt)
                  .Await()
                  .ToString(),
              message);
  }
  // The device remains usable.
  EXPECT_EQ(Values<int32_t>(*Execute(*program, {in.get()}).outputs[0]), All(1));
}

// Runs `body` and ends the process. Failures are printed here, because gtest prints none
// in the process of a death test.
[[noreturn]] void RunAndExit(void (*body)()) {
  ::testing::TestPartResultArray results;
  {
    ::testing::ScopedFakeTestPartResultReporter reporter(
        ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ALL_THREADS, &results);
    body();
  }
  bool failed = false;
  for (int i = 0; i < results.size(); ++i) {
    const ::testing::TestPartResult& result = results.GetTestPartResult(i);
    if (!result.failed()) continue;
    failed = true;
    std::cerr << result.file_name() << ":" << result.line_number() << ": "
              << result.message() << "\n";
  }
  std::exit(failed);
}

// Runs `body` in a process of its own, because a fault loses the device to the process.
void InItsProcess(void (*body)()) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(RunAndExit(body), ::testing::ExitedWithCode(0), "");
}

Image FaultImage() {
  return ImageWith(
      [](RunContext* context, const RunBuffer* args, const RunBuffer*, void*) -> int32_t {
        const uint64_t arguments[] = {Word(args[0].data)};
        return context->table->launch(context, kFault, arguments, 1);
      },
      1, kSize);
}

void LoseTheClient() {
  auto client = MakeClient();
  auto fault = Compile(*client, FaultImage());
  auto add_one = Compile(*client, AddOneImage());
  auto in = FromHost<int32_t>(*client, All(1));
  Executed before = Execute(*add_one, {in.get()});
  EXPECT_EQ(Values<int32_t>(*before.outputs[0]), All(2));
  Executed run = Execute(*fault, {in.get()});
  Executed next = Execute(*add_one, {run.outputs[0].get()});
  EXPECT_EQ(run.done.Await().code(), StatusCode::kInternal);
  const std::string first = run.done.Await().ToString();
  EXPECT_EQ(first.find("is lost"), std::string::npos) << first;
  // The launch itself finds the fault if the device is fast.
  EXPECT_NE(first.find("program 'test'"), std::string::npos) << first;
  EXPECT_NE(first.find(DeviceName()), std::string::npos) << first;
  EXPECT_NE(first.find(kLost), std::string::npos) << first;
  EXPECT_EQ(next.done.Await().ToString(), first);
  Executed last = Execute(*add_one, {in.get()});
  const Status later = last.done.Await();
  EXPECT_EQ(later.code(), StatusCode::kUnavailable);
  EXPECT_NE(later.message().find("is lost"), std::string_view::npos) << later.ToString();
  EXPECT_NE(later.message().find("start a new process"), std::string_view::npos);
  std::vector<int32_t> values(kSize);
  EXPECT_EQ(
      before.outputs[0]->ToHost(values.data(), kSize * 4, std::nullopt).Await().code(),
      StatusCode::kUnavailable);
  for (Executed* executed : {&before, &run, &next, &last}) executed->outputs.clear();
  in.reset();
  fault.reset();
  add_one.reset();
  client.reset();
  const Status second = TryClient().status();
  EXPECT_EQ(second.code(), StatusCode::kUnavailable);
  EXPECT_NE(second.message().find("start a new process"), std::string_view::npos)
      << second.ToString();
}

TEST(CudaFaultsTest, AKernelThatFaultsLosesTheClient) { InItsProcess(LoseTheClient); }

void FaultSynchronously() {
  auto client = MakeClient({{"cuda_sync", int64_t{1}}});
  auto fault = Compile(*client, FaultImage());
  auto in = FromHost<int32_t>(*client, All(1));
  const std::string message = Execute(*fault, {in.get()}).done.Await().ToString();
  EXPECT_NE(message.find("kernel 'fault' of program 'test'"), std::string::npos)
      << message;
  EXPECT_NE(message.find(kLost), std::string::npos) << message;
}

TEST(CudaFaultsTest, SynchronousLaunchesNameTheKernelThatFaults) {
  InItsProcess(FaultSynchronously);
}

TEST(CudaFaultsTest, AMissingDriverSaysWhatToInstall) {
  const auto client = TryClient({{"cuda_library", std::string("/nowhere/libcuda.so.1")}});
  EXPECT_EQ(client.status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(client.status().message(),
            "NVIDIA's driver cannot be loaded: /nowhere/libcuda.so.1: cannot open shared "
            "object file: No such file or directory; install NVIDIA's driver, version "
            "525 or newer");
  const auto other = TryClient({{"cuda_library", std::string("libm.so.6")}});
  EXPECT_NE(other.status().message().find("'libm.so.6' has no function cuInit"),
            std::string_view::npos)
      << other.status().ToString();
}

TEST(CudaFaultsTest, DevicesThatCannotBeUsedAreRefused) {
  const auto error = [](const pjrt::NamedValueMap& options) {
    return TryClient(options, FaultyPlatform()).status().ToString();
  };
  EXPECT_NE(error({{"device_count", int64_t{1000}}})
                .find("INVALID_ARGUMENT: 1000 GPUs from number 0 on are asked for"),
            std::string::npos);
  EXPECT_NE(error({{"cuda_device", int64_t{900}}})
                .find("1 GPUs from number 900 on are asked for"),
            std::string::npos);
  major = 7;
  EXPECT_NE(error({}).find("has compute capability 7."), std::string::npos) << error({});
  EXPECT_NE(error({}).find("Tenon needs 8.0 or newer"), std::string::npos);
  major = 0;
  start_error = CUDA_ERROR_DEVICE_UNAVAILABLE;
  EXPECT_NE(error({}).find("UNAVAILABLE: starting " + DeviceName()), std::string::npos)
      << error({});
  start_error = 0;
  EXPECT_EQ(error({}), "OK");
}

Status LoadError(pjrt::LocalClient& client, Image image) {
  auto executable = std::make_shared<pjrt::LocalExecutable>(
      std::make_shared<const Image>(std::move(image)));
  return client.Load(std::move(executable), "").status();
}

TEST(CudaFaultsTest, BadKernelsAreRefused) {
  auto client = MakeClient();
  const auto error = [&](const DeviceCode& code) {
    return LoadError(*client, ImageWith(AddOne, 1, kSize, code)).ToString();
  };
  DeviceCode code = TestKernels();
  code.module = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry add( {";
  std::string message = error(code);
  EXPECT_NE(message.find("FAILED_PRECONDITION: assembling the kernels of program 'test' "
                         "for " +
                         DeviceName() + " failed: CUDA_ERROR_INVALID_PTX"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("; the driver's log: "), std::string::npos) << message;
  code.module = ".version 8.0\n.target sm_999\n.address_size 64\n";
  message = error(code);
  EXPECT_NE(message.find("FAILED_PRECONDITION: "), std::string::npos) << message;
  code = TestKernels();
  code.kernels[1].name = "multiply";
  EXPECT_EQ(error(code), "DATA_LOSS: the PTX has no kernel 'multiply' of program 'test'");
  // The launch would read what is not there, or leave an argument out.
  code = TestKernels();
  code.kernels[0].arguments = {0};
  EXPECT_EQ(error(code),
            "DATA_LOSS: kernel 'add' of program 'test' takes more than 1 arguments, but "
            "is listed with 1");
  code.kernels[0].arguments.assign(9, 0);
  EXPECT_EQ(error(code),
            "DATA_LOSS: kernel 'add' of program 'test' takes 4 arguments, but is listed "
            "with 9");
  code = TestKernels();
  code.kernels[0].group_size = 1 << 20;
  EXPECT_NE(error(code).find("kernel 'add' of program 'test' needs groups of 1048576 "
                             "work items, but " +
                             DeviceName() + " runs it with at most 1024"),
            std::string::npos)
      << error(code);
  code = TestKernels();
  code.kernels[2].dynamic_local_bytes = 1 << 20;
  EXPECT_NE(error(code).find("asking for 1048576 bytes of local memory for kernel "
                             "'through_local'"),
            std::string::npos)
      << error(code);
  code = TestKernels();
  code.format = "spirv";
  EXPECT_NE(error(code).find("FAILED_PRECONDITION: executable 'test' has no PTX for an "
                             "NVIDIA GPU; compile it for target nvptx64:sm_"),
            std::string::npos)
      << error(code);
}

int loads = 0;
std::vector<std::string> compiled_for;

// Where there is no GPU, or it cannot be used, programs can be compiled nevertheless. The
// driver is not touched before that: a process that has started it cannot fork.
TEST(CudaFaultsTest, ATopologyAsksForTheTargetOnceWhenItCompiles) {
  static const CudaPlatform& device = *new CudaPlatform([](const std::string& path) {
    ++loads;
    return LoadFaulty(path);
  });
  static const pjrt::LocalPlatform platform{
      .device = device,
      .compile = [](const compiler::CompileRequest&,
                    const compiler::CompilerConfig& config) -> StatusOr<Image> {
        compiled_for.push_back(config.target);
        return Unimplemented("no compiler");
      },
      .check_config = [](const compiler::CompilerConfig&) { return OkStatus(); }};
  const auto compile_twice = [&](pjrt::NamedValueMap options) {
    loads = 0;
    compiled_for.clear();
    options["cuda_library"] = DriverPath();
    auto topology = pjrt::CreateLocalTopology(platform, "", options);
    EXPECT_TRUE(topology.ok()) << topology.status().ToString();
    EXPECT_TRUE((*topology)->Serialize().ok());
    EXPECT_EQ(loads, 0);
    for (int i = 0; i < 2; ++i) {
      EXPECT_FALSE((*topology)->Compile({.format = "mlir", .code = ""}, "").ok());
    }
    EXPECT_EQ(compiled_for.size(), 2u);
    return compiled_for.back();
  };
  const DeviceInfo first = ListDevices(*LoadDriver(DriverPath()))->front();
  EXPECT_EQ(compile_twice({}), TargetOf(first.major, first.minor));
  EXPECT_EQ(loads, 1);
  EXPECT_EQ(compile_twice({{"cpu", std::string("nvptx64:sm_86")}}), "nvptx64:sm_86");
  EXPECT_EQ(loads, 0);
  major = 7;  // too old
  EXPECT_EQ(compile_twice({}), "nvptx64:sm_80");
  EXPECT_EQ(loads, 1);
  major = 0;
}

// An older driver, which cannot be asked, takes correct programs.
TEST(CudaFaultsTest, DriversOfCuda12NeedNotKnowParameters) {
  static const CudaPlatform& platform =
      *new CudaPlatform([](const std::string& path) -> StatusOr<Driver> {
        TENON_ASSIGN_OR_RETURN(Driver driver, LoadDriver(path));
        driver.FuncGetParamInfo = nullptr;
        return driver;
      });
  auto client = MakeClient({}, platform);
  auto program = Compile(*client, AddOneImage());
  auto in = FromHost<int32_t>(*client, All(1));
  EXPECT_EQ(Values<int32_t>(*Execute(*program, {in.get()}).outputs[0]), All(2));
}

TEST(CudaFaultsTest, AnErrorOfTheLauncherFailsTheRun) {
  auto client = MakeClient();
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
          ": the launcher starts kernel 7 of 4");
  EXPECT_EQ(run([](RunContext* context, const RunBuffer* args, const RunBuffer* results,
                   void*) -> int32_t {
              AddOne(context, args, results, nullptr);
              context->table->set_error(context, 11, "index 9", 7);
              return 11;
            }),
            "OUT_OF_RANGE: index 9");
}

TEST(CudaFaultsTest, AForkedProcessCannotUseTheDriver) {
  auto client = MakeClient();
  const pid_t child = fork();
  if (child == 0) {
    const Status status = TryClient().status();
    _exit(status.message().find("CUDA_ERROR_NOT_INITIALIZED") == std::string_view::npos);
  }
  int end = 1;
  ASSERT_EQ(waitpid(child, &end, 0), child);
  EXPECT_EQ(end, 0);
}

}  // namespace
}  // namespace tenon::cuda
