// Contents on their way between the host and the storage of buffers.
//
// Host-addressable memory is read and written in place. For other memory the contents
// pass through a staging block of the device's pinned host memory and a queue of the
// device.
#ifndef TENON_PJRT_CLIENT_TRANSFER_H_
#define TENON_PJRT_CLIENT_TRANSFER_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "tenon/base/event.h"
#include "tenon/base/status.h"
#include "tenon/device/device.h"
#include "tenon/pjrt/client/storage.h"
#include "tenon/runtime/in_flight.h"

namespace tenon::pjrt {

// What buffers of a client need of it; outlives them and their transfers.
struct ClientContext {
  device::System& system;
  runtime::InFlight& in_flight;
};

// Copies up to this size happen on the caller's thread, where contents are defined.
inline constexpr size_t kInlineReadBytes = size_t{256} << 10;

// Runs `read(const void*)`, which does not fail, on `size` bytes of `use` from `offset`,
// once `ready` is complete: within the call if they are few, defined and in host memory.
// `read` may be called on any thread. The event completes after it, or with an error.
template <typename Read>
Event ReadStorage(ClientContext& context, device::Device& device, StorageUse use,
                  const Event& ready, size_t offset, size_t size, Read read);

// Runs `write(void*)`, which does not fail, on `size` bytes of the storage from `offset`:
// within the call if `now`. `written` is called when it has run, before `done`, which is
// called when the storage has the contents, or with an error; each once, on any thread,
// and within this call if all is done.
void WriteStorage(ClientContext& context, device::Device& device, StorageRef storage,
                  size_t offset, size_t size, bool now, std::function<void(void*)> write,
                  std::function<void()> written, std::function<void(const Status&)> done);

// Copies all of `from`, once `ready` is complete, to storage of the same size.
Event CopyStorage(ClientContext& context, device::Device& from_device, StorageUse from,
                  const Event& ready, device::Device& to_device, StorageRef to);

namespace internal {

// `read` of memory that the host cannot address.
Event ReadThroughStaging(ClientContext& context, device::Device& device, StorageUse use,
                         const Event& ready, size_t offset, size_t size,
                         std::function<void(const void*)> read);

}  // namespace internal

template <typename Read>
Event ReadStorage(ClientContext& context, device::Device& device, StorageUse use,
                  const Event& ready, size_t offset, size_t size, Read read) {
  if (!use->host_addressable()) {
    return internal::ReadThroughStaging(context, device, std::move(use), ready, offset,
                                        size, std::move(read));
  }
  const auto data = [offset](const StorageUse& from) -> const void* {
    return from->host_data() ? static_cast<const char*>(from->host_data()) + offset
                             : nullptr;
  };
  ready.Help();
  if (ready.IsReady()) {
    if (!ready.status().ok()) return ready;
    if (size <= kInlineReadBytes) {
      read(data(use));
      return Event::Ready();
    }
  }
  Event done = Event::Pending();
  auto shared = std::make_shared<StorageUse>(std::move(use));
  ready.OnReady(
      [&context, data, shared, done, read = std::move(read)](const Status& status) {
        if (!status.ok()) {
          done.Set(status);
          return;
        }
        context.system.RunOnHost([data, shared, done, read]() mutable {
          read(data(*shared));
          *shared = StorageUse();
          done.Set();
        });
      });
  return done;
}

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_CLIENT_TRANSFER_H_
