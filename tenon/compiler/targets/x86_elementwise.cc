#include "tenon/compiler/targets/table_lookup.h"

#include "llvm/IR/IntrinsicsX86.h"

namespace tenon::compiler {
namespace {

constexpr int kLanes = 16;

// Lanes [first, first + count) of `vector`; those past its end may be anything.
llvm::Value* Lanes(llvm::IRBuilderBase& b, llvm::Value* vector, int first, int count) {
  int lanes = llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements();
  llvm::SmallVector<int> mask;
  for (int lane = first; lane < first + count; ++lane)
    mask.push_back(lane < lanes ? lane : llvm::PoisonMaskElem);
  return b.CreateShuffleVector(vector, mask);
}

llvm::Value* LookUp(llvm::IRBuilderBase& b, llvm::Constant* table, llvm::Value* index) {
  auto* type = llvm::dyn_cast<llvm::FixedVectorType>(index->getType());
  if (!type) {
    llvm::Value* lanes = LookUp(b, table, b.CreateVectorSplat(kLanes, index));
    return b.CreateExtractElement(lanes, uint64_t{0});
  }
  int lanes = type->getNumElements();
  if (lanes > kLanes) {
    llvm::Value* low = LookUp(b, table, Lanes(b, index, 0, lanes / 2));
    llvm::Value* high = LookUp(b, table, Lanes(b, index, lanes / 2, lanes / 2));
    llvm::SmallVector<int> both;
    for (int lane = 0; lane < lanes; ++lane) both.push_back(lane);
    return b.CreateShuffleVector(low, high, both);
  }
  if (lanes < kLanes) index = Lanes(b, index, 0, kLanes);
  llvm::Value* found =
      b.CreateIntrinsic(llvm::Intrinsic::x86_avx512_permvar_sf_512, {}, {table, index});
  return lanes < kLanes ? Lanes(b, found, 0, lanes) : found;
}

}  // namespace

void AddX86TableLookup(int vector_bits, ElementwiseOptions& options) {
  if (vector_bits == 32 * kLanes) options.look_up = LookUp;
}

}  // namespace tenon::compiler
