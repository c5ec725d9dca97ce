// A workaround for a bug of LLVM's code generation. Runs on the thread that owns the
// module.
#ifndef TENON_COMPILER_PIPELINE_MASKED_STORES_H_
#define TENON_COMPILER_PIPELINE_MASKED_STORES_H_

#include "llvm/IR/Function.h"

namespace tenon::compiler {

// Turns masked stores with one active constant lane into scalar stores. LLVM 22 does the
// same, but only after it has merged the store with a truncation to 8 or 16 bits. It then
// stores the element before the truncation, which writes past the end of the destination.
void StoreSingleLanes(llvm::Function& function);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PIPELINE_MASKED_STORES_H_
