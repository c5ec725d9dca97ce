// Checks the collectives of an image. A pure function; callable from any thread.
#ifndef TENON_EXECUTABLE_VALIDATE_COLLECTIVE_H_
#define TENON_EXECUTABLE_VALIDATE_COLLECTIVE_H_

#include <cstdint>
#include <string>

#include "tenon/base/status.h"
#include "tenon/executable/image.h"

namespace tenon {

// DATA_LOSS if the groups do not fit `num_devices` or the shapes. The tensors are valid.
Status ValidateCollective(const ImageCollective& collective, int64_t num_devices);

// What is wrong with operands, results or groups of a ragged_all_to_all (see
// runtime/ragged_all_to_all.h), as "rows of several shapes". Empty if nothing is.
std::string RaggedFault(const ImageCollective& site);

}  // namespace tenon

#endif  // TENON_EXECUTABLE_VALIDATE_COLLECTIVE_H_
