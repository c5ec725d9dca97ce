// The description of a machine that runs host code. The device, which can query the
// processor, fills it in. A plain value.
#ifndef TENON_EXECUTABLE_MACHINE_H_
#define TENON_EXECUTABLE_MACHINE_H_

#include <cstring>
#include <functional>
#include <set>
#include <string>

#include "tenon/base/status.h"
#include "tenon/executable/image.h"

namespace tenon {

struct Machine {
  std::string architecture;
  // The ISA features, by LLVM's names, that the processor and the operating system
  // support.
  std::set<std::string, std::less<>> features = {};
  std::string name = "";  // the processor's product name; empty if not known
  // What host code calls for memcpy and memmove.
  void* (*move)(void* to, const void* from, size_t bytes) = std::memmove;
  // The kind of host code that it runs: kHostCode or kLauncherCode.
  std::string code_kind = kHostCode;
};

// Chooses the host code object for `machine`: among those that it can run, the first one
// that uses the most features. FAILED_PRECONDITION if there is none; the message names
// the machine, and for each target of the image the reason why it cannot run here.
StatusOr<const CodeObject*> SelectHostCode(const Image& image, const Machine& machine);

}  // namespace tenon

#endif  // TENON_EXECUTABLE_MACHINE_H_
