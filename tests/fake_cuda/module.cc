#include "tests/fake_cuda/module.h"

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <utility>

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "tenon/compiler/targets/nvptx/ptx.h"

namespace tenon::fake_cuda {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxStaticBytes = 48 << 10;
constexpr char kPtxFile[] = ".device.ptx", kIrFile[] = ".device.ll";

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// The IR that the compiler wrote just before this PTX: files are numbered.
std::string FindDump(const std::string& ptx) {
  const char* folder = std::getenv("TENON_DUMP_TO");
  if (!folder) return "";
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(kPtxFile) || entry.file_size(error) != ptx.size()) continue;
    if (ReadFile(entry.path()) != ptx) continue;
    const std::string before = std::to_string(std::atoi(name.c_str()) - 1);
    return ReadFile(fs::path(folder) /
                    ((before.size() < 2 ? "0" : "") + before + kIrFile));
  }
  return "";
}

// A later program may overwrite the files, so what was found is kept.
std::string FindIr(const std::string& image) {
  if (image.starts_with("; emulated")) return image;
  static std::mutex& mutex = *new std::mutex;
  static auto& found = *new std::map<std::string, std::string>;
  std::lock_guard lock(mutex);
  std::string& ir = found[image];
  if (ir.empty()) ir = FindDump(image);
  return ir;
}

// An error if PTX is for other processors than the device.
Status CheckTarget(const std::string& ptx, int capability) {
  constexpr char kDirective[] = ".target sm_";
  const size_t at = ptx.find(kDirective);
  if (at == std::string::npos) return OkStatus();
  char* end = nullptr;
  const long target = std::strtol(ptx.c_str() + at + sizeof kDirective - 1, &end, 10);
  if (target > capability || (*end == 'a' && target != capability))
    return InvalidArgument(
        "SM version specified by .target is higher than default SM "
        "version assumed");
  return OkStatus();
}

// Functions whose code uses a value, also through constants.
void AddUsers(const llvm::Value& value,
              llvm::SmallPtrSetImpl<const llvm::Function*>& users) {
  for (const llvm::User* user : value.users()) {
    if (auto* instruction = llvm::dyn_cast<llvm::Instruction>(user))
      users.insert(instruction->getFunction());
    else
      AddUsers(*user, users);
  }
}

// The facts of the kernels, by their names in PTX.
std::map<std::string, Kernel> KernelsOf(const llvm::Module& module) {
  std::map<std::string, Kernel> kernels;
  const llvm::DataLayout& layout = module.getDataLayout();
  for (const llvm::Function& function : module) {
    if (function.isDeclaration() || function.hasLocalLinkage()) continue;
    Kernel& kernel = kernels[compiler::PtxName(function.getName())];
    kernel.name = function.getName().str();
    for (const llvm::Argument& argument : function.args())
      kernel.arguments.push_back({layout.getTypeStoreSize(argument.getType()),
                                  argument.getType()->isPointerTy()});
    for (const char* bound : {"nvvm.maxntid", "nvvm.reqntid"})
      if (function.hasFnAttribute(bound))
        kernel.max_items =
            std::stoi(function.getFnAttribute(bound).getValueAsString().str());
  }
  for (const llvm::GlobalVariable& global : module.globals()) {
    if (global.getAddressSpace() != 3) continue;
    llvm::SmallPtrSet<const llvm::Function*, 4> users;
    AddUsers(global, users);
    for (const llvm::Function* user : users) {
      const auto found = kernels.find(compiler::PtxName(user->getName()));
      if (found == kernels.end()) continue;
      found->second.static_bytes += layout.getTypeAllocSize(global.getValueType());
    }
  }
  return kernels;
}

}  // namespace

StatusOr<std::shared_ptr<Module>> Module::Load(const std::string& image, int capability) {
  static const bool initialized =
      !llvm::InitializeNativeTarget() && !llvm::InitializeNativeTargetAsmPrinter();
  if (!initialized) return Internal("LLVM has no code generator for this machine");
  TENON_RETURN_IF_ERROR(CheckTarget(image, capability));
  const std::string ir = FindIr(image);
  if (ir.empty())
    return NotFound("only PTX that Tenon compiled with TENON_DUMP_TO can be emulated");
  auto context = std::make_unique<llvm::LLVMContext>();
  llvm::SMDiagnostic diagnostic;
  auto llvm_module = llvm::parseAssemblyString(ir, diagnostic, *context);
  if (!llvm_module)
    return InvalidArgument("line " + std::to_string(diagnostic.getLineNo()) + ": " +
                           diagnostic.getMessage().str());
  auto module = std::make_shared<Module>();
  module->kernels_ = KernelsOf(*llvm_module);
  for (const auto& [name, kernel] : module->kernels_)
    if (kernel.static_bytes > kMaxStaticBytes)
      return ResourceExhausted("Entry function '" + name + "' uses too much shared data");
  // The host has no such calling convention.
  for (llvm::Function& function : *llvm_module)
    function.setCallingConv(llvm::CallingConv::C);
  TENON_ASSIGN_OR_RETURN(
      module->emulator_,
      gpu_test::Emulator::Make(std::move(context), std::move(llvm_module)));
  return module;
}

Status Module::Run(const Kernel& kernel, int64_t groups, int items, size_t local_bytes,
                   const std::vector<uint64_t>& arguments) const {
  static std::mutex& mutex = *new std::mutex;  // the emulator has one local memory
  std::lock_guard lock(mutex);
  return emulator_->Run(kernel.name,
                        {.groups = groups,
                         .items = items,
                         .backwards = false,
                         .dynamic_local_bytes = local_bytes},
                        arguments.data());
}

}  // namespace tenon::fake_cuda
