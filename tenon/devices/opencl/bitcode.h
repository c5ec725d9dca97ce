// Programs for PoCL, whose OpenCL devices take no SPIR-V, but bitcode of the version of
// LLVM that PoCL was built with. Khronos's translator, the program llvm-spirv-NN, makes
// bitcode from SPIR-V. Thread-safe.
#ifndef TENON_DEVICES_OPENCL_BITCODE_H_
#define TENON_DEVICES_OPENCL_BITCODE_H_

#include <string>

#include "tenon/base/status.h"

namespace tenon::opencl {

// The translator's program for a platform, such as "llvm-spirv-15"; empty if the platform
// is not PoCL. `version` is the platform's.
std::string TranslatorOf(const std::string& platform_name, const std::string& version);

// Whether a program of that name is in PATH.
bool IsInPath(const std::string& program);

// The bitcode of a SPIR-V module. INTERNAL, with what the translator printed, if it
// refuses the module.
StatusOr<std::string> TranslateToBitcode(const std::string& module,
                                         const std::string& translator);

}  // namespace tenon::opencl

#endif  // TENON_DEVICES_OPENCL_BITCODE_H_
