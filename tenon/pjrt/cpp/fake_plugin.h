// A plugin inside the test, all of whose work is done by threads of its own: copies and
// executions take a while, and events complete from elsewhere. Unlike a shared library it
// is instrumented by sanitizers, so ThreadSanitizer sees every access.
#ifndef TENON_PJRT_CPP_FAKE_PLUGIN_H_
#define TENON_PJRT_CPP_FAKE_PLUGIN_H_

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "tenon/pjrt.hpp"

namespace pjrt::testing::fake {

inline std::atomic<int> handles_alive = 0;

// Counts the handles that the client holds.
struct Counted {
  Counted() { ++handles_alive; }
  ~Counted() { --handles_alive; }
};

struct EventState {
  std::mutex mutex;
  std::condition_variable condition;
  bool ready = false;
  std::vector<std::function<void()>> callbacks;

  void set() {
    std::vector<std::function<void()>> next;
    {
      std::lock_guard lock(mutex);
      ready = true;
      condition.notify_all();
      next.swap(callbacks);
    }
    for (auto& callback : next) callback();
  }
};
struct Event : Counted {
  std::shared_ptr<EventState> state = std::make_shared<EventState>();
};

// A buffer of floats whose values arrive later.
struct BufferState {
  std::vector<float> values;
  EventState ready;
};
struct Buffer : Counted {
  std::shared_ptr<BufferState> state = std::make_shared<BufferState>();
  int64_t size;
};
// While it is set, no work of a client ends.
inline std::atomic<bool> held = false;
struct Held {
  Held() { held = true; }
  ~Held() { held = false; }
};
struct Client : Counted {
  std::mutex mutex;
  std::vector<std::thread> threads;
  ~Client() {
    for (std::thread& thread : threads) thread.join();
  }
  // Does `work` after a while, and completes the event that this returns.
  Event* later(std::function<void()> work) {
    auto* event = new Event;
    std::lock_guard lock(mutex);
    threads.emplace_back([work = std::move(work), state = event->state] {
      do {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      } while (held);
      work();
      state->set();
    });
    return event;
  }
};
inline Client* client = nullptr;  // one at a time
struct Loaded : Counted {};

template <typename To, typename From>
To* as(From* handle) {
  return reinterpret_cast<To*>(handle);
}

inline void set_events(PJRT_Api& api) {
  api.PJRT_Event_Destroy = [](PJRT_Event_Destroy_Args* args) -> PJRT_Error* {
    delete as<Event>(args->event);
    return nullptr;
  };
  api.PJRT_Event_IsReady = [](PJRT_Event_IsReady_Args* args) -> PJRT_Error* {
    EventState& state = *as<Event>(args->event)->state;
    std::lock_guard lock(state.mutex);
    args->is_ready = state.ready;
    return nullptr;
  };
  api.PJRT_Event_Await = [](PJRT_Event_Await_Args* args) -> PJRT_Error* {
    EventState& state = *as<Event>(args->event)->state;
    std::unique_lock lock(state.mutex);
    state.condition.wait(lock, [&] { return state.ready; });
    return nullptr;
  };
  api.PJRT_Event_OnReady = [](PJRT_Event_OnReady_Args* args) -> PJRT_Error* {
    EventState& state = *as<Event>(args->event)->state;
    auto call = [callback = args->callback, user = args->user_arg] {
      callback(nullptr, user);
    };
    {
      std::lock_guard lock(state.mutex);
      if (!state.ready) {
        state.callbacks.push_back(call);
        return nullptr;
      }
    }
    call();
    return nullptr;
  };
}

inline void set_buffers(PJRT_Api& api) {
  api.PJRT_Client_BufferFromHostBuffer =
      [](PJRT_Client_BufferFromHostBuffer_Args* args) -> PJRT_Error* {
    auto* buffer = new Buffer;
    buffer->size = args->dims[0];
    auto* data = static_cast<const float*>(args->data);
    auto fill = [state = buffer->state, data, size = args->dims[0]] {
      state->values.assign(data, data + size);
      state->ready.set();
    };
    if (args->host_buffer_semantics ==
        PJRT_HostBufferSemantics_kImmutableOnlyDuringCall) {
      fill();
      args->done_with_host_buffer = nullptr;
    } else {
      args->done_with_host_buffer = as<PJRT_Event>(client->later(fill));
    }
    args->buffer = as<PJRT_Buffer>(buffer);
    return nullptr;
  };
  api.PJRT_Buffer_Destroy = [](PJRT_Buffer_Destroy_Args* args) -> PJRT_Error* {
    delete as<Buffer>(args->buffer);
    return nullptr;
  };
  api.PJRT_Buffer_ElementType = [](PJRT_Buffer_ElementType_Args* args) -> PJRT_Error* {
    args->type = PJRT_Buffer_Type_F32;
    return nullptr;
  };
  api.PJRT_Buffer_Dimensions = [](PJRT_Buffer_Dimensions_Args* args) -> PJRT_Error* {
    args->dims = &as<Buffer>(args->buffer)->size;
    args->num_dims = 1;
    return nullptr;
  };
  api.PJRT_Buffer_ToHostBuffer = [](PJRT_Buffer_ToHostBuffer_Args* args) -> PJRT_Error* {
    auto copy = [state = as<Buffer>(args->src)->state, to = args->dst] {
      std::unique_lock lock(state->ready.mutex);
      state->ready.condition.wait(lock, [&] { return state->ready.ready; });
      std::memcpy(to, state->values.data(), state->values.size() * sizeof(float));
    };
    args->event = as<PJRT_Event>(client->later(copy));
    return nullptr;
  };
}

// Every program doubles its argument.
inline void set_executables(PJRT_Api& api) {
  api.PJRT_Client_Compile = [](PJRT_Client_Compile_Args* args) -> PJRT_Error* {
    args->executable = as<PJRT_LoadedExecutable>(new Loaded);
    return nullptr;
  };
  api.PJRT_LoadedExecutable_Destroy =
      [](PJRT_LoadedExecutable_Destroy_Args* args) -> PJRT_Error* {
    delete as<Loaded>(args->executable);
    return nullptr;
  };
  api.PJRT_LoadedExecutable_GetExecutable =
      [](PJRT_LoadedExecutable_GetExecutable_Args* args) -> PJRT_Error* {
    args->executable = as<PJRT_Executable>(new Loaded);
    return nullptr;
  };
  api.PJRT_Executable_Destroy = [](PJRT_Executable_Destroy_Args* args) -> PJRT_Error* {
    delete as<Loaded>(args->executable);
    return nullptr;
  };
  api.PJRT_Executable_NumOutputs =
      [](PJRT_Executable_NumOutputs_Args* args) -> PJRT_Error* {
    args->num_outputs = 1;
    return nullptr;
  };
  api.PJRT_Executable_Name = [](PJRT_Executable_Name_Args*) -> PJRT_Error* {
    return nullptr;
  };
  api.PJRT_LoadedExecutable_Execute =
      [](PJRT_LoadedExecutable_Execute_Args* args) -> PJRT_Error* {
    auto* input = as<Buffer>(args->argument_lists[0][0]);
    auto* result = new Buffer;
    result->size = input->size;
    Event* event = client->later([from = input->state, to = result->state] {
      std::unique_lock lock(from->ready.mutex);
      from->ready.condition.wait(lock, [&] { return from->ready.ready; });
      for (float value : from->values) to->values.push_back(2 * value);
      to->ready.set();
    });
    args->output_lists[0][0] = as<PJRT_Buffer>(result);
    if (args->device_complete_events) {
      args->device_complete_events[0] = as<PJRT_Event>(event);
    } else {
      delete event;
    }
    return nullptr;
  };
}

inline Plugin plugin() {
  static const PJRT_Api api = [] {
    PJRT_Api table{};
    table.struct_size = PJRT_Api_STRUCT_SIZE;
    table.pjrt_api_version.major_version = PJRT_API_MAJOR;
    table.pjrt_api_version.minor_version = PJRT_API_MINOR;
    table.PJRT_Error_Destroy = [](PJRT_Error_Destroy_Args*) {};
    table.PJRT_Error_Message = [](PJRT_Error_Message_Args*) {};
    table.PJRT_Error_GetCode = [](PJRT_Error_GetCode_Args*) -> PJRT_Error* {
      return nullptr;
    };
    table.PJRT_Plugin_Initialize = [](PJRT_Plugin_Initialize_Args*) -> PJRT_Error* {
      return nullptr;
    };
    table.PJRT_Client_Create = [](PJRT_Client_Create_Args* args) -> PJRT_Error* {
      args->client = as<PJRT_Client>(client = new Client);
      return nullptr;
    };
    table.PJRT_Client_Destroy = [](PJRT_Client_Destroy_Args* args) -> PJRT_Error* {
      delete as<Client>(args->client);
      return nullptr;
    };
    table.PJRT_Client_AddressableDevices =
        [](PJRT_Client_AddressableDevices_Args* args) -> PJRT_Error* {
      static PJRT_Device* const devices[] = {nullptr};
      args->addressable_devices = devices;
      args->num_addressable_devices = 1;
      return nullptr;
    };
    set_events(table);
    set_buffers(table);
    set_executables(table);
    return table;
  }();
  return Plugin::from_table(&api, "fake").value();
}

}  // namespace pjrt::testing::fake

#endif  // TENON_PJRT_CPP_FAKE_PLUGIN_H_
