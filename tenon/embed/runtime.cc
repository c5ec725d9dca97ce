// The functions of tenon/runtime.h, apart from those of teams.
#include <cstdlib>
#include <new>

#include "tenon/devices/cpu/float_mode.h"
#include "tenon/embed/program.h"
#include "tenon/embed/team.h"

namespace tenon::embed {
namespace {

constexpr size_t kAlignment = 64;

bool IsAligned(const void* pointer) {
  return reinterpret_cast<uintptr_t>(pointer) % kAlignment == 0;
}

size_t AlignUp(size_t bytes) { return (bytes + kAlignment - 1) & ~(kAlignment - 1); }

// What RunContext::execution points to. Chunks of a loop use it on several threads.
struct Run {
  const tenon_program* program;
  tenon_team* team;
  tenon_error* error;
  std::atomic<int32_t> code{0};  // of the first error
};

// Whether this thread executes a chunk. Loops that are started there run serially.
thread_local bool in_chunk = false;

struct Loop {
  RunContext* context;
  ParallelBody body;
  void* env;
  bool ieee_denormals;
};

void RunChunk(void* context, int64_t chunk) {
  const auto& loop = *static_cast<const Loop*>(context);
  const runtime::FloatModeScope mode(cpu::kFloatMode, loop.ieee_denormals);
  const bool nested = in_chunk;
  in_chunk = true;
  loop.body(loop.context, loop.env, chunk);
  in_chunk = nested;
}

void ParallelFor(RunContext* context, ParallelBody body, void* env, int64_t num_chunks) {
  const Run& run = *static_cast<const Run*>(context->execution);
  if (!run.team || in_chunk) {
    for (int64_t i = 0; i < num_chunks; ++i) body(context, env, i);
    return;
  }
  Loop loop{context, body, env, run.program->ieee_denormals};
  run.team->ParallelFor(RunChunk, &loop, num_chunks);
}

void SetError(RunContext* context, int32_t code, const char* message, int64_t size) {
  Run& run = *static_cast<Run*>(context->execution);
  // The first error is kept.
  int32_t none = 0;
  if (code == 0) code = TENON_INTERNAL;
  if (run.code.compare_exchange_strong(none, code))
    Fail(run.error, code, "%.*s", static_cast<int>(size), message);
}

// Programs with custom calls and collectives are refused when they are opened.
int32_t CallFfi(RunContext* context, int64_t, const RunBuffer*, const RunBuffer*) {
  constexpr char kMessage[] = "the program has an unknown custom call";
  SetError(context, TENON_INTERNAL, kMessage, sizeof kMessage - 1);
  return TENON_INTERNAL;
}
void Arrive(RunContext*, int64_t, const RunBuffer*, const RunBuffer*, Combiner) {}

constexpr RuntimeTable kTable = {.struct_size = sizeof(RuntimeTable),
                                 .parallel_for = ParallelFor,
                                 .call_ffi = CallFfi,
                                 .set_error = SetError,
                                 .arrive = Arrive};

// The buffers of a run, and copies of those that are not aligned.
class Buffers {
 public:
  ~Buffers() { std::free(copies_); }
  int Set(const tenon_program& program, const void* const* inputs, void* const* outputs,
          tenon_error* error);
  void CopyOutputs(const tenon_program& program, void* const* outputs) const;

  const RunBuffer* inputs() const { return buffers_.data(); }
  const RunBuffer* outputs() const { return buffers_.data() + num_parameters_; }

 private:
  int Check(const tenon_tensor& tensor, const void* pointer, const char* what, size_t i,
            bool copies, tenon_error* error);
  void* Copy(const tenon_tensor& tensor) {
    void* copy = copies_ + copied_;
    copied_ += AlignUp(tensor.bytes);
    return copy;
  }

  // Room for most programs without an allocation.
  class Storage {
   public:
    ~Storage() {
      if (data_ != few_) std::free(data_);
    }
    bool Resize(size_t size) {
      if (size > kFew) data_ = static_cast<RunBuffer*>(std::calloc(size, sizeof *data_));
      return data_ != nullptr;
    }
    RunBuffer* data() { return data_; }
    const RunBuffer* data() const { return data_; }

   private:
    static constexpr size_t kFew = 256;
    RunBuffer few_[kFew];
    RunBuffer* data_ = few_;
  };

