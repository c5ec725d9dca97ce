#include "tenon/pjrt/client/local_call_partitioner.h"

#include <cstring>
#include <list>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include "tenon/pjrt/abi/custom_partitioner_extension.h"
#include "tenon/pjrt/client/local_platform.h"
#include "tenon/types/primitive_type.h"

namespace tenon::pjrt {
namespace {

// What the backend_config of InspectSharding points to. The framework that wrote the
// program keeps both alive while it is compiled.
struct InspectArgs {
  const char* sharding;
  size_t sharding_size;
  const char* error;  // out; null if there is none
  void* error_data;   // out
  void (*free_error)(InspectArgs*);
};
struct InspectCallback {
  void (*call)(void* data, InspectArgs* args);
  void* data;
};

// xla.ShapeProto: 2 element type, 3 dimensions, 4 shapes of a tuple, 6 is-dynamic flags.
std::string ShapeProto(const compiler::CallPartitioner::Tensor& tensor) {
  std::string bytes;
  protozero::pbf_writer shape(bytes);
  shape.add_enum(2, PrimitiveTypeNumber(tensor.type));
  shape.add_packed_int64(3, tensor.dims.begin(), tensor.dims.end());
  const std::vector<bool> is_dynamic(tensor.dims.size(), false);
  shape.add_packed_bool(6, is_dynamic.begin(), is_dynamic.end());
  return bytes;
}

// The shape and the sharding of several results, which are a tuple for the framework.
struct Results {
  explicit Results(const std::vector<compiler::CallPartitioner::Tensor>& tensors) {
    if (tensors.size() == 1) {
      shape = ShapeProto(tensors[0]);
      sharding = tensors[0].sharding;
      return;
    }
    constexpr int kTupleType = 13, kTupleSharding = 2;
    protozero::pbf_writer shapes(shape), shardings(sharding);
    shapes.add_enum(2, kTupleType);
    shardings.add_enum(1, kTupleSharding);
    for (const compiler::CallPartitioner::Tensor& tensor : tensors) {
      shapes.add_message(4, ShapeProto(tensor));
      shardings.add_message(5, tensor.sharding);
    }
  }
  std::string shape, sharding;
};

std::vector<std::string> SplitSharding(std::string_view bytes, size_t count) {
  if (count == 1) return {std::string(bytes)};
  std::vector<std::string> elements;
  protozero::pbf_reader reader(bytes.data(), bytes.size());
  while (reader.next()) {
    if (reader.tag() == 5)
      elements.push_back(reader.get_string());
    else
      reader.skip();
  }
  return elements;
}

JAX_CustomCallPartitioner_string View(const std::string& text) {
  return {text.data(), text.size()};
}
std::string_view View(const JAX_CustomCallPartitioner_string& text) {
  return {text.data, text.size};
}

Status CheckCount(std::string_view target, size_t expected, size_t found) {
  if (expected == found) return OkStatus();
  return Internal("the partitioner of '" + std::string(target) + "' returned " +
                  std::to_string(found) + " shardings for " + std::to_string(expected) +
                  " results");
}

}  // namespace

LocalCallPartitioner& LocalCallPartitioner::Global() {
  static auto* partitioner = new LocalCallPartitioner;
  return *partitioner;
}

Status LocalCallPartitioner::Register(std::string_view target,
                                      JAX_CustomCallPartitioner_Callbacks* callbacks) {
  if (callbacks->version != 0 || callbacks->partition == nullptr) {
    return InvalidArgument("the partitioner of '" + std::string(target) +
                           "' has callbacks of version " +
                           std::to_string(callbacks->version) + "; version 0 is known");
  }
  Callbacks owned(callbacks, [](JAX_CustomCallPartitioner_Callbacks* old) {
    if (old->dtor != nullptr) old->dtor(old);
  });
  std::lock_guard lock(mutex_);
  std::swap(callbacks_[std::string(target)], owned);
  return OkStatus();
}

LocalCallPartitioner::Callbacks LocalCallPartitioner::Find(
    std::string_view target) const {
  std::lock_guard lock(mutex_);
  const auto found = callbacks_.find(target);
  return found == callbacks_.end() ? nullptr : found->second;
}

Status LocalCallPartitioner::Inspect(std::string_view callback,
                                     std::string_view sharding) const {
  InspectCallback inspect;
  if (callback.size() != sizeof(inspect)) {
    return InvalidArgument("the backend_config of InspectSharding has " +
                           std::to_string(callback.size()) + " bytes, not " +
                           std::to_string(sizeof(inspect)));
  }
  std::memcpy(&inspect, callback.data(), sizeof(inspect));
  if (inspect.call == nullptr) {
    return InvalidArgument("the backend_config of InspectSharding has no function");
  }
  InspectArgs args{sharding.data(), sharding.size(), nullptr, nullptr, nullptr};
  inspect.call(inspect.data, &args);
  if (args.error == nullptr) return OkStatus();
  Status status = Internal("InspectSharding failed: " + std::string(args.error));
  if (args.free_error != nullptr) args.free_error(&args);
  return status;
}

bool LocalCallPartitioner::Partitions(std::string_view target) const {
  return Find(target) != nullptr;
}

StatusOr<compiler::CallPartitioner::Partitioned> LocalCallPartitioner::Partition(
    std::string_view target, std::string_view backend_config,
    const std::vector<Tensor>& operands, const std::vector<Tensor>& results) const {
  const Callbacks callbacks = Find(target);
  if (callbacks == nullptr) {
    return NotFound("there is no partitioner of '" + std::string(target) + "'");
  }
  std::list<std::string> shapes;
  std::vector<JAX_CustomCallPartitioner_aval> arguments;
  for (const Tensor& operand : operands) {
    arguments.push_back(
        {View(shapes.emplace_back(ShapeProto(operand))), true, View(operand.sharding)});
  }
  const Results result(results);
  JAX_CustomCallPartitioner_Partition_Args args{};
  args.num_args = arguments.size();
  args.op_args = arguments.data();
  args.op_result = {View(result.shape), true, View(result.sharding)};
  args.backend_config = {backend_config.data(), backend_config.size()};
  callbacks->partition(callbacks.get(), &args);
  const std::shared_ptr<void> cleanup(args.header.data, [&](void* data) {
    if (args.header.cleanup_fn != nullptr) args.header.cleanup_fn(data);
  });
  if (args.header.has_error) {
    return Status(static_cast<StatusCode>(args.header.code),
                  std::string(View(args.header.error_msg)));
  }
  Partitioned partitioned;
  partitioned.program = View(args.mlir_module);
  for (size_t i = 0; i < operands.size(); ++i) {
    partitioned.operands.emplace_back(View(args.args_sharding[i]));
  }
  partitioned.results = SplitSharding(View(args.result_sharding), results.size());
  TENON_RETURN_IF_ERROR(CheckCount(target, results.size(), partitioned.results.size()));
  return partitioned;
}

PartitionerRegistry& LocalPartitionerRegistry() { return LocalCallPartitioner::Global(); }

}  // namespace tenon::pjrt
