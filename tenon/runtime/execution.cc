#include "tenon/runtime/execution.h"

#include <new>
#include <string>
#include <utility>

namespace tenon::runtime {
namespace {

StatusCode CodeOf(int32_t code) {
  return code >= 1 && code <= 16 ? static_cast<StatusCode>(code) : StatusCode::kInternal;
}

}  // namespace

const RuntimeTable Execution::kTable = {
    .struct_size = sizeof(RuntimeTable),
    .parallel_for =
        [](RunContext* context, ParallelBody body, void* env, int64_t num_chunks) {
          Of(context).ParallelFor(body, env, num_chunks);
        },
    .call_ffi = [](RunContext* context, int64_t site, const RunBuffer* args,
                   const RunBuffer* results) -> int32_t {
      return Of(context).CallFfi(site, args, results);
    },
    .set_error =
        [](RunContext* context, int32_t code, const char* message, int64_t size) {
          Of(context).SetError(
              Status(CodeOf(code), std::string(message, static_cast<size_t>(size))));
        },
    .arrive =
        [](RunContext* context, int64_t site, const RunBuffer* inputs,
           const RunBuffer* outputs,
           Combiner combiner) { Of(context).Arrive(site, inputs, outputs, combiner); },
};

Execution::Execution(Runtime& runtime, const Program& program, const RunIds& ids,
                     bool traced)
    : runtime_(runtime),
      program_(program),
      ids_(ids),
      context_{
          .struct_size = sizeof(RunContext),
          .table = &kTable,
          .constants = program.image()->constants(),
          .execution = this,
          .run_id = ids.run_id,
          .device_id = ids.device_id,
          .replica_id = ids.replica_id,
          .partition_id = ids.partition_id,
          .num_threads = runtime.team().num_threads(),
          .trace_kernel = nullptr,
      } {
  if (traced) {
    context_.trace_kernel = [](RunContext* context, int64_t kernel) {
      Of(context).TraceKernel(kernel);
    };
  }
}

Status Execution::Run(const RunBuffer* args, const RunBuffer* results, void* arena,
                      bool* suspended) {
  const FloatModeScope mode(runtime_.float_mode(), program_.info().ieee_denormals);
  caller_float_mode_ = mode.previous();
  if (context_.trace_kernel) start_ns_ = TraceClock();
  const int32_t code = program_.image()->entry()(&context_, args, results, arena);
  if (start_ns_) {
    TraceKernel(-1);
    RecordEvent(TraceEvent::Kind::kRun, 0, start_ns_, TraceClock());
  }
  *suspended = code == kSuspended && !failed_.load(std::memory_order_relaxed);
  return *suspended ? OkStatus() : TakeError(code);
}

void Execution::ParallelFor(ParallelBody body, void* env, int64_t num_chunks) {
  ComputeTeam& team = runtime_.team();
  if (running_ && running_->load(std::memory_order_relaxed) >= team.num_threads()) {
    for (int64_t chunk = 0; chunk < num_chunks; ++chunk) body(&context_, env, chunk);
    return;
  }
  team.ParallelFor(&context_, body, env, num_chunks, program_.info().ieee_denormals);
}

void Execution::SetError(Status status) {
  // Keep the first error: chunks may fail on several threads at a time. It is read after
  // the entry point has returned, and so after every chunk.
  if (!failed_.exchange(true, std::memory_order_relaxed)) error_ = std::move(status);
}

Status Execution::TakeError(int32_t code) {
  if (failed_.load(std::memory_order_relaxed)) return std::move(error_);
  if (code == 0) return OkStatus();
  return Status(CodeOf(code), "program '" + program_.info().name + "' failed");
}

void Execution::Arrive(int64_t site, const RunBuffer* inputs, const RunBuffer* outputs,
                       Combiner combiner) {
  site_ = site;
  combiner_ = combiner;
  const ImageCollective& collective =
      program_.info().collectives[static_cast<size_t>(site)];
  buffers_.inputs.resize(collective.operands.size());
  for (size_t i = 0; i < buffers_.inputs.size(); ++i) buffers_.inputs[i] = inputs[i].data;
  buffers_.outputs.resize(collective.results.size());
  for (size_t i = 0; i < buffers_.outputs.size(); ++i) {
    buffers_.outputs[i] = outputs[i].data;
  }
}

void Execution::TraceKernel(int64_t kernel) {
  const int64_t now = TraceClock();
  if (kernel_ >= 0) {
    RecordEvent(TraceEvent::Kind::kKernel, kernel_, kernel_start_ns_, now);
  }
  kernel_ = kernel;
  kernel_start_ns_ = now;
}

int32_t Execution::CallFfi(int64_t site, const RunBuffer* args,
                           const RunBuffer* results) {
  if (start_ns_) TraceKernel(-1);
  const int64_t start_ns = start_ns_ ? TraceClock() : 0;
  // Handlers run in the float mode of the caller of Execute.
  runtime_.float_mode().leave(caller_float_mode_);
  Status status;
  try {
    status = program_.call_site(site).Call(args, results, *this, StatesOf(site));
  } catch (const std::bad_alloc&) {
    // Only a forced unwind, the end of a thread, may pass through compiled code.
    status = ResourceExhausted("no memory for the call frame of a custom call");
  }
  runtime_.float_mode().enter(program_.info().ieee_denormals);
  if (start_ns_) {
    RecordEvent(TraceEvent::Kind::kCustomCall, site, start_ns, TraceClock());
  }
  if (status.ok()) return 0;
  const int32_t code = static_cast<int32_t>(status.code());
  SetError(std::move(status));
  return code;
}

ffi::RunStates& Execution::StatesOf(int64_t site) {
  if (!states_) {
    states_ = std::make_unique<ffi::RunStates[]>(program_.info().ffi_calls.size());
  }
  return states_[static_cast<size_t>(site)];
}

void Execution::RecordEvent(TraceEvent::Kind kind, int64_t index, int64_t start_ns,
                            int64_t end_ns) {
  Tracer::Global().Record({.kind = kind,
                           .start_ns = start_ns,
                           .end_ns = end_ns,
                           .name = {},
                           .program = program_.image(),
                           .index = index,
                           .run_id = ids_.run_id,
                           .device_id = ids_.device_id});
}

}  // namespace tenon::runtime
