// Integers of widths that devices do not have.
#ifndef TENON_COMPILER_TARGETS_GPU_LEGALIZE_INTEGERS_H_
#define TENON_COMPILER_TARGETS_GPU_LEGALIZE_INTEGERS_H_

#include "llvm/IR/Function.h"
#include "tenon/base/status.h"

namespace tenon::compiler {

// Replaces bit casts between an integer and a vector of booleans, before vectors are
// split into scalars.
void ExpandMaskCasts(llvm::Function& function);

// Replaces arithmetic and memory accesses of booleans by logic and bytes.
void LegalizeBooleans(llvm::Function& function);

// Whether the type is an integer of another width than 1, 8, 16, 32, 64 and 128.
bool IsOddInteger(const llvm::Type& type);

// Replaces such integers by the next larger ones that are not odd. Upper bits are kept 0.
// Intrinsics of them must have been expanded. UNIMPLEMENTED, naming the instruction, for
// one that cannot be replaced.
Status PromoteIntegers(llvm::Function& function);

// Gives local variables and the elements that addresses count integers which have a
// representation in memory, of the same size.
void LegalizeMemoryTypes(llvm::Function& function, unsigned max_bits);

// Replaces integers of 128 bits by pairs. Divisions and conversions to floats stay.
void SplitWideIntegers(llvm::Function& function);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TARGETS_GPU_LEGALIZE_INTEGERS_H_
