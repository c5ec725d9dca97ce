// What the machine that code runs on offers. Filled by the device (devices/), which knows
// how to ask it; a plain value.
#ifndef TENON_EXECUTABLE_MACHINE_H_
#define TENON_EXECUTABLE_MACHINE_H_

#include <functional>
#include <set>
#include <string>

#include "tenon/base/status.h"
#include "tenon/executable/image.h"

namespace tenon {

struct Machine {
  std::string architecture;
  // ISA features, as LLVM names them, that processor and operating system offer.
  std::set<std::string, std::less<>> features = {};
};

// FAILED_PRECONDITION naming the architecture or the first feature that is missing.
Status CheckRunnable(const ImageCode& code, const Machine& machine);

}  // namespace tenon

#endif  // TENON_EXECUTABLE_MACHINE_H_
