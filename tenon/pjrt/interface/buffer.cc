#include "tenon/pjrt/interface/buffer.h"

namespace tenon::pjrt {

Event Buffer::CopyRawToHostFuture(Event, std::shared_ptr<void*>, int64_t, int64_t) {
  return Event::Failed(
      Unimplemented("this buffer cannot be copied to an address that is known later"));
}

}  // namespace tenon::pjrt
