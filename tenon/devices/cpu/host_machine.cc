#include "tenon/devices/cpu/host_machine.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "tenon/devices/cpu/host_features.h"
#include "tenon/devices/cpu/host_move.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace tenon::cpu {
namespace {

#if defined(__x86_64__)

enum Register { kEax, kEbx, kEcx, kEdx };

// The processor's brand string.
std::string BrandName() {
  constexpr uint32_t kFirstLeaf = 0x80000002;
  uint32_t regs[3][4] = {};
  for (uint32_t i = 0; i < 3; ++i) {
    if (!__get_cpuid(kFirstLeaf + i, &regs[i][kEax], &regs[i][kEbx], &regs[i][kEcx],
                     &regs[i][kEdx])) {
      return "";
    }
  }
  std::string name(reinterpret_cast<const char*>(regs), sizeof regs);
  name.resize(std::min(name.find('\0'), name.size()));
  name.erase(name.find_last_not_of(' ') + 1);
  return name.substr(std::min(name.find_first_not_of(' '), name.size()));
}

#else

std::string BrandName() { return ""; }

#endif

Machine QueryHost() {
  Machine machine{.architecture = kHostArchitecture, .name = BrandName()};
  VisitHostFeatures(
      [](void* context, std::string_view name) {
        static_cast<Machine*>(context)->features.emplace(name);
      },
      &machine);
  machine.move = HostMove();
  return machine;
}

}  // namespace

const Machine& HostMachine() {
  static const Machine& machine = *new Machine(QueryHost());
  return machine;
}

}  // namespace tenon::cpu
