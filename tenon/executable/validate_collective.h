// Checks the collectives of an image. A pure function; callable from any thread.
#ifndef TENON_EXECUTABLE_VALIDATE_COLLECTIVE_H_
#define TENON_EXECUTABLE_VALIDATE_COLLECTIVE_H_

#include <cstdint>

#include "tenon/base/status.h"
#include "tenon/executable/image.h"

namespace tenon {

// DATA_LOSS if the groups do not fit `num_devices` or the shapes. The tensors are valid.
Status ValidateCollective(const ImageCollective& collective, int64_t num_devices);

}  // namespace tenon

#endif  // TENON_EXECUTABLE_VALIDATE_COLLECTIVE_H_
