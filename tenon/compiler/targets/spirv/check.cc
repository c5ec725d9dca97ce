#include "tenon/compiler/targets/spirv/check.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/raw_ostream.h"

namespace tenon::compiler {
namespace {

bool IsScalar(const llvm::Type& type) {
  if (auto* integer = llvm::dyn_cast<llvm::IntegerType>(&type)) {
    const unsigned bits = integer->getBitWidth();
    return bits == 1 || bits == 8 || bits == 16 || bits == 32 || bits == 64;
  }
  return type.isHalfTy() || type.isFloatTy() || type.isDoubleTy() || type.isPointerTy();
}

bool IsLegal(const llvm::Type& type) {
  if (type.isVoidTy() || type.isLabelTy() || IsScalar(type)) return true;
  if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(&type)) {
    const unsigned lanes = vector->getNumElements();
    return IsScalar(*vector->getElementType()) &&
           (lanes == 2 || lanes == 3 || lanes == 4 || lanes == 8 || lanes == 16);
  }
  if (auto* array = llvm::dyn_cast<llvm::ArrayType>(&type))
    return array->getNumElements() > 0 && IsLegal(*array->getElementType());
  auto* record = llvm::dyn_cast<llvm::StructType>(&type);
  return record && !record->isOpaque() &&
         llvm::all_of(record->elements(),
                      [](llvm::Type* field) { return IsLegal(*field); });
}

// Booleans have no representation in memory.
bool IsInMemory(const llvm::Type& type) {
  if (type.isIntOrIntVectorTy(1)) return false;
  if (!type.isArrayTy() && !type.isStructTy()) return IsLegal(type);
  return IsLegal(type) && llvm::all_of(type.subtypes(), [](llvm::Type* part) {
           return IsInMemory(*part);
         });
}

// Constant memory is no part of the generic space.
bool IsCast(unsigned from, unsigned to) {
  return from == kGenericSpace ? to != kConstantSpace
                               : to == kGenericSpace && from != kConstantSpace;
}

bool IsKnown(const llvm::Instruction& instruction) {
  using llvm::Instruction;
  switch (instruction.getOpcode()) {
    case Instruction::Load:
      return IsInMemory(*instruction.getType()) &&
             !llvm::cast<llvm::LoadInst>(instruction).isAtomic();
    case Instruction::Store:
      return IsInMemory(*instruction.getOperand(0)->getType()) &&
             !llvm::cast<llvm::StoreInst>(instruction).isAtomic();
    case Instruction::Alloca:
      return llvm::isa<llvm::ConstantInt>(instruction.getOperand(0)) &&
             instruction.getParent()->isEntryBlock() &&
             IsInMemory(*llvm::cast<llvm::AllocaInst>(instruction).getAllocatedType());
    case Instruction::GetElementPtr:
      return IsInMemory(
          *llvm::cast<llvm::GetElementPtrInst>(instruction).getSourceElementType());
    case Instruction::AddrSpaceCast:
      return IsCast(instruction.getOperand(0)->getType()->getPointerAddressSpace(),
                    instruction.getType()->getPointerAddressSpace());
    case Instruction::AtomicRMW: {
      // Others need extensions of SPIR-V.
      const auto& atomic = llvm::cast<llvm::AtomicRMWInst>(instruction);
      const unsigned bits = atomic.getType()->getScalarSizeInBits();
      return atomic.getType()->isIntegerTy() && (bits == 32 || bits == 64) &&
             atomic.getOperation() <= llvm::AtomicRMWInst::UMin &&
             atomic.getOperation() != llvm::AtomicRMWInst::Nand;
    }
    case Instruction::AtomicCmpXchg: {
      const llvm::Type& type = *instruction.getOperand(1)->getType();
      return type.isIntegerTy(32) || type.isIntegerTy(64);
    }
    case Instruction::Call: {
      const auto& call = llvm::cast<llvm::CallInst>(instruction);
      if (call.isInlineAsm() || !call.getCalledFunction()) return false;
      if (auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call))
        return HasSpirvIntrinsic(intrinsic->getIntrinsicID(),
                                 *intrinsic->getArgOperand(0)->getType());
      return call.getCalledFunction()->isDeclaration() &&
             call.getCalledFunction()->getName().starts_with("_Z");
    }
    case Instruction::Switch:
    case Instruction::Freeze:
    case Instruction::IndirectBr:
    case Instruction::Invoke:
    case Instruction::CallBr:
    case Instruction::Resume:
    case Instruction::VAArg:
    case Instruction::LandingPad:
    case Instruction::CatchPad:
    case Instruction::CatchRet:
    case Instruction::CatchSwitch:
    case Instruction::CleanupPad:
    case Instruction::CleanupRet:
      return false;
    default:
      return true;
  }
}

std::string Print(const llvm::Value& value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return llvm::StringRef(text).trim().str();
}

Status CheckFunction(const llvm::Function& function) {
  const std::string where = "kernel " + function.getName().str() + ": ";
  for (const llvm::Argument& argument : function.args())
    if (!IsScalar(*argument.getType()) || argument.getType()->isIntegerTy(1))
      return Unimplemented(where + "SPIR-V has no kernel arguments such as " +
                           Print(argument));
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    bool legal = IsKnown(instruction) && IsLegal(*instruction.getType());
    for (const llvm::Value* operand : instruction.operands())
      legal =
          legal && (llvm::isa<llvm::Function>(operand) || IsLegal(*operand->getType()));
    if (!legal)
      return Unimplemented(where + "no SPIR-V for the instruction " + Print(instruction));
  }
  return OkStatus();
}

}  // namespace

bool HasSpirvIntrinsic(llvm::Intrinsic::ID id, const llvm::Type& type) {
  switch (id) {
    case llvm::Intrinsic::fabs:
    case llvm::Intrinsic::fma:
    case llvm::Intrinsic::sqrt:
    case llvm::Intrinsic::floor:
    case llvm::Intrinsic::ceil:
    case llvm::Intrinsic::trunc:
    case llvm::Intrinsic::rint:
    case llvm::Intrinsic::nearbyint:
    case llvm::Intrinsic::roundeven:
    case llvm::Intrinsic::round:
    case llvm::Intrinsic::copysign:
      return type.isHalfTy() || type.isFloatTy() || type.isDoubleTy();
    case llvm::Intrinsic::umin:
    case llvm::Intrinsic::umax:
    case llvm::Intrinsic::smin:
    case llvm::Intrinsic::smax:
    case llvm::Intrinsic::abs:
    case llvm::Intrinsic::ctlz:
    case llvm::Intrinsic::ctpop:
      return type.isIntegerTy() && !type.isIntegerTy(1) && IsScalar(type);
    default:
      return false;
  }
}

Status CheckForSpirv(const llvm::Module& module) {
  for (const llvm::GlobalVariable& global : module.globals()) {
    if (global.use_empty()) continue;
    if (!IsInMemory(*global.getValueType()) || global.getAddressSpace() == 0)
      return Unimplemented("no SPIR-V for the global " + Print(global));
  }
  for (const llvm::Function& function : module)
    if (!function.isDeclaration()) TENON_RETURN_IF_ERROR(CheckFunction(function));
  return OkStatus();
}

}  // namespace tenon::compiler
