// Address spaces of device code. While a module is legalized, address space 0 is the flat
// one, which contains all others, and private memory has a space of its own.
#ifndef TENON_COMPILER_TARGETS_GPU_ADDRESS_SPACES_H_
#define TENON_COMPILER_TARGETS_GPU_ADDRESS_SPACES_H_

#include "llvm/IR/Module.h"
#include "tenon/compiler/targets/gpu/legalize.h"

namespace tenon::compiler {

inline constexpr unsigned kFlatSpace = 0;
inline constexpr unsigned kLocalSpace = 3;
inline constexpr unsigned kPrivateSpace = 5;

// Moves allocas of constant size to the start of the function: devices give a work item
// all its private memory at once.
void HoistPrivateMemory(llvm::Function& function);

// Moves allocas of the flat space to the private one.
void MovePrivateMemory(llvm::Function& function);

// Moves constants of the flat space to the target's constant space, or to global memory
// where an address may point to something else too.
void MoveConstantTables(llvm::Module& module, const DeviceRules& rules);

// LLVM's inference leaves volatile accesses alone. Gives those a known space whose
// address is cast right before.
void InferVolatileAccesses(llvm::Function& function);

// Gives flat and private pointers the target's address spaces.
void RenameAddressSpaces(llvm::Module& module, const DeviceRules& rules);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TARGETS_GPU_ADDRESS_SPACES_H_
