#include "tenon/compiler/targets/gpu/address_spaces.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace tenon::compiler {
namespace {

// Whether every address that is computed from `value` is used by loads alone.
bool OnlyLoaded(const llvm::Value& value) {
  return llvm::all_of(value.users(), [](const llvm::User* user) {
    if (llvm::isa<llvm::LoadInst>(user)) return true;
    return llvm::isa<llvm::GetElementPtrInst, llvm::AddrSpaceCastInst>(user) &&
           OnlyLoaded(*user);
  });
}

class SpaceMap : public llvm::ValueMapTypeRemapper {
 public:
  explicit SpaceMap(const DeviceRules& rules) : rules_(rules) {}

  llvm::Type* remapType(llvm::Type* type) override {
    llvm::LLVMContext& context = type->getContext();
    if (auto* pointer = llvm::dyn_cast<llvm::PointerType>(type)) {
      const unsigned space = pointer->getAddressSpace();
      return llvm::PointerType::get(context, space == kFlatSpace ? rules_.generic_space
                                             : space == kPrivateSpace
                                                 ? rules_.private_space
                                                 : space);
    }
    if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type))
      return llvm::ArrayType::get(remapType(array->getElementType()),
                                  array->getNumElements());
    if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type))
      return llvm::FixedVectorType::get(remapType(vector->getElementType()),
                                        vector->getNumElements());
    auto* record = llvm::dyn_cast<llvm::StructType>(type);
    if (!record) return type;
    llvm::SmallVector<llvm::Type*> fields;
    for (llvm::Type* field : record->elements()) fields.push_back(remapType(field));
    if (llvm::equal(fields, record->elements())) return type;
    return llvm::StructType::get(context, fields, record->isPacked());
  }

 private:
  const DeviceRules& rules_;
};

}  // namespace

void HoistPrivateMemory(llvm::Function& function) {
  llvm::BasicBlock& entry = function.getEntryBlock();
  for (llvm::BasicBlock& block : function) {
    if (&block == &entry) continue;
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(block)) {
      auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
      if (alloca && llvm::isa<llvm::ConstantInt>(alloca->getArraySize()))
        alloca->moveBefore(entry, entry.getFirstInsertionPt());
    }
  }
}

void MovePrivateMemory(llvm::Function& function) {
  llvm::SmallVector<llvm::AllocaInst*> allocas;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (alloca && alloca->getAddressSpace() == kFlatSpace) allocas.push_back(alloca);
  }
  for (llvm::AllocaInst* old : allocas) {
    llvm::IRBuilder<> b(old);
    llvm::AllocaInst* moved =
        b.CreateAlloca(old->getAllocatedType(), kPrivateSpace, old->getArraySize());
    moved->setAlignment(old->getAlign());
    moved->takeName(old);
    old->replaceAllUsesWith(b.CreateAddrSpaceCast(moved, old->getType()));
    old->eraseFromParent();
  }
}

void MoveConstantTables(llvm::Module& module, const DeviceRules& rules) {
  llvm::SmallVector<llvm::GlobalVariable*> tables;
  for (llvm::GlobalVariable& global : module.globals())
    if (global.getAddressSpace() == kFlatSpace && global.isConstant() &&
        global.hasInitializer())
      tables.push_back(&global);
  for (llvm::GlobalVariable* old : tables) {
    llvm::convertUsersOfConstantsToInstructions({old});
    const unsigned space = OnlyLoaded(*old) ? rules.constant_space : rules.global_space;
    auto* moved = new llvm::GlobalVariable(
        module, old->getValueType(), /*isConstant=*/true,
        llvm::GlobalValue::InternalLinkage, old->getInitializer(), old->getName(), old,
        llvm::GlobalValue::NotThreadLocal, space);
    moved->setAlignment(old->getAlign());
    moved->takeName(old);
    old->replaceAllUsesWith(llvm::ConstantExpr::getAddrSpaceCast(moved, old->getType()));
    old->eraseFromParent();
  }
}

void InferVolatileAccesses(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (!instruction.isVolatile()) continue;
    for (llvm::Use& use : instruction.operands())
      if (auto* cast = llvm::dyn_cast<llvm::AddrSpaceCastOperator>(use);
          cast && cast->getDestAddressSpace() == kFlatSpace &&
          llvm::isa<llvm::LoadInst, llvm::StoreInst>(instruction) &&
          use.get() == llvm::getLoadStorePointerOperand(&instruction))
        use.set(cast->getOperand(0));
  }
}

void RenameAddressSpaces(llvm::Module& module, const DeviceRules& rules) {
  SpaceMap map(rules);
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    llvm::ValueToValueMapTy values;
    llvm::RemapFunction(function, values,
                        llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals,
                        &map);
  }
}

}  // namespace tenon::compiler
