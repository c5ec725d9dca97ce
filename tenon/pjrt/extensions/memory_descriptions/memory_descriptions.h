// The MemoryDescriptions extension: the memory kinds of a device, without a client.
#ifndef TENON_PJRT_EXTENSIONS_MEMORY_DESCRIPTIONS_MEMORY_DESCRIPTIONS_H_
#define TENON_PJRT_EXTENSIONS_MEMORY_DESCRIPTIONS_MEMORY_DESCRIPTIONS_H_

#include "tenon/pjrt/abi/memory_descriptions_extension.h"

namespace tenon::pjrt::c_api {

PJRT_MemoryDescriptions_Extension MakeMemoryDescriptionsExtension();

}  // namespace tenon::pjrt::c_api

#endif  // TENON_PJRT_EXTENSIONS_MEMORY_DESCRIPTIONS_MEMORY_DESCRIPTIONS_H_
