#include "acme_device.h"

#include <cstring>
#include <utility>

#include "tenon/devices/cpu/float_mode.h"
#include "tenon/devices/cpu/host_machine.h"
#include "tenon/runtime/host_memory.h"
#include "tenon/runtime/program.h"
#include "tenon/runtime/runtime.h"
#include "tenon/runtime/thread_pool.h"

namespace acme {
namespace {

using tenon::Event;
using tenon::Image;
using tenon::Status;
using tenon::StatusOr;
namespace device = tenon::device;
namespace runtime = tenon::runtime;

class Program final : public device::Program {
 public:
  explicit Program(std::shared_ptr<const runtime::Program> code)
      : code_(std::move(code)) {}
  const runtime::Program& code() const { return *code_; }

 private:
  const std::shared_ptr<const runtime::Program> code_;
};

// Runs launches one at a time, in the order in which their arguments become ready.
class Queue final : public device::Queue {
 public:
  explicit Queue(runtime::Runtime& runtime) : runtime_(runtime) {}

  void Submit(device::Launch* launch, std::shared_ptr<Event::Work>) override {
    launch->WhenArgumentsReady(
        [this, launch] { thread_.Schedule([this, launch] { Run(launch); }); });
  }
  // Never called by the client, because the host can address the A1's memory.
  void CopyAfter(const device::Copy&, Event,
                 std::function<void(const Status&)> done) override {
    done(tenon::Internal("the A1's memory is copied by the host"));
  }

 private:
  void Run(device::Launch* launch) {
    device::LaunchBuffers buffers;
    Status status = launch->Prepare(&buffers);
    if (status.ok()) {
      for (const device::AliasCopy& copy : buffers.copies) {
        std::memcpy(copy.to, copy.from, copy.size);
      }
      const auto& program = static_cast<const Program&>(*launch->program());
      status =
          program.code().Run(runtime_, buffers.arguments, buffers.results, launch->ids());
    }
    launch->Finish(std::move(status));
  }

  runtime::Runtime& runtime_;
  runtime::ThreadPool thread_{1};
};

class Device final : public device::Device {
 public:
  explicit Device(runtime::Runtime& runtime)
      : memory_(runtime.allocator()), queue_(runtime) {}
  device::MemorySpace& memory(device::MemoryKind) override { return memory_; }
  device::Queue& compute() override { return queue_; }
  device::Queue& to_device() override { return queue_; }
  device::Queue& to_host() override { return queue_; }

 private:
  runtime::HostMemory memory_;
  Queue queue_;
};

class System final : public device::System {
 public:
  explicit System(const device::SystemOptions& options) : runtime_(Options(options)) {
    for (int64_t d = 0; d < options.device_count; ++d) {
      devices_.push_back(std::make_unique<Device>(runtime_));
      pointers_.push_back(devices_.back().get());
    }
  }
  std::span<device::Device* const> devices() const override { return pointers_; }
  StatusOr<std::shared_ptr<const device::Program>> Load(
      std::shared_ptr<const Image> image, const device::LoadOptions& options) override {
    TENON_RETURN_IF_ERROR(RegisterLibrary(options.platform));
    TENON_ASSIGN_OR_RETURN(
        auto code, runtime::Program::Load(std::move(image), Platform().host(), options));
    return std::make_shared<const Program>(std::move(code));
  }
  void RunOnHost(std::function<void()> work) override {
    runtime_.runners().Schedule(std::move(work));
  }

 private:
  static runtime::RuntimeOptions Options(const device::SystemOptions& options) {
    runtime::RuntimeOptions result{.float_mode = tenon::cpu::kFloatMode};
    result.allocator.limit = options.memory_limit;
    return result;
  }
  runtime::Runtime runtime_;
  std::vector<std::unique_ptr<Device>> devices_;
  std::vector<device::Device*> pointers_;
};

}  // namespace

const tenon::Machine& Platform::host() const { return tenon::cpu::HostMachine(); }

StatusOr<std::vector<device::DeviceFacts>> Platform::Describe(
    const device::SystemOptions& options) const {
  std::vector<device::DeviceFacts> facts(static_cast<size_t>(options.device_count));
  for (size_t d = 0; d < facts.size(); ++d) facts[d].id = static_cast<int>(d);
  return facts;
}

StatusOr<std::unique_ptr<device::System>> Platform::Start(
    const device::SystemOptions& options) const {
  return std::make_unique<System>(options);
}

}  // namespace acme
