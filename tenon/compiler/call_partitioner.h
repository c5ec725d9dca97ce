// How a framework takes part in partitioning: it is told shardings, and may partition its
// own custom calls.
#ifndef TENON_COMPILER_CALL_PARTITIONER_H_
#define TENON_COMPILER_CALL_PARTITIONER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/types/element_type.h"

namespace tenon::compiler {

// Any thread may call its functions, which may call into the framework.
class CallPartitioner {
 public:
  // A whole tensor, and its sharding as a serialized xla.OpSharding.
  struct Tensor {
    ElementType type = ElementType::kInvalid;
    std::vector<int64_t> dims;
    std::string sharding;
  };
  // The program of one device for a call.
  struct Partitioned {
    std::string program;                         // MLIR
    std::vector<std::string> operands, results;  // shardings that it needs and returns
  };

  virtual ~CallPartitioner() = default;

  // Tells the framework the sharding of a value. `callback` is the backend_config of a
  // call of InspectSharding: two addresses of this process.
  virtual Status Inspect(std::string_view callback, std::string_view sharding) const = 0;

  // Whether the framework partitions calls of `target`.
  virtual bool Partitions(std::string_view target) const = 0;
  virtual StatusOr<Partitioned> Partition(std::string_view target,
                                          std::string_view backend_config,
                                          const std::vector<Tensor>& operands,
                                          const std::vector<Tensor>& results) const = 0;
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_CALL_PARTITIONER_H_
