#include "tenon/devices/sim/sim_device.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace tenon::sim {
namespace {

// The work of an execution's event. Records whether the execution is queued. Only
// then may later operations wait for it on a queue's thread: they have been queued after
// it, so queues that wait for each other form no cycle.
class QueuedWork final : public Event::Work {
 public:
  // A waiting thread cannot help, because the device has its own threads.
  std::chrono::microseconds Help() override { return {}; }
  void MarkQueued() { queued_.store(true, std::memory_order_release); }
  bool queued() const { return queued_.load(std::memory_order_acquire); }

 private:
  std::atomic<bool> queued_{false};
};

bool IsReadyOrQueued(const Event& event) {
  if (event.IsReady()) return true;
  const auto* work = dynamic_cast<const QueuedWork*>(event.work().get());
  return work && work->queued();
}

const runtime::Program& ProgramOf(const device::Launch& launch) {
  return static_cast<const SimProgram&>(*launch.program()).program();
}

// The host address of the bytes at `address` of `space`.
char* BytesAt(device::MemorySpace* space, const void* address) {
  if (space && !space->host_addressable()) {
    return static_cast<char*>(static_cast<SimMemory*>(space)->Translate(address));
  }
  return static_cast<char*>(const_cast<void*>(address));
}

}  // namespace

std::shared_ptr<Event::Work> SimQueue::MakeWork(
    const std::shared_ptr<const device::Program>&) {
  return std::make_shared<QueuedWork>();
}

void SimQueue::Submit(device::Launch* launch, std::shared_ptr<Event::Work> work) {
  // A program with custom calls does not occupy the queue's thread, because custom calls
  // may run other programs.
  const bool may_block = ProgramOf(*launch).may_block();
  if (!may_block && std::ranges::all_of(launch->PendingArguments(), IsReadyOrQueued)) {
    thread_.Schedule([this, launch] {
      launch->AwaitArguments();
      device_.Execute(launch);
    });
    static_cast<QueuedWork&>(*work).MarkQueued();
    return;
  }
  launch->WhenArgumentsReady([this, launch, may_block, work] {
    runtime::ThreadPool& pool = may_block ? device_.runtime_.blocking() : thread_;
    pool.Schedule([this, launch] { device_.Execute(launch); });
    static_cast<QueuedWork&>(*work).MarkQueued();
  });
}

void SimQueue::CopyAfter(const device::Copy& copy, Event after,
                         std::function<void(const Status&)> done) {
  auto run = [this, copy, after, done = std::move(done)] {
    Status status = after.Await();
    if (status.ok()) status = device_.DoCopy(copy);
    done(status);
  };
  if (IsReadyOrQueued(after)) {
    thread_.Schedule(std::move(run));
  } else {
    after.OnReady([this, run = std::move(run)](const Status&) { thread_.Schedule(run); });
  }
}

Status SimDevice::BeginOperation() {
  const int64_t operation = operations_.fetch_add(1, std::memory_order_relaxed) + 1;
  std::this_thread::sleep_for(speed_.latency * faults_.slow);
  if (faults_.lost && operation >= faults_.lost) {
    return Status(StatusCode::kUnavailable,
                  "simulated device " + std::to_string(id_) + " is lost");
  }
  return OkStatus();
}

Status SimDevice::BeginLaunch() {
  TENON_RETURN_IF_ERROR(BeginOperation());
  const int64_t launch = launches_.fetch_add(1, std::memory_order_relaxed) + 1;
  if (launch != faults_.launch) return OkStatus();
  return Internal("launch " + std::to_string(launch) + " of simulated device " +
                  std::to_string(id_) + " failed");
}

Status SimDevice::BeginCopy() {
  TENON_RETURN_IF_ERROR(BeginOperation());
  const int64_t copy = copies_.fetch_add(1, std::memory_order_relaxed) + 1;
  if (copy != faults_.copy) return OkStatus();
  return Internal("copy " + std::to_string(copy) + " of simulated device " +
                  std::to_string(id_) + " failed");
}

void SimDevice::Execute(device::Launch* launch) {
  Status status = launch->HasFailed() ? OkStatus() : BeginLaunch();
  device::LaunchBuffers buffers;
  if (status.ok()) status = launch->Prepare(&buffers);
  if (status.ok()) status = Run(ProgramOf(*launch), buffers, launch->ids());
  launch->Finish(std::move(status));
}

void* SimDevice::Translate(const void* address) const {
  void* own = memory_->Translate(address);
  return own ? own : const_cast<void*>(address);
}

Status SimDevice::FindAddresses(const runtime::Program& program,
                                const device::LaunchBuffers& buffers,
                                SimAddresses* addresses) {
  for (const device::AliasCopy& copy : buffers.copies) {
    std::memcpy(Translate(copy.to), Translate(copy.from), copy.size);
  }
  const auto translated = [this](const RunBuffer* given, size_t count) {
    std::vector<RunBuffer> result(given, given + count);
    for (RunBuffer& buffer : result) buffer.data = Translate(buffer.data);
    return result;
  };
  const ExecutableInfo& info = program.info();
  addresses->arguments = translated(buffers.arguments, info.parameters.size());
  addresses->results = translated(buffers.results, info.results.size());
  const size_t arena_bytes = program.image()->code().arena_bytes;
  if (arena_bytes) {
    TENON_ASSIGN_OR_RETURN(addresses->arena, memory_->Allocate(arena_bytes));
  }
  return OkStatus();
}

Status SimDevice::BeginMember(const runtime::Program& program,
                              const device::LaunchBuffers& buffers,
                              SimAddresses* addresses) {
  TENON_RETURN_IF_ERROR(BeginLaunch());
  return FindAddresses(program, buffers, addresses);
}

void SimDevice::EndMember(const runtime::Program& program,
                          const SimAddresses& addresses) {
  if (addresses.arena) {
    memory_->Free(addresses.arena, program.image()->code().arena_bytes);
  }
}

Status SimDevice::Run(const runtime::Program& program,
                      const device::LaunchBuffers& buffers, const RunIds& ids) {
  SimAddresses addresses;
  TENON_RETURN_IF_ERROR(FindAddresses(program, buffers, &addresses));
  Status status =
      program.Run(runtime_, addresses.arguments.data(), addresses.results.data(), ids,
                  addresses.arena ? Translate(addresses.arena) : nullptr);
  EndMember(program, addresses);
  return status;
}

Status SimDevice::DoCopy(const device::Copy& copy) {
  TENON_RETURN_IF_ERROR(BeginCopy());
  const auto start = std::chrono::steady_clock::now();
  std::memcpy(BytesAt(copy.to_space, copy.to), BytesAt(copy.from_space, copy.from),
              copy.size);
  if (speed_.megabytes_per_second) {
    const double microseconds = static_cast<double>(copy.size) /
                                static_cast<double>(speed_.megabytes_per_second) *
                                static_cast<double>(faults_.slow);
    std::this_thread::sleep_until(
        start + std::chrono::microseconds(static_cast<int64_t>(microseconds)));
  }
  return OkStatus();
}

}  // namespace tenon::sim
