#include "tenon/compiler/targets/x86_elementwise.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicsX86.h"

namespace tenon::compiler {
namespace {

constexpr int kAvx2Lanes = 8, kAvx512Lanes = 16;

// Lanes [first, first + count) of `vector`. Lanes past its end are poison.
llvm::Value* Lanes(llvm::IRBuilderBase& b, llvm::Value* vector, int first, int count) {
  int lanes = llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements();
  llvm::SmallVector<int> mask;
  for (int lane = first; lane < first + count; ++lane)
    mask.push_back(lane < lanes ? lane : llvm::PoisonMaskElem);
  return b.CreateShuffleVector(vector, mask);
}

// Applies `whole`, a function of `size` lanes, to a value of any number of lanes.
llvm::Value* ApplyToAnyLanes(llvm::IRBuilderBase& b, llvm::Value* value, int size,
                             llvm::function_ref<llvm::Value*(llvm::Value*)> whole) {
  auto* type = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  if (!type) {
    llvm::Value* lanes = whole(b.CreateVectorSplat(static_cast<unsigned>(size), value));
    return b.CreateExtractElement(lanes, uint64_t{0});
  }
  int lanes = type->getNumElements();
  if (lanes > size) {
    llvm::Value* low = ApplyToAnyLanes(b, Lanes(b, value, 0, lanes / 2), size, whole);
    llvm::Value* high =
        ApplyToAnyLanes(b, Lanes(b, value, lanes / 2, lanes / 2), size, whole);
    llvm::SmallVector<int> both;
    for (int lane = 0; lane < lanes; ++lane) both.push_back(lane);
    return b.CreateShuffleVector(low, high, both);
  }
  if (lanes == size) return whole(value);
  return Lanes(b, whole(Lanes(b, value, 0, size)), 0, lanes);
}

llvm::Value* LookUpAvx2(llvm::IRBuilderBase& b, llvm::Constant* table,
                        llvm::Value* index) {
  return ApplyToAnyLanes(b, index, kAvx2Lanes, [&](llvm::Value* vector) {
    return b.CreateIntrinsic(llvm::Intrinsic::x86_avx2_permps, {}, {table, vector});
  });
}

llvm::Value* LookUpAvx512(llvm::IRBuilderBase& b, llvm::Constant* table,
                          llvm::Value* index) {
  return ApplyToAnyLanes(b, index, kAvx512Lanes, [&](llvm::Value* vector) {
    return b.CreateIntrinsic(llvm::Intrinsic::x86_avx512_permvar_sf_512, {},
                             {table, vector});
  });
}

llvm::Value* Reciprocal(llvm::IRBuilderBase& b, llvm::Value* x) {
  return ApplyToAnyLanes(b, x, kAvx512Lanes, [&](llvm::Value* vector) {
    llvm::Value* unused = llvm::PoisonValue::get(vector->getType());
    return b.CreateIntrinsic(llvm::Intrinsic::x86_avx512_rcp14_ps_512, {},
                             {vector, unused, b.getInt16(-1)});
  });
}

}  // namespace

void AddX86Elementwise(int vector_bits, ElementwiseOptions& options) {
  if (vector_bits == 32 * kAvx512Lanes) {
    options.look_up = LookUpAvx512;
    options.reciprocal = Reciprocal;
  } else if (vector_bits == 32 * kAvx2Lanes) {  // AVX2
    options.look_up = LookUpAvx2;
    options.look_up_entries = kAvx2Lanes;
  }
}

}  // namespace tenon::compiler
