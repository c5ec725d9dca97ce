#include "tenon/pjrt/client/create_options.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string_view>
#include <variant>

#include "tenon/runtime/affinity.h"

namespace tenon::pjrt {
namespace {

// An option, the location of its value, and for numbers the smallest and largest value.
struct Row {
  std::string_view name;
  std::variant<int64_t*, bool*, std::string*, std::vector<int>*> value;
  int64_t min = 0;
  int64_t max = 0;
};

constexpr int64_t kMaxThreads = 4096;
constexpr int64_t kMaxNodes = 4096;
constexpr int64_t kMaxJobDevices = 65536;

// One row per option. The platform's own options are last, and are set to their defaults.
std::vector<Row> RowsOf(CreateOptions& options, std::span<const device::Option> own) {
  std::vector<Row> rows = {
      {"platform_name", &options.platform_name},
      {"device_count", &options.device_count, 1, 1024},
      {"threads", &options.threads, 0, kMaxThreads},
      {"affinity", &options.affinity},
      {"compile_threads", &options.compile_threads, 0, kMaxThreads},
      {"spin_microseconds", &options.spin_microseconds, 0, 1000},
      {"memory_limit", &options.memory_limit, 0, INT64_MAX},
      {"huge_pages", &options.huge_pages},
      {"dump_to", &options.dump_to},
      {"ieee_denormals", &options.ieee_denormals},
      {"fold_constants", &options.fold_constants},
      {"perf_map", &options.perf_map},
      {"cpu", &options.cpu},
      {"features", &options.features},
      {"optimization_level", &options.optimization_level, 0, 3},
      {"kernel_cache", &options.kernel_cache},
      {"num_nodes", &options.num_nodes, 1, kMaxNodes},
      {"node_id", &options.node_id, 0, kMaxNodes - 1},
      {"partition_index", &options.partition_index, -1, INT32_MAX},
      {"collectives", &options.collectives},
      {"collectives_hostname", &options.collectives_hostname},
      {"collectives_interface", &options.collectives_interface},
      {"collectives_library", &options.collectives_library},
      {"collectives_timeout", &options.collectives_timeout, 1, 1'000'000},
  };
  for (const device::Option& option : own) {
    if (option.is_text) {
      rows.push_back({option.name, &options.texts[std::string(option.name)]});
    } else {
      int64_t& number = options.numbers[std::string(option.name)];
      number = option.default_value;
      rows.push_back({option.name, &number, option.min, option.max});
    }
  }
  return rows;
}

bool Read(const NamedValue& value, int64_t* result) {
  if (const auto* number = std::get_if<int64_t>(&value)) {
    *result = *number;
    return true;
  }
  // Flags of a platform's own are integers from 0 to 1.
  if (const auto* flag = std::get_if<bool>(&value)) {
    *result = *flag;
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

Status Set(const Row& row, const NamedValue& value) {
  const std::string name = "create option '" + std::string(row.name) + "'";
  const auto* given = std::get_if<std::string>(&value);
  const std::string subject = name + (given ? " is '" + *given + "', which" : "");
  if (auto* const* number = std::get_if<int64_t*>(&row.value)) {
    if (!Read(value, *number)) return InvalidArgument(subject + " is not an integer");
    if (**number >= row.min && **number <= row.max) return OkStatus();
    return InvalidArgument(name + " is " + std::to_string(**number) + ", but must be " +
                           (row.min == row.max ? std::to_string(row.min)
                                               : "from " + std::to_string(row.min) +
                                                     " to " + std::to_string(row.max)));
  }
  if (auto* const* flag = std::get_if<bool*>(&row.value)) {
    if (Read(value, *flag)) return OkStatus();
    return InvalidArgument(subject + " is neither true nor false");
  }
  if (auto* const* list = std::get_if<std::vector<int>*>(&row.value)) {
    if (Read(value, *list)) return OkStatus();
    return InvalidArgument(subject + " is not a list of processors such as 0-3,8");
  }
  if (Read(value, std::get<std::string*>(row.value))) return OkStatus();
  return InvalidArgument(name + " is not a string");
}

// The environment variable of an option; "" if it has none. Frameworks set the numbers of
// processes and partitions of a job.
std::string VariableOf(const Row& row) {
  if (row.name == "num_nodes" || row.name == "node_id" || row.name == "partition_index")
    return "";
  std::string name = "TENON_";
  for (char c : row.name) name += static_cast<char>(std::toupper(c));
  return name;
}

Status CheckJob(const CreateOptions& options) {
  if (options.node_id >= options.num_nodes) {
    return InvalidArgument("create option 'node_id' is " +
                           std::to_string(options.node_id) +
                           ", but must be less than 'num_nodes', which is " +
                           std::to_string(options.num_nodes));
  }
  if (options.num_nodes * options.device_count > kMaxJobDevices) {
    return InvalidArgument("create options 'num_nodes' and 'device_count' are " +
                           std::to_string(options.num_nodes) + " and " +
                           std::to_string(options.device_count) +
                           ", but a job has at most " + std::to_string(kMaxJobDevices) +
                           " devices");
  }
  if (options.collectives != "gloo" && options.collectives != "none") {
    return InvalidArgument("create option 'collectives' is '" + options.collectives +
                           "', which is neither gloo nor none");
  }
  return OkStatus();
}

}  // namespace

StatusOr<NamedValueMap> WithEnvironment(
    NamedValueMap values, const std::function<const char*(const char*)>& lookup,
    std::span<const device::Option> own) {
  CreateOptions checked;
  for (const Row& row : RowsOf(checked, own)) {
    const std::string variable = VariableOf(row);
    if (variable.empty() || values.contains(row.name)) continue;
    const char* text = lookup(variable.c_str());
    if (text == nullptr || *text == '\0') continue;
    const Status status = Set(row, std::string(text));
    if (!status.ok()) return status.WithPrefix("environment variable " + variable);
    values[std::string(row.name)] = std::string(text);
  }
  return values;
}

StatusOr<CreateOptions> ParseCreateOptions(const NamedValueMap& values,
                                           std::span<const device::Option> own) {
  CreateOptions options;
  const std::vector<Row> rows = RowsOf(options, own);
  for (const auto& [name, value] : values) {
    const auto row = std::ranges::find(rows, name, &Row::name);
    if (row == rows.end()) {
      std::string known;
      for (const Row& each : rows) {
        known += (known.empty() ? "" : ", ") + std::string(each.name);
      }
      return InvalidArgument("create option '" + name +
                             "' does not exist; the options are: " + known);
    }
    TENON_RETURN_IF_ERROR(Set(*row, value));
  }
  TENON_RETURN_IF_ERROR(CheckJob(options));
  return options;
}

}  // namespace tenon::pjrt
