// x86's instructions for elementary functions, for ElementwiseOptions.
#ifndef TENON_COMPILER_TARGETS_X86_ELEMENTWISE_H_
#define TENON_COMPILER_TARGETS_X86_ELEMENTWISE_H_

#include "tenon/compiler/targets/elementwise_options.h"

namespace tenon::compiler {

// Sets look_up and reciprocal of an x86 target whose code uses registers of `vector_bits`
// bits, as far as it has the instructions. LLVM does not use wider ones there even if the
// processor has them.
void AddX86Elementwise(int vector_bits, ElementwiseOptions& options);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TARGETS_X86_ELEMENTWISE_H_
