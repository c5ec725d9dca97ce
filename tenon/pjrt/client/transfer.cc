#include "tenon/pjrt/client/transfer.h"

#include <cstring>

namespace tenon::pjrt {
namespace {

// A staging block in a device's pinned host memory.
class Staging {
 public:
  static StatusOr<std::shared_ptr<Staging>> Create(device::Device& device, size_t size) {
    device::MemorySpace& space = device.memory(device::MemoryKind::kPinnedHost);
    TENON_ASSIGN_OR_RETURN(void* block, space.Allocate(size));
    return std::make_shared<Staging>(space, block, size);
  }
  Staging(device::MemorySpace& space, void* block, size_t size)
      : space_(space), block_(block), size_(size) {}
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging() { space_.Free(block_, size_); }

  void* data() const { return block_; }
  device::MemorySpace& space() const { return space_; }

 private:
  device::MemorySpace& space_;
  void* const block_;
  const size_t size_;
};

char* At(void* address, size_t offset) { return static_cast<char*>(address) + offset; }

}  // namespace

Event internal::ReadThroughStaging(ClientContext& context, device::Device& device,
                                   StorageUse use, const Event& ready, size_t offset,
                                   size_t size, std::function<void(const void*)> read) {
  if (size == 0) {
    Event done = Event::Pending();
    ready.OnReady([done, read = std::move(read)](const Status& status) {
      if (status.ok()) read(nullptr);
      done.Set(status);
    });
    return done;
  }
  auto staging = Staging::Create(device, size);
  if (!staging.ok()) return Event::Failed(staging.status());
  Event done = Event::Pending();
  auto shared = std::make_shared<StorageUse>(std::move(use));
  context.in_flight.Begin();
  // Deferred storage has no address before.
  device.compute().WhenPrepared(
      ready, [&context, &device, ready, shared, staging = *staging, offset, size, done,
              read = std::move(read)] {
        if (ready.IsReady() && !ready.status().ok()) {
          done.Set(ready.status());
          context.in_flight.End();
          return;
        }
        const device::Copy copy = {.to = staging->data(),
                                   .to_space = &staging->space(),
                                   .from = At((*shared)->address(), offset),
                                   .from_space = &(*shared)->space(),
                                   .size = size};
        device.to_host().CopyAfter(copy, ready, [=, &context](const Status& copied) {
          *shared = StorageUse();
          if (!copied.ok()) {
            done.Set(copied);
            context.in_flight.End();
            return;
          }
          auto finish = [&context, staging, done, read]() mutable {
            read(staging->data());
            // Both may have memory of the client, which may end after the last line.
            staging = nullptr;
            read = nullptr;
            done.Set();
            context.in_flight.End();
          };
          if (size <= kInlineReadBytes) return finish();
          context.system.RunOnHost(std::move(finish));
        });
      });
  return done;
}

void WriteStorage(ClientContext& context, device::Device& device, StorageRef storage,
                  size_t offset, size_t size, bool now, std::function<void(void*)> write,
                  std::function<void()> written,
                  std::function<void(const Status&)> done) {
  if (size == 0 || storage->host_addressable()) {
    const auto run = [=](void* data) {
      if (size) write(At(data, offset));
      written();
      done(OkStatus());
    };
    if (now || size == 0) {
      run(storage->address());
      return;
    }
    context.in_flight.Begin();
    context.system.RunOnHost([=, &context, storage = std::move(storage)]() mutable {
      if (size) write(At(storage->host_data(), offset));
      storage = StorageRef();
      written();
      done(OkStatus());
      context.in_flight.End();
    });
    return;
  }
  auto staging = Staging::Create(device, size);
  if (!staging.ok()) {
    written();
    done(staging.status());
    return;
  }
  context.in_flight.Begin();
  auto transfer = [=, &context, &device, staging = *std::move(staging),
                   storage = std::move(storage)]() mutable {
    write(staging->data());
    written();
    const device::Copy copy = {.to = At(storage->address(), offset),
                               .to_space = &storage->space(),
                               .from = staging->data(),
                               .from_space = &staging->space(),
                               .size = size};
    // Moved, because this function may exist for longer than the client.
    device.to_device().CopyAfter(
        copy, Event::Ready(),
        [staging = std::move(staging), storage = std::move(storage),
         done = std::move(done), &context](const Status& status) {
          done(status);
          context.in_flight.End();
        });
  };
  if (now) {
    transfer();
  } else {
    context.system.RunOnHost(std::move(transfer));
  }
}

Event CopyStorage(ClientContext& context, device::Device& from_device, StorageUse from,
                  const Event& ready, device::Device& to_device, StorageRef to) {
  const size_t size = to->size();
  if (to->host_addressable()) {
    return ReadStorage(context, from_device, std::move(from), ready, 0, size,
                       [to = std::move(to), size](const void* data) {
                         if (size) std::memcpy(to->host_data(), data, size);
                       });
  }
  Event done = Event::Pending();
  auto shared = std::make_shared<StorageUse>(std::move(from));
  context.in_flight.Begin();
  from_device.compute().WhenPrepared(
      ready, [=, &context, &to_device, to = std::move(to)] {
        if (size == 0) {
          ready.OnReady([done, &context](const Status& status) {
            done.Set(status);
            context.in_flight.End();
          });
          return;
        }
        if (ready.IsReady() && !ready.status().ok()) {
          done.Set(ready.status());
          context.in_flight.End();
          return;
        }
        const device::Copy copy = {.to = to->address(),
                                   .to_space = &to->space(),
                                   .from = (*shared)->address(),
                                   .from_space = &(*shared)->space(),
                                   .size = size};
        // With `to`, whose buffer may be deleted before.
        to_device.to_device().CopyAfter(
            copy, ready, [to, shared, done, &context](const Status& copied) {
              *shared = StorageUse();
              done.Set(copied);
              context.in_flight.End();
            });
      });
  return done;
}

}  // namespace tenon::pjrt
