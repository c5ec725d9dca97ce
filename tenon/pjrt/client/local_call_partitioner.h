// The framework's part in partitioning: its callbacks, by the names of custom calls.
#ifndef TENON_PJRT_CLIENT_LOCAL_CALL_PARTITIONER_H_
#define TENON_PJRT_CLIENT_LOCAL_CALL_PARTITIONER_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "tenon/compiler/call_partitioner.h"
#include "tenon/pjrt/interface/partitioner_registry.h"

namespace tenon::pjrt {

// One per process; never destroyed. Any thread may use it.
class LocalCallPartitioner final : public compiler::CallPartitioner,
                                   public PartitionerRegistry {
 public:
  static LocalCallPartitioner& Global();

  Status Register(std::string_view target,
                  JAX_CustomCallPartitioner_Callbacks* callbacks) override;

  Status Inspect(std::string_view callback, std::string_view sharding) const override;
  bool Partitions(std::string_view target) const override;
  StatusOr<Partitioned> Partition(std::string_view target,
                                  std::string_view backend_config,
                                  const std::vector<Tensor>& operands,
                                  const std::vector<Tensor>& results) const override;

 private:
  using Callbacks = std::shared_ptr<JAX_CustomCallPartitioner_Callbacks>;
  Callbacks Find(std::string_view target) const;

  mutable std::mutex mutex_;
  std::map<std::string, Callbacks, std::less<>> callbacks_;
};

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_CLIENT_LOCAL_CALL_PARTITIONER_H_
