#include "tenon/devices/sim/sim_platform.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <utility>

#include "tenon/devices/cpu/float_mode.h"
#include "tenon/devices/cpu/host_machine.h"
#include "tenon/devices/sim/sim_device.h"
#include "tenon/runtime/gang_launch.h"
#include "tenon/runtime/machine_limits.h"

namespace tenon::sim {
namespace {

using device::SystemOptions;

constexpr int64_t kDefaultMemory = int64_t{4} << 30;  // bytes per device

constexpr device::Option kOptions[] = {
    {.name = "hosts", .min = 1, .max = 1024, .default_value = 1},
    {.name = "latency_microseconds", .max = 1'000'000},
    {.name = "copy_megabytes_per_second", .max = 1'000'000},
    {.name = "faults", .is_text = true},
};

class SimSystem final : public device::System {
 public:
  explicit SimSystem(const SystemOptions& options)
      : host_(HostOptions(options)), host_memory_(host_.allocator()) {}

  Status AddDevices(const SystemOptions& options) {
    TENON_ASSIGN_OR_RETURN(const auto faults,
                           ParseFaults(options.text("faults"), options.device_count));
    const Speed speed = {
        std::chrono::microseconds(options.number("latency_microseconds")),
        options.number("copy_megabytes_per_second")};
    const int64_t size = options.memory_limit ? options.memory_limit : kDefaultMemory;
    for (int id = 0; id < options.device_count; ++id) {
      TENON_ASSIGN_OR_RETURN(auto memory,
                             SimMemory::Create("simulated device " + std::to_string(id),
                                               static_cast<size_t>(size)));
      runtimes_.push_back(std::make_unique<runtime::Runtime>(DeviceOptions(options)));
      devices_.push_back(std::make_unique<SimDevice>(id, std::move(memory), host_memory_,
                                                     *runtimes_.back(), speed,
                                                     faults[static_cast<size_t>(id)]));
      pointers_.push_back(devices_.back().get());
    }
    return OkStatus();
  }

  std::span<device::Device* const> devices() const override { return pointers_; }
  StatusOr<std::shared_ptr<const device::Program>> Load(
      std::shared_ptr<const Image> image, const device::LoadOptions& options) override {
    TENON_ASSIGN_OR_RETURN(
        auto program,
        runtime::Program::Load(std::move(image), cpu::HostMachine(), options));
    return std::make_shared<const SimProgram>(std::move(program));
  }
  // The devices share the host's threads. The launches have no place in the queues: only
  // their arguments order them.
  void SubmitGang(std::vector<device::Launch*> launches, device::SharedRun run) override {
    auto program =
        static_cast<const SimProgram&>(*launches[0]->program()).shared_program();
    struct Members {
      std::vector<SimDevice*> devices;
      std::vector<SimAddresses> addresses;
    };
    auto members = std::make_shared<Members>();
    for (device::Launch* launch : launches) {
      members->devices.push_back(
          devices_[static_cast<size_t>(launch->ids().device_id)].get());
    }
    members->addresses.resize(launches.size());
    runtime::SubmitGangLaunch(
        {.launches = std::move(launches),
         .program = program,
         .runtime = host_,
         .run = std::move(run),
         .prepare = [members, program](size_t i, const device::LaunchBuffers& buffers)
             -> StatusOr<runtime::GangMember> {
           SimAddresses& addresses = members->addresses[i];
           TENON_RETURN_IF_ERROR(
               members->devices[i]->BeginMember(*program, buffers, &addresses));
           return runtime::GangMember{
               .args = addresses.arguments.data(),
               .results = addresses.results.data(),
               .ids = {},
               .arena = members->devices[i]->Translate(addresses.arena)};
         },
         .end =
             [members, program](Status status) {
               for (size_t i = 0; i < members->devices.size(); ++i) {
                 members->devices[i]->EndMember(*program, members->addresses[i]);
               }
               return status;
             }});
  }
  void RunOnHost(std::function<void()> work) override {
    host_.runners().Schedule(std::move(work));
  }

 private:
  static runtime::RuntimeOptions HostOptions(const SystemOptions& options) {
    runtime::RuntimeOptions result{.float_mode = cpu::kFloatMode};
    result.allocator.huge_pages = options.huge_pages;
    return result;
  }
  // Each device gets an equal share of the processors unless an option says otherwise.
  static runtime::RuntimeOptions DeviceOptions(const SystemOptions& options) {
    runtime::RuntimeOptions result{.float_mode = cpu::kFloatMode};
    const int share = runtime::AvailableCpus() / static_cast<int>(options.device_count);
    result.team.num_threads =
        options.threads ? static_cast<int>(options.threads) : std::max(share, 1);
    result.team.processors = options.affinity;
    result.team.spin = std::chrono::microseconds(options.spin_microseconds);
    return result;
  }

  runtime::Runtime host_;
  runtime::HostMemory host_memory_;
  std::vector<std::unique_ptr<runtime::Runtime>> runtimes_;
  std::vector<std::unique_ptr<SimDevice>> devices_;
  std::vector<device::Device*> pointers_;
};

}  // namespace

const Machine& SimPlatform::host() const { return cpu::HostMachine(); }

std::span<const device::Option> SimPlatform::options() const { return kOptions; }

StatusOr<std::vector<device::DeviceFacts>> SimPlatform::Describe(
    const SystemOptions& options) const {
  const int64_t hosts = options.number("hosts");
  if (options.device_count % hosts) {
    return InvalidArgument("create option 'hosts' is " + std::to_string(hosts) +
                           ", which does not divide " +
                           std::to_string(options.device_count) + " devices");
  }
  TENON_RETURN_IF_ERROR(
      ParseFaults(options.text("faults"), options.device_count).status());
  const int64_t per_host = options.device_count / hosts;
  std::vector<device::DeviceFacts> facts(static_cast<size_t>(options.device_count));
  for (size_t d = 0; d < facts.size(); ++d) {
    const int64_t id = static_cast<int64_t>(d);
    facts[d].id = static_cast<int>(id);
    facts[d].coordinates = {id % per_host, id / per_host, 0};
  }
  return facts;
}

StatusOr<std::unique_ptr<device::System>> SimPlatform::Start(
    const SystemOptions& options) const {
  auto system = std::make_unique<SimSystem>(options);
  TENON_RETURN_IF_ERROR(system->AddDevices(options));
  return system;
}

const SimPlatform& Platform() {
  static const SimPlatform& platform = *new SimPlatform();
  return platform;
}

}  // namespace tenon::sim
