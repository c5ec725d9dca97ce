// Conversion between complex numbers in memory (interleaved pairs) and in registers
// (separate vectors of the parts). No state.
#ifndef TENON_COMPILER_CODEGEN_IR_INTERLEAVE_H_
#define TENON_COMPILER_CODEGEN_IR_INTERLEAVE_H_

#include <utility>

#include "llvm/IR/IRBuilder.h"

namespace tenon::codegen {

// The real and imaginary parts of the first `lanes` pairs of `low` followed by `high`
// (null: all are in `low`).
std::pair<llvm::Value*, llvm::Value*> Deinterleave(llvm::IRBuilderBase& b,
                                                   llvm::Value* low, llvm::Value* high,
                                                   int lanes);
// The pairs of lanes [first, first + count) of both parts.
llvm::Value* Interleave(llvm::IRBuilderBase& b, llvm::Value* re, llvm::Value* im,
                        int first, int count);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_IR_INTERLEAVE_H_
