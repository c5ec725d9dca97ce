// SPIR-V 1.2 for OpenCL, from LLVM IR in process.
//
// What a caller of clBuildProgram must know, because a module of SPIR-V 1.2 cannot say
// it:
// - Division and square root of f32 are correctly rounded only with the option
//   `-cl-fp32-correctly-rounded-divide-sqrt`, for devices that report
//   CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT. OpenCL allows an error of 2.5 ulp otherwise.
//   Intel's runtime for CPUs does not report it, but its results are correctly rounded.
// - Subnormal numbers are kept, unless the program is built with `-cl-denorms-are-zero`.
//   Intel's runtime for CPUs then takes operands and results of f32 and f64 as 0. The
//   attribute `denormal-fp-math` of LLVM changes nothing.
// Nothing is contracted: the module says so, and only llvm.fma makes a fused operation.
#ifndef TENON_COMPILER_TARGETS_SPIRV_SPIRV_H_
#define TENON_COMPILER_TARGETS_SPIRV_SPIRV_H_

#include <string>

#include "llvm/IR/Module.h"
#include "tenon/base/status.h"
#include "tenon/compiler/targets/gpu/legalize.h"

namespace tenon::compiler {

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
  bool needs_int64_atomics = false;
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
