#include "tenon/pjrt/extensions/custom_partitioner/custom_partitioner.h"

#include "tenon/pjrt/c_api/handles.h"

namespace tenon::pjrt::c_api {

Status RegisterPartitioner(PartitionerRegistry& registry,
                           PJRT_Register_Custom_Partitioner_Args* args) {
  TENON_PJRT_REQUIRE(args, name);
  TENON_PJRT_REQUIRE(args, callbacks);
  return registry.Register(View(args->name, args->name_size), args->callbacks);
}

Status RegisterBatchPartitionable(PJRT_Register_Batch_Partitionable_Args* args) {
  TENON_PJRT_REQUIRE(args, name);
  return OkStatus();
}

}  // namespace tenon::pjrt::c_api
