#include "tenon/compiler/targets/target.h"

#include <map>
#include <mutex>
#include <set>
#include <tuple>

#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "llvm/TargetParser/Triple.h"
#include "tenon/compiler/targets/host_caches.h"
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

StatusOr<const llvm::Target*> LookUp(const std::string& triple) {
  std::string error;
  const llvm::Target* target =
      llvm::TargetRegistry::lookupTarget(llvm::Triple(triple), error);
  if (!target) return InvalidArgument("unknown target '" + triple + "': " + error);
  return target;
}

std::string TripleOf(const std::string& architecture) {
  const llvm::Triple host(llvm::sys::getDefaultTargetTriple());
  if (architecture == "host" || architecture == host.getArchName()) return host.str();
  return architecture + "-unknown-linux-gnu";
}

// A subtarget to query valid names with. (Given an unknown name, LLVM prints a warning.)
std::unique_ptr<llvm::MCSubtargetInfo> AnyProcessor(const llvm::Target& target,
                                                    const llvm::Triple& triple) {
  return std::unique_ptr<llvm::MCSubtargetInfo>(
      target.createMCSubtargetInfo(triple, "", ""));
}

// All features that LLVM can detect on this machine, on or off, as a feature string. The
// ones that are off matter, too: LLVM guesses the processor's name, and that name may
// imply features that a hypervisor hides.
std::string HostFlags() {
  std::set<std::string> on, off;
  for (const auto& feature : llvm::sys::getHostCPUFeatures())
    (feature.second ? on : off).insert(feature.first().str());
  std::string flags;
  for (const std::string& feature : on) flags += "+" + feature + ",";
  for (const std::string& feature : off) flags += "-" + feature + ",";
  return flags;
}

// Rejects unknown features here, because LLVM only prints a warning, or asserts.
Status CheckFeatures(const std::string& features, const llvm::MCSubtargetInfo& info) {
  const llvm::SubtargetFeatures flags(features);
  for (const std::string& flag : flags.getFeatures()) {
    const bool known =
        llvm::any_of(info.getAllProcessorFeatures(),
                     [&](const auto& feature) { return flag.substr(1) == feature.Key; });
    if (!known || !llvm::SubtargetFeatures::hasFlag(flag)) {
      return InvalidArgument("unknown feature '" + flag + "' of " +
                             info.getTargetTriple().getArchName().str() +
                             ": use LLVM's names of features, with + or - before each");
    }
  }
  return OkStatus();
}

TargetTraits TraitsOf(const llvm::Triple& triple,
                      const std::set<std::string, std::less<>>& features) {
  TargetTraits traits;
  auto has = [&](const char* feature) { return features.contains(feature); };
  if (triple.isAArch64()) {
    traits.vector_bits = 128;
    traits.vector_registers = 32;
    traits.fma = true;
    traits.elementwise.native_f16_conversion = true;
    traits.elementwise.native_bf16_conversion = has("bf16");
    traits.cost = CostModel::ForVectorBits(traits.vector_bits);
    return traits;
  }
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
  traits.elementwise.native_fma = traits.fma;
  traits.elementwise.native_rounding = has("sse4.1");
  traits.elementwise.native_f16_conversion = has("f16c");
  traits.elementwise.native_bf16_conversion = has("avx512bf16");
  traits.elementwise.native_f16_arithmetic = has("avx512fp16");
  AddX86Elementwise(traits.vector_bits, traits.elementwise);
  AddX86KGroupProducts(has, traits);
  AddX86MatrixUnit(has, traits);
  return traits;
}

// Target machines that are not in use. Never destroyed, because a thread may compile
// while the process exits.
struct IdleTargetMachines {
  static constexpr size_t kMaxIdle = 16;
  static IdleTargetMachines& Get() {
    static auto* machines = new IdleTargetMachines;
    return *machines;
  }

  std::mutex mutex;
  std::multimap<std::string, std::unique_ptr<llvm::TargetMachine>> machines;
};

}  // namespace

bool IsProcessor(const std::string& architecture, const std::string& cpu) {
  const std::string triple = TripleOf(architecture);
  StatusOr<const llvm::Target*> target = LookUp(triple);
  if (!target.ok()) return false;
  auto info = AnyProcessor(**target, llvm::Triple(triple));
  return info && info->isCPUStringValid(cpu);
}

std::string BaselineOf(std::string_view architecture) {
  return architecture == "x86_64" ? "x86-64" : "generic";
}

