#include "tenon/compiler/targets/architecture.h"

#include "tenon/compiler/targets/k_group_products.h"
#include "tenon/compiler/targets/matrix_unit.h"
#include "tenon/compiler/targets/x86_elementwise.h"

extern "C" {
void LLVMInitializeX86TargetInfo();
void LLVMInitializeX86Target();
void LLVMInitializeX86TargetMC();
void LLVMInitializeX86AsmPrinter();
void LLVMInitializeX86AsmParser();
void LLVMInitializeAArch64TargetInfo();
void LLVMInitializeAArch64Target();
void LLVMInitializeAArch64TargetMC();
void LLVMInitializeAArch64AsmPrinter();
void LLVMInitializeAArch64AsmParser();
}

namespace tenon::compiler {
namespace {

bool InitializeTargets() {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  LLVMInitializeX86AsmParser();
  LLVMInitializeAArch64TargetInfo();
  LLVMInitializeAArch64Target();
  LLVMInitializeAArch64TargetMC();
  LLVMInitializeAArch64AsmPrinter();
  LLVMInitializeAArch64AsmParser();
  return true;
}

// Runs when this library is loaded, because during a compilation memory may run out
// halfway through the initialization.
[[maybe_unused]] const bool targets_are_initialized = InitializeTargets();

void SetAArch64Traits(const Features& features, TargetTraits& traits) {
  traits.vector_bits = 128;
  traits.vector_registers = 32;
  traits.fma = true;
  traits.byte_shuffles = true;
  traits.elementwise.native_f16_conversion = true;
  traits.elementwise.native_bf16_conversion = features.contains("bf16");
  traits.cost = CostModel::ForVectorBits(traits.vector_bits);
}

void SetX86Traits(const Features& features, TargetTraits& traits) {
  auto has = [&](const char* feature) { return features.contains(feature); };
  bool wide = has("avx512f") && has("avx512vl") && has("avx512bw") && has("avx512dq");
  traits.vector_bits = wide ? 512 : has("avx2") ? 256 : 128;
  traits.vector_registers = wide ? 32 : 16;
  traits.cost = CostModel::ForVectorBits(traits.vector_bits);
  // Cores with tile registers have these caches.
  if (has("amx-tile")) {
    traits.l1_bytes = 48 << 10;
    traits.l2_bytes = 2 << 20;
  }
  traits.fma = has("fma");
  // Few processors lack it. Their tiles are not built in.
  traits.shared_tiles = traits.fma;
  traits.narrow_masks = wide;
  traits.byte_shuffles = has("ssse3");
  traits.elementwise.native_fma = traits.fma;
  traits.elementwise.native_rounding = has("sse4.1");
  traits.elementwise.native_f16_conversion = has("f16c");
  traits.elementwise.native_bf16_conversion = has("avx512bf16");
  traits.elementwise.native_f16_arithmetic = has("avx512fp16");
  AddX86Elementwise(traits.vector_bits, traits.elementwise);
  AddX86KGroupProducts(has, traits);
  AddX86MatrixUnit(has, traits);
}

std::vector<Architecture>& All() {
  // On AArch64 kernels use 128-bit vectors. If LLVM mixed in scalable vectors, frames
  // would have sizes that the unwind tables of images cannot express.
  static auto* all =
      new std::vector<Architecture>{{.name = "x86_64",
                                     .triple = "x86_64-unknown-linux-gnu",
                                     .baseline = "x86-64",
                                     .has_images = true,
                                     .set_traits = SetX86Traits,
                                     .levels = {{"x86-64-v4", "znver4"},
                                                {"x86-64-v3", "znver3"},
                                                {"x86-64-v2", "x86-64-v2"}}},
                                    {"aarch64", "aarch64-unknown-linux-gnu", "generic",
                                     "-sve", "", true, SetAArch64Traits}};
  return *all;
}

}  // namespace

const std::vector<Architecture>& Architectures() { return All(); }

void AddArchitecture(const Architecture& architecture) { All().push_back(architecture); }

}  // namespace tenon::compiler
