// The Layouts extension: the layouts of buffers, parameters and outputs.
#ifndef TENON_PJRT_EXTENSIONS_LAYOUTS_LAYOUTS_H_
#define TENON_PJRT_EXTENSIONS_LAYOUTS_LAYOUTS_H_

#include "tenon/pjrt/abi/layouts_extension.h"

namespace tenon::pjrt::c_api {

PJRT_Layouts_Extension MakeLayoutsExtension();

}  // namespace tenon::pjrt::c_api

#endif  // TENON_PJRT_EXTENSIONS_LAYOUTS_LAYOUTS_H_
