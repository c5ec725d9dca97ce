#include "tenon/embed/weights.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tenon/embed/program.h"
#include "tenon/format/hash.h"
#include "tenon/format/safetensors.h"
#include "tenon/types/element_type.h"

namespace tenon::embed {
namespace {

constexpr uint64_t kAlignment = 64;

int Malformed(tenon_error* error) {
  return Fail(error, TENON_DATA_LOSS,
              "the file is damaged: its list of weights is malformed");
}

int NoMemory(tenon_error* error) {
  return Fail(error, TENON_RESOURCE_EXHAUSTED, "no memory for the list of weights");
}

bool IsAligned(const char* value) {
  return reinterpret_cast<uintptr_t>(value) % kAlignment == 0;
}

uint64_t AlignUp(uint64_t size) { return (size + kAlignment - 1) & ~(kAlignment - 1); }

// A type and shape for messages, as in "f32[2,3]".
class ShapeText {
 public:
  ShapeText(std::string_view type, const int64_t* dims, int rank) {
    Add("%.*s[", static_cast<int>(type.size()), type.data());
    for (int i = 0; i < rank; ++i)
      Add("%s%lld", i ? "," : "", static_cast<long long>(dims[i]));
    Add("]");
  }
  const char* text() const { return text_; }

 private:
  [[gnu::format(printf, 2, 3)]] void Add(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int size =
        std::vsnprintf(text_ + used_, sizeof text_ - used_, format, arguments);
    va_end(arguments);
    used_ += static_cast<size_t>(size);
    if (used_ >= sizeof text_) used_ = sizeof text_ - 1;
  }

  char text_[120];
  size_t used_ = 0;
};

std::string_view TypeName(const tenon_tensor& tensor) {
  return ElementTypeName(static_cast<ElementType>(tensor.type));
}

// The path of a file that a program names. False if it is too long.
bool Locate(const char* program, const char* name, char* path, size_t size) {
  const char* slash = name[0] == '/' ? nullptr : strrchr(program, '/');
  const int folder = slash ? static_cast<int>(slash - program + 1) : 0;
  const int length = std::snprintf(path, size, "%.*s%s", folder, program, name);
  return length >= 0 && static_cast<size_t>(length) < size;
}

}  // namespace

Weights::~Weights() { std::free(copies_); }

int Weights::ReadList(const format::Records& records, format::Table table,
                      const Array<tenon_tensor>& parameters, tenon_error* error) {
  if (!records.Check(table)) return Malformed(error);
  if (!bound_.Resize(table.count) || !is_weight_.Resize(parameters.size()))
    return NoMemory(error);
  for (uint32_t i = 0; i < table.count; ++i) {
    const auto record = records.Get<format::Weight>(table, i);
    std::string_view tensor;
    if (record.parameter >= parameters.size() || is_weight_[record.parameter] ||
        parameters[record.parameter].bytes != record.size ||
        !records.Get(record.tensor, &tensor))
      return Malformed(error);
    is_weight_[record.parameter] = true;
    bound_[i] = {record.parameter, record.size, record.hash, tensor, nullptr};
  }
  return TENON_OK;
}

int Weights::FindInside(const format::Frame& frame, const format::Records& records,
                        format::Table table, tenon_error* error) {
  format::Section section;
  if (!frame.Find(format::kWeightData, 0, &section)) return Malformed(error);
  const std::string_view values = frame.Content(section);
  for (uint32_t i = 0; i < table.count; ++i) {
    const uint64_t offset = records.Get<format::Weight>(table, i).offset;
    if (offset > values.size() || bound_[i].size > values.size() - offset)
      return Malformed(error);
    bound_[i].value = values.data() + offset;
    if (bound_[i].size && !IsAligned(bound_[i].value)) return Malformed(error);
  }
  return TENON_OK;
}

// What FindInFile knows while it visits the tensors of the file.
class Weights::Finder {
 public:
  Finder(Weights& weights, const Array<tenon_tensor>& parameters, const char* path,
         tenon_error* error)
      : weights_(weights), parameters_(parameters), path_(path), error_(error) {}

