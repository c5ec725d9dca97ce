// LocalClient: buffers whose contents another buffer provides later.
#include <memory>
#include <utility>

#include "tenon/pjrt/client/local_buffer.h"
#include "tenon/pjrt/client/local_client.h"
#include "tenon/types/shape.h"

namespace tenon::pjrt {
namespace {

// Binds `alias`, a view without memory, to the memory of `source` when that is ready, and
// then completes `ready`. If it returns an error, nothing has changed.
Status Fulfill(LocalBuffer& source, const TensorShape& shape, StorageRef alias,
               Event ready) {
  if (!source.shape().SameAs(shape)) {
    return InvalidArgument(
        "a buffer " + ShapeString(source.element_type(), source.dims()) +
        " cannot be the contents of an alias " + ShapeString(shape.type(), shape.dims()));
  }
  const device::MemorySpace& from = source.local_memory()->space();
  if (&from != &alias->space() &&
      !(from.host_addressable() && alias->host_addressable())) {
    return InvalidArgument("a buffer in " + std::string(source.memory()->to_string()) +
                           " cannot be the contents of an alias in other memory");
  }
  // Hold a use of the source's memory as long as the alias refers to it.
  bool seen = false;
  auto use = std::make_shared<StorageUse>(source.Use(/*execution_id=*/0, &seen));
  if (!*use) return InvalidArgument("the contents of an alias have been deleted");
  source.ready().OnReady(
      [use, alias = std::move(alias), ready = std::move(ready)](const Status& status) {
        if (status.ok()) alias->Bind((*use)->address(), [use] {});
        ready.Set(status);
      });
  return OkStatus();
}

}  // namespace

StatusOr<AliasBuffer> LocalClient::CreateAliasBuffer(const ArrayShape& shape,
                                                     MemorySpace* memory) {
  TENON_RETURN_IF_ERROR(TensorShape::Check(shape.type, shape.dims, shape.minor_to_major));
  const TensorShape tensor(shape.type, shape.dims, shape.minor_to_major);
  StorageRef storage = Storage::View(static_cast<LocalMemory*>(memory)->space(), nullptr,
                                     tensor.byte_size(), nullptr);
  Event ready = Event::Pending();
  AliasBuffer alias;
  alias.buffer = MakeBuffer(tensor, memory, storage, ready);
  alias.fulfill = [tensor, storage, ready](StatusOr<Buffer*> source) {
    if (!source.ok()) {
      ready.Set(source.status());
      return OkStatus();
    }
    Status status = Fulfill(static_cast<LocalBuffer&>(**source), tensor, storage, ready);
    if (!status.ok()) ready.Set(status);
    return status;
  };
  return alias;
}

}  // namespace tenon::pjrt
