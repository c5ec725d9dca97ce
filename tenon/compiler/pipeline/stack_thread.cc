#include "tenon/compiler/pipeline/stack_thread.h"

#include <pthread.h>

#include <cstring>

namespace tenon::compiler {

Status RunOnLargeStack(const std::function<void()>& body) {
  constexpr size_t kStackBytes = size_t{32} << 20;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_t thread;
  int error = pthread_create(
      &thread, &attributes,
      [](void* argument) -> void* {
        (*static_cast<const std::function<void()>*>(argument))();
        return nullptr;
      },
      const_cast<std::function<void()>*>(&body));
  pthread_attr_destroy(&attributes);
  if (error != 0)
    return ResourceExhausted("no thread to compile on: " +
                             std::string(std::strerror(error)));
  pthread_join(thread, nullptr);
  return OkStatus();
}

}  // namespace tenon::compiler
