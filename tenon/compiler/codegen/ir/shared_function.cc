#include "tenon/compiler/codegen/ir/shared_function.h"

#include "tenon/compiler/codegen/ir/shared_names.h"

namespace tenon::codegen {

Status CallShared(llvm::IRBuilderBase& b, llvm::StringRef name,
                  llvm::ArrayRef<llvm::Value*> arguments,
                  llvm::function_ref<Status(IrValues& parameters)> body) {
  llvm::Module* module = b.GetInsertBlock()->getModule();
  const std::string full_name = (kSharedPrefix + name).str();
  llvm::Function* function = module->getFunction(full_name);
  if (!function) {
    llvm::SmallVector<llvm::Type*> types;
    for (llvm::Value* argument : arguments) types.push_back(argument->getType());
    function =
        llvm::Function::Create(llvm::FunctionType::get(b.getVoidTy(), types, false),
                               llvm::Function::InternalLinkage, full_name, module);
    function->addFnAttr(llvm::Attribute::NoInline);
    llvm::IRBuilderBase::InsertPointGuard guard(b);
    b.SetInsertPoint(llvm::BasicBlock::Create(b.getContext(), "entry", function));
    IrValues parameters;
    for (llvm::Argument& argument : function->args()) parameters.push_back(&argument);
    TENON_RETURN_IF_ERROR(body(parameters));
    b.CreateRetVoid();
  }
  b.CreateCall(function, arguments);
  return OkStatus();
}

}  // namespace tenon::codegen
