#include "tenon/pjrt/extensions/memory_descriptions/memory_descriptions.h"

#include "tenon/pjrt/c_api/dispatch.h"
#include "tenon/pjrt/c_api/handles.h"

namespace tenon::pjrt::c_api {
namespace {

Status MemoryDescriptions(PJRT_DeviceDescription_MemoryDescriptions_Args* args) {
  TENON_PJRT_REQUIRE(args, device_description);
  const auto& description = *args->device_description;
  args->memory_descriptions = description.memory_pointers.data();
  args->num_memory_descriptions = description.memory_pointers.size();
  args->default_memory_index =
      static_cast<size_t>(description.description.default_memory_index);
  return OkStatus();
}

Status Kind(PJRT_MemoryDescription_Kind_Args* args) {
  TENON_PJRT_REQUIRE(args, memory_description);
  const MemoryDescription& description = *args->memory_description->description;
  args->kind = description.kind.data();
  args->kind_size = description.kind.size();
  args->kind_id = description.kind_id;
  return OkStatus();
}

}  // namespace

PJRT_MemoryDescriptions_Extension MakeMemoryDescriptionsExtension() {
  PJRT_MemoryDescriptions_Extension extension{};
  extension.base.struct_size = PJRT_MemoryDescriptions_Extension_STRUCT_SIZE;
  TENON_PJRT_EXTENSION_FUNCTION(extension, PJRT_DeviceDescription_MemoryDescriptions,
                                MemoryDescriptions);
  TENON_PJRT_EXTENSION_FUNCTION(extension, PJRT_MemoryDescription_Kind, Kind);
  return extension;
}

}  // namespace tenon::pjrt::c_api
