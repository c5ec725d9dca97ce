#include "tenon/compiler/targets/target.h"

#include <map>
#include <mutex>
#include <set>
#include <tuple>

#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "llvm/TargetParser/Triple.h"
#include "tenon/base/idle_pool.h"
#include "tenon/compiler/targets/architecture.h"
#include "tenon/compiler/targets/host_caches.h"

namespace tenon::compiler {
namespace {

StatusOr<const llvm::Target*> LookUp(const std::string& triple) {
  std::string error;
  const llvm::Target* target =
      llvm::TargetRegistry::lookupTarget(llvm::Triple(triple), error);
  if (!target) return InvalidArgument("unknown target '" + triple + "': " + error);
  return target;
}

StatusOr<Architecture> Find(const std::string& name) {
  const std::string wanted =
      name == "host"
          ? llvm::Triple(llvm::sys::getDefaultTargetTriple()).getArchName().str()
          : name;
  for (const Architecture& architecture : Architectures())
    if (architecture.name == wanted) return architecture;
  return InvalidArgument("unknown architecture '" + name + "'");
}

std::string TripleOf(const Architecture& architecture) {
  const llvm::Triple host(llvm::sys::getDefaultTargetTriple());
  return architecture.name == std::string_view(host.getArchName())
             ? host.str()
             : std::string(architecture.triple);
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

IdlePool<llvm::TargetMachine>& IdleTargetMachines() {
  static auto* machines = new IdlePool<llvm::TargetMachine>(16);
  return *machines;
}

}  // namespace

StatusOr<bool> RunsOnDevice(const std::string& architecture) {
  TENON_ASSIGN_OR_RETURN(const Architecture found, Find(architecture));
  return found.is_device;
}

bool IsProcessor(const std::string& architecture, const std::string& cpu) {
  const StatusOr<Architecture> found = Find(architecture);
  if (!found.ok()) return false;
  const std::string triple = TripleOf(*found);
  StatusOr<const llvm::Target*> target = LookUp(triple);
  if (!target.ok()) return false;
  auto info = AnyProcessor(**target, llvm::Triple(triple));
  return info && info->isCPUStringValid(cpu);
}

std::string BaselineOf(std::string_view architecture) {
  const StatusOr<Architecture> found = Find(std::string(architecture));
  return found.ok() ? std::string(found->baseline) : "generic";
}

namespace {

StatusOr<TargetDescription> DescribeNewTarget(const std::string& architecture,
                                              const std::string& cpu,
                                              const std::string& features) {
  TargetDescription description;
  TENON_ASSIGN_OR_RETURN(const Architecture found, Find(architecture));
  description.triple = TripleOf(found);
  description.abi = found.abi;
  description.has_images = found.has_images;
  llvm::Triple triple(description.triple);
  TENON_ASSIGN_OR_RETURN(const llvm::Target* target, LookUp(description.triple));

  const bool detect = cpu == "host";
  // LLVM guesses the name of an unknown combination of features. The features decide.
  description.cpu = detect ? llvm::sys::getHostCPUName().str() : cpu;
  std::unique_ptr<llvm::MCSubtargetInfo> info = AnyProcessor(*target, triple);
  if (!info || !info->isCPUStringValid(description.cpu))
    return InvalidArgument("unknown cpu '" + description.cpu + "' of " +
                           description.triple + ": use LLVM's name of a processor");
  description.name = std::string(found.name) + ":" + description.cpu;
  TENON_RETURN_IF_ERROR(CheckFeatures(features, *info));
  description.flags = (detect ? HostFlags() : "") + features;
  if (!found.features.empty())
    description.flags +=
        (description.flags.empty() ? "" : ",") + std::string(found.features);
  info.reset(target->createMCSubtargetInfo(triple, description.cpu, description.flags));
  // Includes implied features: without avx512f there is no avx512vl.
  std::set<std::string, std::less<>> on;
  for (const llvm::SubtargetFeatureKV& feature : info->getAllProcessorFeatures())
    if (info->hasFeature(feature.Value)) on.insert(feature.Key);
  if (!found.needs.empty() && !on.contains(found.needs))
    return InvalidArgument("code for " + description.name + " needs the feature '" +
                           std::string(found.needs) + "', which is off");
  description.features.assign(on.begin(), on.end());
  found.set_traits(on, description.traits);
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

std::optional<TargetLevel> LevelOf(const TargetDescription& target) {
  const std::string architecture(llvm::Triple(target.triple).getArchName());
  const StatusOr<Architecture> found = Find(architecture);
  if (!found.ok()) return std::nullopt;
  for (const auto& [cpu, tuned_for] : found->levels) {
    StatusOr<TargetDescription> level =
        DescribeTarget(architecture, std::string(cpu), "");
    if (level.ok() && llvm::includes(target.features, level->RequiredFeatures()) &&
        level->triple == target.triple &&
        level->traits.vector_bits == target.traits.vector_bits &&
        level->traits.fma == target.traits.fma &&
        level->traits.narrow_masks == target.traits.narrow_masks)
      return TargetLevel{*std::move(level), std::string(tuned_for)};
  }
  return std::nullopt;
}

std::vector<std::string> HostLevels() {
  std::vector<std::string> names;
  if (const StatusOr<Architecture> host = Find("host"); host.ok())
    for (const Architecture::Level& level : host->levels)
      names.push_back(std::string(host->name) + ":" + std::string(level.cpu));
  return names;
}

StatusOr<std::unique_ptr<llvm::TargetMachine>> CreateTargetMachine(
    const TargetDescription& description) {
  TENON_ASSIGN_OR_RETURN(const llvm::Target* target, LookUp(description.triple));
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  options.MCOptions.ABIName = description.abi;
  std::string features = description.flags;
  const llvm::Triple triple(description.triple);
  // Kernels are emitted for the widest registers, so LLVM must not prefer narrower ones.
  if (triple.isX86() && description.traits.vector_bits == 512)
    features += ",-prefer-256-bit";
  // LLVM uses insertq and extrq between AVX instructions. They keep the upper halves of
  // registers, and cost a Zen 3 some hundred cycles there.
  if (triple.isX86()) features += ",-sse4a";
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, description.cpu, features, options,
      triple.isOSLinux() ? llvm::Reloc::PIC_ : llvm::Reloc::Static,
      llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
  if (!machine) return Internal("LLVM has no target machine for " + description.triple);
  return machine;
}

void ReturnTargetMachine::operator()(llvm::TargetMachine* machine) const {
  IdleTargetMachines().Keep(key, std::unique_ptr<llvm::TargetMachine>(machine));
}

StatusOr<BorrowedTargetMachine> BorrowTargetMachine(const TargetDescription& description,
                                                    llvm::CodeGenOptLevel level) {
  std::string key = description.triple + " " + description.cpu + " " + description.flags +
                    " " + std::to_string(static_cast<int>(level));
  if (auto machine = IdleTargetMachines().Take(key))
    return BorrowedTargetMachine(machine.release(), {std::move(key)});
  TENON_ASSIGN_OR_RETURN(auto machine, CreateTargetMachine(description));
  machine->setOptLevel(level);
  return BorrowedTargetMachine(machine.release(), {std::move(key)});
}

}  // namespace tenon::compiler
