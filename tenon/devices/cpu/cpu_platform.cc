#include "tenon/devices/cpu/cpu_platform.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "tenon/devices/cpu/cpu_queue.h"
#include "tenon/devices/cpu/float_mode.h"
#include "tenon/devices/cpu/host_machine.h"
#include "tenon/devices/cpu/host_move.h"
#include "tenon/runtime/affinity.h"
#include "tenon/runtime/gang_launch.h"
#include "tenon/runtime/host_memory.h"
#include "tenon/runtime/runtime.h"

namespace tenon::cpu {
namespace {

using device::SystemOptions;

constexpr device::Option kOptions[] = {
    {.name = "device_affinity", .is_text = true},
    {.name = "device_memory_limit", .max = INT64_MAX},
    {.name = "packed_limit", .min = -1, .max = INT64_MAX, .default_value = -1},
};

Status CheckAffinity(std::string_view option, const std::vector<int>& affinity) {
  const std::vector<int> allowed = runtime::AllowedProcessors();
  if (allowed.empty()) return OkStatus();  // the system does not tell
  for (int processor : affinity) {
    if (!std::binary_search(allowed.begin(), allowed.end(), processor)) {
      return InvalidArgument("create option '" + std::string(option) +
                             "' has processor " + std::to_string(processor) +
                             ", but this process may only run on " +
                             runtime::ProcessorsText(allowed));
    }
  }
  return OkStatus();
}

// The processors of each device. Empty if the option is not set.
StatusOr<std::vector<std::vector<int>>> DeviceAffinity(const SystemOptions& options) {
  std::vector<std::vector<int>> result;
  std::string_view text = options.text("device_affinity");
  while (!text.empty()) {
    const size_t end = std::min(text.find(';'), text.size());
    auto processors = runtime::ParseProcessors(text.substr(0, end));
    if (!processors) {
      return InvalidArgument("create option 'device_affinity' is '" +
                             options.text("device_affinity") +
                             "', which is not one list of processors a device, such as "
                             "0-3;4-7");
    }
    TENON_RETURN_IF_ERROR(CheckAffinity("device_affinity", *processors));
    result.push_back(*std::move(processors));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (!result.empty() && std::ssize(result) != options.device_count) {
    return InvalidArgument("create option 'device_affinity' has processors for " +
                           std::to_string(result.size()) + " devices, but there are " +
                           std::to_string(options.device_count));
  }
  return result;
}

class CpuDevice final : public device::Device {
 public:
  CpuDevice(runtime::Runtime& runtime, runtime::HostMemory& memory)
      : memory_(memory), queue_(runtime) {}

  // All kinds are the same memory space.
  device::MemorySpace& memory(device::MemoryKind) override { return memory_; }
  device::Queue& compute() override { return queue_; }
  device::Queue& to_device() override { return queue_; }
  device::Queue& to_host() override { return queue_; }

 private:
  runtime::HostMemory& memory_;
  CpuQueue queue_;
};

class CpuSystem final : public device::System {
 public:
  // Devices with their own memory limit or processors get a runtime each. Otherwise all
  // devices share one, and its memory.
  CpuSystem(const SystemOptions& options, const Machine& host,
            const runtime::FloatMode& float_mode,
            const std::vector<std::vector<int>>& device_affinity)
      : host_(host) {
    const int64_t device_limit = options.number("device_memory_limit");
    runtime::RuntimeOptions shared{.float_mode = float_mode};
    shared.allocator.limit = device_limit ? device_limit : options.memory_limit;
    shared.allocator.huge_pages = options.huge_pages;
    shared.packed_limit = options.number("packed_limit");
    shared.team.num_threads = static_cast<int>(options.threads);
    shared.team.processors = options.affinity;
    shared.team.spin = std::chrono::microseconds(options.spin_microseconds);
    for (int64_t d = 0; d < options.device_count; ++d) {
      if (d == 0 || device_limit || !device_affinity.empty()) {
        runtime::RuntimeOptions own = shared;
        if (!device_affinity.empty()) {
          own.team.processors = device_affinity[static_cast<size_t>(d)];
        }
        runtimes_.push_back(std::make_unique<runtime::Runtime>(own));
        memories_.push_back(
            std::make_unique<runtime::HostMemory>(runtimes_.back()->allocator()));
      }
      devices_.push_back(
          std::make_unique<CpuDevice>(*runtimes_.back(), *memories_.back()));
      pointers_.push_back(devices_.back().get());
    }
  }

  std::span<device::Device* const> devices() const override { return pointers_; }
  StatusOr<std::shared_ptr<const device::Program>> Load(
      std::shared_ptr<const Image> image, const device::LoadOptions& options) override {
    TENON_ASSIGN_OR_RETURN(auto program,
                           runtime::Program::Load(std::move(image), host_, options));
    return std::make_shared<const CpuProgram>(std::move(program));
  }
  // A gang runs on the threads of one runtime. Arguments may be in the memory of others.
  void SubmitGang(std::vector<device::Launch*> launches, device::SharedRun run) override {
    auto program = SharedProgram(launches[0]->program());
    runtime::SubmitGangLaunch(
        {.launches = std::move(launches),
         .program = std::move(program),
         .runtime = *runtimes_[0],
         .run = std::move(run),
         .prepare = [](size_t, const device::LaunchBuffers& buffers)
             -> StatusOr<runtime::GangMember> { return Member(buffers); },
         .end = nullptr});
  }
  Status RunGang(const std::shared_ptr<const device::Program>& program,
                 std::span<const device::LaunchBuffers> buffers,
                 std::span<const RunIds> ids) override {
    std::vector<runtime::GangMember> members;
    for (size_t i = 0; i < buffers.size(); ++i) {
      members.push_back(Member(buffers[i]));
      members.back().ids = ids[i];
    }
    return runtime::RunGang(SharedProgram(program), *runtimes_[0], std::move(members));
  }
  void RunOnHost(std::function<void()> work) override {
    runtimes_[0]->runners().Schedule(std::move(work));
  }

 private:
  static std::shared_ptr<const runtime::Program> SharedProgram(
      const std::shared_ptr<const device::Program>& program) {
    return static_cast<const CpuProgram&>(*program).shared_program();
  }
  static runtime::GangMember Member(const device::LaunchBuffers& buffers) {
    for (const device::AliasCopy& copy : buffers.copies) {
      HostMove()(copy.to, copy.from, copy.size);
    }
    return {.args = buffers.arguments,
            .results = buffers.results,
            .ids = {},
            .companions = buffers.companions};
  }

  const Machine& host_;
  std::vector<std::unique_ptr<runtime::Runtime>> runtimes_;
  std::vector<std::unique_ptr<runtime::HostMemory>> memories_;  // by runtime
  std::vector<std::unique_ptr<CpuDevice>> devices_;
  std::vector<device::Device*> pointers_;
};

}  // namespace

std::span<const device::Option> CpuPlatform::options() const { return kOptions; }

StatusOr<std::vector<device::DeviceFacts>> CpuPlatform::Describe(
    const SystemOptions& options) const {
  TENON_RETURN_IF_ERROR(CheckAffinity("affinity", options.affinity));
  TENON_RETURN_IF_ERROR(DeviceAffinity(options).status());
  std::vector<device::DeviceFacts> facts(static_cast<size_t>(options.device_count));
  for (size_t d = 0; d < facts.size(); ++d) facts[d].id = static_cast<int>(d);
  return facts;
}

StatusOr<std::unique_ptr<device::System>> CpuPlatform::Start(
    const SystemOptions& options) const {
  TENON_ASSIGN_OR_RETURN(const auto device_affinity, DeviceAffinity(options));
  return std::make_unique<CpuSystem>(options, host_, float_mode_, device_affinity);
}

const CpuPlatform& HostPlatform() {
  static const CpuPlatform& platform = *new CpuPlatform(HostMachine(), kFloatMode);
  return platform;
}

}  // namespace tenon::cpu
