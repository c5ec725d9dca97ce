#include "tenon/compiler/targets/nvptx/ptx.h"

#include <algorithm>

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"
#include "tenon/base/leaked_on_exception.h"
#include "tenon/compiler/targets/gpu/legalize.h"
#include "tenon/compiler/targets/nvptx/promote_half.h"
#include "tenon/compiler/targets/nvptx/selectable.h"
#include "tenon/compiler/targets/scheduling.h"

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace tenon::compiler {
namespace {

bool InitializeTarget() {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  return true;
}

// Runs when this library is loaded, as for the other targets.
[[maybe_unused]] const bool target_is_initialized = InitializeTarget();

bool IsKernel(const llvm::Function& function) {
  return !function.isDeclaration() && !function.hasLocalLinkage();
}

Status CheckKernels(const llvm::Module& module) {
  for (const llvm::Function& function : module) {
    if (!IsKernel(function)) continue;
    if (!function.getReturnType()->isVoidTy())
      return Internal("kernel '" + function.getName().str() + "' returns a value");
    for (const llvm::User* user : function.users())
      if (llvm::isa<llvm::CallBase>(user))
        return Internal("kernel '" + function.getName().str() + "' is called");
  }
  return OkStatus();
}

void SetFunctions(llvm::Module& module, const PtxOptions& options) {
  for (llvm::Function& function : module) {
    if (!IsKernel(function)) continue;
    function.setName(PtxName(function.getName()));
    function.setCallingConv(llvm::CallingConv::PTX_Kernel);
    // Processors flush by a mode, this one by other instructions, and only for f32.
    function.removeFnAttr("denormal-fp-math");
    function.removeFnAttr("denormal-fp-math-f32");
    if (options.flush_denormals)
      function.addFnAttr("denormal-fp-math-f32", "preserve-sign,preserve-sign");
  }
}

// Address space 0 is generic. Allocas stay in it: the back end moves them.
DeviceRules Rules(llvm::TargetMachine& machine) {
  DeviceRules rules;
  rules.machine = &machine;
  rules.triple = kPtxTriple;
  rules.data_layout = machine.createDataLayout().getStringRepresentation();
  // Constant memory is small, and slow when lanes read different addresses.
  rules.constant_space = rules.global_space;
  rules.max_integer_bits = 128;
  rules.has_intrinsic = PtxSelects;
  rules.has_all_atomics = true;
  rules.has_freeze = true;
  return rules;
}

// Adds the functions whose code uses a value, also through constants.
void AddUsers(const llvm::Value& value,
              llvm::SmallPtrSetImpl<const llvm::Function*>& users) {
  for (const llvm::User* user : value.users()) {
    if (auto* instruction = llvm::dyn_cast<llvm::Instruction>(user))
      users.insert(instruction->getFunction());
    else if (llvm::isa<llvm::ConstantExpr>(user))
      AddUsers(*user, users);
  }
}

// The assembler refuses kernels with more than this; the rest can be had at the launch.
Status CheckLocalMemory(const llvm::Module& module) {
  constexpr uint64_t kMaxBytes = 48 << 10;
  llvm::DenseMap<const llvm::Function*, uint64_t> bytes;
  for (const llvm::GlobalVariable& global : module.globals()) {
    if (global.getAddressSpace() != 3 || global.isDeclaration()) continue;
    llvm::SmallPtrSet<const llvm::Function*, 4> users;
    AddUsers(global, users);
    for (const llvm::Function* user : users) {
      uint64_t& sum = bytes[user];
      sum = llvm::alignTo(sum, global.getAlign().valueOrOne()) +
            module.getDataLayout().getTypeAllocSize(global.getValueType());
      if (sum > kMaxBytes)
        return ResourceExhausted(
            "kernel '" + user->getName().str() + "' takes " + std::to_string(sum) +
            " bytes of a group's memory, and code can state at most " +
            std::to_string(kMaxBytes) + "; declare the memory, and add it at the launch");
    }
  }
  return OkStatus();
}

}  // namespace

const std::vector<PtxProcessor>& PtxProcessors() {
  static auto* processors = new std::vector<PtxProcessor>{
      {"sm_80", "ptx80", 163, false},  {"sm_86", "ptx80", 99, false},
      {"sm_87", "ptx80", 163, false},  {"sm_89", "ptx80", 99, false},
      {"sm_90", "ptx80", 227, false},  {"sm_90a", "ptx80", 227, true},
      {"sm_100", "ptx86", 227, false}, {"sm_103", "ptx88", 227, false},
      {"sm_120", "ptx87", 99, false},  {"sm_121", "ptx88", 99, false}};
  return *processors;
}

void SetLaunchBounds(llvm::Function& entry, const LaunchBounds& bounds) {
  auto set = [&](const char* name, int value) {
    if (value > 0) entry.addFnAttr(name, std::to_string(value));
  };
  set(bounds.exact ? "nvvm.reqntid" : "nvvm.maxntid", bounds.threads);
  set("nvvm.minctasm", bounds.groups);
  set("nvvm.maxnreg", bounds.registers);
}

std::string PtxName(llvm::StringRef name) {
  std::string result;
  for (const char c : name) {
    const bool first = result.empty();
    if (llvm::isAlpha(c) || (!first && llvm::isDigit(c)) || (!first && c == '_'))
      result += c;
    else if (!first && c == '.')
      result += '$';
    else
      result += "$$" + llvm::toHex(std::string(1, c), /*LowerCase=*/true);
  }
  return result;
}

StatusOr<std::unique_ptr<llvm::TargetMachine>> CreatePtxMachine(
    const PtxOptions& options) {
  const std::vector<PtxProcessor>& known = PtxProcessors();
  auto processor = std::find_if(known.begin(), known.end(), [&](const PtxProcessor& p) {
    return p.name == options.processor;
  });
  if (processor == known.end())
    return InvalidArgument("unknown processor '" + options.processor + "' of " +
                           kPtxTriple + "; known are those from " + known.front().name +
                           " to " + known.back().name);
  const llvm::Triple triple(kPtxTriple);
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target) return Internal("LLVM was built without NVPTX: " + error);
  llvm::TargetOptions target_options;
  target_options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, processor->name, std::string("+") + processor->isa, target_options,
      llvm::Reloc::Static, std::nullopt, llvm::CodeGenOptLevel::Default));
  if (!machine)
    return Internal(std::string("LLVM has no target machine for ") + kPtxTriple);
  return machine;
}

StatusOr<std::string> EmitPtx(llvm::Module& module, const PtxOptions& options) {
  LeakedOnException<std::unique_ptr<llvm::TargetMachine>> machine;
  TENON_ASSIGN_OR_RETURN(*machine, CreatePtxMachine(options));
  TENON_RETURN_IF_ERROR(CheckKernels(module));
  TENON_RETURN_IF_ERROR(LegalizeForDevice(module, Rules(**machine)));
  SetFunctions(module, options);
  if (options.flush_denormals)
    for (llvm::Function& function : module) PromoteHalf(function);
  TENON_RETURN_IF_ERROR(CheckSelectable(module));
  TENON_RETURN_IF_ERROR(CheckLocalMemory(module));
  BoundScheduling();
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  LeakedOnException<llvm::legacy::PassManager> passes;
  if ((*machine)->addPassesToEmitFile(*passes, stream, nullptr,
                                      llvm::CodeGenFileType::AssemblyFile,
                                      /*DisableVerify=*/true))
    return Internal("LLVM cannot write PTX");
  passes->run(module);
  return std::string(text);
}

}  // namespace tenon::compiler
