// SPIR-V 1.2 for OpenCL, from LLVM IR in process.
//
// Floating point: nothing is contracted, except for calls of llvm.fma. Division and
// square root are correctly rounded only if the program is built with the option
// `-cl-fp32-correctly-rounded-divide-sqrt`: OpenCL allows an error of 2.5 ulp otherwise,
// and the module cannot ask for more. Whoever calls clBuildProgram must pass
// kBuildOptions.
#ifndef TENON_COMPILER_TARGETS_SPIRV_SPIRV_H_
#define TENON_COMPILER_TARGETS_SPIRV_SPIRV_H_

#include <string>

#include "llvm/IR/Module.h"
#include "tenon/base/status.h"
#include "tenon/compiler/targets/gpu/legalize.h"

namespace tenon::compiler {

// For clBuildProgram.
inline constexpr char kSpirvBuildOptions[] = "-cl-fp32-correctly-rounded-divide-sqrt";

struct SpirvOptions {
  // Work items of a group in each dimension, the same for all entries; 0: any number.
  unsigned group_size[3] = {0, 0, 0};
  // Work items of a subgroup; 0: the driver's choice.
  unsigned subgroup_size = 0;
};

struct SpirvModule {
  std::string binary;
  // What a device must have to run the module.
  bool needs_f16 = false;
  bool needs_f64 = false;
  bool needs_generic_pointers = false;
  bool needs_subgroups = false;
};

// What LegalizeForDevice needs to know of SPIR-V.
StatusOr<DeviceRules> SpirvRules();

// Writes a module that LegalizeForDevice has returned. UNIMPLEMENTED names the
// instruction and the kernel that SPIR-V does not have.
StatusOr<SpirvModule> EmitSpirv(llvm::Module& module, const SpirvOptions& options);

// Both in one call.
StatusOr<SpirvModule> CompileToSpirv(llvm::Module& module, const SpirvOptions& options);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TARGETS_SPIRV_SPIRV_H_
