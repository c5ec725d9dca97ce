// Transfers between the host and the storage of buffers.
//
// Host-addressable memory is read and written in place. Transfers of other memory pass
// through a staging block in the device's pinned host memory and a queue of the device.
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

// The parts of a client that its buffers use. Outlives the buffers and their transfers.
struct ClientContext {
  device::System& system;
  runtime::InFlight& in_flight;
};

// Ready contents up to this size are read on the caller's thread, and staged ones on the
// thread that completes the copy: another one would have to wake up.
inline constexpr size_t kInlineReadBytes = size_t{256} << 10;

// Calls `read(const void*)`, which cannot fail, on `size` bytes of `use` from `offset`,
// after `ready` has completed. It runs within this call if the contents are small, ready
// and in host memory; otherwise on any thread. The returned event completes after `read`
// has returned, or with an error.
template <typename Read>
Event ReadStorage(ClientContext& context, device::Device& device, StorageUse use,
                  const Event& ready, size_t offset, size_t size, Read read);

// Calls `write(void*)`, which cannot fail, to write `size` bytes of the storage from
// `offset`. It runs within this call if `now`, otherwise on any thread.
//
// Then calls `written` once, when `write` will not be called any more, and after that
// `done` once, when the storage has the contents or with an error. Both may be called on
// any thread and within this call.
void WriteStorage(ClientContext& context, device::Device& device, StorageRef storage,
                  size_t offset, size_t size, bool now, std::function<void(void*)> write,
                  std::function<void()> written, std::function<void(const Status&)> done);

// Copies all of `from` to storage of the same size, after `ready` has completed.
Event CopyStorage(ClientContext& context, device::Device& from_device, StorageUse from,
                  const Event& ready, device::Device& to_device, StorageRef to);

namespace internal {

// ReadStorage for memory that is not host-addressable.
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
