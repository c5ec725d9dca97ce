#include "tenon/compiler/pipeline/divide_module.h"

#include <algorithm>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Instructions.h"

namespace tenon::compiler {
namespace {

// Roughly how long it takes to generate the function, in instructions. Those that are not
// optimized take a quarter of the time.
unsigned CostOf(const llvm::Function& function) {
  const unsigned instructions = function.getInstructionCount();
  return function.hasOptNone() ? instructions / 4 : instructions;
}

// The most expensive functions first, each to the cheapest part.
llvm::DenseMap<const llvm::Function*, size_t> Divide(llvm::Module& module, size_t parts) {
  std::vector<std::pair<unsigned, llvm::Function*>> functions;
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) functions.emplace_back(CostOf(function), &function);
  std::stable_sort(functions.begin(), functions.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<size_t> sizes(parts);
  llvm::DenseMap<const llvm::Function*, size_t> part_of;
  for (auto [size, function] : functions) {
    auto smallest = std::min_element(sizes.begin(), sizes.end());
    *smallest += size;
    part_of[function] = static_cast<size_t>(smallest - sizes.begin());
  }
  return part_of;
}

// Whether all uses are in instructions of that part.
bool IsUsedInside(const llvm::Function& function, size_t part,
                  const llvm::DenseMap<const llvm::Function*, size_t>& part_of) {
  return llvm::all_of(function.users(), [&](const llvm::User* user) {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(user);
    return instruction && part_of.lookup(instruction->getFunction()) == part;
  });
}

}  // namespace

void Export(llvm::Function& function) {
  function.setLinkage(llvm::GlobalValue::ExternalLinkage);
  function.setVisibility(llvm::GlobalValue::HiddenVisibility);
}

void RemoveUnusedGlobals(llvm::Module& module) {
  for (llvm::GlobalVariable& global : llvm::make_early_inc_range(module.globals()))
    if (global.hasLocalLinkage() && global.use_empty()) global.eraseFromParent();
}

void KeepPart(llvm::Module& module, llvm::StringRef prefix, size_t part, size_t parts) {
  const auto part_of = Divide(module, parts);
  llvm::SmallVector<llvm::Function*> visible, others;
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    const size_t own = part_of.lookup(&function);
    if (function.hasLocalLinkage() && !IsUsedInside(function, own, part_of))
      visible.push_back(&function);
    if (own != part) others.push_back(&function);
  }
  for (llvm::Function* function : visible) {
    if (!function->getName().starts_with((prefix + ".").str()))
      function->setName(prefix + "." + function->getName());
    Export(*function);
  }
  for (llvm::Function* function : others) function->deleteBody();
  RemoveUnusedGlobals(module);
}

}  // namespace tenon::compiler
