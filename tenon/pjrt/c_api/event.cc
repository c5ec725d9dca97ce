// PJRT_Event_*.
#include "tenon/base/event.h"

#include "tenon/pjrt/c_api/dispatch.h"
#include "tenon/pjrt/c_api/handlers.h"
#include "tenon/pjrt/c_api/handles.h"

namespace tenon::pjrt::c_api {

Status EventDestroy(PJRT_Event_Destroy_Args* args) {
  if (args->event) Event::Adopt(args->event);  // the temporary drops the reference
  return OkStatus();
}

Status EventIsReady(PJRT_Event_IsReady_Args* args) {
  TENON_PJRT_REQUIRE(args, event);
  args->is_ready = EventView(args->event)->IsReady();
  return OkStatus();
}

Status EventError(PJRT_Event_Error_Args* args) {
  TENON_PJRT_REQUIRE(args, event);
  EventView event(args->event);
  if (!event->IsReady()) {
    return FailedPrecondition("the error of an event was asked for before it is ready");
  }
  return event->status();
}

Status EventAwait(PJRT_Event_Await_Args* args) {
  TENON_PJRT_REQUIRE(args, event);
  return EventView(args->event)->Await();
}

Status EventOnReady(PJRT_Event_OnReady_Args* args) {
  TENON_PJRT_REQUIRE(args, event);
  TENON_PJRT_REQUIRE(args, callback);
  // A framework that registers a callback at a buffer's event is about to wait for it. A
  // framework that registers one at an event of Execute is not.
  if (EventView event(args->event); event->awaited()) event->Help();
  // A second view, because the callback may destroy the event.
  EventView(args->event)
      ->OnReady([callback = args->callback, user_arg = args->user_arg](
                    const Status& status) { callback(MakeError(status), user_arg); });
  return OkStatus();
}

Status EventCreate(PJRT_Event_Create_Args* args) {
  args->event = Wrap(Event::Pending());
  return OkStatus();
}

Status EventSet(PJRT_Event_Set_Args* args) {
  TENON_PJRT_REQUIRE(args, event);
  Status status =
      StatusFromParts(args->error_code, args->error_message, args->error_message_size);
  if (!EventView(args->event)->Set(std::move(status))) {
    return FailedPrecondition("the event was set before");
  }
  return OkStatus();
}

}  // namespace tenon::pjrt::c_api
