// How kernels run on a device, such as a GPU, that a host launches them on: groups of
// work items, which share local memory and wait for each other at barriers. Plain values;
// any thread.
#ifndef TENON_COMPILER_TARGETS_DEVICE_TARGET_H_
#define TENON_COMPILER_TARGETS_DEVICE_TARGET_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "tenon/base/status.h"

namespace tenon::compiler {

struct MatrixInstructions;  // matrix_instructions.h
struct TargetDescription;

// The address spaces of pointers in modules for devices, as LLVM numbers them.
inline constexpr unsigned kGlobalMemory = 1;
inline constexpr unsigned kLocalMemory = 3;

struct DeviceTarget {
  std::string_view format;  // DeviceCode::format
  // The most items of a group, for kernels whose items share work. A power of two.
  int max_group_items = 256;
  // The most items of a group that works alone. At least as many.
  int max_lone_group_items = 256;
  int64_t local_bytes = 32 << 10;  // of local memory that a group may have
  // The same for kernels whose launches add it (DeviceKernel::dynamic_local_bytes); 0:
  // launches cannot.
  int64_t dynamic_local_bytes = 0;
  int max_atomic_bits = 32;  // of integers with atomic operations
  // Sums of 32 bits that an item keeps in registers, in products without matrix
  // instructions.
  int item_sums = 16;
  int processors = 0;  // that groups are distributed to; 0: not known
  // The position of the group in the launch, and of the item in its group: i32.
  llvm::Value* (*group_id)(llvm::IRBuilderBase& b) = nullptr;
  llvm::Value* (*local_id)(llvm::IRBuilderBase& b) = nullptr;
  // Waits for all items of the group. What they have written to global and local memory
  // is visible to the group afterwards.
  void (*barrier)(llvm::IRBuilderBase& b) = nullptr;
  // How many items exchange values without a barrier, if their group has a multiple of
  // them: consecutive items. 0: none do.
  int subgroup_items = 0;
  // Returns the i32 `value` of the item number `lane` (i32) of the subgroup, modulo
  // subgroup_items. All items of the subgroup must call it.
  llvm::Value* (*read_lane)(llvm::IRBuilderBase& b, llvm::Value* value,
                            llvm::Value* lane) = nullptr;
  // The same as `barrier` for the items of a subgroup.
  void (*subgroup_barrier)(llvm::IRBuilderBase& b) = nullptr;
  const MatrixInstructions* matrix = nullptr;  // null: there are none
  // Makes `function` a kernel for groups of `group_items` items.
  void (*declare_kernel)(llvm::Function& function, int group_items) = nullptr;
  // Compiles a module to `format`. Its kernels have pointers to global memory as
  // arguments; all other code uses pointers of address space 0, which are cast from
  // pointers to global or local memory. UNIMPLEMENTED, naming the instruction, if the
  // device cannot run it.
  StatusOr<std::string> (*emit)(llvm::Module& module, const TargetDescription& target,
                                bool ieee_denormals) = nullptr;
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TARGETS_DEVICE_TARGET_H_
