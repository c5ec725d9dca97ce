#include "tenon/compiler/targets/spirv/block_numbers.h"

#include <utility>

#include "llvm/ADT/DenseMap.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/Register.h"

// The results of the analysis that numbers a module's ids, a variable of the process in a
// header that LLVM does not install. Its last member but one maps a block, by its
// function's address and its number, to the block's id. LLVM does not clear it before
// each module, as it does others. The address of a function of an earlier module may be
// used again: then labels get ids of that module, which other instructions may have, too.
// About one module in a hundred was invalid.
extern "C" char analysis_results[] asm("_ZN4llvm19SPIRVModuleAnalysis3MAIE");

namespace tenon::compiler {
namespace {

using BlockIds =
    llvm::DenseMap<std::pair<const llvm::MachineFunction*, int>, llvm::Register>;

}  // namespace

Status ForgetBlockNumbers() {
  auto& ids = *reinterpret_cast<BlockIds*>(analysis_results + TENON_SPIRV_ANALYSIS_BYTES -
                                           2 * sizeof(BlockIds));
  // Anything but a map is unlikely to look like one.
  const size_t buckets = ids.getMemorySize() / sizeof(BlockIds::value_type);
  if ((buckets & (buckets - 1)) != 0 || ids.size() > buckets)
    return Internal("LLVM's SPIR-V back end is not that of LLVM 22");
  ids.clear();
  return OkStatus();
}

}  // namespace tenon::compiler
