#include "tenon/devices/streams/program_run.h"

#include <cstring>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "tenon/runtime/trace.h"

namespace tenon::streams {

using runtime::TraceEvent;

StatusOr<std::shared_ptr<Block>> Block::Allocate(Memory& memory, size_t size) {
  TENON_ASSIGN_OR_RETURN(void* address, memory.Allocate(size));
  return std::shared_ptr<Block>(new Block(memory, address, size));
}

StatusOr<StreamClock::Reference> StreamClock::Get(Stream& stream) {
  std::lock_guard lock(mutex_);
  if (!last_.mark || runtime::TraceClock() - last_.time_ns > kMaxAgeNs) {
    TENON_ASSIGN_OR_RETURN(auto mark, stream.Record(/*timed=*/true));
    TENON_RETURN_IF_ERROR(mark->Wait());
    last_ = {.mark = std::move(mark), .time_ns = runtime::TraceClock()};
  }
  return last_;
}

ProgramRun::ProgramRun(const RunDevice& device, std::shared_ptr<const Program> program,
                       const RunIds& ids)
    : device_(device),
      program_(std::move(program)),
      ids_(ids),
      traced_(runtime::Tracer::Global().active()) {}

Status ProgramRun::Fail(Status status) const {
  return status.WithPrefix("program '" + program_->name() + "' on " + device_.name);
}

Status ProgramRun::Start(const device::LaunchBuffers& buffers,
                         std::shared_ptr<Block> arena) {
  TENON_RETURN_IF_ERROR(Begin(buffers, std::move(arena)));
  // Members of a gang read each other's memory, and traces time each kernel.
  collects_ = !traced_ && program_->takes_sequences();
  TENON_RETURN_IF_ERROR(program_->launcher().Run(
      *device_.runtime, arguments_.data(), results_.data(), ids_, this->arena(), this));
  TENON_RETURN_IF_ERROR(End());
  if (!waited_ && launches_ <= kQuickLaunches) program_->SetQuick(device_.index);
  return OkStatus();
}

Status ProgramRun::BeginAlone(const device::LaunchBuffers& buffers) {
  const size_t size = program_->launcher().image()->code().arena_bytes;
  TENON_ASSIGN_OR_RETURN(auto arena, Block::Allocate(*device_.memory, size));
  return Begin(buffers, std::move(arena));
}

Status ProgramRun::Begin(const device::LaunchBuffers& buffers,
                         std::shared_ptr<Block> arena) {
  const ExecutableInfo& info = program_->launcher().info();
  arena_ = std::move(arena);
  if (traced_) {
    TENON_ASSIGN_OR_RETURN(reference_, device_.clock->Get(*device_.stream));
    TENON_ASSIGN_OR_RETURN(start_, Record());
  }
  TENON_ASSIGN_OR_RETURN(
      constants_, program_->ConstantsOn(device_.index, *device_.stream, *device_.memory));
  for (const device::AliasCopy& copy : buffers.copies) {
    TENON_RETURN_IF_ERROR(Copy(copy.to, copy.from, copy.size));
  }
  TENON_RETURN_IF_ERROR(
      Stage(info.results, buffers.results, /*copy_in=*/false, &results_));
  return Stage(info.parameters, buffers.arguments, /*copy_in=*/true, &arguments_);
}

Status ProgramRun::Stage(const std::vector<ImageTensor>& tensors,
                         const RunBuffer* buffers, bool copy_in,
                         std::vector<RunBuffer>* staged) {
  staged->reserve(tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    RunBuffer& buffer = staged->emplace_back(buffers[i]);
    const auto bytes = static_cast<size_t>(tensors[i].ByteSize());
    if (!buffer.data || bytes == 0 || device_.memory->Contains(buffer.data) ||
        (device_.host_memory && device_.host_memory->Contains(buffer.data))) {
      continue;
    }
    waited_ = true;  // copies from such memory may wait
    Staged& entry = staged_[buffer.data];
    if (!entry.block) {
      TENON_ASSIGN_OR_RETURN(entry.block, Block::Allocate(*device_.memory, bytes));
    }
    if (!copy_in) entry.is_result = true;
    if (copy_in) {
      TENON_RETURN_IF_ERROR(Copy(entry.block->address(), buffer.data, bytes));
    }
    buffer.data = entry.block->address();
  }
  return OkStatus();
}

Status ProgramRun::End() {
  TENON_RETURN_IF_ERROR(Flush());
  for (const auto& [address, entry] : staged_) {
    if (!entry.is_result) continue;
    TENON_RETURN_IF_ERROR(Copy(address, entry.block->address(), entry.block->size()));
  }
  return OkStatus();
}

Status ProgramRun::Complete(const StatusOr<std::shared_ptr<Mark>>& end) {
  Status status = end.ok() ? (*end)->Wait() : end.status();
  // The kernel's error says more than what follows from it.
  TENON_RETURN_IF_ERROR(CheckAll());
  if (!status.ok()) return Fail(std::move(status));
  if (traced_) Trace();
  return OkStatus();
}

Status ProgramRun::Check(size_t count) {
  Status status;
  for (size_t i = 0; i < count && status.ok(); ++i) {
    status = started_[i].end->Wait();
    if (status.ok()) continue;
    status = status.WithPrefix(program_->KernelName(started_[i].kernel))
                 .WithPrefix(device_.name);
  }
  started_.erase(started_.begin(), started_.begin() + static_cast<int64_t>(count));
  return status;
}

Status ProgramRun::Launch(int64_t kernel, const uint64_t* arguments, int64_t num_groups) {
  if (kernel < 0 || kernel >= std::ssize(program_->kernels())) {
    return Fail(Internal("the launcher starts kernel " + std::to_string(kernel) + " of " +
                         std::to_string(program_->kernels().size())));
  }
  if (num_groups <= 0) return OkStatus();
  ++launches_;
  const auto k = static_cast<size_t>(kernel);
  if (collects_) {
    waiting_.items.push_back({k, static_cast<uint64_t>(num_groups)});
    waiting_.words.insert(waiting_.words.end(), arguments,
                          arguments + program_->kernels()[k].arguments.size());
    return waiting_.items.size() < kMaxWaiting ? OkStatus() : Flush();
  }
  StatusOr<std::shared_ptr<Mark>> launched = program_->Launch(
      device_.index, *device_.stream, k, arguments, static_cast<uint64_t>(num_groups));
  if (!launched.ok()) return launched.status().WithPrefix(device_.name);
  std::shared_ptr<Mark> end = *std::move(launched);
  if (end) started_.push_back({k, end});
  if (traced_ && timed_.size() < kMaxTimed) {
    if (!end) {
      TENON_ASSIGN_OR_RETURN(end, Record());
    }
    timed_.push_back({k, std::move(end)});
  }
  if (started_.size() < kMaxStarted) return OkStatus();
  // Half of them, so that the device does not run out of commands.
  return Check(kMaxStarted / 2);
}

Status ProgramRun::Flush() {
  if (waiting_.items.empty()) return OkStatus();
  Status status = program_->LaunchAll(device_.index, *device_.stream, waiting_);
  waiting_.items.clear();
  waiting_.words.clear();
  return status.ok() ? status : status.WithPrefix(device_.name);
}

Status ProgramRun::Copy(void* to, const void* from, size_t bytes) {
  if (bytes == 0 || to == from) return OkStatus();
  TENON_RETURN_IF_ERROR(Flush());
  Status status = device_.stream->Copy(to, from, bytes);
  return status.ok() ? status : Fail(std::move(status));
}

Status ProgramRun::Wait() {
  waited_ = true;
  TENON_ASSIGN_OR_RETURN(const auto mark, device_.stream->Record());
  (void)mark->Ask();
  return mark->Wait();
}

Status ProgramRun::Read(const void* from, void* to_host, size_t bytes) {
  TENON_RETURN_IF_ERROR(Flush());
  void* to = to_host;
  if (bytes <= kMaxRead && device_.host_memory) {
    if (!read_) {
      TENON_ASSIGN_OR_RETURN(read_, Block::Allocate(*device_.host_memory, kMaxRead));
    }
    to = read_->address();
  }
  Status status = device_.stream->Copy(to, from, bytes);
  if (status.ok()) status = Wait();
  TENON_RETURN_IF_ERROR(CheckAll());
  if (!status.ok()) return Fail(std::move(status));
  if (to != to_host) std::memcpy(to_host, to, bytes);
  return OkStatus();
}

Status ProgramRun::Write(void* to, const void* from_host, size_t bytes) {
  TENON_RETURN_IF_ERROR(Flush());
  const bool keep = bytes <= kMaxKept;
  if (keep) {
    std::memcpy(kept_.emplace_back().data(), from_host, bytes);
    from_host = kept_.back().data();
  }
  Status status = device_.stream->Copy(to, from_host, bytes);
  if (status.ok() && !keep) status = Wait();
  return status.ok() ? status : Fail(std::move(status));
}

void ProgramRun::Trace() const {
  if (timed_.empty()) return;
  TraceEvent event{.kind = TraceEvent::Kind::kKernel,
                   .name = {},
                   .program = program_->launcher().image(),
                   .run_id = ids_.run_id,
                   .device_id = ids_.device_id};
  const auto record = [&](TraceEvent::Kind kind, int64_t index, int64_t start,
                          int64_t end) {
    event.kind = kind;
    event.index = index;
    event.start_ns = start;
    event.end_ns = end;
    runtime::Tracer::Global().Record(event);
  };
  const size_t num_named = event.program->code().kernels.size();
  const int64_t run_start = reference_.TimeOf(*start_);
  int64_t last = run_start, first = run_start;
  for (const Started& timed : timed_) {
    const int64_t end = run_start + timed.end->NanosecondsSince(*start_);
    // Otherwise as if the device had done nothing in between.
    const std::optional<int64_t> took = timed.end->Nanoseconds();
    const int64_t start = took ? end - *took : last;
    if (&timed == &timed_.front()) first = start;
    const int64_t kernel = program_->kernels()[timed.kernel].source_kernel;
    if (static_cast<size_t>(kernel) < num_named) {  // otherwise an image without names
      record(TraceEvent::Kind::kKernel, kernel, start, end);
    }
    last = end;
  }
  record(TraceEvent::Kind::kRun, 0, first, last);
}

}  // namespace tenon::streams
