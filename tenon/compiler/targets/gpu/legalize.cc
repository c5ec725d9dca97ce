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
#include "tenon/compiler/targets/gpu/address_spaces.h"
#include "tenon/compiler/targets/gpu/expand_intrinsics.h"
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
  passes.addPass(llvm::ScalarizeMaskedMemIntrinPass());
  passes.addPass(llvm::ExpandReductionsPass());
  passes.addPass(llvm::ScalarizerPass());
  passes.addPass(llvm::LowerSwitchPass());
  passes.addPass(llvm::DCEPass());
  return passes;
}

}  // namespace

Status LegalizeForDevice(llvm::Module& module, const DeviceRules& rules) {
  module.setTargetTriple(llvm::Triple(rules.triple));
  module.setDataLayout(rules.data_layout);
  TENON_RETURN_IF_ERROR(PrepareFunctions(module));
  Passes passes(rules.machine);
  Inline(module, passes);
  passes.Run(module, Simplify());
  const bool has_private_space = rules.private_space != rules.generic_space;
  for (llvm::Function& function : module)
    if (has_private_space && !function.isDeclaration()) MovePrivateMemory(function);
  MoveConstantTables(module, rules);
  llvm::FunctionPassManager infer;
  infer.addPass(llvm::InferAddressSpacesPass(kFlatSpace));
  passes.Run(module, std::move(infer));
  passes.Run(module, SimplifyLoops());
  passes.Run(module, Scalarize());
  for (llvm::Function& function : module)
    if (!function.isDeclaration())
      TENON_RETURN_IF_ERROR(ExpandIntrinsics(function, rules, passes.functions()));
  llvm::FunctionPassManager clean;
  clean.addPass(llvm::InferAddressSpacesPass(kFlatSpace));
  clean.addPass(llvm::EarlyCSEPass());
  clean.addPass(llvm::SimplifyCFGPass());
  clean.addPass(llvm::DCEPass());
  passes.Run(module, std::move(clean));
  llvm::ModulePassManager unused;
  unused.addPass(llvm::GlobalDCEPass());
  passes.Run(module, std::move(unused));
  if (has_private_space) RenameAddressSpaces(module, rules);
  if (!rules.has_freeze) RemoveFreeze(module);
  return OkStatus();
}

}  // namespace tenon::compiler
