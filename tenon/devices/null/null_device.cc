#include "tenon/devices/null/null_device.h"

#include <string>
#include <utility>

namespace tenon::null {
namespace {

Status ToBeWritten(const char* function) {
  return Unimplemented(std::string(function) +
                       " of the null device is to be written: see "
                       "docs/adding/device.md");
}

}  // namespace

StatusOr<void*> NullMemory::Allocate(size_t) {
  // Fill in: return an address of the device's memory, aligned to device::kAlignment. If
  // there is no room, return RESOURCE_EXHAUSTED with the bytes in use.
  return ToBeWritten("MemorySpace::Allocate");
}

void NullMemory::Free(void*, size_t) {}

device::MemoryUsage NullMemory::Usage() const { return {}; }

void NullMemory::ClearPeaks() {}

void NullQueue::Submit(device::Launch* launch, std::shared_ptr<Event::Work>) {
  // Fill in: when the arguments are ready (WhenArgumentsReady, or AwaitArguments on a
  // thread of the queue), call Prepare for the addresses, make the copies that it lists,
  // and run the program. Then call Finish, with the device's error if there is one.
  launch->WhenArgumentsReady([launch] { launch->Finish(ToBeWritten("Queue::Submit")); });
}

void NullQueue::CopyAfter(const device::Copy&, Event,
                          std::function<void(const Status&)> done) {
  // Fill in: when the event is complete, copy, and call `done` with the status of the
  // copy.
  done(ToBeWritten("Queue::CopyAfter"));
}

NullSystem::NullSystem(int64_t device_count) {
  for (int64_t d = 0; d < device_count; ++d) {
    devices_.push_back(std::make_unique<NullDevice>());
    pointers_.push_back(devices_.back().get());
  }
}

StatusOr<std::shared_ptr<const device::Program>> NullSystem::Load(
    std::shared_ptr<const Image>, const device::LoadOptions&) {
  // Fill in: find the image's code object for the device, and load it, so that
  // Queue::Submit can run it. A device that runs host code uses runtime::Program::Load.
  return ToBeWritten("System::Load");
}

const Machine& NullPlatform::host() const {
  static const Machine& machine = *new Machine{.architecture = TENON_HOST_ARCHITECTURE};
  return machine;
}

StatusOr<std::vector<device::DeviceFacts>> NullPlatform::Describe(
    const device::SystemOptions& options) const {
  std::vector<device::DeviceFacts> facts(static_cast<size_t>(options.device_count));
  for (size_t d = 0; d < facts.size(); ++d) facts[d].id = static_cast<int>(d);
  return facts;
}

StatusOr<std::unique_ptr<device::System>> NullPlatform::Start(
    const device::SystemOptions& options) const {
  // Fill in: find the hardware. Return UNAVAILABLE if there is none.
  return std::make_unique<NullSystem>(options.device_count);
}

}  // namespace tenon::null
