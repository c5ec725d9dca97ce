// Checks that an image is consistent: every offset, index and shape is within its bounds.
//
// A pure function; callable from any thread.
#ifndef TENON_EXECUTABLE_VALIDATE_H_
#define TENON_EXECUTABLE_VALIDATE_H_

#include "tenon/base/status.h"
#include "tenon/executable/image.h"

namespace tenon {

// DATA_LOSS, naming the first fault, if the image is inconsistent. Loading an image that
// passes does not read or write out of bounds. The machine code itself is trusted.
Status ValidateImage(const Image& image);

}  // namespace tenon

#endif  // TENON_EXECUTABLE_VALIDATE_H_
