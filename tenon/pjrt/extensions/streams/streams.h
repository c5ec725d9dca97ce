// The Stream extension: the driver's own streams, for exchange with other libraries.
#ifndef TENON_PJRT_EXTENSIONS_STREAMS_STREAMS_H_
#define TENON_PJRT_EXTENSIONS_STREAMS_STREAMS_H_

#include "tenon/pjrt/abi/stream_extension.h"

namespace tenon::pjrt::c_api {

PJRT_Stream_Extension MakeStreamExtension();

}  // namespace tenon::pjrt::c_api

#endif  // TENON_PJRT_EXTENSIONS_STREAMS_STREAMS_H_
