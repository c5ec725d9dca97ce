// What the processor of this machine offers.
#ifndef TENON_DEVICES_CPU_HOST_MACHINE_H_
#define TENON_DEVICES_CPU_HOST_MACHINE_H_

#include "tenon/executable/machine.h"

namespace tenon::cpu {

// Asks the processor and the operating system, which may withhold registers; asks for
// the permission to use tile registers. The same for the life of the process.
const Machine& HostMachine();

}  // namespace tenon::cpu

#endif  // TENON_DEVICES_CPU_HOST_MACHINE_H_
