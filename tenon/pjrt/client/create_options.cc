#include "tenon/pjrt/client/create_options.h"

#include <cctype>
#include <charconv>
#include <string_view>
#include <variant>

#include "tenon/runtime/affinity.h"

namespace tenon::pjrt {
namespace {

// One row an option: where its value goes, and the least and most a number may be.
struct Option {
  std::string_view name;
  std::variant<int64_t CreateOptions::*, bool CreateOptions::*,
               std::string CreateOptions::*, std::vector<int> CreateOptions::*>
      field;
  int64_t least = 0;
  int64_t most = 0;
};

constexpr int64_t kMaxThreads = 4096;

const Option kOptions[] = {
    {"platform_name", &CreateOptions::platform_name},
    {"device_count", &CreateOptions::device_count, 1, 1024},
    {"threads", &CreateOptions::threads, 0, kMaxThreads},
    {"affinity", &CreateOptions::affinity},
    {"compile_threads", &CreateOptions::compile_threads, 0, kMaxThreads},
    {"spin_microseconds", &CreateOptions::spin_microseconds, 0, 1000},
    {"memory_limit", &CreateOptions::memory_limit, 0, INT64_MAX},
    {"huge_pages", &CreateOptions::huge_pages},
    {"dump_to", &CreateOptions::dump_to},
    {"ieee_denormals", &CreateOptions::ieee_denormals},
    {"fold_constants", &CreateOptions::fold_constants},
    {"perf_map", &CreateOptions::perf_map},
    {"cpu", &CreateOptions::cpu},
    {"features", &CreateOptions::features},
    {"optimization_level", &CreateOptions::optimization_level, 0, 3},
    {"kernel_cache", &CreateOptions::kernel_cache},
    {"num_nodes", &CreateOptions::num_nodes, 1, 1},
    {"node_id", &CreateOptions::node_id, 0, 0},
};

std::string KnownOptions() {
  std::string names;
  for (const Option& option : kOptions) {
    if (!names.empty()) names += ", ";
    names += option.name;
  }
  return names;
}

bool Read(const NamedValue& value, int64_t* result) {
  if (const auto* number = std::get_if<int64_t>(&value)) {
    *result = *number;
    return true;
  }
  const auto* text = std::get_if<std::string>(&value);
  if (!text) return false;
  const char* end = text->data() + text->size();
  auto [stop, error] = std::from_chars(text->data(), end, *result);
  return error == std::errc() && stop == end && !text->empty();
}

bool Read(const NamedValue& value, bool* result) {
  if (const auto* flag = std::get_if<bool>(&value)) {
    *result = *flag;
    return true;
  }
  if (const auto* text = std::get_if<std::string>(&value)) {
    *result = *text == "true" || *text == "1";
    return *result || *text == "false" || *text == "0";
  }
  const auto* number = std::get_if<int64_t>(&value);
  if (!number || (*number != 0 && *number != 1)) return false;
  *result = *number == 1;
  return true;
}

bool Read(const NamedValue& value, std::string* result) {
  const auto* text = std::get_if<std::string>(&value);
  if (text) *result = *text;
  return text != nullptr;
}

bool Read(const NamedValue& value, std::vector<int>* result) {
  std::string text;
  if (!Read(value, &text)) {
    const auto* number = std::get_if<int64_t>(&value);
    if (!number) return false;
    text = std::to_string(*number);
  }
  if (text.empty()) return true;
  auto processors = runtime::ParseProcessors(text);
  if (processors) *result = *std::move(processors);
  return processors.has_value();
}

Status Set(const Option& option, const NamedValue& value, CreateOptions* options) {
  const std::string name = "create option '" + std::string(option.name) + "'";
  const auto* given = std::get_if<std::string>(&value);
  const std::string subject = name + (given ? " is '" + *given + "', which" : "");
  if (const auto* number = std::get_if<int64_t CreateOptions::*>(&option.field)) {
    int64_t& field = options->**number;
    if (!Read(value, &field)) return InvalidArgument(subject + " is not an integer");
    if (field >= option.least && field <= option.most) return OkStatus();
    return InvalidArgument(name + " is " + std::to_string(field) + ", but must be " +
                           (option.least == option.most
                                ? std::to_string(option.least)
                                : "from " + std::to_string(option.least) + " to " +
                                      std::to_string(option.most)));
  }
  if (const auto* flag = std::get_if<bool CreateOptions::*>(&option.field)) {
    if (Read(value, &(options->**flag))) return OkStatus();
    return InvalidArgument(subject + " is neither true nor false");
  }
  if (const auto* list = std::get_if<std::vector<int> CreateOptions::*>(&option.field)) {
    if (Read(value, &(options->**list))) return OkStatus();
    return InvalidArgument(subject + " is not a list of processors such as 0-3,8");
  }
  const auto* text = std::get_if<std::string CreateOptions::*>(&option.field);
  if (Read(value, &(options->**text))) return OkStatus();
  return InvalidArgument(name + " is not a string");
}

// The environment variable of an option. Processes of a job are counted by frameworks.
std::string VariableOf(const Option& option) {
  if (option.name == "num_nodes" || option.name == "node_id") return "";
  std::string name = "TENON_";
  for (char c : option.name) name += static_cast<char>(std::toupper(c));
  return name;
}

}  // namespace

StatusOr<NamedValueMap> WithEnvironment(
    NamedValueMap values, const std::function<const char*(const char*)>& lookup) {
  for (const Option& option : kOptions) {
    const std::string variable = VariableOf(option);
    if (variable.empty() || values.contains(option.name)) continue;
    const char* text = lookup(variable.c_str());
    if (text == nullptr || *text == '\0') continue;
    CreateOptions checked;
    const Status status = Set(option, std::string(text), &checked);
    if (!status.ok()) return status.WithPrefix("environment variable " + variable);
    values[std::string(option.name)] = std::string(text);
  }
  return values;
}

StatusOr<CreateOptions> ParseCreateOptions(const NamedValueMap& values) {
  CreateOptions options;
  for (const auto& [name, value] : values) {
    const Option* found = nullptr;
    for (const Option& option : kOptions) {
      if (option.name == name) found = &option;
    }
    if (!found) {
      return InvalidArgument("there is no create option '" + name +
                             "'; there are: " + KnownOptions());
    }
    TENON_RETURN_IF_ERROR(Set(*found, value, &options));
  }
  return options;
}

}  // namespace tenon::pjrt
