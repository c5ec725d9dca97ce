// Whether an image is consistent: every offset, index and shape within its bounds.
//
// A pure function; any thread.
#ifndef TENON_EXECUTABLE_VALIDATE_H_
#define TENON_EXECUTABLE_VALIDATE_H_

#include "tenon/base/status.h"
#include "tenon/executable/image.h"

namespace tenon {

// DATA_LOSS naming the first thing that is wrong. What passes can be loaded without
// reading or writing out of bounds; the machine code itself is trusted.
Status ValidateImage(const Image& image);

}  // namespace tenon

#endif  // TENON_EXECUTABLE_VALIDATE_H_
