// The linked list of all extensions, for PJRT_Api::extension_start.
#ifndef TENON_PJRT_EXTENSIONS_STANDARD_EXTENSIONS_H_
#define TENON_PJRT_EXTENSIONS_STANDARD_EXTENSIONS_H_

#include "tenon/pjrt/abi/pjrt_c_api.h"
#include "tenon/pjrt/c_api/plugin.h"
#include "tenon/pjrt/extensions/abi_version/abi_version.h"
#include "tenon/pjrt/extensions/custom_calls/custom_calls.h"
#include "tenon/pjrt/extensions/custom_partitioner/custom_partitioner.h"
#include "tenon/pjrt/extensions/ffi/ffi.h"
#include "tenon/pjrt/extensions/layouts/layouts.h"
#include "tenon/pjrt/extensions/memory_descriptions/memory_descriptions.h"
#include "tenon/pjrt/extensions/profiler/profiler.h"
#include "tenon/pjrt/extensions/shardings/shardings.h"
#include "tenon/pjrt/extensions/streams/streams.h"

namespace tenon::pjrt {

// The list for the plugin described by kDescription. Call it once per plugin: it links
// static objects, of which each plugin has its own set.
template <const PluginDescription& (*kDescription)()>
PJRT_Extension_Base* StandardExtensions() {
  PJRT_Extension_Base* chain = nullptr;
  auto prepend = [&chain](PJRT_Extension_Base* extension, PJRT_Extension_Type type) {
    if (extension == nullptr) return;
    extension->type = type;
    extension->next = chain;
    chain = extension;
  };
#define TENON_PJRT_EXTENSION(type, folder, make)          \
  {                                                       \
    static auto extension = c_api::make();                \
    prepend(&extension.base, PJRT_Extension_Type_##type); \
  }
#define TENON_PJRT_PLUGIN_EXTENSION(type, folder, make)                   \
  {                                                                       \
    static auto extension = c_api::make<kDescription>();                  \
    if (extension) prepend(&extension->base, PJRT_Extension_Type_##type); \
  }
#include "tenon/pjrt/extensions/extensions.inc"
#undef TENON_PJRT_EXTENSION
#undef TENON_PJRT_PLUGIN_EXTENSION
  return chain;
}

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_EXTENSIONS_STANDARD_EXTENSIONS_H_
