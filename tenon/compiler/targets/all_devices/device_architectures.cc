#include "tenon/compiler/targets/all_devices/device_architectures.h"

#include "tenon/compiler/targets/nvptx/nvptx_architecture.h"
#include "tenon/compiler/targets/spirv/spirv_architecture.h"

namespace tenon::compiler {

void AddDeviceArchitectures() {
  AddSpirvArchitecture();
  AddNvptxArchitecture();
}

}  // namespace tenon::compiler
