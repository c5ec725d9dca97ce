// For tests of the client: a platform without a compiler, and helpers.
#ifndef TENON_PJRT_CLIENT_TESTING_H_
#define TENON_PJRT_CLIENT_TESTING_H_

#include <gtest/gtest.h>

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
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

namespace testing {

// A key-value store in memory, with the rule of JAX's that a key is put only once.
class MemoryStore final : public KeyValueStore {
 public:
  StatusOr<std::string> Get(std::string_view key,
                            std::chrono::milliseconds timeout) override {
    std::unique_lock lock(mutex_);
    const std::string name(key);
    if (!changed_.wait_for(lock, timeout, [&] { return values_.contains(name); }))
      return Status(StatusCode::kDeadlineExceeded, "no key '" + name + "'");
    return values_[name];
  }
  StatusOr<std::string> TryGet(std::string_view key) override {
    std::lock_guard lock(mutex_);
    const auto found = values_.find(std::string(key));
    if (found == values_.end()) return NotFound("no key '" + std::string(key) + "'");
    return found->second;
  }
  Status Put(std::string_view key, std::string_view value) override {
    std::lock_guard lock(mutex_);
    if (!values_.try_emplace(std::string(key), value).second)
      return AlreadyExists("key '" + std::string(key) + "'");
    changed_.notify_all();
    return OkStatus();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::string> values_;
};

}  // namespace testing

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

// results[0] = args[0] of the other of two devices, + 1; for 4 int32. Fails if args[0][0]
// is negative.
inline int32_t SwapAndAddOne(RunContext* context, const RunBuffer* args,
                             const RunBuffer* results, void* arena) {
  auto& state = *static_cast<int64_t*>(arena);
  if (static_cast<const int32_t*>(args[0].data)[0] < 0) return 9;  // FAILED_PRECONDITION
  if (state++ == 0) {
    context->table->arrive(context, 0, args, results, nullptr);
    return kSuspended;
  }
  for (int i = 0; i < 4; ++i) static_cast<int32_t*>(results[0].data)[i] += 1;
  return 0;
}

inline Image SwapImage(double estimated_nanoseconds) {
  Image image = ::tenon::testing::ImageOf(SwapAndAddOne);
  image.info.parameters =
      image.info.results = {::tenon::testing::TensorOf(ElementType::kS32, {4})};
  image.info.num_partitions = 2;
  ImageCollective site;
  site.kind = CollectiveKind::kPermute;
  site.groups = {{0, 1}, {1, 0}};
  site.operands = site.results = image.info.parameters;
  image.info.collectives = {site};
  image.code_objects[0].arena_bytes = 64;
  image.code_objects[0].estimated_nanoseconds = estimated_nanoseconds;
  return image;
}

// Two devices: results[0] = args[0] of both, one after the other; `size` int32 in total.
inline int32_t GatherBoth(RunContext* context, const RunBuffer* args,
                          const RunBuffer* results, void* arena) {
  auto& state = *static_cast<int64_t*>(arena);
  if (state++ > 0) return 0;
  context->table->arrive(context, 0, args, results, nullptr);
  return kSuspended;
}

inline Image GatherImage(int64_t size, bool shared, double estimated_nanoseconds) {
  Image image = SwapImage(estimated_nanoseconds);
  Image other = ::tenon::testing::ImageOf(GatherBoth);
  image.code_objects[0].bytes = other.code_objects[0].bytes;
  image.info.parameters = {::tenon::testing::TensorOf(ElementType::kS32, {size / 2})};
  image.info.results = {::tenon::testing::TensorOf(ElementType::kS32, {size})};
  if (shared) image.info.results[0].shared_by = 0;
  ImageCollective& site = image.info.collectives[0];
  site.kind = CollectiveKind::kAllGather;
  site.groups = {{0, 1}};
  site.operands = image.info.parameters;
  site.results = image.info.results;
  return image;
}

// Two devices: results[0] = args[0] in its storage, one half of it from each, + 1; for
// kUpdated int32.
inline constexpr int64_t kUpdated = 4096;
inline int32_t UpdateHalves(RunContext* context, const RunBuffer*,
                            const RunBuffer* results, void* arena) {
  auto& state = *static_cast<int64_t*>(arena);
  if (state++ > 0) return 0;
  const int64_t half = kUpdated / 2;
  const auto* old =
      static_cast<const int32_t*>(results[0].data) + context->partition_id * half;
  auto* part = reinterpret_cast<int32_t*>(static_cast<char*>(arena) + 64);
  for (int64_t i = 0; i < half; ++i) part[i] = old[i] + 1;
  const RunBuffer input{part, nullptr};
  context->table->arrive(context, 0, &input, results, nullptr);
  return kSuspended;
}

inline Image UpdateImage(double estimated_nanoseconds) {
  Image image = GatherImage(kUpdated, /*shared=*/true, estimated_nanoseconds);
  Image other = ::tenon::testing::ImageOf(UpdateHalves);
  image.code_objects[0].bytes = other.code_objects[0].bytes;
  image.code_objects[0].arena_bytes = 64 + kUpdated * 2;
  image.info.parameters = {::tenon::testing::TensorOf(ElementType::kS32, {kUpdated})};
  image.info.aliases = {{.result = 0, .parameter = 0}};
  return image;
}

// Executes a program of one argument and one result on all of its devices. The status is
// that of the execution or, if it was started, of the first event that failed.
inline Status ExecuteOnAll(LoadedExecutable& program, std::vector<Buffer*> arguments,
                           std::vector<std::unique_ptr<Buffer>>& outputs) {
  outputs.resize(arguments.size());
  std::vector<std::span<Buffer* const>> argument_lists;
  std::vector<std::span<std::unique_ptr<Buffer>>> output_lists;
  for (size_t d = 0; d < arguments.size(); ++d) {
    argument_lists.emplace_back(&arguments[d], 1);
    output_lists.emplace_back(&outputs[d], 1);
  }
  std::vector<Event> done(arguments.size());
  Status status = program.Execute(argument_lists, output_lists, done, {});
  for (const Event& event : done) {
    if (status.ok()) status = event.Await();
  }
  return status;
}

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_CLIENT_TESTING_H_