  Storage buffers_;
  size_t num_parameters_ = 0;
  size_t copy_bytes_ = 0, copied_ = 0;
  char* copies_ = nullptr;
};

int Buffers::Check(const tenon_tensor& tensor, const void* pointer, const char* what,
                   size_t i, bool copies, tenon_error* error) {
  if (tensor.bytes == 0) return TENON_OK;
  if (!pointer)
    return Fail(error, TENON_INVALID_ARGUMENT, "%s %zu must not be NULL", what, i);
  if (IsAligned(pointer)) return TENON_OK;
  if (!copies) {
    return Fail(error, TENON_INVALID_ARGUMENT,
                "the address of %s %zu, %p, is not a multiple of 64; align it, or open "
                "the program with TENON_OPEN_COPY_UNALIGNED",
                what, i, pointer);
  }
  copy_bytes_ += AlignUp(tensor.bytes);
  return TENON_OK;
}

int Buffers::Set(const tenon_program& program, const void* const* inputs,
                 void* const* outputs, tenon_error* error) {
  const tenon_signature& signature = program.signature;
  num_parameters_ = program.parameters.size();
  if ((!inputs && signature.num_inputs) || (!outputs && signature.num_outputs))
    return Fail(error, TENON_INVALID_ARGUMENT, "inputs and outputs must not be NULL");
  if (!buffers_.Resize(num_parameters_ + signature.num_outputs))
    return Fail(error, TENON_RESOURCE_EXHAUSTED, "no memory for the list of buffers");
  for (size_t i = 0; i < signature.num_inputs; ++i) {
    if (int code = Check(signature.inputs[i], inputs[i], "input", i,
                         program.copy_unaligned, error))
      return code;
  }
  for (size_t i = 0; i < signature.num_outputs; ++i) {
    if (int code = Check(signature.outputs[i], outputs[i], "output", i,
                         program.copy_unaligned, error))
      return code;
  }
  if (copy_bytes_) {
    copies_ = static_cast<char*>(std::aligned_alloc(kAlignment, copy_bytes_));
    if (!copies_) {
      return Fail(error, TENON_RESOURCE_EXHAUSTED,
                  "no memory for %zu bytes of copies of unaligned arrays", copy_bytes_);
    }
  }
  for (size_t i = 0; i < signature.num_inputs; ++i) {
    const tenon_tensor& tensor = signature.inputs[i];
    void* data = const_cast<void*>(inputs[i]);
    if (tensor.bytes && !IsAligned(data)) {
      data = Copy(tensor);
      std::memcpy(data, inputs[i], tensor.bytes);
    }
    buffers_.data()[program.weights.InputParameter(i)] = {data, nullptr};
  }
  program.weights.Bind(buffers_.data());
  for (size_t i = 0; i < signature.num_outputs; ++i) {
    const tenon_tensor& tensor = signature.outputs[i];
    void* data = outputs[i];
    if (tensor.bytes && !IsAligned(data)) data = Copy(tensor);
    if (tensor.bytes && tensor.alias >= 0 && data != inputs[tensor.alias])
      std::memcpy(data, inputs[tensor.alias], tensor.bytes);
    buffers_.data()[num_parameters_ + i] = {data, nullptr};
  }
  return TENON_OK;
}

void Buffers::CopyOutputs(const tenon_program& program, void* const* outputs) const {
  if (!copies_) return;
  for (size_t i = 0; i < program.signature.num_outputs; ++i) {
    const RunBuffer& buffer = this->outputs()[i];
    if (buffer.data != outputs[i] && program.signature.outputs[i].bytes)
      std::memcpy(outputs[i], buffer.data, program.signature.outputs[i].bytes);
  }
}

int RunProgram(const tenon_program& program, tenon_team* team, const Buffers& buffers,
               void* arena, tenon_error* error) {
  Run run{&program, team, error};
  RunContext context = {.struct_size = sizeof context,
                        .table = &kTable,
                        .constants = program.constants,
                        .execution = &run,
                        .run_id = 0,
                        .device_id = 0,
                        .replica_id = 0,
                        .partition_id = 0,
                        .num_threads = team ? team->num_threads : 1,
                        .trace_kernel = nullptr,
                        .packed_operands = program.packed_operands.data()};
  int32_t code;
  {
    const runtime::FloatModeScope mode(cpu::kFloatMode, program.ieee_denormals);
    code = program.entry(&context, buffers.inputs(), buffers.outputs(), arena);
  }
  if (const int32_t first = run.code.load()) return first;
  if (code == 0) return TENON_OK;
  return Fail(error, TENON_INTERNAL, "program '%s' failed", program.signature.name);
}

}  // namespace
}  // namespace tenon::embed

