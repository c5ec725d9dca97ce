// Complex numbers lie in memory as pairs; in registers their parts are vectors of their
// own. No state.
#ifndef TENON_COMPILER_CODEGEN_CONTRACT_INTERLEAVE_H_
#define TENON_COMPILER_CODEGEN_CONTRACT_INTERLEAVE_H_

#include <utility>

#include "llvm/IR/IRBuilder.h"

namespace tenon::codegen {

// Real and imaginary parts of the first `lanes` pairs of `low` and then `high` (null: all
// are in `low`).
std::pair<llvm::Value*, llvm::Value*> Deinterleave(llvm::IRBuilderBase& b,
                                                   llvm::Value* low, llvm::Value* high,
                                                   int lanes);
// Pairs of the lanes [first, first + count) of both parts.
llvm::Value* Interleave(llvm::IRBuilderBase& b, llvm::Value* re, llvm::Value* im,
                        int first, int count);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_CONTRACT_INTERLEAVE_H_
