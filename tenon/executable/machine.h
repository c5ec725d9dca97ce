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
  std::string name = "";  // as its maker calls the processor; empty: not known
};

// The host code that `machine` is to run: of those it can run the one that uses most
// features, the first of equals. FAILED_PRECONDITION naming each target of the image and
// what it lacks here, and the machine.
StatusOr<const CodeObject*> SelectHostCode(const Image& image, const Machine& machine);

}  // namespace tenon

#endif  // TENON_EXECUTABLE_MACHINE_H_
