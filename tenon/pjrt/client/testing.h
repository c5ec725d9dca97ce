// For tests of the client: a platform without a compiler, and helpers.
#ifndef TENON_PJRT_CLIENT_TESTING_H_
#define TENON_PJRT_CLIENT_TESTING_H_

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "tenon/devices/cpu/cpu_platform.h"
#include "tenon/executable/testing.h"
#include "tenon/pjrt/client/local_client.h"

namespace tenon::pjrt {

inline const LocalPlatform& TestPlatform() {
  static const Machine machine = ::tenon::testing::TestMachine();
  static const cpu::CpuPlatform processors(
      machine, {.enter = [](bool) -> uint64_t { return 0; }, .leave = [](uint64_t) {}});
  static const LocalPlatform platform{.device = processors};
  return platform;
}

inline std::unique_ptr<LocalClient> MakeClient(const NamedValueMap& options = {}) {
  ClientOptions client_options;
  client_options.values = options;
  auto client = CreateLocalClient(TestPlatform(), client_options);
  EXPECT_TRUE(client.ok()) << client.status().ToString();
  return std::unique_ptr<LocalClient>(static_cast<LocalClient*>(client->release()));
}

// Loads `image` as if it had just been compiled.
inline std::unique_ptr<LoadedExecutable> Compile(Client& client, Image image) {
  auto executable =
      std::make_shared<LocalExecutable>(std::make_shared<const Image>(std::move(image)));
  auto loaded = client.Load(std::move(executable), "");
  EXPECT_TRUE(loaded.ok()) << loaded.status().ToString();
  return *std::move(loaded);
}

template <typename T>
ElementType TypeOf() {
  if constexpr (std::is_same_v<T, float>) return ElementType::kF32;
  if constexpr (std::is_same_v<T, int32_t>) return ElementType::kS32;
  if constexpr (std::is_same_v<T, int8_t>) return ElementType::kS8;
}

// Copies a vector to a device.
template <typename T>
std::unique_ptr<Buffer> FromHost(Client& client, std::vector<T> values, int device = 0) {
  const int64_t dims[] = {static_cast<int64_t>(values.size())};
  auto transfer = client.BufferFromHost(
      {values.data(), TypeOf<T>(), dims, std::nullopt},
      HostBufferSemantics::kImmutableOnlyDuringCall,
      client.devices()[static_cast<size_t>(device)]->default_memory(), std::nullopt);
  EXPECT_TRUE(transfer.ok()) << transfer.status().ToString();
  EXPECT_TRUE(transfer->done.IsReady());
  return std::move(transfer->buffer);
}

// Waits for the buffer and returns its elements in row-major order.
template <typename T>
std::vector<T> Values(Buffer& buffer) {
  std::vector<T> values(buffer.HostSizeInBytes() / sizeof(T));
  const Status status =
      buffer.ToHost(values.data(), values.size() * sizeof(T), std::nullopt).Await();
  EXPECT_TRUE(status.ok()) << status.ToString();
  return values;
}

struct Executed {
  Status status;
  std::vector<std::unique_ptr<Buffer>> outputs;
  Event done;
};

inline Executed Execute(LoadedExecutable& program, std::vector<Buffer*> arguments,
                        const ExecuteOptions& options = {}) {
  Executed run;
  run.outputs.resize(program.executable()->outputs().size());
  const std::span<Buffer* const> argument_list(arguments);
  const std::span<std::unique_ptr<Buffer>> output_list(run.outputs);
  run.status =
      program.Execute({&argument_list, 1}, {&output_list, 1}, {&run.done, 1}, options);
  return run;
}

// results[0][i] = args[0][i] + 1, for 4 int32.
inline int32_t AddOne(RunContext*, const RunBuffer* args, const RunBuffer* results,
                      void*) {
  for (int i = 0; i < 4; ++i) {
    static_cast<int32_t*>(results[0].data)[i] =
        static_cast<const int32_t*>(args[0].data)[i] + 1;
  }
  return 0;
}

// The image of AddOne. With `alias`, the result uses the argument's storage.
inline Image AddOneImage(bool alias = false, double estimated_nanoseconds = 100) {
  Image image = ::tenon::testing::ImageOf(AddOne);
  image.info.parameters =
      image.info.results = {::tenon::testing::TensorOf(ElementType::kS32, {4})};
  if (alias) image.info.aliases = {{.result = 0, .parameter = 0}};
  image.code_objects[0].estimated_nanoseconds = estimated_nanoseconds;
  return image;
}

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_CLIENT_TESTING_H_
