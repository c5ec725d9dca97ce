#include <set>

#include "tenon/compiler/targets/target.h"

namespace tenon::compiler {
namespace {

// Features whose instructions LLVM, or one of our emitters, uses where a processor has
// them. Tuning flags, system instructions, and instructions reachable only by intrinsics
// are left out. The names are LLVM's; devices/cpu finds out which ones a machine has.
constexpr std::string_view kIsa[] = {
    // x86_64
    "sse3", "ssse3", "sse4.1", "sse4.2", "popcnt", "lzcnt", "movbe", "bmi", "bmi2", "tbm",
    "avx", "avx2", "fma", "fma4", "xop", "f16c", "gfni", "vaes", "vpclmulqdq", "avxvnni",
    "avxvnniint8", "avxvnniint16", "avxifma", "avxneconvert", "avx512f", "avx512vl",
    "avx512bw", "avx512dq", "avx512cd", "avx512vbmi", "avx512vbmi2", "avx512vnni",
    "avx512bitalg", "avx512vpopcntdq", "avx512bf16", "avx512fp16", "avx512ifma",
    "avx10.1", "avx10.2", "amx-tile", "amx-bf16", "amx-int8", "egpr", "push2pop2", "ppx",
    "ndd", "ccmp", "nf", "cf", "zu", "movrs",
    // aarch64
    "fp-armv8", "neon", "crc", "lse", "rdm", "fullfp16", "fp16fml", "dotprod", "bf16",
    "i8mm", "complxnum", "jsconv", "rcpc", "sha3", "cssc", "mops", "faminmax", "f32mm",
    "f64mm", "sve", "sve2", "sve2p1", "sve-b16b16", "sme", "sme2"};

}  // namespace

std::vector<std::string> TargetDescription::RequiredFeatures() const {
  static const std::set<std::string_view> isa(std::begin(kIsa), std::end(kIsa));
  std::vector<std::string> required;
  for (const std::string& feature : features)
    if (isa.contains(feature)) required.push_back(feature);
  return required;
}

}  // namespace tenon::compiler
