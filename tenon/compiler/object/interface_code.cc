#include "tenon/compiler/object/interface_code.h"

#include <algorithm>

#include "llvm/IR/IRBuilder.h"
#include "tenon/compiler/codegen/ir/loops.h"
#include "tenon/compiler/codegen/program/program_emitter.h"
#include "tenon/compiler/object/info_data.h"
#include "tenon/compiler/targets/float_mode.h"
#include "tenon/compiler/targets/processor_check.h"

namespace tenon::compiler {
namespace {

using Builder = llvm::IRBuilder<>;

llvm::Function* NewFunction(llvm::Module& module, llvm::Type* result,
                            llvm::ArrayRef<llvm::Type*> arguments,
                            const llvm::Twine& name, bool exported) {
  auto* function = llvm::Function::Create(
      llvm::FunctionType::get(result, arguments, false),
      exported ? llvm::Function::ExternalLinkage : llvm::Function::InternalLinkage, name,
      module);
  // Some ABIs want an int extended to the width of a register.
  if (result->isIntegerTy(32)) function->addRetAttr(llvm::Attribute::SExt);
  llvm::BasicBlock::Create(module.getContext(), "entry", function);
  return function;
}

void EmitSerialLoop(Builder& b, llvm::FunctionType* body_type, llvm::Value* context,
                    llvm::Value* body, llvm::Value* env, llvm::Value* chunks) {
  codegen::EmitForLoop(b, b.getInt64(0), chunks, 1, {},
                       [&](llvm::Value* chunk, llvm::ArrayRef<llvm::Value*>) {
                         b.CreateCall(body_type, body, {context, env, chunk});
                         return codegen::Values{};
                       });
}

// The function that tenon_env::parallel_for calls: void(void* data, int64_t chunk), on
// any thread. `data` points to the body of the loop and its environment. Loops within a
// chunk are serial, because the body's context is null.
llvm::Function* DefineChunk(llvm::Module& module, const TargetDescription& target,
                            llvm::FunctionType* body_type, bool ieee_denormals) {
  Builder b(module.getContext());
  llvm::Function* function = NewFunction(
      module, b.getVoidTy(), {b.getPtrTy(), b.getInt64Ty()}, "tenon.chunk", false);
  b.SetInsertPoint(&function->back());
  const llvm::Triple triple(target.triple);
  llvm::Value* previous = EmitEnterFloatMode(b, triple, ieee_denormals);
  llvm::Value* data = function->getArg(0);
  llvm::Value* body = b.CreateLoad(b.getPtrTy(), data);
  llvm::Value* env =
      b.CreateLoad(b.getPtrTy(), b.CreateConstInBoundsGEP1_64(b.getPtrTy(), data, 1));
  b.CreateCall(body_type, body,
               {llvm::ConstantPointerNull::get(b.getPtrTy()), env, function->getArg(1)});
  EmitLeaveFloatMode(b, triple, previous);
  b.CreateRetVoid();
  return function;
}

// Calls env->parallel_for(env->user, chunk, data, chunks) if there is one.
void EmitCallback(Builder& b, llvm::Function* function, llvm::Function* chunk,
                  llvm::FunctionType* body_type) {
  llvm::LLVMContext& context = b.getContext();
  llvm::Value *host = function->getArg(0), *body = function->getArg(1),
              *env = function->getArg(2), *chunks = function->getArg(3);
  auto* has_host = llvm::BasicBlock::Create(context, "has_host", function);
  auto* ask = llvm::BasicBlock::Create(context, "ask", function);
  auto* alone = llvm::BasicBlock::Create(context, "alone", function);
  llvm::Value* data = b.CreateAlloca(llvm::ArrayType::get(b.getPtrTy(), 2));
  b.CreateCondBr(b.CreateIsNull(host), alone, has_host);
  b.SetInsertPoint(has_host);
  llvm::Value* parallel_for =
      b.CreateLoad(b.getPtrTy(), b.CreateConstInBoundsGEP1_64(b.getPtrTy(), host, 1));
  b.CreateCondBr(b.CreateIsNull(parallel_for), alone, ask);
  b.SetInsertPoint(ask);
  b.CreateStore(body, data);
  b.CreateStore(env, b.CreateConstInBoundsGEP1_64(b.getPtrTy(), data, 1));
  auto* type = llvm::FunctionType::get(
      b.getVoidTy(), {b.getPtrTy(), b.getPtrTy(), b.getPtrTy(), b.getInt64Ty()}, false);
  b.CreateCall(type, parallel_for,
               {b.CreateLoad(b.getPtrTy(), host), chunk, data, chunks});
  b.CreateRetVoid();
  b.SetInsertPoint(alone);
  EmitSerialLoop(b, body_type, host, body, env, chunks);
}

// int32_t NAME_call(const tenon_env*, const void* const* args, void* const* results,
//                   void* arena)
llvm::Function* DefineCall(llvm::Module& module, const TargetDescription& target,
                           bool ieee_denormals, const std::string& name) {
  Builder b(module.getContext());
  llvm::Type* pointer = b.getPtrTy();
  llvm::Function* function = NewFunction(
      module, b.getInt32Ty(), {pointer, pointer, pointer, pointer}, name + "_call", true);
  b.SetInsertPoint(&function->back());
  const llvm::Triple triple(target.triple);
  llvm::Value* previous = EmitEnterFloatMode(b, triple, ieee_denormals);
  codegen::Values arguments;
  for (llvm::Argument& argument : function->args()) arguments.push_back(&argument);
  llvm::Value* code = b.CreateCall(module.getFunction(codegen::kEntryName), arguments);
  EmitLeaveFloatMode(b, triple, previous);
  b.CreateRet(code);
  return function;
}

// int32_t NAME_run(<typed arguments>, void* arena[, const tenon_env*])
void DefineRun(llvm::Module& module, const ExecutableInfo& info, llvm::Function* call,
               const ObjectOptions& options) {
  const std::vector<RunArgument> arguments = RunArguments(info);
  if (arguments.size() > kMaxCArguments) return;
  Builder b(module.getContext());
  const size_t count = arguments.size() + (options.callback ? 2 : 1);
  llvm::SmallVector<llvm::Type*> types(count, b.getPtrTy());
  llvm::Function* function =
      NewFunction(module, b.getInt32Ty(), types, options.name + "_run", true);
  b.SetInsertPoint(&function->back());
  auto table = [&](size_t size) {
    return b.CreateAlloca(llvm::ArrayType::get(b.getPtrTy(), std::max<size_t>(size, 1)));
  };
  llvm::Value* parameters = table(info.parameters.size());
  llvm::Value* results = table(info.results.size());
  auto store = [&](llvm::Value* value, llvm::Value* array, size_t index) {
    b.CreateStore(value, b.CreateConstInBoundsGEP1_64(b.getPtrTy(), array, index));
  };
  llvm::Value* null = llvm::ConstantPointerNull::get(b.getPtrTy());
  for (size_t i = 0; i < info.parameters.size(); ++i)
    if (info.parameters[i].ByteSize() == 0) store(null, parameters, i);
  for (size_t i = 0; i < info.results.size(); ++i)
    if (info.results[i].ByteSize() == 0) store(null, results, i);
  for (auto [position, argument] : llvm::enumerate(arguments)) {
    llvm::Value* value = function->getArg(static_cast<unsigned>(position));
    store(value, argument.is_result ? results : parameters, argument.index);
    if (argument.in_place >= 0)
      store(value, results, static_cast<size_t>(argument.in_place));
  }
  const auto arena = static_cast<unsigned>(arguments.size());
  b.CreateRet(b.CreateCall(call, {options.callback ? function->getArg(arena + 1) : null,
                                  parameters, results, function->getArg(arena)}));
}

}  // namespace

std::vector<RunArgument> RunArguments(const ExecutableInfo& info) {
  std::vector<RunArgument> arguments;
  std::vector<int64_t> in_place(info.parameters.size(), -1);
  std::vector<bool> aliased(info.results.size());
  for (const ImageAlias& alias : info.aliases) {
    in_place[static_cast<size_t>(alias.parameter)] = alias.result;
    aliased[static_cast<size_t>(alias.result)] = true;
  }
  for (size_t i = 0; i < info.parameters.size(); ++i)
    if (info.parameters[i].ByteSize() > 0) arguments.push_back({false, i, in_place[i]});
  for (size_t i = 0; i < info.results.size(); ++i)
    if (info.results[i].ByteSize() > 0 && !aliased[i]) arguments.push_back({true, i, -1});
  return arguments;
}

void DefineParallelFor(llvm::Module& module, const TargetDescription& target,
                       bool callback, bool ieee_denormals) {
  Builder b(module.getContext());
  llvm::Type* pointer = b.getPtrTy();
  // void(context, env, chunk)
  auto* body_type =
      llvm::FunctionType::get(b.getVoidTy(), {pointer, pointer, b.getInt64Ty()}, false);
  llvm::Function* function =
      NewFunction(module, b.getVoidTy(), {pointer, pointer, pointer, b.getInt64Ty()},
                  codegen::kParallelForName, false);
  b.SetInsertPoint(&function->back());
  if (callback) {
    EmitCallback(b, function, DefineChunk(module, target, body_type, ieee_denormals),
                 body_type);
  } else {
    // Inlined, so that the call of the body is direct.
    function->addFnAttr(llvm::Attribute::AlwaysInline);
    EmitSerialLoop(b, body_type, function->getArg(0), function->getArg(1),
                   function->getArg(2), function->getArg(3));
  }
  b.CreateRetVoid();
}

void DefineInterface(llvm::Module& module, const TargetDescription& target,
                     const Image& image, uint64_t arena_bytes,
                     const InterfaceNames& names, const ObjectOptions& options) {
  Builder b(module.getContext());
  llvm::Function* call =
      DefineCall(module, target, image.info.ieee_denormals, options.name);
  DefineRun(module, image.info, call, options);
  llvm::Function* supported =
      NewFunction(module, b.getInt32Ty(), {}, options.name + "_supported", true);
  b.SetInsertPoint(&supported->back());
  b.CreateRet(EmitProcessorCheck(b, target));
  InfoData(module, options.name).DefineInfo(image, names, target, arena_bytes);
}

}  // namespace tenon::compiler
