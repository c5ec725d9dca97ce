#include "tenon/compiler/targets/nvptx/selectable.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/raw_ostream.h"

namespace tenon::compiler {
namespace {

constexpr unsigned kMaxAtomicBits = 64;
constexpr unsigned kMaxConvertedBits = 64;  // integers to and from floats

bool HasWideInteger(const llvm::Type& type, unsigned bits) {
  const llvm::Type* scalar = type.getScalarType();
  return scalar->isIntegerTy() && scalar->getIntegerBitWidth() > bits;
}

template <typename T>
std::string Print(const T& value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

bool IsTypeKnown(const llvm::Type& type) {
  if (llvm::isa<llvm::ScalableVectorType>(type)) return false;
  const llvm::Type& scalar = *type.getScalarType();
  return !scalar.isFP128Ty() && !scalar.isX86_FP80Ty() && !scalar.isPPC_FP128Ty() &&
         !scalar.isX86_AMXTy() && !scalar.isTokenTy();
}

// Scopes of fences and atomics, by their names in LLVM.
bool IsScopeKnown(const llvm::LLVMContext& context, llvm::SyncScope::ID scope) {
  if (scope == llvm::SyncScope::System) return true;
  llvm::SmallVector<llvm::StringRef> names;
  context.getSyncScopeNames(names);
  return scope < names.size() && (names[scope] == "block" || names[scope] == "cluster" ||
                                  names[scope] == "device");
}

// An empty text if the atomic instruction or fence is known, otherwise why it is not.
std::string AtomicProblem(const llvm::Instruction& instruction) {
  const llvm::LLVMContext& context = instruction.getContext();
  auto scope = llvm::getAtomicSyncScopeID(&instruction);
  if (!scope) return "";
  if (!IsScopeKnown(context, *scope))
    return "the scope of memory order is not block, cluster, device or system";
  const llvm::Type* type =
      llvm::isa<llvm::FenceInst>(instruction)   ? nullptr
      : llvm::isa<llvm::StoreInst>(instruction) ? instruction.getOperand(0)->getType()
      : llvm::isa<llvm::LoadInst>(instruction)  ? instruction.getType()
                                                : instruction.getOperand(1)->getType();
  if (type && HasWideInteger(*type, kMaxAtomicBits))
    return "atomics have at most 64 bits";
  return "";
}

std::string CallProblem(const llvm::CallBase& call) {
  if (call.isInlineAsm()) return "";
  const llvm::Function* callee = call.getCalledFunction();
  if (!callee) return "";  // through a pointer
  if (!callee->isIntrinsic())
    return callee->isDeclaration()
               ? "'" + callee->getName().str() + "' does not exist on the device"
               : "";
  if (callee->getName().starts_with("llvm.nvvm.")) return "";
  const llvm::Type& type =
      call.arg_empty() ? *call.getType() : *call.getArgOperand(0)->getType();
  // Conversions to integers: the result is the type that matters, too.
  if (PtxSelects(callee->getIntrinsicID(), type) &&
      !(llvm::isa<llvm::IntrinsicInst>(call) &&
        (callee->getIntrinsicID() == llvm::Intrinsic::fptosi_sat ||
         callee->getIntrinsicID() == llvm::Intrinsic::fptoui_sat) &&
        HasWideInteger(*call.getType(), kMaxConvertedBits)))
    return "";
  return "the target has no instruction for '" + callee->getName().str() + "'";
}

std::string Problem(const llvm::Instruction& instruction) {
  if (!IsTypeKnown(*instruction.getType()))
    return "the target has no type " + Print(*instruction.getType());
  for (const llvm::Value* operand : instruction.operands())
    if (!IsTypeKnown(*operand->getType()))
      return "the target has no type " + Print(*operand->getType());
  switch (instruction.getOpcode()) {
    case llvm::Instruction::FPToSI:
    case llvm::Instruction::FPToUI:
    case llvm::Instruction::SIToFP:
    case llvm::Instruction::UIToFP:
      return HasWideInteger(*instruction.getType(), kMaxConvertedBits) ||
                     HasWideInteger(*instruction.getOperand(0)->getType(),
                                    kMaxConvertedBits)
                 ? "integers of more than 64 bits are not converted to or from floats"
                 : "";
    case llvm::Instruction::IndirectBr:
    case llvm::Instruction::CallBr:
    case llvm::Instruction::Invoke:
    case llvm::Instruction::Resume:
    case llvm::Instruction::LandingPad:
    case llvm::Instruction::VAArg:
      return std::string("the target has no '") + instruction.getOpcodeName() + "'";
    case llvm::Instruction::Call:
      return CallProblem(llvm::cast<llvm::CallBase>(instruction));
    default:
      return instruction.isAtomic() ? AtomicProblem(instruction) : "";
  }
}

Status CheckGlobals(const llvm::Module& module) {
  if (!module.getModuleInlineAsm().empty())
    return Unimplemented("the target has no assembly outside of functions");
  if (!module.alias_empty() || !module.ifunc_empty())
    return Unimplemented("the target has no aliases");
  for (const llvm::GlobalVariable& global : module.globals()) {
    const std::string name = "global '" + global.getName().str() + "': ";
    if (global.isThreadLocal() || global.hasAppendingLinkage())
      return Unimplemented(name + "the target has no thread-local and appending data");
    // A declaration of address space 3 is memory that the launch adds to a group's.
    if (global.isDeclaration() && global.getAddressSpace() != 3)
      return Unimplemented(name + "it does not exist on the device");
    if (global.getAddressSpace() == 3 && global.hasInitializer() &&
        !llvm::isa<llvm::UndefValue>(global.getInitializer()))
      return Unimplemented(name + "a group's memory has no initial value");
  }
  return OkStatus();
}

}  // namespace

bool PtxSelects(llvm::Intrinsic::ID id, const llvm::Type& type) {
  const llvm::Type& scalar = *type.getScalarType();
  switch (id) {
#define INTRINSIC(name, condition) \
  case llvm::Intrinsic::name:      \
    return condition;
#include "tenon/compiler/targets/nvptx/intrinsics.inc"
#undef INTRINSIC
    default:
      return false;
  }
}

Status CheckSelectable(const llvm::Module& module) {
  TENON_RETURN_IF_ERROR(CheckGlobals(module));
  for (const llvm::Function& function : module) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const std::string problem = Problem(instruction);
      if (!problem.empty())
        return Unimplemented("kernel '" + function.getName().str() + "': " + problem);
    }
  }
  return OkStatus();
}

}  // namespace tenon::compiler
