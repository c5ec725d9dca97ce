#include "tenon/compiler/object/ffi_functions.h"

#include <algorithm>
#include <cctype>

#include "llvm/IR/IRBuilder.h"
#include "tenon/compiler/codegen/program/program_emitter.h"
#include "tenon/compiler/object/c_names.h"
#include "tenon/compiler/object/info_data.h"
#include "tenon/compiler/targets/float_mode.h"

namespace tenon::compiler {
namespace {

constexpr llvm::StringLiteral kOfUser = "tenon.of_user.";

bool IsPlain(const std::string& target) {
  return !target.empty() && !std::isdigit(static_cast<unsigned char>(target[0])) &&
         std::ranges::all_of(target, [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
         });
}

std::string FunctionOf(const ImageFfiCall& call) {
  std::string name = CIdentifier(call.target);
  // Underscores that CIdentifier leaves out do no harm here. What it adds does some good.
  return IsPlain(call.target) && name.size() <= call.target.size() ? call.target : name;
}

bool IsRowMajor(const ImageTensor& tensor) {
  return std::ranges::is_sorted(tensor.minor_to_major, std::greater<>());
}

}  // namespace

std::set<std::string> FfiFunctions(const ExecutableInfo& info) {
  std::set<std::string> names;
  for (const ImageFfiCall& call : info.ffi_calls) names.insert(FunctionOf(call));
  return names;
}

Status CheckFfiCalls(const ExecutableInfo& info, const std::string& object_name) {
  for (const ImageFfiCall& call : info.ffi_calls) {
    const auto refused = [&](const std::string& why) {
      return Unimplemented("custom call '" + call.target + "' in an object file: " + why);
    };
    if (call.target.find("python") != std::string::npos &&
        call.target.find("callback") != std::string::npos)
      return refused("there is no Python that could be called back");
    const std::string name = FunctionOf(call);
    if (name.empty()) return refused("C has no name for it");
    for (const char* used : {"memcpy", "memmove", "memset"})
      if (name == used) return refused("code generation uses this name");
    for (const char* used : {"_run", "_call", "_supported", "_info"})
      if (name == object_name + used)
        return refused("the object itself has this name; use --name");
    if (!std::ranges::all_of(call.operands, IsRowMajor) ||
        !std::ranges::all_of(call.results, IsRowMajor))
      return refused("its arrays are not row-major");
  }
  return OkStatus();
}

Status DefineFfiCalls(llvm::Module& module, const TargetDescription& target,
                      const ExecutableInfo& info, const std::string& object_name) {
  llvm::IRBuilder<> b(module.getContext());
  llvm::Type* pointer = b.getPtrTy();
  auto* site_type =
      llvm::FunctionType::get(b.getInt32Ty(), {pointer, pointer, pointer}, false);
  auto* user_type = llvm::FunctionType::get(b.getInt32Ty(),
                                            {pointer, pointer, pointer, pointer}, false);
  const llvm::Triple triple(target.triple);
  for (auto [site, call] : llvm::enumerate(info.ffi_calls)) {
    TENON_ASSIGN_OR_RETURN(llvm::Constant* const described,
                           InfoData(module, object_name).FfiCall(call));
    llvm::FunctionCallee user =
        module.getOrInsertFunction((kOfUser + FunctionOf(call)).str(), user_type);
    llvm::cast<llvm::Function>(user.getCallee())->addRetAttr(llvm::Attribute::SExt);
    auto* function = llvm::Function::Create(
        site_type, llvm::Function::InternalLinkage,
        codegen::FfiFunctionName(static_cast<int64_t>(site)), module);
    b.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "entry", function));
    // Functions expect the mode in which C programs start.
    llvm::Value* previous = EmitEnterFloatMode(b, triple, /*ieee_denormals=*/true);
    llvm::Value* code = b.CreateCall(
        user, {function->getArg(0), described, function->getArg(1), function->getArg(2)});
    EmitLeaveFloatMode(b, triple, previous);
    b.CreateRet(code);
  }
  return OkStatus();
}

void NameFfiFunctions(llvm::Module& module) {
  for (llvm::Function& function : module)
    if (function.getName().starts_with(kOfUser))
      function.setName(function.getName().substr(kOfUser.size()).str());
}

}  // namespace tenon::compiler
