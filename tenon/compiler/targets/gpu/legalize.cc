#include "tenon/compiler/targets/gpu/legalize.h"

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/CodeGen/ExpandReductions.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/DCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/ScalarizeMaskedMemIntrin.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LowerSwitch.h"
#include "tenon/base/leaked_on_exception.h"
#include "tenon/compiler/targets/gpu/address_spaces.h"
#include "tenon/compiler/targets/gpu/expand_atomics.h"
#include "tenon/compiler/targets/gpu/expand_intrinsics.h"
#include "tenon/compiler/targets/gpu/legalize_integers.h"
#include "tenon/compiler/targets/gpu/legalize_vectors.h"
#include "tenon/compiler/targets/gpu/prepare.h"

namespace tenon::compiler {
namespace {

class Passes {
 public:
  explicit Passes(llvm::TargetMachine* machine) : builder_(machine) {
    builder_.registerModuleAnalyses(modules_);
    builder_.registerCGSCCAnalyses(sccs_);
    builder_.registerFunctionAnalyses(functions_);
    builder_.registerLoopAnalyses(loops_);
    builder_.crossRegisterProxies(loops_, functions_, sccs_, modules_);
  }

  void Run(llvm::Module& module, llvm::ModulePassManager passes) {
    passes.run(module, modules_);
    modules_.clear();
    functions_.clear();
  }
  void Run(llvm::Module& module, llvm::FunctionPassManager passes) {
    llvm::ModulePassManager all;
    all.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
    Run(module, std::move(all));
  }
  llvm::FunctionAnalysisManager& functions() { return functions_; }

 private:
  llvm::LoopAnalysisManager loops_;
  llvm::FunctionAnalysisManager functions_;
  llvm::CGSCCAnalysisManager sccs_;
  llvm::ModuleAnalysisManager modules_;
  llvm::PassBuilder builder_;
};

void Inline(llvm::Module& module, Passes& passes) {
  llvm::ModulePassManager inliner;
  inliner.addPass(llvm::AlwaysInlinerPass(/*InsertLifetime=*/false));
  inliner.addPass(llvm::GlobalDCEPass());
  passes.Run(module, std::move(inliner));
}

// Memory that one work item uses becomes values, as far as its addresses are known.
llvm::FunctionPassManager Simplify() {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InstCombinePass());
  return passes;
}

llvm::FunctionPassManager SimplifyLoops() {
  llvm::FunctionPassManager passes = Simplify();
  llvm::LoopPassManager loops;
  loops.addPass(llvm::LoopRotatePass(/*EnableHeaderDuplication=*/false));
  loops.addPass(llvm::LICMPass(llvm::LICMOptions()));
  passes.addPass(
      llvm::createFunctionToLoopPassAdaptor(std::move(loops), /*UseMemorySSA=*/true));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::ADCEPass());
  return passes;
}

llvm::FunctionPassManager Scalarize() {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::ScalarizerPass());
  passes.addPass(llvm::DCEPass());
  return passes;
}

// After the expansion of intrinsics.
llvm::FunctionPassManager CleanUp() {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::LowerSwitchPass());
  passes.addPass(llvm::InferAddressSpacesPass(kFlatSpace));
  passes.addPass(llvm::ADCEPass());
  return passes;
}

template <typename Pass>
void RunAlone(llvm::Module& module, Passes& passes, Pass pass) {
  llvm::FunctionPassManager one;
  one.addPass(std::move(pass));
  passes.Run(module, std::move(one));
}

// Splits vectors and replaces intrinsics and integers that devices do not have.
Status LegalizeInstructions(llvm::Module& module, const DeviceRules& rules,
                            Passes& passes) {
  auto each = [&](auto&& legalize) {
    for (llvm::Function& function : module)
      if (!function.isDeclaration()) legalize(function);
  };
  RunAlone(module, passes, llvm::ScalarizeMaskedMemIntrinPass());
  RunAlone(module, passes, llvm::ExpandReductionsPass());
  each(ExpandMaskCasts);
  each(SplitVectorAccesses);
  passes.Run(module, Scalarize());
  each(LimitAtomicScopes);
  if (!rules.has_all_atomics) each(ExpandAtomics);
  each([&](llvm::Function& function) { ExpandIntrinsics(function, rules); });
  passes.Run(module, CleanUp());
  each([&](llvm::Function& function) {
    LegalizeMemoryTypes(function, rules.max_integer_bits);
  });
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) TENON_RETURN_IF_ERROR(PromoteIntegers(function));
  if (rules.max_integer_bits < 128) each(SplitWideIntegers);
  each(LegalizeBooleans);
  RunAlone(module, passes, llvm::EarlyCSEPass());
  RunAlone(module, passes, llvm::ADCEPass());
  return OkStatus();
}

}  // namespace

Status LegalizeForDevice(llvm::Module& module, const DeviceRules& rules) {
  module.setTargetTriple(llvm::Triple(rules.triple));
  module.setDataLayout(rules.data_layout);
  TENON_RETURN_IF_ERROR(PrepareFunctions(module));
  LeakedOnException<Passes> owned_passes(rules.machine);
  Passes& passes = *owned_passes;
  Inline(module, passes);
  // Before SROA: it takes the padding of vectors of three lanes for a part of them.
  for (llvm::Function& function : module) SplitVectorAccesses(function);
  passes.Run(module, Simplify());
  const bool has_private_space = rules.private_space != rules.generic_space;
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    ExpandMemoryIntrinsics(function, passes.functions());
    HoistPrivateMemory(function);
    if (has_private_space) MovePrivateMemory(function);
  }
  MoveConstantTables(module, rules);
  RunAlone(module, passes, llvm::InferAddressSpacesPass(kFlatSpace));
  for (llvm::Function& function : module) InferVolatileAccesses(function);
  passes.Run(module, SimplifyLoops());
  TENON_RETURN_IF_ERROR(LegalizeInstructions(module, rules, passes));
  if (has_private_space) RenameAddressSpaces(module, rules);
  if (!rules.has_freeze) RemoveFreeze(module);
  llvm::ModulePassManager unused;
  unused.addPass(llvm::GlobalDCEPass());
  passes.Run(module, std::move(unused));
  return OkStatus();
}

}  // namespace tenon::compiler
