#include "tenon/devices/cpu/host_features.h"

#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace tenon::cpu {

#if defined(__x86_64__)

namespace {

enum Register { kEax, kEbx, kEcx, kEdx };
// The register set that the operating system must save for a feature.
enum State { kNone, kAvx, kAvx512, kAmx };

// LLVM's name of a feature, and the CPUID bit that reports it.
struct Feature {
  std::string_view name;
  uint32_t leaf, subleaf;
  Register in;
  int bit;
  State state;
};

constexpr Feature kFeatures[] = {
#define X(name, leaf, subleaf, in, bit, state) {name, leaf, subleaf, in, bit, state},
#include "tenon/executable/x86_features.inc"
#undef X
};

bool TilePermission() {
  constexpr int kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr int kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

// Extended control register 0: the register sets that the operating system saves.
uint64_t SavedStates() {
  uint32_t regs[4] = {};
  if (!__get_cpuid(1, &regs[kEax], &regs[kEbx], &regs[kEcx], &regs[kEdx]) ||
      !(regs[kEcx] >> 27 & 1)) {
    return 0;
  }
  uint32_t low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t{high} << 32 | low;
}

}  // namespace

const char kHostArchitecture[] = "x86_64";

void VisitHostFeatures(void (*visit)(void* context, std::string_view name),
                       void* context) {
  const uint64_t saved = SavedStates();
  const auto all = [saved](uint64_t bits) { return (saved & bits) == bits; };
  bool offered[] = {true, all(0x6), all(0xe6), all(0x60006)};
  if (offered[kAmx]) offered[kAmx] = TilePermission();
  // Features of a leaf follow one another. On virtual machines CPUID is slow.
  uint32_t leaf = ~0u, subleaf = ~0u;
  uint32_t regs[4] = {};
  for (const Feature& feature : kFeatures) {
    if (feature.leaf != leaf || feature.subleaf != subleaf) {
      leaf = feature.leaf;
      subleaf = feature.subleaf;
      if (!__get_cpuid_count(leaf, subleaf, &regs[kEax], &regs[kEbx], &regs[kEcx],
                             &regs[kEdx]))
        regs[kEax] = regs[kEbx] = regs[kEcx] = regs[kEdx] = 0;
    }
    if ((regs[feature.in] >> feature.bit & 1) && offered[feature.state])
      visit(context, feature.name);
  }
}

#elif defined(__aarch64__)

namespace {

struct Feature {
  std::string_view name;
  unsigned long auxv;  // AT_HWCAP or AT_HWCAP2
  unsigned long bit;
};

constexpr Feature kFeatures[] = {
    {"fp-armv8", AT_HWCAP, HWCAP_FP},      {"neon", AT_HWCAP, HWCAP_ASIMD},
    {"crc", AT_HWCAP, HWCAP_CRC32},        {"aes", AT_HWCAP, HWCAP_AES},
    {"sha2", AT_HWCAP, HWCAP_SHA2},        {"lse", AT_HWCAP, HWCAP_ATOMICS},
    {"fullfp16", AT_HWCAP, HWCAP_ASIMDHP}, {"rdm", AT_HWCAP, HWCAP_ASIMDRDM},
    {"jsconv", AT_HWCAP, HWCAP_JSCVT},     {"complxnum", AT_HWCAP, HWCAP_FCMA},
    {"rcpc", AT_HWCAP, HWCAP_LRCPC},       {"dotprod", AT_HWCAP, HWCAP_ASIMDDP},
    {"fp16fml", AT_HWCAP, HWCAP_ASIMDFHM}, {"sve", AT_HWCAP, HWCAP_SVE},
    {"sve2", AT_HWCAP2, HWCAP2_SVE2},      {"i8mm", AT_HWCAP2, HWCAP2_I8MM},
    {"bf16", AT_HWCAP2, HWCAP2_BF16},      {"sha3", AT_HWCAP, HWCAP_SHA3},
    {"f32mm", AT_HWCAP2, HWCAP2_SVEF32MM}, {"f64mm", AT_HWCAP2, HWCAP2_SVEF64MM},
};

}  // namespace

const char kHostArchitecture[] = "aarch64";

void VisitHostFeatures(void (*visit)(void* context, std::string_view name),
                       void* context) {
  for (const Feature& feature : kFeatures)
    if (getauxval(feature.auxv) & feature.bit) visit(context, feature.name);
}

#else
#error "the features of this architecture are not known"
#endif

}  // namespace tenon::cpu
