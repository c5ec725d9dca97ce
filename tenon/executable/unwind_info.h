// Checks the unwind information (.eh_frame) of an image before the unwinder, which trusts
// every byte of it, sees it. Stateless; no LLVM.
#ifndef TENON_EXECUTABLE_UNWIND_INFO_H_
#define TENON_EXECUTABLE_UNWIND_INFO_H_

#include "tenon/base/status.h"
#include "tenon/executable/image.h"

namespace tenon {

// DATA_LOSS unless the records are of the one form that Tenon's code has: CIEs with
// augmentation "zR" and pointers of 32 bits relative to themselves, FDEs of functions
// inside the image, call frame instructions of known length whose registers exist.
Status ValidateUnwindInfo(const CodeObject& code);

}  // namespace tenon

#endif  // TENON_EXECUTABLE_UNWIND_INFO_H_
