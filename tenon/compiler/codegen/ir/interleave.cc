#include "tenon/compiler/codegen/ir/interleave.h"

#include "llvm/IR/Constants.h"

namespace tenon::codegen {

std::pair<llvm::Value*, llvm::Value*> Deinterleave(llvm::IRBuilderBase& b,
                                                   llvm::Value* low, llvm::Value* high,
                                                   int lanes) {
  if (!high) high = llvm::PoisonValue::get(low->getType());
  llvm::SmallVector<int> even, odd;
  for (int lane = 0; lane < lanes; ++lane) {
    even.push_back(2 * lane);
    odd.push_back(2 * lane + 1);
  }
  return {b.CreateShuffleVector(low, high, even), b.CreateShuffleVector(low, high, odd)};
}

llvm::Value* Interleave(llvm::IRBuilderBase& b, llvm::Value* re, llvm::Value* im,
                        int first, int count) {
  int lanes = llvm::cast<llvm::FixedVectorType>(re->getType())->getNumElements();
  llvm::SmallVector<int> pairs;
  for (int lane = first; lane < first + count; ++lane) {
    pairs.push_back(lane);
    pairs.push_back(lanes + lane);
  }
  return b.CreateShuffleVector(re, im, pairs);
}

}  // namespace tenon::codegen
