// Turns a tenon module into code for a device: kernels in the device's format, and a
// launcher, which is the program's entry point on the host.
#ifndef TENON_COMPILER_PIPELINE_GENERATE_DEVICE_CODE_H_
#define TENON_COMPILER_PIPELINE_GENERATE_DEVICE_CODE_H_

#include "tenon/compiler/pipeline/generate_code.h"

namespace tenon::compiler {

struct DeviceCodeObjects {
  CodeObject launcher;  // kLauncherCode
  CodeObject device;    // kDeviceCode
};

// `options` is for the device, whose traits have a DeviceTarget; `host` runs the
// launcher. UNIMPLEMENTED, naming op and location or the instruction, for what the device
// cannot run.
StatusOr<DeviceCodeObjects> GenerateDeviceCode(mlir::ModuleOp module,
                                               ir::ProgramOp program,
                                               const CodeOptions& options,
                                               const TargetDescription& host);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PIPELINE_GENERATE_DEVICE_CODE_H_
