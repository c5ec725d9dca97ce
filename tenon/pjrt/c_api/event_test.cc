#include "tenon/base/event.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "tenon/pjrt/c_api/testing/test_api.h"

namespace tenon::pjrt::testing {
namespace {

PJRT_Event* CreateEvent() {
  MAKE_ARGS(args, PJRT_Event_Create_Args);
  EXPECT_EQ(Take(Api().PJRT_Event_Create(&args)), "");
  return args.event;
}

void Set(PJRT_Event* event, PJRT_Error_Code code, const char* message) {
  MAKE_ARGS(args, PJRT_Event_Set_Args);
  args.event = event;
  args.error_code = code;
  args.error_message = message;
  args.error_message_size = message ? std::strlen(message) : 0;
  CALL(PJRT_Event_Set, args);
}

void DestroyEvent(PJRT_Event* event) {
  MAKE_ARGS(args, PJRT_Event_Destroy_Args);
  args.event = event;
  CALL(PJRT_Event_Destroy, args);
}

struct Seen {
  std::atomic<int> calls = 0;
  std::string error;
  PJRT_Event* destroy = nullptr;
};

void OnReady(PJRT_Event* event, Seen* seen) {
  MAKE_ARGS(args, PJRT_Event_OnReady_Args);
  args.event = event;
  args.user_arg = seen;
  args.callback = [](PJRT_Error* error, void* user_arg) {
    auto* s = static_cast<Seen*>(user_arg);
    s->error = Take(error);
    if (s->destroy) DestroyEvent(s->destroy);
    ++s->calls;
  };
  CALL(PJRT_Event_OnReady, args);
}

bool IsReady(PJRT_Event* event) {
  MAKE_ARGS(args, PJRT_Event_IsReady_Args);
  args.event = event;
  EXPECT_EQ(Take(Api().PJRT_Event_IsReady(&args)), "");
  return args.is_ready;
}

// Counts the calls of Help, and completes the event in it.
class CountedWork final : public Event::Work {
 public:
  std::chrono::microseconds Help() override {
    ++calls;
    if (event) event.Set();
    return {};
  }
  std::atomic<int> calls = 0;
  Event event;
};

TEST(EventTest, WaitingThreadsHelp) {
  auto work = std::make_shared<CountedWork>();
  work->event = Event::Pending(work);
  auto* handle = static_cast<PJRT_Event*>(Event(work->event).Release());
  // Registering a callback is not a wait, because frameworks do it for every execution.
  Seen seen;
  OnReady(handle, &seen);
  EXPECT_FALSE(IsReady(handle));
  EXPECT_EQ(work->calls, 0);
  // Registering a callback at a buffer's event counts as a wait.
  work->event.MarkAwaited();
  Seen awaited;
  OnReady(handle, &awaited);
  EXPECT_EQ(work->calls, 1);
  EXPECT_EQ(seen.calls, 1);
  EXPECT_EQ(awaited.calls, 1);
  DestroyEvent(handle);
  work->event = Event();
}

TEST(EventTest, CompletesOnceWithError) {
  PJRT_Event* event = CreateEvent();
  EXPECT_FALSE(IsReady(event));
  MAKE_ARGS(error, PJRT_Event_Error_Args);
  error.event = event;
  EXPECT_NE(Take(Api().PJRT_Event_Error(&error)), "");  // not ready yet
  Seen before, after;
  OnReady(event, &before);
  Set(event, PJRT_Error_Code_INTERNAL, "broken");
  EXPECT_TRUE(IsReady(event));
  OnReady(event, &after);
  EXPECT_EQ(before.calls, 1);
  EXPECT_EQ(before.error, "INTERNAL: broken");
  EXPECT_EQ(after.calls, 1);
  EXPECT_EQ(after.error, "INTERNAL: broken");
  // Every call returns a new error.
  EXPECT_EQ(Take(Api().PJRT_Event_Error(&error)), "INTERNAL: broken");
  EXPECT_EQ(Take(Api().PJRT_Event_Error(&error)), "INTERNAL: broken");
  MAKE_ARGS(again, PJRT_Event_Set_Args);
  again.event = event;
  EXPECT_EQ(Take(Api().PJRT_Event_Set(&again)),
            "FAILED_PRECONDITION: the event was set before");
  DestroyEvent(event);
}

TEST(EventTest, CallbacksRunAfterDestructionOfTheHandle) {
  Event event = Event::Pending();
  auto* handle = static_cast<PJRT_Event*>(Event(event).Release());
  Seen seen;
  OnReady(handle, &seen);
  DestroyEvent(handle);
  EXPECT_EQ(seen.calls, 0);
  event.Set();
  EXPECT_EQ(seen.calls, 1);
  EXPECT_EQ(seen.error, "");
}

TEST(EventTest, HandleMayBeDestroyedInItsCallback) {
  PJRT_Event* pending = CreateEvent();
  Seen seen;
  seen.destroy = pending;
  OnReady(pending, &seen);
  Set(pending, PJRT_Error_Code_OK, nullptr);
  EXPECT_EQ(seen.calls, 1);

  PJRT_Event* ready = CreateEvent();
  Set(ready, PJRT_Error_Code_CANCELLED, "gone");
  Seen inline_seen;
  inline_seen.destroy = ready;
  OnReady(ready, &inline_seen);
  EXPECT_EQ(inline_seen.calls, 1);
  EXPECT_EQ(inline_seen.error, "CANCELLED: gone");
}

TEST(EventTest, WaitersOfManyThreads) {
  for (int iteration = 0; iteration < 100; ++iteration) {
    PJRT_Event* event = CreateEvent();
    Seen seen[3];
    std::vector<std::thread> threads;
    for (Seen& own : seen) {
      threads.emplace_back([event, &own] {
        OnReady(event, &own);
        MAKE_ARGS(await, PJRT_Event_Await_Args);
        await.event = event;
        EXPECT_EQ(Take(Api().PJRT_Event_Await(&await)), "");
      });
    }
    Set(event, PJRT_Error_Code_OK, nullptr);
    for (std::thread& thread : threads) thread.join();
    for (Seen& own : seen) EXPECT_EQ(own.calls, 1);
    DestroyEvent(event);
  }
}

TEST(EventTest, CallbacksRunInOrder) {
  Event event = Event::Pending();
  std::string order;
  for (char c : {'a', 'b', 'c'}) {
    event.OnReady([&order, c](const Status&) { order += c; });
  }
  event.Set();
  EXPECT_EQ(order, "abc");
}

TEST(EventTest, AllOfTakesTheFirstErrorInOrder) {
  std::vector<Event> events = {Event::Ready(), Event::Pending(), Event::Pending(),
                               Event()};
  Event all = AllOf(events);
  events[2].Set(Internal("second"));
  EXPECT_FALSE(all.IsReady());
  events[1].Set(Internal("first"));
  ASSERT_TRUE(all.IsReady());
  EXPECT_EQ(all.status().message(), "first");
  EXPECT_TRUE(AllOf(std::vector<Event>{}).IsReady());
  EXPECT_TRUE(AllOf(std::vector<Event>{Event::Ready()}).status().ok());
}

}  // namespace
}  // namespace tenon::pjrt::testing
