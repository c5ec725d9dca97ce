// The architectures that code can be generated for, one row each.
#ifndef TENON_COMPILER_TARGETS_ARCHITECTURE_H_
#define TENON_COMPILER_TARGETS_ARCHITECTURE_H_

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/compiler/targets/traits.h"

namespace tenon::compiler {

using Features = std::set<std::string, std::less<>>;  // LLVM's names

struct Architecture {
  std::string_view name;           // as users write it
  std::string_view triple;         // LLVM's, of a machine that is not this one
  std::string_view baseline;       // the processor whose code runs on every machine
  std::string_view features = {};  // LLVM feature string that is always added
  std::string_view abi = {};       // LLVM's name; empty: the default
  bool has_images = false;         // the linker and the loader know it
  void (*set_traits)(const Features& features, TargetTraits& traits) = nullptr;
  std::string_view needs = {};  // a feature without which there is no code
  bool is_device = false;       // set_traits sets TargetTraits::device
  // Sets of features, by LLVM's name for them, the best first; and the processor for
  // which their code is scheduled.
  struct Level {
    std::string_view cpu, tuned_for;
  };
  std::vector<Level> levels = {};
};

// x86-64 and AArch64, and those that were added.
const std::vector<Architecture>& Architectures();
// Adds an architecture whose LLVM target is registered. Only before the first
// compilation.
void AddArchitecture(const Architecture& architecture);

// Adds the architectures that only object files are written for, and registers their LLVM
// targets. Programs that call it link tenon_object_targets; the plugin does not.
void AddObjectArchitectures();

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TARGETS_ARCHITECTURE_H_
