#include "tests/spirv/host_phases.h"

#include <map>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"

namespace tenon::compiler {
namespace {

constexpr unsigned kGlobalSpace = 1;

// The phases with the type of their environment, a local variable of whoever calls them.
std::map<llvm::Function*, llvm::StructType*> FindPhases(llvm::Module& module) {
  std::map<llvm::Function*, llvm::StructType*> phases;
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (!call) continue;
      llvm::StructType* environment = nullptr;
      llvm::Function* phase = nullptr;
      for (llvm::Value* operand : call->operands()) {
        if (auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(operand))
          environment = llvm::dyn_cast<llvm::StructType>(alloca->getAllocatedType());
        auto* callee = llvm::dyn_cast<llvm::Function>(operand);
        if (callee && callee->getName().contains(".phase") && !callee->isDeclaration())
          phase = callee;
      }
      if (phase && environment) phases[phase] = environment;
    }
  }
  return phases;
}

void CreateEntry(llvm::Function& phase, llvm::StructType* environment) {
  llvm::Module& module = *phase.getParent();
  llvm::LLVMContext& context = module.getContext();
  llvm::SmallVector<llvm::Type*> types;
  for (llvm::Type* field : environment->elements())
    types.push_back(field->isPointerTy() ? llvm::PointerType::get(context, kGlobalSpace)
                    : field->isIntegerTy(1) ? llvm::Type::getInt8Ty(context)
                                            : field);
  auto* entry = llvm::Function::Create(
      llvm::FunctionType::get(llvm::Type::getVoidTy(context), types, false),
      llvm::Function::ExternalLinkage, "kernel." + phase.getName(), module);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "entry", entry));
  llvm::Value* memory = b.CreateAlloca(environment);
  for (llvm::Argument& argument : entry->args()) {
    llvm::Value* value = &argument;
    if (value->getType()->isPointerTy())
      value = b.CreateAddrSpaceCast(value, b.getPtrTy());
    else if (llvm::Type* field = environment->getElementType(argument.getArgNo());
             field->isIntegerTy(1))
      value = b.CreateTrunc(value, field);
    b.CreateStore(value, b.CreateStructGEP(environment, memory, argument.getArgNo()));
  }
  llvm::FunctionCallee group_id =
      module.getOrInsertFunction("_Z12get_group_idj", b.getInt64Ty(), b.getInt32Ty());
  llvm::Value* chunk = b.CreateCall(group_id, {b.getInt32(0)});
  b.CreateCall(&phase, {llvm::Constant::getNullValue(b.getPtrTy()), memory, chunk});
  b.CreateRetVoid();
}

}  // namespace

void KeepPhasesAsKernels(llvm::Module& module) {
  std::map<llvm::Function*, llvm::StructType*> phases = FindPhases(module);
  for (llvm::Function& function : module)
    if (!function.isDeclaration())
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
  for (llvm::GlobalVariable& global : module.globals())
    if (!global.isDeclaration()) global.setLinkage(llvm::GlobalValue::InternalLinkage);
  for (auto& [phase, environment] : phases) CreateEntry(*phase, environment);
  llvm::ModuleAnalysisManager analyses;
  llvm::PassBuilder().registerModuleAnalyses(analyses);
  llvm::GlobalDCEPass().run(module, analyses);
}

}  // namespace tenon::compiler
