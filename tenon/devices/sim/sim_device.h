// One simulated accelerator. It has its own memory, an ordered queue for executions, and
// an ordered queue for copies in each direction.
//
// It runs the host code of images on its own threads. Thread-safe.
#ifndef TENON_DEVICES_SIM_SIM_DEVICE_H_
#define TENON_DEVICES_SIM_SIM_DEVICE_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "tenon/device/device.h"
#include "tenon/devices/sim/faults.h"
#include "tenon/devices/sim/sim_memory.h"
#include "tenon/runtime/host_memory.h"
#include "tenon/runtime/program.h"
#include "tenon/runtime/runtime.h"
#include "tenon/runtime/thread_pool.h"

namespace tenon::sim {

// The simulated speed. It adds to the time of the computation itself.
struct Speed {
  std::chrono::microseconds latency{0};  // of each operation
  int64_t megabytes_per_second = 0;      // of copies; 0 means the host's own speed
};

class SimProgram final : public device::Program {
 public:
  explicit SimProgram(std::shared_ptr<const runtime::Program> program)
      : program_(std::move(program)) {}
  bool synchronous() const override { return program_->synchronous(); }
  const runtime::Program& program() const { return *program_; }
  const std::shared_ptr<const runtime::Program>& shared_program() const {
    return program_;
  }

 private:
  const std::shared_ptr<const runtime::Program> program_;
};

class SimDevice;

// What host code sees of a launch: addresses on the host, and an arena in the memory of
// the device.
struct SimAddresses {
  std::vector<RunBuffer> arguments, results;
  void* arena = nullptr;  // as the memory knows it; null if the program needs none
};

// Runs operations one after another, in the order in which they were submitted. An
// operation that waits for an event from outside the SimQueues enters the queue when that
// event is complete.
class SimQueue final : public device::Queue {
 public:
  explicit SimQueue(SimDevice& device) : device_(device) {}

  std::shared_ptr<Event::Work> MakeWork(
      const std::shared_ptr<const device::Program>& program) override;
  void Submit(device::Launch* launch, std::shared_ptr<Event::Work> work) override;
  void CopyAfter(const device::Copy& copy, Event after,
                 std::function<void(const Status&)> done) override;

 private:
  SimDevice& device_;
  runtime::ThreadPool thread_{1};
};

class SimDevice final : public device::Device {
 public:
  // `runtime` and `host` must outlive the device.
  SimDevice(int id, std::unique_ptr<SimMemory> memory, runtime::HostMemory& host,
            runtime::Runtime& runtime, const Speed& speed, const Faults& faults)
      : id_(id),
        memory_(std::move(memory)),
        host_(host),
        runtime_(runtime),
        speed_(speed),
        faults_(faults) {}

  device::MemorySpace& memory(device::MemoryKind kind) override {
    if (kind == device::MemoryKind::kDevice) return *memory_;
    return host_;
  }
  device::Queue& compute() override { return compute_; }
  device::Queue& to_device() override { return to_device_; }
  device::Queue& to_host() override { return to_host_; }

  // For launches that the system runs together. Begin counts the launch, makes the
  // copies, and fills `*addresses`, which End releases.
  Status BeginMember(const runtime::Program& program,
                     const device::LaunchBuffers& buffers, SimAddresses* addresses);
  void EndMember(const runtime::Program& program, const SimAddresses& addresses);
  // The host address of `address`, which may already be in host memory.
  void* Translate(const void* address) const;

 private:
  friend class SimQueue;

  // Count an operation and wait for the simulated latency. An error if a fault is due.
  Status BeginLaunch();
  Status BeginCopy();
  Status BeginOperation();
  // Runs the launch, whose arguments are ready, on this thread and finishes it.
  void Execute(device::Launch* launch);
  Status Run(const runtime::Program& program, const device::LaunchBuffers& buffers,
             const RunIds& ids);
  Status DoCopy(const device::Copy& copy);
  Status FindAddresses(const runtime::Program& program,
                       const device::LaunchBuffers& buffers, SimAddresses* addresses);

  const int id_;
  const std::unique_ptr<SimMemory> memory_;
  runtime::HostMemory& host_;
  runtime::Runtime& runtime_;
  const Speed speed_;
  const Faults faults_;
  std::atomic<int64_t> launches_{0}, copies_{0}, operations_{0};
  // Last, so that their threads end before other members are destroyed.
  SimQueue compute_{*this}, to_device_{*this}, to_host_{*this};
};

}  // namespace tenon::sim

#endif  // TENON_DEVICES_SIM_SIM_DEVICE_H_