namespace {

StatusOr<TargetDescription> DescribeNewTarget(const std::string& architecture,
                                              const std::string& cpu,
                                              const std::string& features) {
  TargetDescription description;
  description.triple = TripleOf(architecture);
  llvm::Triple triple(description.triple);
  TENON_ASSIGN_OR_RETURN(const llvm::Target* target, LookUp(description.triple));

  const bool detect = cpu == "host";
  // LLVM guesses the name of an unknown combination of features. The features decide.
  description.cpu = detect ? llvm::sys::getHostCPUName().str() : cpu;
  std::unique_ptr<llvm::MCSubtargetInfo> info = AnyProcessor(*target, triple);
  if (!info || !info->isCPUStringValid(description.cpu))
    return InvalidArgument("unknown cpu '" + description.cpu + "' of " +
                           description.triple + ": use LLVM's name of a processor");
  description.name = triple.getArchName().str() + ":" + description.cpu;
  TENON_RETURN_IF_ERROR(CheckFeatures(features, *info));
  description.flags = (detect ? HostFlags() : "") + features;
  // Kernels use 128-bit vectors on AArch64. If LLVM mixed in scalable vectors, frames
  // would have sizes that the unwind tables of images cannot express.
  if (triple.isAArch64())
    description.flags += description.flags.empty() ? "-sve" : ",-sve";
  info.reset(target->createMCSubtargetInfo(triple, description.cpu, description.flags));
  // Includes implied features: without avx512f there is no avx512vl.
  std::set<std::string, std::less<>> on;
  for (const llvm::SubtargetFeatureKV& feature : info->getAllProcessorFeatures())
    if (info->checkFeatures(std::string("+") + feature.Key)) on.insert(feature.Key);
  description.features.assign(on.begin(), on.end());
  description.traits = TraitsOf(triple, on);
  if (detect) {
    const CacheSizes caches = ReadCacheSizes();
    if (caches.l1_bytes != 0) description.traits.l1_bytes = caches.l1_bytes;
    if (caches.l2_bytes != 0) description.traits.l2_bytes = caches.l2_bytes;
  }
  return description;
}

}  // namespace

StatusOr<TargetDescription> DescribeTarget(const std::string& architecture,
                                           const std::string& cpu,
                                           const std::string& features) {
  // Cached, because a process compiles for one or two targets, thousands of times.
  using Key = std::tuple<std::string, std::string, std::string>;
  static auto* mutex = new std::mutex;
  static auto* cache = new std::map<Key, TargetDescription>;
  constexpr size_t kMaxEntries = 64;
  Key key(architecture, cpu, features);
  std::lock_guard lock(*mutex);
  if (auto found = cache->find(key); found != cache->end()) return found->second;
  TENON_ASSIGN_OR_RETURN(TargetDescription description,
                         DescribeNewTarget(architecture, cpu, features));
  if (cache->size() < kMaxEntries) cache->emplace(std::move(key), description);
  return description;
}

StatusOr<std::unique_ptr<llvm::TargetMachine>> CreateTargetMachine(
    const TargetDescription& description) {
  TENON_ASSIGN_OR_RETURN(const llvm::Target* target, LookUp(description.triple));
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  std::string features = description.flags;
  // Kernels are emitted for the widest registers, so LLVM must not prefer narrower ones.
  if (llvm::Triple(description.triple).isX86() && description.traits.vector_bits == 512)
    features += ",-prefer-256-bit";
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      llvm::Triple(description.triple), description.cpu, features, options,
      llvm::Reloc::PIC_, llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
  if (!machine) return Internal("LLVM has no target machine for " + description.triple);
  return machine;
}

void ReturnTargetMachine::operator()(llvm::TargetMachine* machine) const {
  std::unique_ptr<llvm::TargetMachine> owned(machine);
  IdleTargetMachines& idle = IdleTargetMachines::Get();
  std::lock_guard lock(idle.mutex);
  if (idle.machines.size() < IdleTargetMachines::kMaxIdle)
    idle.machines.emplace(key, std::move(owned));
}

StatusOr<BorrowedTargetMachine> BorrowTargetMachine(const TargetDescription& description,
                                                    llvm::CodeGenOptLevel level) {
  std::string key = description.triple + " " + description.cpu + " " + description.flags +
                    " " + std::to_string(static_cast<int>(level));
  IdleTargetMachines& idle = IdleTargetMachines::Get();
  {
    std::lock_guard lock(idle.mutex);
    if (auto found = idle.machines.find(key); found != idle.machines.end()) {
      llvm::TargetMachine* machine = found->second.release();
      idle.machines.erase(found);
      return BorrowedTargetMachine(machine, {std::move(key)});
    }
  }
  TENON_ASSIGN_OR_RETURN(auto machine, CreateTargetMachine(description));
  machine->setOptLevel(level);
  return BorrowedTargetMachine(machine.release(), {std::move(key)});
}

}  // namespace tenon::compiler