using tenon::embed::Fail;

namespace {

int OpenProgram(const char* path, std::string_view bytes,
                const tenon_open_options* options, tenon_program** program,
                tenon_error* error) {
  *program = nullptr;
  tenon::embed::Source source{.bytes = bytes, .path = path};
  if (options) {
    // The struct of version 1 ends before `weights`.
    constexpr size_t kFirstSize = offsetof(tenon_open_options, weights);
    if (options->struct_size < kFirstSize)
      return Fail(error, TENON_INVALID_ARGUMENT, "options->struct_size is not set");
    source.flags = options->flags;
    if (options->struct_size > kFirstSize) source.weights = options->weights;
  }
  void* memory = std::malloc(sizeof(tenon_program));
  if (!memory) return Fail(error, TENON_RESOURCE_EXHAUSTED, "no memory for a program");
  auto* opened = new (memory) tenon_program;
  int code = TENON_OK;
  if (path) {
    code = opened->file.Open(path, error);
    source.bytes = opened->file.bytes();
    source.descriptor = opened->file.descriptor();
  }
  if (code == TENON_OK) code = tenon::embed::ReadProgram(source, opened, error);
  opened->file.CloseDescriptor();
  if (code != TENON_OK) {
    tenon_program_close(opened);
    return code;
  }
  *program = opened;
  return TENON_OK;
}

}  // namespace

extern "C" int tenon_program_open(const char* path, const tenon_open_options* options,
                                  tenon_program** program, tenon_error* error) {
  if (!path || !program)
    return Fail(error, TENON_INVALID_ARGUMENT, "path and program must not be NULL");
  return OpenProgram(path, {}, options, program, error);
}

extern "C" int tenon_program_open_memory(const void* bytes, size_t size,
                                         const tenon_open_options* options,
                                         tenon_program** program, tenon_error* error) {
  if (!bytes || !program)
    return Fail(error, TENON_INVALID_ARGUMENT, "bytes and program must not be NULL");
  if (!tenon::embed::IsAligned(bytes)) {
    *program = nullptr;
    return Fail(error, TENON_INVALID_ARGUMENT,
                "the address of the file's bytes, %p, is not a multiple of 64", bytes);
  }
  return OpenProgram(nullptr, {static_cast<const char*>(bytes), size}, options, program,
                     error);
}

extern "C" const tenon_signature* tenon_program_signature(const tenon_program* program) {
  return &program->signature;
}

extern "C" size_t tenon_program_arena_bytes(const tenon_program* program) {
  return program->arena_bytes;
}

extern "C" const char* tenon_program_target(const tenon_program* program) {
  return program->target;
}

extern "C" const char* tenon_program_note(const tenon_program* program) {
  return program->note;
}

extern "C" int tenon_program_run(const tenon_program* program, tenon_team* team,
                                 const void* const* inputs, void* const* outputs,
                                 void* arena, tenon_error* error) {
  if (!program) return Fail(error, TENON_INVALID_ARGUMENT, "program must not be NULL");
  if (!tenon::embed::IsAligned(arena)) {
    return Fail(error, TENON_INVALID_ARGUMENT,
                "the address of the arena, %p, is not a multiple of 64", arena);
  }
  tenon::embed::Buffers buffers;
  if (int code = buffers.Set(*program, inputs, outputs, error)) return code;
  void* own_arena = nullptr;
  if (!arena && program->arena_bytes) {
    arena = own_arena = program->arenas.Take(program->arena_bytes);
    if (!arena) {
      return Fail(error, TENON_RESOURCE_EXHAUSTED, "no memory for %zu bytes of arena",
                  program->arena_bytes);
    }
  }
  const int code = tenon::embed::RunProgram(*program, team, buffers, arena, error);
  if (own_arena) program->arenas.Return(own_arena);
  if (code == TENON_OK) buffers.CopyOutputs(*program, outputs);
  return code;
}

extern "C" void tenon_program_close(tenon_program* program) {
  if (!program) return;
  program->~tenon_program();
  std::free(program);
}
