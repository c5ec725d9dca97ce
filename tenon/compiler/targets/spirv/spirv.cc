#include "tenon/compiler/targets/spirv/spirv.h"

#include <memory>
#include <mutex>

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "tenon/base/leaked_on_exception.h"
#include "tenon/compiler/targets/gpu/prepare.h"
#include "tenon/compiler/targets/scheduling.h"
#include "tenon/compiler/targets/spirv/block_numbers.h"
#include "tenon/compiler/targets/spirv/check.h"

extern "C" {
void LLVMInitializeSPIRVTargetInfo();
void LLVMInitializeSPIRVTarget();
void LLVMInitializeSPIRVTargetMC();
void LLVMInitializeSPIRVAsmPrinter();
}

namespace tenon::compiler {
namespace {

// 1.2 is the newest version that every OpenCL 2.1 and 2.2 device reads.
constexpr char kTriple[] = "spirv64v1.2-unknown-unknown";

StatusOr<std::unique_ptr<llvm::TargetMachine>> CreateMachine() {
  static std::once_flag initialized;
  std::call_once(initialized, [] {
    LLVMInitializeSPIRVTargetInfo();
    LLVMInitializeSPIRVTarget();
    LLVMInitializeSPIRVTargetMC();
    LLVMInitializeSPIRVAsmPrinter();
  });
  std::string error;
  const llvm::Triple triple(kTriple);
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target) return Internal("LLVM has no SPIR-V back end: " + error);
  // The driver optimizes again. At higher levels the back end runs passes that make code
  // which it cannot select.
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, "", "", {}, std::nullopt, std::nullopt, llvm::CodeGenOptLevel::None));
  if (!machine) return Internal("LLVM cannot create a target machine for SPIR-V");
  return machine;
}

// Names of values would be half of the module.
void RemoveValueNames(llvm::Function& function) {
  for (llvm::Argument& argument : function.args()) argument.setName("");
  for (llvm::BasicBlock& block : function) {
    block.setName("");
    for (llvm::Instruction& instruction : block) instruction.setName("");
  }
}

void SetMetadata(llvm::Function& entry, const SpirvOptions& options) {
  llvm::LLVMContext& context = entry.getContext();
  llvm::Type* i32 = llvm::Type::getInt32Ty(context);
  auto constant = [&](unsigned value) -> llvm::Metadata* {
    return llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(i32, value));
  };
  if (options.group_size[0]) {
    llvm::SmallVector<llvm::Metadata*> sizes;
    for (unsigned size : options.group_size)
      sizes.push_back(constant(std::max(size, 1u)));
    entry.setMetadata("reqd_work_group_size", llvm::MDNode::get(context, sizes));
  }
  if (options.subgroup_size)
    entry.setMetadata("intel_reqd_sub_group_size",
                      llvm::MDNode::get(context, {constant(options.subgroup_size)}));
}

void NoteType(const llvm::Type& type, SpirvModule& result) {
  const llvm::Type& scalar = *type.getScalarType();
  result.needs_f16 |= scalar.isHalfTy();
  result.needs_f64 |= scalar.isDoubleTy();
  result.needs_generic_pointers |=
      scalar.isPointerTy() && scalar.getPointerAddressSpace() == kGenericSpace;
}

void NoteNeeds(const llvm::Module& module, SpirvModule& result) {
  for (const llvm::Function& function : module) {
    result.needs_subgroups |= function.getName().contains("sub_group");
    for (const llvm::Argument& argument : function.args())
      NoteType(*argument.getType(), result);
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      NoteType(*instruction.getType(), result);
      if (auto* atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
        result.needs_int64_atomics |= atomic->getType()->isIntegerTy(64);
      if (auto* atomic = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
        result.needs_int64_atomics |=
            atomic->getNewValOperand()->getType()->isIntegerTy(64);
      for (const llvm::Value* operand : instruction.operands())
        NoteType(*operand->getType(), result);
    }
  }
}

}  // namespace

StatusOr<DeviceRules> SpirvRules() {
  TENON_ASSIGN_OR_RETURN(auto machine, CreateMachine());
  DeviceRules rules;
  rules.triple = kTriple;
  rules.data_layout = machine->createDataLayout().getStringRepresentation();
  rules.generic_space = kGenericSpace;
  rules.constant_space = kConstantSpace;
  rules.has_intrinsic = HasSpirvIntrinsic;
  return rules;
}

StatusOr<SpirvModule> EmitSpirv(llvm::Module& module, const SpirvOptions& options) {
  TENON_RETURN_IF_ERROR(CheckForSpirv(module));
  SpirvModule result;
  NoteNeeds(module, result);
  result.needs_subgroups |= options.subgroup_size > 0;
  for (llvm::Function& function : module) {
    if (function.isIntrinsic()) continue;
    const bool entry = IsEntry(function);
    const auto convention =
        entry ? llvm::CallingConv::SPIR_KERNEL : llvm::CallingConv::SPIR_FUNC;
    function.setCallingConv(convention);
    if (entry) SetMetadata(function, options);
    RemoveValueNames(function);
    for (llvm::User* user : function.users())
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(user))
        call->setCallingConv(convention);
  }
  // The back end keeps state of a module in its machine, and some of it in variables of
  // the process.
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  TENON_RETURN_IF_ERROR(ForgetBlockNumbers());
  LeakedOnException<std::unique_ptr<llvm::TargetMachine>> machine;
  TENON_ASSIGN_OR_RETURN(*machine, CreateMachine());
  BoundScheduling();
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  LeakedOnException<llvm::legacy::PassManager> passes;
  if ((*machine)->addPassesToEmitFile(*passes, stream, nullptr,
                                      llvm::CodeGenFileType::ObjectFile,
                                      /*DisableVerify=*/true))
    return Internal("LLVM cannot write SPIR-V files");
  passes->run(module);
  result.binary.assign(bytes.data(), bytes.size());
  return result;
}

StatusOr<SpirvModule> CompileToSpirv(llvm::Module& module, const SpirvOptions& options) {
  TENON_ASSIGN_OR_RETURN(DeviceRules rules, SpirvRules());
  TENON_RETURN_IF_ERROR(LegalizeForDevice(module, rules));
  return EmitSpirv(module, options);
}

}  // namespace tenon::compiler
