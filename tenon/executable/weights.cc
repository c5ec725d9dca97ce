#include "tenon/executable/weights.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <utility>

#include "tenon/format/safetensors.h"

namespace tenon {
namespace {

constexpr size_t kAlignment = format::kMinAlignment;

std::string Quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

// "f32[2,3]"
std::string ShapeText(std::string_view type, const std::vector<int64_t>& dims) {
  std::string text(type);
  for (size_t i = 0; i < dims.size(); ++i)
    text += (i == 0 ? "[" : ",") + std::to_string(dims[i]);
  return text + (dims.empty() ? "[]" : "]");
}

std::string JsonString(std::string_view text) {
  std::string json = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      json += '\\';
      json += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      constexpr char kDigits[] = "0123456789abcdef";
      json += "\\u00";
      json += kDigits[c >> 4];
      json += kDigits[c & 15];
    } else {
      json += c;
    }
  }
  return json + "\"";
}

// The parts of a name, each after a slash.
std::string PartsOf(std::string_view name) {
  std::string parts;
  bool new_part = true;
  for (char c : name) {
    if (std::string_view("[]'\"./").find(c) != std::string_view::npos) {
      new_part = true;
      continue;
    }
    if (new_part) parts += '/';
    new_part = false;
    parts += c;
  }
  return parts;
}

// Finds tensors by name, and parameters by name or number.
class Finder {
 public:
  Finder(const ExecutableInfo& program, const TensorFile& file)
      : program_(program), file_(file), bound_(program.parameters.size()) {
    for (const TensorFile::Tensor& tensor : file.tensors())
      by_parts_.emplace(PartsOf(tensor.name), &tensor);
  }

  Status Bind(std::string_view binding);
  // Binds parameters that have the name of a tensor.
  Status BindByName();
  std::vector<ImageWeight> Take() { return std::move(weights_); }

 private:
  StatusOr<size_t> FindParameter(std::string_view text) const;
  // Null if no tensor has the name.
  StatusOr<const TensorFile::Tensor*> FindTensor(const std::string& parameter,
                                                 const std::string& parts) const;
  Status Add(size_t parameter, const TensorFile::Tensor& tensor);
  std::string Describe(size_t parameter) const {
    const std::string& name = program_.parameters[parameter].name;
    return "parameter " + std::to_string(parameter) +
           (name.empty() ? "" : " (" + name + ")");
  }

  const ExecutableInfo& program_;
  const TensorFile& file_;
  std::vector<bool> bound_;
  std::multimap<std::string, const TensorFile::Tensor*> by_parts_;
  std::vector<ImageWeight> weights_;
};

StatusOr<size_t> Finder::FindParameter(std::string_view text) const {
  size_t number = 0;
  const char* end = text.data() + text.size();
  if (std::from_chars(text.data(), end, number).ptr == end && !text.empty()) {
    if (number < program_.parameters.size()) return number;
    return InvalidArgument("the program has no parameter " + std::to_string(number) +
                           "; it has " + std::to_string(program_.parameters.size()));
  }
  std::string names;
  for (size_t i = 0; i < program_.parameters.size(); ++i) {
    const std::string& name = program_.parameters[i].name;
    if (!name.empty() && PartsOf(name) == PartsOf(text)) return i;
    if (!name.empty()) names += (names.empty() ? "" : ", ") + name;
  }
  return InvalidArgument("the program has no parameter " + Quoted(text) +
                         (names.empty() ? "; its parameters have no names, only numbers"
                                        : "; it has " + names));
}

Status Finder::Add(size_t parameter, const TensorFile::Tensor& tensor) {
  const ImageTensor& wanted = program_.parameters[parameter];
  const std::string what = Describe(parameter);
  if (bound_[parameter]) return InvalidArgument(what + " is bound to two tensors");
  if (tensor.type != wanted.type || tensor.dims != wanted.dims) {
    return InvalidArgument(
        "tensor " + Quoted(tensor.name) + " of " + Quoted(file_.path()) + " is " +
        ShapeText(tensor.type == ElementType::kInvalid ? tensor.dtype
                                                       : ElementTypeName(tensor.type),
                  tensor.dims) +
        ", but " + what + " is " + ShapeText(ElementTypeName(wanted.type), wanted.dims));
  }
  for (size_t i = 0; i < wanted.minor_to_major.size(); ++i) {
    if (wanted.minor_to_major[i] != static_cast<int64_t>(wanted.dims.size() - 1 - i))
      return InvalidArgument(what + " cannot be a weight: its layout is not row-major");
  }
  for (const ImageAlias& alias : program_.aliases) {
    if (alias.parameter == static_cast<int64_t>(parameter))
      return InvalidArgument(what + " cannot be a weight: it is updated in place");
  }
  if (tensor.type == ElementType::kPred &&
      std::any_of(tensor.value.begin(), tensor.value.end(),
                  [](char c) { return static_cast<unsigned char>(c) > 1; })) {
    return DataLoss("tensor " + Quoted(tensor.name) + " of " + Quoted(file_.path()) +
                    " has a boolean that is neither 0 nor 1");
  }
  bound_[parameter] = true;
  weights_.push_back({static_cast<uint32_t>(parameter), tensor.name, tensor.value});
  return OkStatus();
}

Status Finder::Bind(std::string_view binding) {
  const size_t equals = binding.rfind('=');
  if (equals == std::string_view::npos)
    return InvalidArgument(Quoted(binding) + " is not of the form PARAMETER=TENSOR");
  const std::string_view name = binding.substr(equals + 1);
  TENON_ASSIGN_OR_RETURN(const size_t parameter,
                         FindParameter(binding.substr(0, equals)));
  for (const TensorFile::Tensor& tensor : file_.tensors())
    if (tensor.name == name) return Add(parameter, tensor);
  return InvalidArgument(Quoted(file_.path()) + " has no tensor " + Quoted(name));
}

