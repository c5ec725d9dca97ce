// A repair of LLVM IR before code generation; by the thread that owns the module.
#ifndef TENON_COMPILER_PIPELINE_MASKED_STORES_H_
#define TENON_COMPILER_PIPELINE_MASKED_STORES_H_

#include "llvm/IR/Function.h"

namespace tenon::compiler {

// Makes masked stores of one constant lane plain stores of that element. LLVM 22 does so
// itself, but after it has merged the store with a truncation to bytes or words, and then
// writes the element before the truncation: bytes past its end.
void StoreSingleLanes(llvm::Function& function);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PIPELINE_MASKED_STORES_H_
