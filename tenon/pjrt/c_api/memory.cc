// PJRT_Memory_*, and the functions that each PJRT_Memory points to.
#include <mutex>
#include <utility>

#include "tenon/pjrt/c_api/dispatch.h"
#include "tenon/pjrt/c_api/handlers.h"
#include "tenon/pjrt/c_api/handles.h"

namespace tenon::pjrt::c_api {
namespace {

void* GetUserData(PJRT_Memory* memory, const void* key) {
  auto* handle = static_cast<MemoryHandle*>(memory);
  std::lock_guard lock(handle->mutex);
  auto found = handle->user_data.find(key);
  return found == handle->user_data.end() ? nullptr : found->second.data;
}

void SetUserData(PJRT_Memory* memory, const void* key, void* data,
                 void (*destroy)(void*)) {
  auto* handle = static_cast<MemoryHandle*>(memory);
  MemoryHandle::UserData old{data, destroy};
  {
    std::lock_guard lock(handle->mutex);
    std::swap(handle->user_data[key], old);
  }
  if (old.destroy && old.data != data) old.destroy(old.data);
}

const PJRT_Memory_FunctionTable kMemoryFunctions = {
    .struct_size = PJRT_Memory_FunctionTable_STRUCT_SIZE,
    .extension_start = nullptr,
    .instance_struct_size = PJRT_Memory_STRUCT_SIZE,
    .get_user_data = GetUserData,
    .set_user_data = SetUserData,
};

}  // namespace

MemoryHandle::MemoryHandle(MemorySpace* space, PJRT_Client* owner)
    : memory(space), client(owner) {
  vtable = &kMemoryFunctions;
}

MemoryHandle::~MemoryHandle() {
  for (auto& [key, entry] : user_data) {
    if (entry.destroy) entry.destroy(entry.data);
  }
}

Status MemoryId(PJRT_Memory_Id_Args* args) {
  TENON_PJRT_REQUIRE(args, memory);
  args->id = Unwrap(args->memory)->id();
  return OkStatus();
}

Status MemoryKind(PJRT_Memory_Kind_Args* args) {
  TENON_PJRT_REQUIRE(args, memory);
  std::string_view kind = Unwrap(args->memory)->kind();
  args->kind = kind.data();
  args->kind_size = kind.size();
  return OkStatus();
}

Status MemoryKindId(PJRT_Memory_Kind_Id_Args* args) {
  TENON_PJRT_REQUIRE(args, memory);
  args->kind_id = Unwrap(args->memory)->kind_id();
  return OkStatus();
}

Status MemoryDebugString(PJRT_Memory_DebugString_Args* args) {
  TENON_PJRT_REQUIRE(args, memory);
  std::string_view text = Unwrap(args->memory)->debug_string();
  args->debug_string = text.data();
  args->debug_string_size = text.size();
  return OkStatus();
}

Status MemoryToString(PJRT_Memory_ToString_Args* args) {
  TENON_PJRT_REQUIRE(args, memory);
  std::string_view text = Unwrap(args->memory)->to_string();
  args->to_string = text.data();
  args->to_string_size = text.size();
  return OkStatus();
}

Status MemoryAddressableByDevices(PJRT_Memory_AddressableByDevices_Args* args) {
  TENON_PJRT_REQUIRE(args, memory);
  auto* handle = static_cast<MemoryHandle*>(args->memory);
  args->devices = handle->devices.data();
  args->num_devices = handle->devices.size();
  return OkStatus();
}

}  // namespace tenon::pjrt::c_api
