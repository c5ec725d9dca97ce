#include "tenon/compiler/targets/k_group_products.h"

#include "llvm/IR/IntrinsicsX86.h"

namespace tenon::compiler {
namespace {

constexpr int kLanes = 16;  // of 32 bits each, in a 512-bit register

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

}  // namespace

void AddX86KGroupProducts(const std::function<bool(const char*)>& has,
                          TargetTraits& traits) {
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
