#include "tenon/compiler/targets/k_group_products.h"

#include "llvm/IR/IntrinsicsX86.h"

namespace tenon::compiler {
namespace {

// Of 32 bits each, in a 512-bit register, and in one of AVX2.
constexpr int kLanes = 16, kAvx2Lanes = 8;

llvm::Value* As(llvm::IRBuilder<>& b, llvm::Value* k_groups, llvm::Type* element,
                int count) {
  return b.CreateBitCast(k_groups, llvm::FixedVectorType::get(element, count));
}

llvm::Value* EmitBf16Pairs(llvm::IRBuilder<>& b, llvm::Value* sum, llvm::Value* x,
                           llvm::Value* y) {
  llvm::Type* element = b.getBFloatTy();
  return b.CreateIntrinsic(
      llvm::Intrinsic::x86_avx512bf16_dpbf16ps_512, {},
      {sum, As(b, x, element, 2 * kLanes), As(b, y, element, 2 * kLanes)});
}

llvm::Value* EmitS8Quads(llvm::IRBuilder<>& b, llvm::Value* sum, llvm::Value* x,
                         llvm::Value* y) {
  llvm::Type* element = b.getInt8Ty();
  return b.CreateIntrinsic(
      llvm::Intrinsic::x86_avx512_vpdpbusd_512, {},
      {sum, As(b, x, element, 4 * kLanes), As(b, y, element, 4 * kLanes)});
}

// Elements 0 and 2 of each quad, then elements 1 and 3, as 16-bit integers, whose
// products are added in pairs. The operands' shifts are shared by the tile's products.
llvm::Value* EmitS8QuadsAvx2(llvm::IRBuilder<>& b, llvm::Value* sum, llvm::Value* x,
                             llvm::Value* y) {
  auto even = [&](llvm::Value* quads) {
    llvm::Value* pairs = As(b, quads, b.getInt16Ty(), 2 * kAvx2Lanes);
    return b.CreateAShr(b.CreateShl(pairs, 8), 8);
  };
  auto odd = [&](llvm::Value* quads) {
    return b.CreateAShr(As(b, quads, b.getInt16Ty(), 2 * kAvx2Lanes), 8);
  };
  auto product = [&](llvm::Value* u, llvm::Value* v) {
    return b.CreateIntrinsic(llvm::Intrinsic::x86_avx2_pmadd_wd, {}, {u, v});
  };
  sum = b.CreateAdd(sum, product(even(x), even(y)));
  return b.CreateAdd(sum, product(odd(x), odd(y)));
}

}  // namespace

void AddX86KGroupProducts(const std::function<bool(const char*)>& has,
                          TargetTraits& traits) {
  if (traits.vector_bits == 32 * kAvx2Lanes) {
    traits.s8_quads.emit = EmitS8QuadsAvx2;
    traits.s8_quads.lanes = kAvx2Lanes;
    traits.s8_quads.rate = 0.3;
    traits.s8_quads.temporaries = 4;
    return;
  }
  if (traits.vector_bits != 32 * kLanes) return;
  // Intel's processors with matrix registers run vdpbf16ps at half the rate of
  // multiply-adds, so nothing is gained there. Virtual machines may hide the registers;
  // half precision tells these processors from older ones, and sse4a from AMD's.
  const bool is_slow = has("amx-bf16") || (has("avx512fp16") && !has("sse4a"));
  if (has("avx512bf16") && !is_slow) {
    traits.bf16_pairs.emit = EmitBf16Pairs;
    traits.bf16_pairs.lanes = kLanes;
  }
  if (has("avx512vnni")) {
    traits.s8_quads.emit = EmitS8Quads;
    traits.s8_quads.lanes = kLanes;
    traits.s8_quads.unsigned_x = true;
  }
}

}  // namespace tenon::compiler
