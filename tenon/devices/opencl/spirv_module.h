// Looks into SPIR-V modules, and changes them for drivers that need another form.
#ifndef TENON_DEVICES_OPENCL_SPIRV_MODULE_H_
#define TENON_DEVICES_OPENCL_SPIRV_MODULE_H_

#include <cstdint>
#include <string>
#include <vector>

namespace tenon::opencl {

// Whether the module is a header and a sequence of whole instructions, with the operands
// that are read here. Drivers may end the process if it is not. The other functions need
// it.
bool IsWhole(const std::string& module);

// The numbers of the capabilities that it declares (specification of SPIR-V 1.2, section
// 3.31).
std::vector<uint32_t> CapabilitiesOf(const std::string& module);

// The module with every null constant of a number or truth value as a constant that is 0
// or false, which LLVM's translators of versions before 16 need.
std::string WithoutScalarNulls(const std::string& module);

// The module whose kernels have an argument more for each pointer to global memory, after
// all others and in their order: a number of bytes, as i64, that is added to it.
std::string WithPointerOffsets(const std::string& module);

}  // namespace tenon::opencl

#endif  // TENON_DEVICES_OPENCL_SPIRV_MODULE_H_
