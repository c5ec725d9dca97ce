// The function table.
#include <array>
#include <cstddef>

#include "tenon/pjrt/abi/pjrt_c_api.h"
#include "tenon/pjrt/c_api/dispatch.h"
#include "tenon/pjrt/c_api/handlers.h"
#include "tenon/pjrt/c_api/plugin.h"

namespace tenon::pjrt::c_api {
namespace {

// Asserts that every member of PJRT_Api has a row, in the same order.
#define TENON_PJRT_ROW(function, object, handler) offsetof(PJRT_Api, function),
#define TENON_PJRT_STUB(function, object) offsetof(PJRT_Api, function),
#define TENON_PJRT_VOID(function, object, handler) offsetof(PJRT_Api, function),
#define TENON_PJRT_PLUGIN(function, object, handler) offsetof(PJRT_Api, function),
constexpr std::array kOffsets = {
#include "tenon/pjrt/c_api/api_table.inc"
};
#undef TENON_PJRT_ROW
#undef TENON_PJRT_STUB
#undef TENON_PJRT_VOID
#undef TENON_PJRT_PLUGIN

constexpr bool RowsAreSlots() {
  size_t offset = offsetof(PJRT_Api, PJRT_Error_Destroy);
  for (size_t row : kOffsets) {
    if (row != offset) return false;
    offset += sizeof(void (*)());
  }
  return offset == sizeof(PJRT_Api);
}
static_assert(RowsAreSlots(), "api_table.inc has not one row per slot of PJRT_Api");

}  // namespace

PJRT_Api MakeCommonApi(PJRT_Extension_Base* extensions) {
  PJRT_Api api{};
  api.struct_size = PJRT_Api_STRUCT_SIZE;
  api.extension_start = extensions;
  api.pjrt_api_version = {
      .struct_size = PJRT_Api_Version_STRUCT_SIZE,
      .extension_start = nullptr,
      .major_version = PJRT_API_MAJOR,
      .minor_version = PJRT_API_MINOR,
  };
#define TENON_PJRT_ROW(function, object, handler)                            \
  api.function = [](function##_Args* args) {                                 \
    return Dispatch<#function, function##_Args_STRUCT_SIZE>(args, &handler); \
  };
#define TENON_PJRT_STUB(function, object) \
  api.function = [](function##_Args*) { return NotImplemented(#function); };
#define TENON_PJRT_VOID(function, object, handler) api.function = &handler;
#define TENON_PJRT_PLUGIN(function, object, handler)
#include "tenon/pjrt/c_api/api_table.inc"
#undef TENON_PJRT_ROW
#undef TENON_PJRT_STUB
#undef TENON_PJRT_VOID
#undef TENON_PJRT_PLUGIN
  return api;
}

}  // namespace tenon::pjrt::c_api
