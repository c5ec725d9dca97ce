#include "tenon/devices/streams/system.h"

#include <chrono>
#include <utility>

#include "tenon/devices/cpu/float_mode.h"
#include "tenon/devices/streams/program.h"
#include "tenon/devices/streams/program_run.h"
#include "tenon/runtime/gang_launch.h"

namespace tenon::streams {
namespace {

runtime::RuntimeOptions HostOptions(const device::SystemOptions& options) {
  runtime::RuntimeOptions result{.float_mode = cpu::kFloatMode};
  result.allocator.huge_pages = options.huge_pages;
  result.team.num_threads = static_cast<int>(options.threads);
  result.team.processors = options.affinity;
  result.team.spin = std::chrono::microseconds(options.spin_microseconds);
  return result;
}

}  // namespace

System::System(const device::SystemOptions& options, std::unique_ptr<KernelLoader> loader)
    : loader_(std::move(loader)),
      host_(HostOptions(options)),
      unpinned_(host_.allocator()) {}

void System::AddPinnedMemory(std::string owner,
                             std::function<StatusOr<void*>(size_t)> allocate,
                             std::function<void(void*)> free) {
  const auto limit = static_cast<size_t>(host_.allocator().stats().limit);
  pinned_ = std::make_unique<Memory>(Memory::Options{.host_addressable = true,
                                                     .owner = std::move(owner),
                                                     .limit = limit,
                                                     .largest_block = limit,
                                                     .allocate = std::move(allocate),
                                                     .free = std::move(free)});
}

void System::AddDevice(DeviceParts parts) {
  memories_.push_back(std::make_unique<Memory>(std::move(parts.memory)));
  const RunDevice facts{.index = devices_.size(),
                        .name = parts.name,
                        .memory = memories_.back().get(),
                        .host_memory = pinned_.get(),
                        .runtime = &host_};
  const Device::HostMemories host_memories = {
      .pinned = pinned_ ? static_cast<device::MemorySpace*>(pinned_.get()) : &unpinned_,
      .unpinned = &unpinned_};
  devices_.push_back(
      std::make_unique<Device>(facts, host_memories, std::move(parts.streams)));
  pointers_.push_back(devices_.back().get());
}

StatusOr<std::shared_ptr<const device::Program>> System::Load(
    std::shared_ptr<const Image> image, const device::LoadOptions& options) {
  TENON_ASSIGN_OR_RETURN(
      auto program, Program::Load(std::move(image), *loader_, devices_.size(), options));
  return std::shared_ptr<const device::Program>(std::move(program));
}

void System::SubmitGang(std::vector<device::Launch*> launches, device::SharedRun run) {
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
               const Status completed = member->Complete(member->Record());
               if (end.ok()) end = completed;
               if (status.ok()) status = std::move(end);
             }
             runs->clear();
             return status;
           }});
}

}  // namespace tenon::streams
