// Options of a compilation, as a struct of which a program sets what it needs. They are
// sent as an xla.CompileOptionsProto, which this header writes by hand.
#ifndef TENON_PJRT_CPP_COMPILE_OPTIONS_HPP_
#define TENON_PJRT_CPP_COMPILE_OPTIONS_HPP_

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/pjrt/cpp/named_values.hpp"

namespace pjrt {
inline namespace TENON_PJRT_NAMESPACE {

struct CompileOptions {
  int replicas = 1;
  int partitions = 1;
  // Ids of devices, [replica][partition]; empty lets the client choose.
  std::vector<int> devices = {};
  // Runs on whichever device the arguments are on. Only for one device.
  bool portable = false;
  // Whether the compiler divides a program that is written for whole arrays among the
  // partitions; by default it does if there are several.
  std::optional<bool> spmd = std::nullopt;
  // Whether shardings are in the Shardy dialect (sdy).
  bool shardy = false;
  bool propagate_shardings_to_parameters = false;
  bool propagate_shardings_to_outputs = false;
  // The compiler's own options, such as {"xla_cpu_enable_fast_math", true}. Values are
  // text, flags and numbers.
  NamedValues compiler_options = {};
  // Fields of CompileOptionsProto that this struct does not have, serialized. Appended.
  std::string more = {};
};

namespace detail {

// Writes one protocol buffer message.
class ProtoWriter {
 public:
  void number(int field, int64_t value) {
    varint(static_cast<uint64_t>(field) << 3);
    varint(static_cast<uint64_t>(value));
  }
  void real(int field, double value) {
    varint(static_cast<uint64_t>(field) << 3 | 1);
    auto bits = std::bit_cast<uint64_t>(value);
    for (int i = 0; i < 8; ++i) bytes_ += static_cast<char>(bits >> (8 * i));
  }
  void bytes(int field, std::string_view value) {
    varint(static_cast<uint64_t>(field) << 3 | 2);
    varint(value.size());
    bytes_ += value;
  }
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  const std::string& get() const { return bytes_; }

 private:
  std::string bytes_;
};

// Field numbers of xla/pjrt/proto/compile_options.proto.
namespace compile_options_field {
enum { kBuildOptions = 3, kPortable = 4, kOverrides = 7 };
enum Build {
  kDeviceOrdinal = 1,
  kReplicas = 4,
  kPartitions = 5,
  kSpmd = 6,
  kAssignment = 9,
  kPropagateToOutputs = 18,
  kShardy = 19,
  kPropagateToParameters = 23
};
enum Assignment { kReplicaCount = 1, kComputationCount = 2, kComputationDevices = 3 };
enum Override { kKey = 1, kValue = 2 };
enum OverrideValue { kString = 1, kBool = 2, kInt = 3, kDouble = 4 };
}  // namespace compile_options_field

// Why the options cannot be sent; empty if they can.
inline std::string why_invalid(const CompileOptions& options) {
  if (options.replicas < 1 || options.partitions < 1) {
    return "compile options: " + std::to_string(options.replicas) + " replicas and " +
           std::to_string(options.partitions) + " partitions; both must be at least 1";
  }
  size_t devices =
      static_cast<size_t>(options.replicas) * static_cast<size_t>(options.partitions);
  if (!options.devices.empty() && options.devices.size() != devices) {
    return "compile options: " + std::to_string(options.devices.size()) +
           " devices for replicas x partitions = " + std::to_string(devices);
  }
  for (const NamedValue& option : options.compiler_options) {
    if (option.value.get<std::vector<int64_t>>()) {
      return "compile options: the compiler option '" + option.name +
             "' is a list; text, flags and numbers are allowed";
    }
  }
  return "";
}

// `options.devices` is empty or has replicas x partitions ids.
inline std::string serialize_assignment(const CompileOptions& options) {
  using namespace compile_options_field;
  ProtoWriter assignment;
  assignment.number(kReplicaCount, options.replicas);
  assignment.number(kComputationCount, options.partitions);
  for (int partition = 0; partition < options.partitions; ++partition) {
    ProtoWriter ids, computation;
    for (int replica = 0; replica < options.replicas; ++replica) {
      size_t i = static_cast<size_t>(replica) * static_cast<size_t>(options.partitions);
      ids.varint(static_cast<uint64_t>(
          int64_t{options.devices[i + static_cast<size_t>(partition)]}));
    }
    computation.bytes(1, ids.get());
    assignment.bytes(kComputationDevices, computation.get());
  }
  return assignment.get();
}

inline std::string serialize(const CompileOptions& options) {
  using namespace compile_options_field;
  constexpr std::string_view kTrue("\1", 1);  // a packed list of one flag
  ProtoWriter build;
  build.number(kDeviceOrdinal, -1);
  build.number(kReplicas, options.replicas);
  build.number(kPartitions, options.partitions);
  if (options.spmd.value_or(options.partitions > 1)) build.number(kSpmd, 1);
  if (!options.devices.empty()) build.bytes(kAssignment, serialize_assignment(options));
  if (options.propagate_shardings_to_outputs) build.bytes(kPropagateToOutputs, kTrue);
  if (options.shardy) build.number(kShardy, 1);
  if (options.propagate_shardings_to_parameters) {
    build.bytes(kPropagateToParameters, kTrue);
  }
  ProtoWriter result;
  result.bytes(kBuildOptions, build.get());
  if (options.portable) result.number(kPortable, 1);
  for (const NamedValue& option : options.compiler_options) {
    ProtoWriter value, entry;
    if (auto* text = option.value.get<std::string>()) {
      value.bytes(kString, *text);
    } else if (auto* flag = option.value.get<bool>()) {
      value.number(kBool, *flag);
    } else if (auto* number = option.value.get<int64_t>()) {
      value.number(kInt, *number);
    } else if (auto* real = option.value.get<float>()) {
      value.real(kDouble, *real);
    }
    entry.bytes(kKey, option.name);
    entry.bytes(kValue, value.get());
    result.bytes(kOverrides, entry.get());
  }
  return result.get() + options.more;
}

}  // namespace detail
}  // namespace TENON_PJRT_NAMESPACE
}  // namespace pjrt

#endif  // TENON_PJRT_CPP_COMPILE_OPTIONS_HPP_
