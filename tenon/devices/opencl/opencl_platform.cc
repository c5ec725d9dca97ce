#include "tenon/devices/opencl/opencl_platform.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <utility>

#include "tenon/devices/cpu/float_mode.h"
#include "tenon/devices/opencl/api.h"
#include "tenon/devices/opencl/context.h"
#include "tenon/devices/opencl/device.h"
#include "tenon/devices/opencl/program.h"
#include "tenon/devices/opencl/program_run.h"
#include "tenon/devices/opencl/selection.h"
#include "tenon/runtime/gang_launch.h"
#include "tenon/runtime/host_memory.h"

namespace tenon::opencl {
namespace {

using device::SystemOptions;

constexpr char kLoader[] = "libOpenCL.so.1";
// Of the device's memory, what is left to the driver: a sixteenth.
constexpr cl_ulong kDriverShare = 16;

constexpr device::Option kOptions[] = {
    {.name = "opencl_device", .is_text = true},
    {.name = "opencl_library", .is_text = true},
    {.name = "opencl_memory", .is_text = true},
    {.name = "opencl_sub_devices", .max = 1024},
};

runtime::RuntimeOptions HostOptions(const SystemOptions& options) {
  runtime::RuntimeOptions result{.float_mode = cpu::kFloatMode};
  result.allocator.huge_pages = options.huge_pages;
  result.team.num_threads = static_cast<int>(options.threads);
  result.team.processors = options.affinity;
  result.team.spin = std::chrono::microseconds(options.spin_microseconds);
  return result;
}

class OpenClSystem final : public device::System {
 public:
  explicit OpenClSystem(const SystemOptions& options)
      : host_(HostOptions(options)), unpinned_(host_.allocator()) {}

  Status Start(const Api& api, const SystemOptions& options) {
    TENON_ASSIGN_OR_RETURN(
        selected_, Select(api, {.device = options.text("opencl_device"),
                                .sub_devices = options.number("opencl_sub_devices"),
                                .count = options.device_count}));
    TENON_ASSIGN_OR_RETURN(context_, Context::Create(api, selected_->devices(),
                                                     options.text("opencl_memory")));
    if (context_->has_host_memory()) AddPinnedMemory();
    for (size_t d = 0; d < selected_->devices().size(); ++d) {
      TENON_RETURN_IF_ERROR(AddDevice(d, options.memory_limit));
    }
    return OkStatus();
  }

  std::span<device::Device* const> devices() const override { return pointers_; }
  StatusOr<std::shared_ptr<const device::Program>> Load(
      std::shared_ptr<const Image> image, const device::LoadOptions& options) override {
    TENON_ASSIGN_OR_RETURN(auto program, Program::Load(std::move(image), *context_,
                                                       selected_->devices(), options));
    return std::shared_ptr<const device::Program>(std::move(program));
  }
  // The launches have no place in the queues: only their arguments order them.
  void SubmitGang(std::vector<device::Launch*> launches, device::SharedRun run) override {
    auto program = std::static_pointer_cast<const Program>(launches[0]->program());
    auto runs = std::make_shared<std::vector<std::unique_ptr<ProgramRun>>>();
    for (device::Launch* launch : launches) {
      const auto device = static_cast<size_t>(launch->ids().device_id);
      runs->push_back(std::make_unique<ProgramRun>(devices_[device]->compute().device(),
                                                   program, launch->ids()));
    }
    runtime::SubmitGangLaunch(
        {.launches = std::move(launches),
         .program = program->shared_launcher(),
         .runtime = host_,
         .run = std::move(run),
         .prepare = [runs](size_t i, const device::LaunchBuffers& buffers)
             -> StatusOr<runtime::GangMember> {
           ProgramRun& member = *(*runs)[i];
           TENON_RETURN_IF_ERROR(member.BeginAlone(buffers));
           return runtime::GangMember{.args = member.arguments(),
                                      .results = member.results(),
                                      .ids = {},
                                      .arena = member.arena(),
                                      .stream = &member};
         },
         .end =
             [runs](Status status) {
               for (const auto& member : *runs) {
                 Status end = status.ok() ? member->End() : OkStatus();
                 if (end.ok()) end = member->Complete(member->Mark());
                 if (status.ok()) status = std::move(end);
               }
               runs->clear();
               return status;
             }});
  }
  void RunOnHost(std::function<void()> work) override {
    host_.runners().Schedule(std::move(work));
  }

 private:
  void AddPinnedMemory() {
    const auto limit = static_cast<size_t>(host_.allocator().stats().limit);
    pinned_ = std::make_unique<Memory>(Memory::Options{
        .host_addressable = true,
        .owner = "host memory of OpenCL devices",
        .limit = limit,
        .largest_block = limit,
        .allocate = [this](size_t size) { return context_->AllocateHost(size); },
        .free = [this](void* block) { context_->Free(block); }});
  }

  Status AddDevice(size_t index, int64_t memory_limit) {
    const DeviceInfo& info = selected_->devices()[index];
    const std::string name =
        "OpenCL device " + std::to_string(index) + " ('" + info.name + "')";
    const cl_ulong limit = memory_limit ? static_cast<cl_ulong>(memory_limit)
                                        : info.memory - info.memory / kDriverShare;
    Device::Memories memories;
    memories.device = std::make_unique<Memory>(Memory::Options{
        .owner = name,
        .limit = limit,
        .largest_block = info.largest_block,
        .allocate = [this, id = info.id](
                        size_t size) { return context_->AllocateOnDevice(id, size); },
        .free = [this](void* block) { context_->Free(block); }});
    memories.unpinned = &unpinned_;
    memories.pinned =
        pinned_ ? static_cast<device::MemorySpace*>(pinned_.get()) : &unpinned_;
    TENON_ASSIGN_OR_RETURN(auto device, Device::Create({.index = index,
                                                        .name = name,
                                                        .context = context_.get(),
                                                        .host_memory = pinned_.get(),
                                                        .runtime = &host_},
                                                       info.id, std::move(memories)));
    pointers_.push_back(device.get());
    devices_.push_back(std::move(device));
    return OkStatus();
  }

  // In this order, because each needs those before it.
  runtime::Runtime host_;
  runtime::HostMemory unpinned_;
  std::unique_ptr<SelectedDevices> selected_;
  std::unique_ptr<Context> context_;
  std::unique_ptr<Memory> pinned_;  // null if kernels cannot access host memory
  std::vector<std::unique_ptr<Device>> devices_;
  std::vector<device::Device*> pointers_;
};

}  // namespace

const Machine& OpenClPlatform::host() const { return LauncherMachine(); }

std::span<const device::Option> OpenClPlatform::options() const { return kOptions; }

StatusOr<std::vector<device::DeviceFacts>> OpenClPlatform::Describe(
    const SystemOptions& options) const {
  std::vector<device::DeviceFacts> facts(static_cast<size_t>(options.device_count));
  for (size_t d = 0; d < facts.size(); ++d) facts[d].id = static_cast<int>(d);
  return facts;
}

StatusOr<std::unique_ptr<device::System>> OpenClPlatform::Start(
    const SystemOptions& options) const {
  const std::string& library = options.text("opencl_library");
  TENON_ASSIGN_OR_RETURN(const Api api, load_(library.empty() ? kLoader : library));
  auto system = std::make_unique<OpenClSystem>(options);
  TENON_RETURN_IF_ERROR(system->Start(api, options));
  return system;
}

const OpenClPlatform& Platform() {
  static const OpenClPlatform& platform = *new OpenClPlatform();
  return platform;
}

}  // namespace tenon::opencl
