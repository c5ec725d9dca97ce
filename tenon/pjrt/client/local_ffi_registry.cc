// Implements FfiRegistry by ffi::Registry.
#include "tenon/ffi/registry.h"

#include "tenon/pjrt/client/local_platform.h"

namespace tenon::pjrt {
namespace {

class Adapter final : public FfiRegistry {
 public:
  Status RegisterHandler(std::string_view target, std::string_view platform,
                         const FfiHandlers& handlers) override {
    const auto handler = [](void* pointer) {
      return reinterpret_cast<ffi::Handler*>(pointer);
    };
    return ffi::Registry::Global().RegisterHandler(
        target, platform,
        {handler(handlers.instantiate), handler(handlers.prepare),
         handler(handlers.initialize), handler(handlers.execute)});
  }
  StatusOr<int64_t> RegisterType(std::string_view name, int64_t id,
                                 const FfiTypeInfo& info) override {
    return ffi::Registry::Global().RegisterType(name, id, info.deleter);
  }
};

}  // namespace

FfiRegistry& LocalFfiRegistry() {
  static Adapter adapter;
  return adapter;
}

}  // namespace tenon::pjrt
