#include "tenon/compiler/import/compile_options.h"

#include <protozero/pbf_reader.hpp>
#include <utility>

namespace tenon::compiler {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;
using protozero::tag_and_type;

constexpr pbf_wire_type kVarint = pbf_wire_type::varint;
constexpr pbf_wire_type kBytes = pbf_wire_type::length_delimited;
constexpr pbf_wire_type kDouble = pbf_wire_type::fixed64;
constexpr pbf_wire_type kFloat = pbf_wire_type::fixed32;

// Limit of tuples nested in tuples; real programs stay far below it.
constexpr int kMaxShapeDepth = 16;

// protozero reports malformed bytes by exceptions, and so do the parsers in this file.
// ParseCompileOptions turns all of them into a Status.
struct MalformedOptions : protozero::exception {
  explicit MalformedOptions(std::string what) : text(std::move(what)) {}
  const char* what() const noexcept override { return text.c_str(); }
  std::string text;
};

// Appends a repeated int64 or bool field: one element or a packed run.
template <typename T>
void AppendVarints(pbf_reader& message, std::vector<T>& values) {
  if (message.wire_type() == kVarint) {
    values.push_back(static_cast<T>(message.get_int64()));
    return;
  }
  for (int64_t value : message.get_packed_int64())
    values.push_back(static_cast<T>(value));
}

void ParseLayout(pbf_reader message, ShapeOption& shape) {
  shape.has_layout = true;
  while (message.next()) {
    switch (message.tag_and_type()) {
      case tag_and_type(1, kVarint):
      case tag_and_type(1, kBytes):
        AppendVarints(message, shape.minor_to_major);
        break;
      case tag_and_type(6, kBytes): {
        std::vector<int64_t>& tile = shape.tiles.emplace_back();
        pbf_reader inner = message.get_message();
        while (inner.next()) {
          switch (inner.tag_and_type()) {
            case tag_and_type(1, kVarint):
            case tag_and_type(1, kBytes):
              AppendVarints(inner, tile);
              break;
            default:
              inner.skip();
          }
        }
        break;
      }
      case tag_and_type(7, kVarint):
        shape.element_size_in_bits = message.get_int64();
        break;
      case tag_and_type(8, kVarint):
        shape.memory_space = message.get_int64();
        break;
      default:
        message.skip();
    }
  }
}

ShapeOption ParseShape(pbf_reader message, int depth = 0) {
  if (depth > kMaxShapeDepth) throw MalformedOptions("shape nested too deep");
  ShapeOption shape;
  while (message.next()) {
    switch (message.tag_and_type()) {
      case tag_and_type(2, kVarint):
        shape.element_type = message.get_int32();
        break;
      case tag_and_type(3, kVarint):
      case tag_and_type(3, kBytes):
        AppendVarints(message, shape.dimensions);
        break;
      case tag_and_type(4, kBytes):
        shape.tuple.push_back(ParseShape(message.get_message(), depth + 1));
        break;
      case tag_and_type(5, kBytes):
        ParseLayout(message.get_message(), shape);
        break;
      case tag_and_type(6, kVarint):
      case tag_and_type(6, kBytes):
        AppendVarints(message, shape.dynamic_dimensions);
        break;
      default:
        message.skip();
    }
  }
  return shape;
}

DeviceAssignment ParseDeviceAssignment(pbf_reader message) {
  DeviceAssignment assignment;
  while (message.next()) {
    switch (message.tag_and_type()) {
      case tag_and_type(1, kVarint):
        assignment.replica_count = message.get_int32();
        break;
      case tag_and_type(2, kVarint):
        assignment.computation_count = message.get_int32();
        break;
      case tag_and_type(3, kBytes): {
        std::vector<int64_t>& devices = assignment.devices.emplace_back();
        pbf_reader computation = message.get_message();
        while (computation.next()) {
          switch (computation.tag_and_type()) {
            case tag_and_type(1, kVarint):
            case tag_and_type(1, kBytes):
              AppendVarints(computation, devices);
              break;
            default:
              computation.skip();
          }
        }
        break;
      }
      default:
        message.skip();
    }
  }
  return assignment;
}

void ParseBuildOptions(pbf_reader message, CompileOptions& options) {
  while (message.next()) {
    switch (message.tag_and_type()) {
      case tag_and_type(1, kVarint):
        options.device_ordinal = message.get_int64();
        break;
      case tag_and_type(2, kBytes):
        options.result_layout = ParseShape(message.get_message());
        break;
      case tag_and_type(4, kVarint):
        options.num_replicas = message.get_int64();
        break;
      case tag_and_type(5, kVarint):
        options.num_partitions = message.get_int64();
        break;
      case tag_and_type(6, kVarint):
        options.use_spmd_partitioning = message.get_bool();
        break;
      case tag_and_type(7, kVarint):
        options.use_auto_spmd_partitioning = message.get_bool();
        break;
      case tag_and_type(9, kBytes):
        options.device_assignment = ParseDeviceAssignment(message.get_message());
        break;
      case tag_and_type(10, kVarint):
        options.alias_passthrough_params = message.get_bool();
        break;
      case tag_and_type(12, kVarint):
      case tag_and_type(12, kBytes):
        AppendVarints(message, options.allow_spmd_sharding_propagation_to_output);
        break;
      case tag_and_type(15, kVarint):
        options.device_memory_size = message.get_int64();
        break;
      case tag_and_type(18, kVarint):
      case tag_and_type(18, kBytes):
        AppendVarints(message, options.allow_spmd_sharding_propagation_to_parameters);
        break;
      case tag_and_type(19, kVarint):
        options.use_shardy_partitioner = message.get_bool();
        break;
      case tag_and_type(20, kFloat):
        options.exec_time_optimization_effort = message.get_float();
        break;
      case tag_and_type(21, kFloat):
        options.memory_fitting_effort = message.get_float();
        break;
      case tag_and_type(22, kVarint):
        options.process_index = message.get_int64();
        break;
      case tag_and_type(23, kVarint):
        options.process_count = message.get_int64();
        break;
      case tag_and_type(24, kVarint):
        options.optimization_level = message.get_int32();
        break;
      case tag_and_type(25, kVarint):
        options.memory_fitting_level = message.get_int32();
        break;
      default:
        message.skip();
    }
  }
}

OptionValue ParseOptionValue(pbf_reader message) {
  OptionValue value;
  while (message.next()) {
    switch (message.tag_and_type()) {
      case tag_and_type(1, kBytes):
        value = message.get_string();
        break;
      case tag_and_type(2, kVarint):
        value = message.get_bool();
        break;
      case tag_and_type(3, kVarint):
        value = message.get_int64();
        break;
      case tag_and_type(4, kDouble):
        value = message.get_double();
        break;
      default:
        message.skip();
    }
  }
  return value;
}

void ParseOverride(pbf_reader message, std::map<std::string, OptionValue>& overrides) {
  std::string key;
  OptionValue value;
  while (message.next()) {
    switch (message.tag_and_type()) {
      case tag_and_type(1, kBytes):
        key = message.get_string();
        break;
      case tag_and_type(2, kBytes):
        value = ParseOptionValue(message.get_message());
        break;
      default:
        message.skip();
    }
  }
  overrides[key] = std::move(value);
}

CompileOptions ParseMessage(pbf_reader message) {
  CompileOptions options;
  while (message.next()) {
    switch (message.tag_and_type()) {
      case tag_and_type(1, kBytes):
        options.argument_layouts.push_back(ParseShape(message.get_message()));
        break;
      case tag_and_type(2, kVarint):
        options.parameter_is_tupled_arguments = message.get_bool();
        break;
      case tag_and_type(3, kBytes):
        ParseBuildOptions(message.get_message(), options);
        break;
      case tag_and_type(4, kVarint):
        options.compile_portable_executable = message.get_bool();
        break;
      case tag_and_type(5, kVarint):
        options.profile_version = message.get_int64();
        break;
      case tag_and_type(7, kBytes):
        ParseOverride(message.get_message(), options.env_option_overrides);
        break;
      case tag_and_type(9, kVarint):
        options.allow_in_place_mlir_modification = message.get_bool();
        break;
      case tag_and_type(10, kVarint):
        options.matrix_unit_operand_precision = message.get_int32();
        break;
      default:
        message.skip();
    }
  }
  return options;
}

Status CheckCounts(const CompileOptions& options) {
  if (options.num_replicas < 1 || options.num_partitions < 1) {
    return InvalidArgument("compile options ask for " +
                           std::to_string(options.num_replicas) + " replicas x " +
                           std::to_string(options.num_partitions) + " partitions");
  }
  if (!options.device_assignment.has_value()) return OkStatus();
  const DeviceAssignment& assignment = *options.device_assignment;
  bool consistent =
      assignment.replica_count == options.num_replicas &&
      assignment.computation_count == options.num_partitions &&
      assignment.devices.size() == static_cast<size_t>(options.num_partitions);
  for (const std::vector<int64_t>& devices : assignment.devices) {
    consistent &= devices.size() == static_cast<size_t>(options.num_replicas);
  }
  if (consistent) return OkStatus();
  return InvalidArgument("device assignment in the compile options is not for " +
                         std::to_string(options.num_replicas) + " replicas x " +
                         std::to_string(options.num_partitions) + " partitions");
}

}  // namespace

