#include "tenon/pjrt/extensions/layouts/layouts.h"

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "tenon/pjrt/c_api/dispatch.h"
#include "tenon/pjrt/c_api/handles.h"
#include "tenon/pjrt/c_api/shapes.h"

struct PJRT_Layouts_MemoryLayout {
  std::string text;
};

namespace tenon::pjrt::c_api {
namespace {

// The text "{1,0}" for minor-to-major 1, 0.
std::string LayoutText(std::span<const int64_t> minor_to_major) {
  std::string text = "{";
  for (size_t i = 0; i < minor_to_major.size(); ++i) {
    text += (i ? "," : "") + std::to_string(minor_to_major[i]);
  }
  return text + "}";
}

// The layouts of an executable's parameters and outputs, owned by its handle.
struct ExecutableLayouts {
  explicit ExecutableLayouts(std::span<const TensorInfo> infos) {
    layouts.reserve(infos.size());
    for (const TensorInfo& info : infos) {
      layouts.push_back({LayoutText(info.minor_to_major)});
    }
    for (PJRT_Layouts_MemoryLayout& layout : layouts) pointers.push_back(&layout);
  }
  std::vector<PJRT_Layouts_MemoryLayout> layouts;
  std::vector<PJRT_Layouts_MemoryLayout*> pointers;
};

ExecutableLayouts& LayoutsOf(PJRT_Executable* handle, const void* key,
                             std::span<const TensorInfo> infos) {
  std::lock_guard lock(handle->mutex);
  std::shared_ptr<void>& data = handle->extension_data[key];
  if (data == nullptr) data = std::make_shared<ExecutableLayouts>(infos);
  return *static_cast<ExecutableLayouts*>(data.get());
}

constexpr char kParameterKey = 0;
constexpr char kOutputKey = 0;

Status Destroy(PJRT_Layouts_MemoryLayout_Destroy_Args* args) {
  delete args->layout;
  return OkStatus();
}

Status Serialize(PJRT_Layouts_MemoryLayout_Serialize_Args* args) {
  TENON_PJRT_REQUIRE(args, layout);
  // A copy, because the bytes may outlive the layout.
  args->serialized_layout = HoldString<PJRT_Layouts_SerializedLayout>(
      args->layout->text, &args->serialized_bytes, &args->serialized_bytes_size);
  args->serialized_layout_deleter = FreeHeldString<PJRT_Layouts_SerializedLayout>;
  return OkStatus();
}

StatusOr<PJRT_Layouts_MemoryLayout*> DefaultLayout(const Topology& topology,
                                                   PJRT_Buffer_Type type,
                                                   const int64_t* dims, size_t num_dims) {
  TENON_ASSIGN_OR_RETURN(ElementType element, ReadElementType(type));
  TENON_ASSIGN_OR_RETURN(std::span<const int64_t> sizes,
                         ReadDims(dims, num_dims, element));
  TENON_ASSIGN_OR_RETURN(std::vector<int64_t> minor_to_major,
                         topology.DefaultLayout(element, sizes));
  return new PJRT_Layouts_MemoryLayout{LayoutText(minor_to_major)};
}

Status ClientDefault(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args* args) {
  TENON_PJRT_REQUIRE(args, client);
  TENON_ASSIGN_OR_RETURN(args->layout,
                         DefaultLayout(args->client->client->topology(), args->type,
                                       args->dims, args->num_dims));
  return OkStatus();
}

Status TopologyDefault(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args* args) {
  TENON_PJRT_REQUIRE(args, topology_description);
  TENON_ASSIGN_OR_RETURN(args->layout,
                         DefaultLayout(args->topology_description->topology, args->type,
                                       args->dims, args->num_dims));
  return OkStatus();
}

Status BufferLayout(PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args* args) {
  TENON_PJRT_REQUIRE(args, buffer);
  args->layout =
      new PJRT_Layouts_MemoryLayout{LayoutText(Unwrap(args->buffer)->minor_to_major())};
  return OkStatus();
}

Status OutputLayouts(PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args* args) {
  TENON_PJRT_REQUIRE(args, executable);
  auto& layouts =
      LayoutsOf(args->executable, &kOutputKey, args->executable->executable->outputs());
  args->num_outputs = layouts.pointers.size();
  args->layouts = layouts.pointers.data();
  return OkStatus();
}

Status ParameterLayouts(PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args* args) {
  TENON_PJRT_REQUIRE(args, executable);
  auto& layouts = LayoutsOf(args->executable, &kParameterKey,
                            args->executable->executable->parameters());
  args->num_parameters = layouts.pointers.size();
  args->layouts = layouts.pointers.data();
  return OkStatus();
}

}  // namespace

PJRT_Layouts_Extension MakeLayoutsExtension() {
  PJRT_Layouts_Extension extension{};
  extension.base.struct_size = PJRT_Layouts_Extension_STRUCT_SIZE;
  TENON_PJRT_EXTENSION_FUNCTION(extension, PJRT_Layouts_MemoryLayout_Destroy, Destroy);
  TENON_PJRT_EXTENSION_FUNCTION(extension, PJRT_Layouts_MemoryLayout_Serialize,
                                Serialize);
  TENON_PJRT_EXTENSION_FUNCTION(extension, PJRT_Layouts_PJRT_Client_GetDefaultLayout,
                                ClientDefault);
  TENON_PJRT_EXTENSION_FUNCTION(extension, PJRT_Layouts_PJRT_Buffer_MemoryLayout,
                                BufferLayout);
  TENON_PJRT_EXTENSION_FUNCTION(extension, PJRT_Layouts_PJRT_Topology_GetDefaultLayout,
                                TopologyDefault);
  TENON_PJRT_EXTENSION_FUNCTION(extension, PJRT_Layouts_PJRT_Executable_GetOutputLayouts,
                                OutputLayouts);
  TENON_PJRT_EXTENSION_FUNCTION(
      extension, PJRT_Layouts_PJRT_Executable_GetParameterLayouts, ParameterLayouts);
  return extension;
}

}  // namespace tenon::pjrt::c_api
