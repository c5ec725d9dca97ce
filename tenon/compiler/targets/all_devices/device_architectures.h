// The architectures that kernels of devices are generated for.
#ifndef TENON_COMPILER_TARGETS_ALL_DEVICES_DEVICE_ARCHITECTURES_H_
#define TENON_COMPILER_TARGETS_ALL_DEVICES_DEVICE_ARCHITECTURES_H_

namespace tenon::compiler {

// Adds all of them. Only before the first compilation.
void AddDeviceArchitectures();

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TARGETS_ALL_DEVICES_DEVICE_ARCHITECTURES_H_
