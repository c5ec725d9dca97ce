// Compiled programs. An Executable is the program; a LoadedExecutable is the program
// loaded onto devices.
//
// Both are thread-safe. The spans and views that they return live as long as they do. An
// Executable is shared and immutable. A LoadedExecutable may be destroyed with executions
// in flight.
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
  // A serialized xla.OpSharding. Nullopt if unknown. The empty string means "replicated".
  std::optional<std::string> sharding;
};

// In bytes, for one device.
struct CompiledMemoryStats {
  int64_t generated_code_size = 0;
  int64_t argument_size = 0;
  int64_t output_size = 0;
  int64_t alias_size = 0;  // of outputs that alias arguments
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
  virtual int64_t generated_code_size() const = 0;  // in bytes; -1 if unknown
  // The bytes of the CompileOptionsProto that was passed to Compile.
  virtual std::string_view compile_options() const = 0;
  // Equal for equal programs and options.
  virtual StatusOr<std::string> Fingerprint() const = 0;
  virtual StatusOr<std::string> Serialize() const = 0;
  virtual StatusOr<ProgramText> OptimizedProgram() const = 0;
  // Floats by name: "flops", "bytes accessed", ...
  virtual StatusOr<NamedValueMap> CostAnalysis() const = 0;
  virtual StatusOr<CompiledMemoryStats> GetCompiledMemoryStats() const = 0;
};

// Options of one Execute. The views live only for the call, so an implementation that
// runs later must copy.
struct ExecuteOptions {
  int launch_id = 0;
  // Arguments that must not be donated, whatever the program says.
  std::span<const int64_t> non_donatable_input_indices;
  // User data for handlers; may be null.
  std::shared_ptr<const ExecuteContext> context;
  // The caller's source location, for error messages and profiles; may be empty.
  std::string_view call_location;
  // Ids and incarnations of the other tasks of a multi-process job, of the same length.
  std::span<const int> task_ids;
  std::span<const int64_t> incarnation_ids;
  // The device to run on, for portable programs and executions on a single device. Null
  // means all addressable devices of the executable.
  Device* device = nullptr;
};

class LoadedExecutable {
 public:
  virtual ~LoadedExecutable() = default;

  virtual const std::shared_ptr<Executable>& executable() const = 0;
  // The addressable devices in the order of Execute's lists, and their logical ids. Empty
  // for a portable executable.
  virtual std::span<Device* const> addressable_devices() const = 0;
  virtual std::span<const LogicalDeviceId> addressable_logical_ids() const = 0;
  virtual const DeviceAssignment& device_assignment() const = 0;

  // Frees resources where possible. Execute fails afterwards. Idempotent; never fails.
  virtual void Delete() = 0;
  virtual bool IsDeleted() const = 0;

  // Starts the program, and returns without waiting for inputs or results. A short
  // program may run within the call.
  //
  // arguments[d][i] is the i-th argument on device d, and remains the caller's.
  // outputs[d] has one element per output of device d, which is set to a buffer that the
  // caller owns. `done` is empty or has one element per device, which is set to a
  // non-null event that completes when the device has finished.
  //
  // Donated arguments are deleted before Execute returns. If it returns an error, nothing
  // has run, nothing has been donated, and `outputs` and `done` are empty. Later errors
  // are reported by the outputs' ready events and by `done`.
  //
  // A program with synchronous handlers, such as Python callbacks, has ended when Execute
  // returns. If the program failed, Execute returns its error; donated arguments are
  // deleted in that case.
  //
  // The caller checks that the lists have matching lengths and no null argument. The
  // implementation checks number, types and shapes of the arguments, and rejects buffers
  // that are deleted or donated twice.
  virtual Status Execute(std::span<const std::span<Buffer* const>> arguments,
                         std::span<const std::span<std::unique_ptr<Buffer>>> outputs,
                         std::span<Event> done, const ExecuteOptions& options) = 0;
};

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_INTERFACE_EXECUTABLE_H_
