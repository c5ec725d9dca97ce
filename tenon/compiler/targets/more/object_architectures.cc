#include "tenon/compiler/targets/architecture.h"

extern "C" {
void LLVMInitializeRISCVTargetInfo();
void LLVMInitializeRISCVTarget();
void LLVMInitializeRISCVTargetMC();
void LLVMInitializeRISCVAsmPrinter();
void LLVMInitializeWebAssemblyTargetInfo();
void LLVMInitializeWebAssemblyTarget();
void LLVMInitializeWebAssemblyTargetMC();
void LLVMInitializeWebAssemblyAsmPrinter();
void LLVMInitializeARMTargetInfo();
void LLVMInitializeARMTarget();
void LLVMInitializeARMTargetMC();
void LLVMInitializeARMAsmPrinter();
}

namespace tenon::compiler {
namespace {

// Two lanes of 32 bits, which LLVM splits into scalars. Code generation needs a lane of
// 64 bits.
constexpr int kScalarBits = 64;

void SetCommonTraits(int vector_bits, int vector_registers, TargetTraits& traits) {
  traits.vector_bits = vector_bits;
  traits.vector_registers = vector_registers;
  traits.cost = CostModel::ForVectorBits(vector_bits);
}

void SetRiscvTraits(const Features& features, TargetTraits& traits) {
  auto has = [&](const char* feature) { return features.contains(feature); };
  const int bits = !has("v")        ? kScalarBits
                   : has("zvl512b") ? 512
                   : has("zvl256b") ? 256
                                    : 128;
  SetCommonTraits(bits, 32, traits);
  traits.narrow_masks = has("v");
  // Scalars are rounded to integers by a library function without zfa.
  traits.elementwise.native_rounding = has("zfa");
  traits.elementwise.native_f16_conversion =
      has("zfhmin") && (!has("v") || has("zvfhmin"));
}

void SetWasmTraits(const Features& features, TargetTraits& traits) {
  SetCommonTraits(features.contains("simd128") ? 128 : kScalarBits, 16, traits);
  traits.fma = false;
  traits.elementwise.native_fma = false;
}

void SetThumbTraits(const Features&, TargetTraits& traits) {
  SetCommonTraits(kScalarBits, 16, traits);
  traits.l1_bytes = 16 << 10;
  traits.l2_bytes = 64 << 10;
  // Fused operations on f64 are library functions.
  traits.fma = false;
  traits.elementwise.native_fma = false;
  traits.elementwise.native_rounding = false;
}

}  // namespace

void AddObjectArchitectures() {
  LLVMInitializeRISCVTargetInfo();
  LLVMInitializeRISCVTarget();
  LLVMInitializeRISCVTargetMC();
  LLVMInitializeRISCVAsmPrinter();
  LLVMInitializeWebAssemblyTargetInfo();
  LLVMInitializeWebAssemblyTarget();
  LLVMInitializeWebAssemblyTargetMC();
  LLVMInitializeWebAssemblyAsmPrinter();
  LLVMInitializeARMTargetInfo();
  LLVMInitializeARMTarget();
  LLVMInitializeARMTargetMC();
  LLVMInitializeARMAsmPrinter();
  AddArchitecture({"riscv64", "riscv64-unknown-linux-gnu", "generic-rv64",
                   "+m,+a,+f,+d,+c", "lp64d", false, SetRiscvTraits});
  AddArchitecture({"wasm32", "wasm32-unknown-unknown", "generic", "+simd128", "", false,
                   SetWasmTraits});
  // Cortex-M with a floating-point unit, without its vector extension: code for that
  // turned NaN into 0 in powers on cortex-m55. This environment calls memcpy by its name;
  // "eabi" has names of its own.
  AddArchitecture({"thumb", "thumbv7em-none-unknown-gnueabihf", "cortex-m4",
                   "-mve,-mve.fp", "", false, SetThumbTraits, /*needs=*/"vfp2sp"});
}

}  // namespace tenon::compiler
