#include "tenon/pjrt/c_api_client/call.h"

#include <atomic>
#include <string>
#include <utility>

#include "tenon/pjrt/c_api/error.h"

namespace tenon::pjrt::c_api_client {
namespace {

// Forwards the completion of a plugin's event to a Tenon event. The plugin may run the
// callback within OnReady or later. The last of callback and OnReady to end destroys the
// plugin's event.
struct EventBridge {
  CallTable table;
  PJRT_Event* source;
  Event event = Event::Pending();
  std::atomic<int> users{2};

  void Leave() {
    if (users.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    TENON_PJRT_ARGS(args, PJRT_Event_Destroy);
    args.event = source;
    // An error cannot be reported to anyone here.
    (void)TENON_PJRT_CALL(table, PJRT_Event_Destroy, args);
    delete this;
  }
};

}  // namespace

Status CallTable::Missing(const char* name) const {
  return Unimplemented(std::string(name) + " is not in the plugin, whose PJRT API is " +
                       std::to_string(api_->pjrt_api_version.major_version) + "." +
                       std::to_string(api_->pjrt_api_version.minor_version));
}

Status CallTable::Take(PJRT_Error* error) const {
  if (error == nullptr) return OkStatus();
  TENON_PJRT_ARGS(code, PJRT_Error_GetCode);
  code.error = error;
  code.code = PJRT_Error_Code_UNKNOWN;
  if (PJRT_Error* second = api_->PJRT_Error_GetCode(&code)) {
    TENON_PJRT_ARGS(destroy, PJRT_Error_Destroy);
    destroy.error = second;
    api_->PJRT_Error_Destroy(&destroy);
    code.code = PJRT_Error_Code_UNKNOWN;
  }
  TENON_PJRT_ARGS(message, PJRT_Error_Message);
  message.error = error;
  api_->PJRT_Error_Message(&message);
  Status status =
      c_api::StatusFromParts(code.code, message.message, message.message_size);
  TENON_PJRT_ARGS(destroy, PJRT_Error_Destroy);
  destroy.error = error;
  api_->PJRT_Error_Destroy(&destroy);
  // An error with code OK must not become success.
  if (status.ok()) return Status(StatusCode::kUnknown, "the plugin's error has code OK");
  return status;
}

Event CallTable::TakeEvent(PJRT_Event* source) const {
  if (source == nullptr) return Event::Ready();
  auto* bridge = new EventBridge{*this, source};
  Event event = bridge->event;
  TENON_PJRT_ARGS(args, PJRT_Event_OnReady);
  args.event = source;
  args.user_arg = bridge;
  args.callback = [](PJRT_Error* error, void* user_arg) {
    auto* arrived = static_cast<EventBridge*>(user_arg);
    arrived->event.Set(arrived->table.Take(error));
    arrived->Leave();
  };
  Status status = TENON_PJRT_CALL(*this, PJRT_Event_OnReady, args);
  if (!status.ok()) {
    // The callback will not be called.
    bridge->event.Set(std::move(status));
    bridge->Leave();
  }
  bridge->Leave();
  return event;
}

const PJRT_Extension_Base* CallTable::FindExtension(PJRT_Extension_Type type) const {
  const PJRT_Extension_Base* extension = api_->extension_start;
  while (extension != nullptr && extension->type != type) extension = extension->next;
  return extension;
}

ElementType FromC(PJRT_Buffer_Type type) {
  return ElementTypeFromNumber(type).value_or(ElementType::kInvalid);
}

PJRT_Buffer_MemoryLayout TiledLayout(std::span<const int64_t> minor_to_major) {
  PJRT_Buffer_MemoryLayout layout{};
  layout.struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE;
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE;
  layout.tiled.minor_to_major = minor_to_major.data();
  layout.tiled.minor_to_major_size = minor_to_major.size();
  return layout;
}

PJRT_Buffer_MemoryLayout StridedLayout(std::span<const int64_t> byte_strides) {
  PJRT_Buffer_MemoryLayout layout{};
  layout.struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE;
  layout.type = PJRT_Buffer_MemoryLayout_Type_Strides;
  layout.strides.struct_size = PJRT_Buffer_MemoryLayout_Strides_STRUCT_SIZE;
  layout.strides.byte_strides = byte_strides.data();
  layout.strides.num_byte_strides = byte_strides.size();
  return layout;
}

}  // namespace tenon::pjrt::c_api_client
