// Compiled programs: Executable is the program, LoadedExecutable the program on devices.
//
// Both are thread-safe; spans and views live as long as the object. An Executable is
// shared and immutable. Destroying a LoadedExecutable with executions in flight is
// allowed.
#ifndef TENON_PJRT_INTERFACE_EXECUTABLE_H_
#define TENON_PJRT_INTERFACE_EXECUTABLE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/base/event.h"
#include "tenon/base/status.h"
#include "tenon/pjrt/interface/buffer.h"
#include "tenon/pjrt/interface/execute_context.h"
#include "tenon/pjrt/interface/named_value.h"
#include "tenon/pjrt/interface/program.h"
#include "tenon/types/element_type.h"

namespace tenon::pjrt {

class Device;

// A flat parameter or output of a program.
struct TensorInfo {
  ElementType type = ElementType::kInvalid;
  std::vector<int64_t> dims;
  std::vector<int64_t> minor_to_major;
  std::string memory_kind = "device";
  // Serialized xla.OpSharding; nullopt: unknown. The empty string is the proto's
  // "replicated".
  std::optional<std::string> sharding;
};

// Bytes, of one device.
struct CompiledMemoryStats {
  int64_t generated_code_size = 0;
  int64_t argument_size = 0;
  int64_t output_size = 0;
  int64_t alias_size = 0;  // of the outputs that live in arguments
  int64_t temp_size = 0;
  int64_t host_generated_code_size = 0;
  int64_t host_argument_size = 0;
  int64_t host_output_size = 0;
  int64_t host_alias_size = 0;
  int64_t host_temp_size = 0;
  int64_t peak_memory = 0;
  int64_t total_size = 0;
  int64_t total_allocation = 0;
  int64_t indefinite_allocations = 0;
  int64_t peak_unpadded_heap = 0;
};

class Executable {
 public:
  virtual ~Executable() = default;

  virtual std::string_view name() const = 0;
  virtual int64_t num_replicas() const = 0;
  virtual int64_t num_partitions() const = 0;
  virtual std::span<const TensorInfo> parameters() const = 0;
  virtual std::span<const TensorInfo> outputs() const = 0;
  virtual int64_t generated_code_size() const = 0;  // bytes; -1: unknown
  // The CompileOptionsProto bytes received at compile.
  virtual std::string_view compile_options() const = 0;
  // Equal for equal programs and options.
  virtual StatusOr<std::string> Fingerprint() const = 0;
  virtual StatusOr<std::string> Serialize() const = 0;
  virtual StatusOr<ProgramText> OptimizedProgram() const = 0;
  // "flops", "bytes accessed", ...: floats.
  virtual StatusOr<NamedValueMap> CostAnalysis() const = 0;
  virtual StatusOr<CompiledMemoryStats> GetCompiledMemoryStats() const = 0;
};

// Options of one Execute. Views live for the call only; an implementation that runs later
// copies.
struct ExecuteOptions {
  int launch_id = 0;
  // Arguments that must not be donated, whatever the program says.
  std::span<const int64_t> non_donatable_input_indices;
  // Null: no user data for handlers.
  std::shared_ptr<const ExecuteContext> context;
  // The caller's source location, for error messages and profiles; may be empty.
  std::string_view call_location;
  // Ids and incarnations of the other tasks of a multi-process job; both of one length.
  std::span<const int> task_ids;
  std::span<const int64_t> incarnation_ids;
  // Run on this device: for portable programs and launches on a single device. Null: on
  // all addressable devices of the executable.
  Device* device = nullptr;
};

class LoadedExecutable {
 public:
  virtual ~LoadedExecutable() = default;

  virtual const std::shared_ptr<Executable>& executable() const = 0;
  // Addressable devices in the order of Execute's lists, and what each one is. Empty for
  // a portable executable.
  virtual std::span<Device* const> addressable_devices() const = 0;
  virtual std::span<const LogicalDeviceId> addressable_logical_ids() const = 0;
  virtual const DeviceAssignment& device_assignment() const = 0;

  // Frees what it can; Execute then fails. Idempotent, never fails.
  virtual void Delete() = 0;
  virtual bool IsDeleted() const = 0;

  // Starts the program and returns without waiting for inputs or results (a cheap program
  // may run right here). arguments[d][i] is the i-th argument on device d, which stays
  // the caller's; outputs[d] has room for every output of device d and is filled with
  // buffers the caller owns. `done` is empty or has one slot a device, each set to a
  // non-null event that completes when the device has finished.
  //
  // Donated arguments are marked deleted before it returns. A returned error means that
  // nothing ran, nothing was donated and nothing is in `outputs` or `done`; what fails
  // later is the error of the outputs' ready events and of `done`. A program with
  // handlers that want it so (those of Python callbacks) has run when this returns, and
  // its error is returned: only donated arguments are gone then. The caller has checked
  // the lists' lengths against each other, and that no argument is null; their number,
  // types and shapes, and the use of deleted or twice donated buffers, are for the
  // implementation to check.
  virtual Status Execute(std::span<const std::span<Buffer* const>> arguments,
                         std::span<const std::span<std::unique_ptr<Buffer>>> outputs,
                         std::span<Event> done, const ExecuteOptions& options) = 0;
};

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_INTERFACE_EXECUTABLE_H_