  int code() const { return code_; }
  // Several weights may have the same tensor.
  void Visit(const format::SafeTensor& tensor) {
    size_t low = 0, high = weights_.bound_.size();
    while (low < high) {
      const size_t middle = (low + high) / 2;
      if (weights_.bound_[middle].tensor < tensor.name)
        low = middle + 1;
      else
        high = middle;
    }
    for (; low < weights_.bound_.size() && weights_.bound_[low].tensor == tensor.name;
         ++low) {
      if (code_ == TENON_OK) code_ = Take(tensor, weights_.bound_[low]);
    }
  }

 private:
  int Take(const format::SafeTensor& tensor, Bound& weight) {
    const tenon_tensor& parameter = parameters_[weight.parameter];
    const bool fits = static_cast<tenon_type>(tensor.type) == parameter.type &&
                      tensor.rank == parameter.rank &&
                      (tensor.rank == 0 ||
                       !memcmp(tensor.dims, parameter.dims,
                               static_cast<size_t>(tensor.rank) * sizeof *tensor.dims));
    const int name_size = static_cast<int>(tensor.name.size());
    if (!fits) {
      return Fail(
          error_, TENON_FAILED_PRECONDITION,
          "cannot use the weights '%s': tensor '%.*s' is %s, but the program needs %s",
          path_, name_size, tensor.name.data(),
          ShapeText(tensor.type == ElementType::kInvalid ? tensor.dtype
                                                         : ElementTypeName(tensor.type),
                    tensor.dims, tensor.rank)
              .text(),
          ShapeText(TypeName(parameter), parameter.dims, parameter.rank).text());
    }
    // Compiled code relies on predicates being 0 or 1.
    for (size_t i = 0; tensor.type == ElementType::kPred && i < tensor.value.size(); ++i)
      if (static_cast<unsigned char>(tensor.value[i]) > 1) {
        return Fail(error_, TENON_DATA_LOSS,
                    "cannot use the weights '%s': tensor '%.*s' has a boolean that is "
                    "neither 0 nor 1",
                    path_, name_size, tensor.name.data());
      }
    weight.value = tensor.value.data();
    return TENON_OK;
  }

