#include "tenon/compiler/targets/gpu/address_spaces.h"

#include <algorithm>
#include <cstring>
#include <vector>

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

namespace {

// An instruction of SPIR-V has at most 65,535 words, so an array constant has fewer
// elements. Long tables of bytes become arrays of arrays of words, zeros at the end.
llvm::Constant* WithoutLongArrays(llvm::Constant* table) {
  constexpr size_t kMaxElements = 1 << 15, kRowWords = 1 << 12;
  auto* bytes = llvm::dyn_cast<llvm::ConstantDataArray>(table);
  if (!bytes || !bytes->getElementType()->isIntegerTy(8) ||
      bytes->getNumElements() <= kMaxElements)
    return table;
  llvm::StringRef data = bytes->getRawDataValues();
  std::vector<uint32_t> row(kRowWords);
  llvm::SmallVector<llvm::Constant*> rows;
  for (size_t begin = 0; begin < data.size(); begin += kRowWords * sizeof(uint32_t)) {
    const llvm::StringRef part = data.substr(begin, kRowWords * sizeof(uint32_t));
    std::ranges::fill(row, 0);
    std::memcpy(row.data(), part.data(), part.size());
    rows.push_back(llvm::ConstantDataArray::get(table->getContext(), row));
  }
  return llvm::ConstantArray::get(llvm::ArrayType::get(rows[0]->getType(), rows.size()),
                                  rows);
}

}  // namespace

void MoveConstantTables(llvm::Module& module, const DeviceRules& rules) {
  llvm::SmallVector<llvm::GlobalVariable*> tables;
  for (llvm::GlobalVariable& global : module.globals())
    if (global.getAddressSpace() == kFlatSpace && global.isConstant() &&
        global.hasInitializer())
      tables.push_back(&global);
  for (llvm::GlobalVariable* old : tables) {
    llvm::convertUsersOfConstantsToInstructions({old});
    const unsigned space = OnlyLoaded(*old) ? rules.constant_space : rules.global_space;
    llvm::Constant* value = WithoutLongArrays(old->getInitializer());
    auto* moved = new llvm::GlobalVariable(
        module, value->getType(), /*isConstant=*/true, llvm::GlobalValue::InternalLinkage,
        value, old->getName(), old, llvm::GlobalValue::NotThreadLocal, space);
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
