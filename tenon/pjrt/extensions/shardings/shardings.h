// The Shardings extension: the shardings of parameters and outputs.
#ifndef TENON_PJRT_EXTENSIONS_SHARDINGS_SHARDINGS_H_
#define TENON_PJRT_EXTENSIONS_SHARDINGS_SHARDINGS_H_

#include "tenon/pjrt/abi/shardings_extension.h"

namespace tenon::pjrt::c_api {

PJRT_Shardings_Extension MakeShardingsExtension();

}  // namespace tenon::pjrt::c_api

#endif  // TENON_PJRT_EXTENSIONS_SHARDINGS_SHARDINGS_H_
