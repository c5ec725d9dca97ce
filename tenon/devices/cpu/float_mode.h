// The processor's floating-point control register as a float mode of the runtime.
#ifndef TENON_DEVICES_CPU_FLOAT_MODE_H_
#define TENON_DEVICES_CPU_FLOAT_MODE_H_

#include "tenon/runtime/float_mode.h"

namespace tenon::cpu {

extern const runtime::FloatMode kFloatMode;

}  // namespace tenon::cpu

#endif  // TENON_DEVICES_CPU_FLOAT_MODE_H_