StatusOr<CompileOptions> ParseCompileOptions(std::string_view bytes) {
  CompileOptions options;
  try {
    options = ParseMessage(pbf_reader(bytes.data(), bytes.size()));
  } catch (const protozero::exception& error) {
    return InvalidArgument(std::string("malformed compile options: ") + error.what());
  }
  // proto3 does not send zeros, so an unset count reads as the default. A zero may still
  // be sent explicitly, and means the same.
  if (options.num_replicas == 0) options.num_replicas = 1;
  if (options.num_partitions == 0) options.num_partitions = 1;
  TENON_RETURN_IF_ERROR(CheckCounts(options));
  for (const auto& [name, value] : options.env_option_overrides) {
    std::string* text = name == "tenon_explain_sharding" ? &options.explain_sharding
                        : name == "tenon_file"           ? &options.file
                        : name == "tenon_file_note"      ? &options.file_note
                        : name == "tenon_program_file"   ? &options.program_file
                                                         : nullptr;
    if (!text) {
      TENON_RETURN_IF_ERROR(CheckXlaOption(name, value));
    } else if (const auto* given = std::get_if<std::string>(&value)) {
      *text = *given;
    } else {
      return InvalidArgument(name + " must be a string");
    }
  }
  if (auto found = options.env_option_overrides.find("xla_allow_excess_precision");
      found != options.env_option_overrides.end())
    options.allow_excess_precision = IsTrue(found->second);
  return options;
}

}  // namespace tenon::compiler
