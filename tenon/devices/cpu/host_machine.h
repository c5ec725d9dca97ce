// The processor of this machine.
#ifndef TENON_DEVICES_CPU_HOST_MACHINE_H_
#define TENON_DEVICES_CPU_HOST_MACHINE_H_

#include "tenon/executable/machine.h"

namespace tenon::cpu {

// The features that both the processor and the operating system support. The first call
// queries them, and asks the system for permission to use AMX's tile registers. The same
// object at each call.
const Machine& HostMachine();

}  // namespace tenon::cpu

#endif  // TENON_DEVICES_CPU_HOST_MACHINE_H_