StatusOr<const TensorFile::Tensor*> Finder::FindTensor(const std::string& parameter,
                                                       const std::string& parts) const {
  const auto [first, last] = by_parts_.equal_range(parts);
  if (first == last) return nullptr;
  if (std::next(first) == last) return first->second;
  return InvalidArgument("the tensors " + Quoted(first->second->name) + " and " +
                         Quoted(std::next(first)->second->name) + " both fit " +
                         Quoted(parameter) + "; bind one as PARAMETER=TENSOR");
}

Status Finder::BindByName() {
  for (size_t i = 0; i < program_.parameters.size(); ++i) {
    const std::string& name = program_.parameters[i].name;
    const std::string parts = PartsOf(name);
    if (bound_[i] || parts.empty()) continue;
    TENON_ASSIGN_OR_RETURN(const TensorFile::Tensor* tensor, FindTensor(name, parts));
    const size_t second = parts.find('/', 1);
    if (!tensor && second != std::string::npos) {
      TENON_ASSIGN_OR_RETURN(tensor, FindTensor(name, parts.substr(second)));
    }
    if (tensor) TENON_RETURN_IF_ERROR(Add(i, *tensor));
  }
  return OkStatus();
}

}  // namespace

StatusOr<std::unique_ptr<TensorFile>> TensorFile::Open(const std::string& path) {
  std::unique_ptr<TensorFile> file(new TensorFile);
  file->path_ = path;
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status;
  const bool readable = descriptor >= 0 && fstat(descriptor, &status) == 0;
  if (readable && S_ISREG(status.st_mode) && status.st_size > 0) {
    file->size_ = static_cast<size_t>(status.st_size);
    void* data = mmap(nullptr, file->size_, PROT_READ, MAP_SHARED, descriptor, 0);
    if (data != MAP_FAILED) file->data_ = data;
  }
  const std::string reason = readable ? "it is empty or no file" : std::strerror(errno);
  if (descriptor >= 0) close(descriptor);
  if (!file->data_) return NotFound("cannot read " + Quoted(path) + ": " + reason);
  const auto add = [](void* context, const format::SafeTensor& tensor) {
    static_cast<TensorFile*>(context)->tensors_.push_back(
        {std::string(tensor.name),
         std::string(tensor.dtype),
         tensor.type,
         {tensor.dims, tensor.dims + tensor.rank},
         tensor.value});
  };
  format::Refusal refusal;
  if (!format::VisitSafetensors({static_cast<const char*>(file->data_), file->size_}, add,
                                file.get(), &refusal, &file->metadata_))
    return DataLoss("cannot read " + Quoted(path) + ": " + refusal.reason);
  return file;
}

TensorFile::~TensorFile() {
  if (data_) munmap(data_, size_);
}

Status TensorFile::WriteAligned(const std::string& path) const {
  std::vector<const Tensor*> order;
  for (const bool aligned : {true, false}) {
    for (const Tensor& tensor : tensors_)
      if ((tensor.value.size() % kAlignment == 0) == aligned) order.push_back(&tensor);
  }
  std::string header = "{";
  if (!metadata_.empty()) header += "\"__metadata__\":" + std::string(metadata_);
  size_t end = 0;
  for (const Tensor* tensor : order) {
    std::string dims;
    for (int64_t dim : tensor->dims)
      dims += (dims.empty() ? "" : ",") + std::to_string(dim);
    const size_t begin = std::exchange(end, end + tensor->value.size());
    header += (header.size() == 1 ? "" : ",") + JsonString(tensor->name) +
              ":{\"dtype\":" + JsonString(tensor->dtype) + ",\"shape\":[" + dims +
              "],\"data_offsets\":[" + std::to_string(begin) + "," + std::to_string(end) +
              "]}";
  }
  header += "}";
  uint64_t header_bytes = header.size();
  while ((sizeof header_bytes + header_bytes) % kAlignment) ++header_bytes;
  header.resize(header_bytes, ' ');
  // Processes may have a file of this name open, also this one.
  const std::string temporary = path + ".new";
  std::ofstream file(temporary, std::ios::binary);
  file.write(reinterpret_cast<const char*>(&header_bytes), sizeof header_bytes);
  file << header;
  for (const Tensor* tensor : order) file << tensor->value;
  file.close();
  if (file && std::rename(temporary.c_str(), path.c_str()) == 0) return OkStatus();
  std::remove(temporary.c_str());
  return InvalidArgument("cannot write the weights to " + Quoted(path));
}

StatusOr<std::vector<ImageWeight>> FindWeights(const ExecutableInfo& program,
                                               const TensorFile& file,
                                               const std::vector<std::string>& bindings) {
  if (program.num_replicas * program.num_partitions != 1)
    return InvalidArgument("programs for several devices cannot have weights in a file");
  Finder finder(program, file);
  for (const std::string& binding : bindings) TENON_RETURN_IF_ERROR(finder.Bind(binding));
  TENON_RETURN_IF_ERROR(finder.BindByName());
  std::vector<ImageWeight> weights = finder.Take();
  if (!weights.empty()) return weights;
  const bool unnamed = std::all_of(program.parameters.begin(), program.parameters.end(),
                                   [](const ImageTensor& t) { return t.name.empty(); });
  return InvalidArgument("no tensor of " + Quoted(file.path()) +
                         " has the name of a parameter" +
                         (unnamed ? ", because the parameters have no names" : "") +
                         "; bind weights as PARAMETER=TENSOR");
}

}  // namespace tenon
