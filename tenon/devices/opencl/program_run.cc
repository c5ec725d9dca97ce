#include "tenon/devices/opencl/program_run.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>

#include "tenon/runtime/trace.h"

namespace tenon::opencl {

using runtime::TraceEvent;

StatusOr<std::shared_ptr<Block>> Block::Allocate(Memory& memory, size_t size) {
  TENON_ASSIGN_OR_RETURN(void* address, memory.Allocate(size));
  return std::shared_ptr<Block>(new Block(memory, address, size));
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
  TENON_RETURN_IF_ERROR(program_->launcher().Run(
      *device_.runtime, arguments_.data(), results_.data(), ids_, this->arena(), this));
  return End();
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
  TENON_ASSIGN_OR_RETURN(
      constants_, program_->ConstantsOn(device_.index, device_.queue, *device_.memory));
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
  for (size_t i = 0; i < tensors.size(); ++i) {
    RunBuffer& buffer = staged->emplace_back(buffers[i]);
    const auto bytes = static_cast<size_t>(tensors[i].ByteSize());
    if (!buffer.data || bytes == 0 || device_.memory->Contains(buffer.data) ||
        (device_.host_memory && device_.host_memory->Contains(buffer.data))) {
      continue;
    }
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
  for (const auto& [address, entry] : staged_) {
    if (!entry.is_result) continue;
    TENON_RETURN_IF_ERROR(Copy(address, entry.block->address(), entry.block->size()));
  }
  return OkStatus();
}

EventRef ProgramRun::Mark() {
  const Api& api = device_.context->api();
  cl_event mark = nullptr;
  if (api.EnqueueMarkerWithWaitList(device_.queue, 0, nullptr, &mark) != CL_SUCCESS) {
    return {};
  }
  api.Flush(device_.queue);
  return EventRef(api, mark);
}

Status ProgramRun::Complete(const EventRef& mark) {
  const Api& api = device_.context->api();
  const cl_event event = mark.get();
  const cl_int code = event ? api.WaitForEvents(1, &event) : api.Finish(device_.queue);
  Status status = CheckStarted();
  if (status.ok() && code != CL_SUCCESS) {
    status = Fail(ToStatus(code, "waiting for the device"));
  }
  if (traced_) Trace();
  return status;
}

Status ProgramRun::Launch(int64_t kernel, const uint64_t* arguments, int64_t num_groups) {
  if (kernel < 0 || kernel >= std::ssize(program_->kernels())) {
    return Fail(Internal("the launcher starts kernel " + std::to_string(kernel) + " of " +
                         std::to_string(program_->kernels().size())));
  }
  if (num_groups <= 0) return OkStatus();
  if (started_.size() >= kMaxStarted) {
    const cl_event last = started_.back().event.get();
    device_.context->api().WaitForEvents(1, &last);
    TENON_RETURN_IF_ERROR(CheckStarted());
  }
  if (traced_ && first_enqueued_ns_ == 0) first_enqueued_ns_ = runtime::TraceClock();
  EventRef event;
  const auto k = static_cast<size_t>(kernel);
  Status status = program_->Enqueue(device_.index, device_.queue, k, arguments,
                                    static_cast<size_t>(num_groups), &event);
  if (!status.ok()) return status.WithPrefix(device_.name);
  started_.push_back({k, std::move(event)});
  return OkStatus();
}

Status ProgramRun::Copy(void* to, const void* from, size_t bytes) {
  if (bytes == 0 || to == from) return OkStatus();
  Status status = device_.context->EnqueueCopy(device_.queue, /*blocking=*/false, to,
                                               from, bytes, {}, nullptr);
  return status.ok() ? status : Fail(std::move(status));
}

Status ProgramRun::Read(const void* from, void* to_host, size_t bytes) {
  Status status = device_.context->EnqueueCopy(device_.queue, /*blocking=*/true, to_host,
                                               from, bytes, {}, nullptr);
  TENON_RETURN_IF_ERROR(CheckStarted());
  return status.ok() ? status : Fail(std::move(status));
}

Status ProgramRun::Write(void* to, const void* from_host, size_t bytes) {
  const bool keep = bytes <= kMaxKept;
  if (keep) {
    std::memcpy(kept_.emplace_back().data(), from_host, bytes);
    from_host = kept_.back().data();
  }
  Status status = device_.context->EnqueueCopy(device_.queue, /*blocking=*/!keep, to,
                                               from_host, bytes, {}, nullptr);
  return status.ok() ? status : Fail(std::move(status));
}

Status ProgramRun::CheckStarted() {
  const Api& api = device_.context->api();
  Status status;
  for (const Started& started : started_) {
    cl_int code = CL_COMPLETE;
    api.GetEventInfo(started.event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof code,
                     &code, nullptr);
    if (code < 0) {
      status =
          ToStatus(code, program_->KernelName(started.kernel)).WithPrefix(device_.name);
      break;
    }
  }
  if (traced_) {
    std::ranges::move(started_, std::back_inserter(finished_));
  }
  started_.clear();
  return status;
}

void ProgramRun::Trace() const {
  if (finished_.empty()) return;
  const Api& api = device_.context->api();
  const auto time = [&](const Started& started, cl_profiling_info what) {
    cl_ulong nanoseconds = 0;
    api.GetEventProfilingInfo(started.event.get(), what, sizeof nanoseconds, &nanoseconds,
                              nullptr);
    return static_cast<int64_t>(nanoseconds);
  };
  // The first kernel tells how the device's clock differs from that of the trace.
  const int64_t offset =
      first_enqueued_ns_ - time(finished_.front(), CL_PROFILING_COMMAND_QUEUED);
  TraceEvent event{.kind = TraceEvent::Kind::kKernel,
                   .name = {},
                   .program = program_->launcher().image(),
                   .run_id = ids_.run_id,
                   .device_id = ids_.device_id};
  const auto record = [&](TraceEvent::Kind kind, int64_t index, int64_t start,
                          int64_t end) {
    event.kind = kind;
    event.index = index;
    event.start_ns = offset + start;
    event.end_ns = offset + end;
    runtime::Tracer::Global().Record(event);
  };
  const size_t num_named = event.program->code().kernels.size();
  for (const Started& started : finished_) {
    const int64_t kernel = program_->kernels()[started.kernel].source_kernel;
    if (static_cast<size_t>(kernel) >= num_named) continue;  // an image without names
    record(TraceEvent::Kind::kKernel, kernel, time(started, CL_PROFILING_COMMAND_START),
           time(started, CL_PROFILING_COMMAND_END));
  }
  record(TraceEvent::Kind::kRun, 0, time(finished_.front(), CL_PROFILING_COMMAND_START),
         time(finished_.back(), CL_PROFILING_COMMAND_END));
}

}  // namespace tenon::opencl
