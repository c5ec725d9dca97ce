#include "tenon/compiler/targets/target_name.h"

#include <algorithm>

#include "llvm/ADT/StringRef.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include "tenon/compiler/targets/architecture.h"
#include "tenon/compiler/targets/target.h"

namespace tenon::compiler {
namespace {

std::string HostArchitecture() {
  return llvm::Triple(llvm::sys::getDefaultTargetTriple()).getArchName().str();
}

// All architectures, this machine's first: processor names are looked up in this order.
std::vector<std::string> ArchitectureNames() {
  std::vector<std::string> all;
  for (const Architecture& architecture : Architectures())
    all.emplace_back(architecture.name);
  const std::string host = HostArchitecture();
  std::ranges::stable_partition(all, [&](const auto& name) { return name == host; });
  return all;
}

Status Unknown(std::string_view name) {
  std::string architectures;
  for (const std::string& architecture : ArchitectureNames())
    architectures += (architectures.empty() ? "" : ", ") + architecture;
  return InvalidArgument("unknown target '" + std::string(name) +
                         "': use host, an architecture (" + architectures +
                         "), LLVM's name of a processor, or ARCHITECTURE:PROCESSOR");
}

}  // namespace

StatusOr<TargetName> ParseTargetName(std::string_view name) {
  if (name == "host" || name == "native") return TargetName{"host", "host"};
  const std::vector<std::string> architectures = ArchitectureNames();
  if (const size_t colon = name.find(':'); colon != name.npos) {
    TargetName target{std::string(name.substr(0, colon)),
                      std::string(name.substr(colon + 1))};
    if (std::ranges::count(architectures, target.architecture) == 0 ||
        !IsProcessor(target.architecture, target.cpu))
      return Unknown(name);
    return target;
  }
  for (const std::string& architecture : architectures)
    if (architecture == name) return TargetName{architecture, BaselineOf(architecture)};
  for (const std::string& architecture : architectures)
    if (IsProcessor(architecture, std::string(name)))
      return TargetName{architecture, std::string(name)};
  return Unknown(name);
}

StatusOr<std::vector<TargetName>> ParseTargetNames(std::string_view names) {
  std::vector<TargetName> targets;
  for (size_t begin = 0; begin <= names.size();) {
    const size_t end = std::min(names.find(',', begin), names.size());
    TENON_ASSIGN_OR_RETURN(TargetName target,
                           ParseTargetName(names.substr(begin, end - begin)));
    const bool is_known = std::ranges::any_of(targets, [&](const TargetName& other) {
      return other.architecture == target.architecture && other.cpu == target.cpu;
    });
    if (!is_known) targets.push_back(std::move(target));
    begin = end + 1;
  }
  return targets;
}

}  // namespace tenon::compiler
