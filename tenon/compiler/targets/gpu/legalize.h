// Turns a module of device kernels, as the emitters write it, into IR that the back end
// of a graphics processor can select.
//
// The module that goes in:
// - An entry is a definition with external linkage that returns void. Its pointer
//   arguments carry their address space (1: global memory); it may cast them to address
//   space 0.
// - Every other definition has internal linkage, is not recursive, and is called
// directly.
//   It works on pointers of address space 0, whatever they point to.
// - Private memory is allocas. Local memory is internal globals of address space 3
// without
//   an initial value. Constant tables are constant globals of address space 0.
// - Work-item functions and barriers are declarations with OpenCL's mangled names, such
// as
//   `_Z12get_group_idj` and `_Z7barrierj`.
//
// The module that comes out has only entries, without calls among them. Every pointer has
// the address space of what it points to; one for which that is unknown has the target's
// generic space. Constant tables lie in the target's constant space. Values are
// scalars of 8 to 64 bits, except for vectors that are loaded or stored as a whole.
// Intrinsics that the target lacks are expanded, with the exact results that LLVM's
// language reference defines.
#ifndef TENON_COMPILER_TARGETS_GPU_LEGALIZE_H_
#define TENON_COMPILER_TARGETS_GPU_LEGALIZE_H_

#include <functional>
#include <string>

#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include "tenon/base/status.h"

namespace tenon::compiler {

struct DeviceRules {
  // May be null. Otherwise the middle-end passes ask it for costs.
  llvm::TargetMachine* machine = nullptr;
  std::string triple;
  std::string data_layout;
  // Where pointers of address space 0 go. If both are 0 then address space 0 is generic
  // and allocas stay as they are.
  unsigned private_space = 0;
  unsigned generic_space = 0;
  // Constant tables. They go to global_space if an address may point to one of them or to
  // other memory, because a constant space need not be a part of the generic one.
  unsigned constant_space = 1;
  unsigned global_space = 1;
  // Larger integers are expanded to pairs: 64 or 128.
  unsigned max_integer_bits = 64;
  // Whether instruction selection has the intrinsic for scalars of this type.
  std::function<bool(llvm::Intrinsic::ID, const llvm::Type&)> has_intrinsic;
  // Whether selection has atomic operations on floats and on integers below 32 bits.
  bool has_all_atomics = false;
  // Whether selection has `freeze`. Otherwise it is removed at the end: no later pass may
  // then assume anything of undefined values.
  bool has_freeze = false;
};

// UNIMPLEMENTED names the instruction and the kernel that cannot be expressed.
Status LegalizeForDevice(llvm::Module& module, const DeviceRules& rules);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TARGETS_GPU_LEGALIZE_H_
