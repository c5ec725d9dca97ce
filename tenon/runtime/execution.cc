#include "tenon/runtime/execution.h"

#include <algorithm>
#include <cstring>
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
    .launch = [](RunContext* context, int64_t kernel, const uint64_t* arguments,
                 int64_t num_groups) -> int32_t {
      return Of(context).OnStream([&](KernelStream& stream) {
        return stream.Launch(kernel, arguments, num_groups);
      });
    },
    .copy = [](RunContext* context, void* to, const void* from,
               int64_t bytes) -> int32_t {
      return Of(context).OnStream([&](KernelStream& stream) {
        return stream.Copy(to, from, static_cast<size_t>(bytes));
      });
    },
    .read = [](RunContext* context, const void* from, void* to_host,
               int64_t bytes) -> int32_t {
      return Of(context).OnStream([&](KernelStream& stream) {
        return stream.Read(from, to_host, static_cast<size_t>(bytes));
      });
    },
    .write = [](RunContext* context, void* to, const void* from_host,
                int64_t bytes) -> int32_t {
      return Of(context).OnStream([&](KernelStream& stream) {
        return stream.Write(to, from_host, static_cast<size_t>(bytes));
      });
    },
};

Execution::Execution(Runtime& runtime, const Program& program, const RunIds& ids,
                     bool traced, KernelStream* stream)
    : runtime_(runtime),
      program_(program),
      ids_(ids),
      stream_(stream),
      context_{
          .struct_size = sizeof(RunContext),
          .table = &kTable,
          .constants = stream ? static_cast<const uint8_t*>(stream->constants())
                              : program.image()->constants(),
          .execution = this,
          .run_id = ids.run_id,
          .device_id = ids.device_id,
          .replica_id = ids.replica_id,
          .partition_id = ids.partition_id,
          .num_threads = runtime.team().num_threads(),
          .trace_kernel = nullptr,
      } {
  traced_ = traced;
  if (stream && program.gang_plan()) {
    frame_ = AlignedBytes(program.image()->code().arena_bytes);
    std::memset(frame_.data(), 0, sizeof(int64_t));
    context_.frame = frame_.data();
  }
  if (traced && !stream) {
    context_.trace_kernel = [](RunContext* context, int64_t kernel) {
      Of(context).TraceKernel(kernel);
    };
  }
}

Status Execution::Run(const RunBuffer* args, const RunBuffer* results, void* arena,
                      bool* suspended) {
  const FloatModeScope mode(runtime_.float_mode(), program_.info().ieee_denormals);
  caller_float_mode_ = mode.previous();
  TENON_RETURN_IF_ERROR(UnstageCollective());
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
  if (!stream_) return;
  if (Status status = StageCollective(collective); !status.ok()) SetError(status);
}

Status Execution::StageCollective(const ImageCollective& collective) {
  const auto block_for = [&](const ImageTensor& tensor) -> AlignedBytes& {
    return collective_blocks_.emplace_back(static_cast<size_t>(tensor.ByteSize()));
  };
  try {
    for (size_t i = 0; i < buffers_.inputs.size(); ++i) {
      AlignedBytes& block = block_for(collective.operands[i]);
      const void* address = std::exchange(buffers_.inputs[i], block.data());
      if (block.size() == 0) continue;
      TENON_RETURN_IF_ERROR(stream_->Read(address, block.data(), block.size()));
    }
    for (size_t i = 0; i < buffers_.outputs.size(); ++i) {
      AlignedBytes& block = block_for(collective.results[i]);
      collective_outputs_.push_back({buffers_.outputs[i], &block});
      buffers_.outputs[i] = block.data();
    }
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("no host memory for " +
                             std::string(CollectiveName(collective.kind)) +
                             " of program '" + program_.info().name + "'");
  }
  return OkStatus();
}

Status Execution::UnstageCollective() {
  for (const Output& output : collective_outputs_) {
    if (output.block->size() == 0) continue;
    TENON_RETURN_IF_ERROR(
        stream_->Write(output.address, output.block->data(), output.block->size()));
  }
  collective_outputs_.clear();
  collective_blocks_.clear();
  return OkStatus();
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
  const int64_t start_ns = traced_ ? TraceClock() : 0;
  // Handlers run in the float mode of the caller of Execute.
  runtime_.float_mode().leave(caller_float_mode_);
  Status status;
  try {
    status =
        stream_ ? CallFfiOnHost(site, args, results) : CallHandler(site, args, results);
  } catch (const std::bad_alloc&) {
    // Only a forced unwind, the end of a thread, may pass through compiled code.
    status = ResourceExhausted("no memory for the call frame of a custom call");
  }
  runtime_.float_mode().enter(program_.info().ieee_denormals);
  runtime_.team().ShareProcessors();
  if (traced_) {
    RecordEvent(TraceEvent::Kind::kCustomCall, site, start_ns, TraceClock());
  }
  if (status.ok()) return 0;
  const int32_t code = static_cast<int32_t>(status.code());
  SetError(std::move(status));
  return code;
}

Status Execution::CallFfiOnHost(int64_t site, const RunBuffer* args,
                                const RunBuffer* results) {
  const ImageFfiCall& call = program_.info().ffi_calls[static_cast<size_t>(site)];
  struct Staged {
    void* address;
    AlignedBytes* block;
  };
  std::deque<AlignedBytes> blocks;
  std::vector<Staged> read, written;
  std::vector<RunBuffer> host_args, host_results;
  for (const ImageTensor& tensor : call.operands) {
    if (tensor.type == ElementType::kToken) continue;
    const RunBuffer& arg = args[host_args.size()];
    AlignedBytes& block = blocks.emplace_back(static_cast<size_t>(tensor.ByteSize()));
    if (block.size() != 0) read.push_back({arg.data, &block});
    host_args.push_back({block.data(), arg.dims});
  }
  for (const ImageTensor& tensor : call.results) {
    if (tensor.type == ElementType::kToken) continue;
    const RunBuffer& result = results[host_results.size()];
    const auto size = static_cast<size_t>(tensor.ByteSize());
    // A result in the memory of an operand is updated in place.
    const auto operand = std::ranges::find(read, result.data, &Staged::address);
    AlignedBytes* block = operand != read.end() && operand->block->size() == size
                              ? operand->block
                              : &blocks.emplace_back(size);
    if (size != 0) written.push_back({result.data, block});
    host_results.push_back({block->data(), result.dims});
  }
  for (const Staged& staged : read) {
    TENON_RETURN_IF_ERROR(
        stream_->Read(staged.address, staged.block->data(), staged.block->size()));
  }
  TENON_RETURN_IF_ERROR(CallHandler(site, host_args.data(), host_results.data()));
  for (const Staged& staged : written) {
    TENON_RETURN_IF_ERROR(
        stream_->Write(staged.address, staged.block->data(), staged.block->size()));
  }
  return OkStatus();
}

Status Execution::NoStream() const {
  return Internal("program '" + program_.info().name +
                  "' launches kernels, but was loaded without a device");
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
