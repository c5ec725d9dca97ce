// The Custom_Partitioner extension (type 2): registers the framework's partitioners of
// custom calls.
#ifndef TENON_PJRT_EXTENSIONS_CUSTOM_PARTITIONER_CUSTOM_PARTITIONER_H_
#define TENON_PJRT_EXTENSIONS_CUSTOM_PARTITIONER_CUSTOM_PARTITIONER_H_

#include <optional>

#include "tenon/pjrt/abi/custom_partitioner_extension.h"
#include "tenon/pjrt/c_api/plugin.h"

namespace tenon::pjrt::c_api {

Status RegisterPartitioner(PartitionerRegistry& registry,
                           PJRT_Register_Custom_Partitioner_Args* args);
// Does nothing: calls say along how many dimensions they may be split.
Status RegisterBatchPartitionable(PJRT_Register_Batch_Partitionable_Args* args);

// Nullopt for a plugin without a registry.
template <const PluginDescription& (*kDescription)()>
std::optional<PJRT_Custom_Partitioner_Extension> MakeCustomPartitionerExtension() {
  if (kDescription().partitioner_registry == nullptr) return std::nullopt;
  PJRT_Custom_Partitioner_Extension extension{};
  extension.base.struct_size = PJRT_Custom_Partitioner_Extension_STRUCT_SIZE;
  extension.register_custom_partitioner =
      [](PJRT_Register_Custom_Partitioner_Args* args) {
        return Dispatch<"PJRT_Register_Custom_Partitioner",
                        PJRT_Register_Custom_Partitioner_Args_STRUCT_SIZE>(
            args, [](PJRT_Register_Custom_Partitioner_Args* a) {
              return RegisterPartitioner(*kDescription().partitioner_registry, a);
            });
      };
  extension.register_batch_partitionable =
      [](PJRT_Register_Batch_Partitionable_Args* args) {
        return Dispatch<"PJRT_Register_Batch_Partitionable",
                        PJRT_Register_Batch_Partitionable_Args_STRUCT_SIZE>(
            args, RegisterBatchPartitionable);
      };
  return extension;
}

}  // namespace tenon::pjrt::c_api

#endif  // TENON_PJRT_EXTENSIONS_CUSTOM_PARTITIONER_CUSTOM_PARTITIONER_H_