  Weights& weights_;
  const Array<tenon_tensor>& parameters_;
  const char* const path_;
  tenon_error* const error_;
  int code_ = TENON_OK;
};

int Weights::FindInFile(const char* name, const Source& source,
                        const Array<tenon_tensor>& parameters, tenon_error* error) {
  char located[4096];
  const char* path = source.weights;
  if (!path && !source.path) {
    return Fail(error, TENON_INVALID_ARGUMENT,
                "the program has its weights in '%s', but it is in memory and has no "
                "folder; name the file in tenon_open_options.weights",
                name);
  }
  if (!path) {
    if (!Locate(source.path, name, located, sizeof located))
      return Fail(error, TENON_INVALID_ARGUMENT, "the path of '%s' is too long", name);
    path = located;
  }
  tenon_error reason;
  if (int code = file_.Open(path, &reason)) {
    return Fail(error, code,
                "no weights for the program: %s; put the file there, or name another in "
                "tenon_open_options.weights",
                reason.message);
  }
  file_.CloseDescriptor();
  Finder finder(*this, parameters, path, error);
  format::Refusal refusal;
  const auto visit = [](void* context, const format::SafeTensor& tensor) {
    static_cast<Finder*>(context)->Visit(tensor);
  };
  if (!format::VisitSafetensors(file_.bytes(), visit, &finder, &refusal)) {
    return Fail(error, TENON_DATA_LOSS, "cannot use the weights '%s': %s", path,
                refusal.reason);
  }
  if (finder.code()) return finder.code();
  for (const Bound& weight : bound_.All()) {
    if (weight.value) continue;
    return Fail(error, TENON_FAILED_PRECONDITION,
                "cannot use the weights '%s': they have no tensor '%.*s', which the "
                "program needs for parameter %u",
                path, static_cast<int>(weight.tensor.size()), weight.tensor.data(),
                weight.parameter);
  }
  return CopyUnaligned(error);
}

int Weights::CopyUnaligned(tenon_error* error) {
  uint64_t bytes = 0;
  for (const Bound& weight : bound_.All())
    if (weight.size && !IsAligned(weight.value)) bytes += AlignUp(weight.size);
  if (bytes == 0) return TENON_OK;
  copies_ = static_cast<char*>(std::aligned_alloc(kAlignment, bytes));
  if (!copies_) {
    return Fail(error, TENON_RESOURCE_EXHAUSTED,
                "no memory for %llu bytes of weights that are not aligned in their file",
                static_cast<unsigned long long>(bytes));
  }
  char* next = copies_;
  for (Bound& weight : bound_.All()) {
    if (!weight.size || IsAligned(weight.value)) continue;
    memcpy(next, weight.value, weight.size);
    weight.value = next;
    next += AlignUp(weight.size);
  }
  return TENON_OK;
}

int Weights::CheckHashes(tenon_error* error) const {
  for (const Bound& weight : bound_.All()) {
    if (format::Hash(weight.value, weight.size) == weight.hash) continue;
    return Fail(error, TENON_DATA_LOSS,
                "the weights are damaged, or are not those that the program was compiled "
                "with: the checksum of '%.*s' does not match",
                static_cast<int>(weight.tensor.size()), weight.tensor.data());
  }
  return TENON_OK;
}

int Weights::Divide(const Array<tenon_tensor>& parameters,
                    const Array<tenon_tensor>& outputs, tenon_signature* signature,
                    tenon_error* error) {
  Array<int32_t> input_of_parameter;
  if (!inputs_.Resize(parameters.size() - bound_.size()) ||
      !weights_.Resize(bound_.size()) || !input_parameters_.Resize(inputs_.size()) ||
      !input_of_parameter.Resize(parameters.size()))
    return NoMemory(error);
  size_t num_inputs = 0, num_weights = 0;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (is_weight_[i]) {
      input_of_parameter[i] = -1;
      weights_[num_weights++] = parameters[i];
      continue;
    }
    input_of_parameter[i] = static_cast<int32_t>(num_inputs);
    input_parameters_[num_inputs] = static_cast<uint32_t>(i);
    inputs_[num_inputs++] = parameters[i];
  }
  for (tenon_tensor& output : outputs.All()) {
    if (output.alias < 0) continue;
    output.alias = input_of_parameter[static_cast<size_t>(output.alias)];
    if (output.alias < 0) return Malformed(error);  // weights are not written
  }
  signature->inputs = inputs_.data();
  signature->num_inputs = num_inputs;
  signature->weights = weights_.data();
  signature->num_weights = num_weights;
  return TENON_OK;
}

int Weights::Read(const format::Frame& frame, const Source& source,
                  const Array<tenon_tensor>& parameters,
                  const Array<tenon_tensor>& outputs, tenon_signature* signature,
                  tenon_error* error) {
  format::Section section;
  if (!frame.Find(format::kWeights, 0, &section)) {
    if (!source.weights) return TENON_OK;
    return Fail(error, TENON_INVALID_ARGUMENT,
                "the program has no weights, but tenon_open_options.weights is '%s'",
                source.weights);
  }
  format::Refusal refusal;
  if (!frame.Check(section, &refusal))
    return Fail(error, TENON_DATA_LOSS, "%s", refusal.reason);
  const format::Records records(frame.Content(section));
  format::WeightList list;
  const char* name;
  if (!records.Root(&list) || !records.Get(list.file, &name)) return Malformed(error);
  if (int code = ReadList(records, list.weights, parameters, error)) return code;
  if (name[0] == '\0' && source.weights) {
    return Fail(error, TENON_INVALID_ARGUMENT,
                "the program has its weights inside, but tenon_open_options.weights is "
                "'%s'",
                source.weights);
  }
  const int found = name[0] ? FindInFile(name, source, parameters, error)
                            : FindInside(frame, records, list.weights, error);
  if (found) return found;
  if (source.flags & TENON_OPEN_CHECK_CONSTANTS) {
    if (int code = CheckHashes(error)) return code;
  }
  return Divide(parameters, outputs, signature, error);
}

}  // namespace tenon::embed
