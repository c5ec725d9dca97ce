#include "tenon/embed/program.h"

#include <cstdlib>

#include "tenon/types/element_type.h"

namespace tenon::embed {
namespace {

constexpr size_t kAlignment = 64;

int Malformed(tenon_error* error, const char* what) {
  return Fail(error, TENON_DATA_LOSS, "the file is damaged: its %s is malformed", what);
}

int NoMemory(tenon_error* error) {
  return Fail(error, TENON_RESOURCE_EXHAUSTED, "no memory for the signature");
}

// Whether each number below rank is in the layout once. A rank of more than 64 is not
// possible in any framework.
bool IsPermutation(const int64_t* numbers, uint32_t rank) {
  uint64_t seen = 0;
  for (uint32_t i = 0; i < rank; ++i) {
    if (numbers[i] < 0 || numbers[i] >= rank || seen >> numbers[i] & 1) return false;
    seen |= uint64_t{1} << numbers[i];
  }
  return true;
}

bool ReadTensor(const format::Records& records, const format::Tensor& record,
                tenon_tensor* tensor) {
  const auto type = ElementTypeFromNumber(record.type);
  if (!type || record.dims.count > 64 ||
      record.dims.count != record.minor_to_major.count ||
      !records.Numbers(record.dims, &tensor->dims) ||
      !records.Numbers(record.minor_to_major, &tensor->minor_to_major) ||
      !records.Get(record.name, &tensor->name) ||
      !IsPermutation(tensor->minor_to_major, record.dims.count))
    return false;
  tensor->type = static_cast<tenon_type>(record.type);
  tensor->rank = static_cast<int32_t>(record.dims.count);
  tensor->alias = -1;
  // Also the product of the dimensions without zeros must be representable.
  int64_t bytes = ElementBytes(*type), count = bytes;
  for (int32_t i = 0; i < tensor->rank; ++i) {
    const int64_t dim = tensor->dims[i];
    if (dim < 0 || __builtin_mul_overflow(bytes, dim, &bytes) ||
        __builtin_mul_overflow(count, dim ? dim : 1, &count))
      return false;
  }
  tensor->bytes = static_cast<size_t>(bytes);
  return true;
}

int ReadTensors(const format::Records& records, format::Table table, const char* what,
                Array<tenon_tensor>* tensors, tenon_error* error) {
  if (!records.Check(table)) return Malformed(error, what);
  if (!tensors->Resize(table.count)) return NoMemory(error);
  for (uint32_t i = 0; i < table.count; ++i) {
    const auto record = records.Get<format::Tensor>(table, i);
    if (!ReadTensor(records, record, &(*tensors)[i])) return Malformed(error, what);
  }
  return TENON_OK;
}

int ReadSignature(const format::Records& records, const format::Program& root,
                  tenon_program* program, tenon_error* error) {
  Array<tenon_tensor>&inputs = program->parameters, &outputs = program->outputs;
  if (int code = ReadTensors(records, root.parameters, "list of inputs", &inputs, error))
    return code;
  if (int code = ReadTensors(records, root.results, "list of outputs", &outputs, error))
    return code;
  for (size_t i = 0; i < inputs.size(); ++i)
    inputs[i].parameter = static_cast<int32_t>(i);
  Array<bool> taken;
  if (!taken.Resize(inputs.size())) return NoMemory(error);
  if (!records.Check(root.aliases)) return Malformed(error, "list of aliases");
  for (uint32_t i = 0; i < root.aliases.count; ++i) {
    const auto alias = records.Get<format::Alias>(root.aliases, i);
    const auto result = static_cast<uint64_t>(alias.result);
    const auto parameter = static_cast<uint64_t>(alias.parameter);
    if (result >= outputs.size() || parameter >= inputs.size() || taken[parameter] ||
        outputs[result].alias >= 0 || parameter > INT32_MAX ||
        outputs[result].bytes != inputs[parameter].bytes)
      return Malformed(error, "list of aliases");
    taken[parameter] = true;
    outputs[result].alias = static_cast<int32_t>(parameter);
  }
  tenon_signature& signature = program->signature;
  if (!records.Get(root.name, &signature.name)) return Malformed(error, "name");
  if (!records.Get(root.note, &program->note)) return Malformed(error, "note");
  signature.num_inputs = inputs.size();
  signature.inputs = inputs.data();
  signature.num_outputs = outputs.size();
  signature.outputs = outputs.data();
  return TENON_OK;
}

// Programs that need more of a runtime than this library has.
int CheckKind(const format::Records& records, const format::Program& root,
              const tenon_program& program, tenon_error* error) {
  if (root.num_replicas != 1 || root.num_partitions != 1 || root.collectives.count != 0) {
    return Fail(error, TENON_UNIMPLEMENTED,
                "cannot run program '%s' here: it is for several devices; load it with "
                "Tenon's PJRT plugin",
                program.signature.name);
  }
  if (root.ffi_calls.count != 0) {
    const char* target;
    if (!records.Check(root.ffi_calls) ||
        !records.Get(records.Get<format::FfiCall>(root.ffi_calls, 0).target, &target))
      return Malformed(error, "list of custom calls");
    return Fail(error, TENON_UNIMPLEMENTED,
                "cannot run program '%s' here: it has a custom call to '%s'; load it "
                "with Tenon's PJRT plugin",
                program.signature.name, target);
  }
  return TENON_OK;
}

int ReadConstants(const format::Frame& frame, const format::Code& code, uint32_t flags,
                  tenon_program* program, tenon_error* error) {
  format::Section section;
  format::Refusal refusal;
  const bool found = frame.Find(format::kConstants, 0, &section);
  if (code.constants_offset > section.size ||
      code.constants_bytes > section.size - code.constants_offset)
    return Malformed(error, "table of constants");
  const std::string_view bytes = frame.Content(section);
  program->constants =
      reinterpret_cast<const uint8_t*>(bytes.data()) + code.constants_offset;
  if (code.constants_bytes != 0 &&
      reinterpret_cast<uintptr_t>(program->constants) % kAlignment != 0)
    return Malformed(error, "table of constants");
  if (found && flags & TENON_OPEN_CHECK_CONSTANTS && !frame.Check(section, &refusal))
    return Fail(error, TENON_DATA_LOSS, "%s", refusal.reason);
  return TENON_OK;
}

int ReadCode(const format::Frame& frame, const format::Records& records,
             const format::Program& root, const Source& source, tenon_program* program,
             tenon_error* error) {
  uint32_t chosen = 0;
  if (int code = ChooseCode(records, root, &chosen, error)) return code;
  const auto record = records.Get<format::Code>(root.code, chosen);
  format::Section section;
  format::Refusal refusal;
  if (!frame.Find(format::kCode, chosen, &section)) return Malformed(error, "code");
  if (!frame.Check(section, &refusal))
    return Fail(error, TENON_DATA_LOSS, "%s", refusal.reason);
  const std::string_view code = frame.Content(section);
  if (record.entry_offset >= code.size() ||
      record.imports_offset != format::ImportsOffset(code.size()) ||
      !records.Get(record.target, &program->target))
    return Malformed(error, "code");
  if (int status = ReadConstants(frame, record, source.flags, program, error))
    return status;
  if (int status = program->code.Map(code, source.descriptor, section.offset, error))
    return status;
  program->entry =
      reinterpret_cast<EntryPoint>(program->code.base() + record.entry_offset);
  program->arena_bytes = record.arena_bytes;
  if (!program->packed_operands.Resize(record.packed_operands.count))
    return Fail(error, TENON_RESOURCE_EXHAUSTED, "no memory for the program");
  return TENON_OK;
}

}  // namespace

int ReadProgram(const Source& source, tenon_program* program, tenon_error* error) {
  if (source.flags & ~uint32_t{TENON_OPEN_CHECK_CONSTANTS | TENON_OPEN_COPY_UNALIGNED})
    return Fail(error, TENON_INVALID_ARGUMENT, "unknown flags 0x%x", source.flags);
  format::Frame frame;
  format::Refusal refusal;
  if (!frame.Read(source.bytes, &refusal)) {
    return Fail(error, refusal.damaged ? TENON_DATA_LOSS : TENON_FAILED_PRECONDITION,
                "%s", refusal.reason);
  }
  format::Section section;
  if (!frame.Find(format::kMetadata, 0, &section)) return Malformed(error, "metadata");
  if (!frame.Check(section, &refusal))
    return Fail(error, TENON_DATA_LOSS, "%s", refusal.reason);
  const format::Records records(frame.Content(section));
  format::Program root;
  if (!records.Root(&root)) return Malformed(error, "metadata");
  if (int code = ReadSignature(records, root, program, error)) return code;
  if (int code = CheckKind(records, root, *program, error)) return code;
  program->ieee_denormals = root.flags & format::kIeeeDenormals;
  program->copy_unaligned = source.flags & TENON_OPEN_COPY_UNALIGNED;
  if (int code = ReadCode(frame, records, root, source, program, error)) return code;
  return program->weights.Read(frame, source, program->parameters, program->outputs,
                               &program->signature, error);
}

ArenaPool::~ArenaPool() {
  for (std::atomic<void*>& slot : kept_) std::free(slot.load());
}

void* ArenaPool::Take(size_t bytes) {
  for (std::atomic<void*>& slot : kept_)
    if (void* arena = slot.exchange(nullptr)) return arena;
  if (bytes > SIZE_MAX - kAlignment) return nullptr;
  return std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) & ~(kAlignment - 1));
}

void ArenaPool::Return(void* arena) {
  for (std::atomic<void*>& slot : kept_) {
    void* empty = nullptr;
    if (slot.compare_exchange_strong(empty, arena)) return;
  }
  std::free(arena);
}

}  // namespace tenon::embed
