// Checks the unwind information (.eh_frame) of an image before it is registered with the
// unwinder, which trusts every byte. Stateless; no LLVM.
#ifndef TENON_EXECUTABLE_UNWIND_INFO_H_
#define TENON_EXECUTABLE_UNWIND_INFO_H_

#include "tenon/base/status.h"
#include "tenon/executable/image.h"

namespace tenon {

// DATA_LOSS unless all records have the form that Tenon's compiler emits: CIEs with
// augmentation "zR" and PC-relative 32-bit pointers, FDEs of functions inside the image,
// and call frame instructions of known length with existing registers.
Status ValidateUnwindInfo(const CodeObject& code);

}  // namespace tenon

#endif  // TENON_EXECUTABLE_UNWIND_INFO_H_
