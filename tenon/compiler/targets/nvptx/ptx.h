// PTX from LLVM IR, in process. A module belongs to one thread; modules of different
// contexts may be compiled at the same time.
//
// Floating point is as the IR says: division and square root are correctly rounded,
// nothing is contracted without the `contract` flag, subnormals are kept unless the
// options flush them. The assembler (ptxas, or the one in the driver) fuses no operation
// of this PTX, because every addition and multiplication that must not be fused carries
// its rounding.
#ifndef TENON_COMPILER_TARGETS_NVPTX_PTX_H_
#define TENON_COMPILER_TARGETS_NVPTX_PTX_H_

#include <memory>
#include <string>
#include <vector>

#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include "tenon/base/status.h"

namespace tenon::compiler {

inline constexpr char kPtxTriple[] = "nvptx64-nvidia-cuda";

struct PtxProcessor {
  const char* name;  // LLVM's and ptxas's
  const char* isa;   // LLVM's feature: the version of PTX that its code is written in
  int shared_kib;    // shared memory that one group can have
  bool has_wgmma;    // products of whole warp groups from shared memory
};

// All that code can be generated for. Versions of PTX are the lowest that name the
// processor, but at least 8.0; drivers from 525 on read 8.0.
const std::vector<PtxProcessor>& PtxProcessors();

struct PtxOptions {
  std::string processor = "sm_80";
  // f32 subnormals become zero, in operands and results.
  bool flush_denormals = false;
};

// How a kernel is launched. Zero: not known.
struct LaunchBounds {
  int threads = 0;     // of a group, at most
  bool exact = false;  // a group has exactly so many
  int groups = 0;      // that should run on one processor at the same time
  int registers = 0;   // of a thread, at most
};
void SetLaunchBounds(llvm::Function& entry, const LaunchBounds& bounds);

// The name of a kernel in PTX, whose identifiers have fewer characters than LLVM's. Equal
// only for equal names; "loop.0" becomes "loop$0".
std::string PtxName(llvm::StringRef name);

// INVALID_ARGUMENT for a name that is not one of PtxProcessors().
StatusOr<std::unique_ptr<llvm::TargetMachine>> CreatePtxMachine(
    const PtxOptions& options);

// Compiles a module, which is changed. Its kernels are the definitions with external
// linkage; they return nothing and get the names that PtxName gives. All other
// definitions have internal linkage and are inlined. Local memory of a group is internal
// globals of address space 3 without a value. UNIMPLEMENTED names the kernel and what it
// has no instruction for.
StatusOr<std::string> EmitPtx(llvm::Module& module, const PtxOptions& options);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TARGETS_NVPTX_PTX_H_
