#include "tenon/compiler/pipeline/shared_code.h"

#include "llvm/Transforms/Utils/Cloning.h"
#include "tenon/compiler/codegen/ir/shared_names.h"
#include "tenon/compiler/pipeline/built_in_code.h"
#include "tenon/compiler/pipeline/cache_keys.h"
#include "tenon/compiler/pipeline/compile_thread.h"
#include "tenon/compiler/pipeline/divide_module.h"
#include "tenon/compiler/pipeline/machine_code.h"

namespace tenon::compiler {
bool SharedCode::IsShared(std::string_view name) {
  return name.starts_with(std::string_view(codegen::kSharedPrefix));
}

Status SharedCode::TakeOut(llvm::Module& module, size_t part, size_t parts) {
  llvm::SmallVector<llvm::Function*> functions;
  for (llvm::Function& function : module)
    if (!function.isDeclaration() && IsShared(function.getName()))
      functions.push_back(&function);
  if (functions.empty() || options_.on_text || !Level()) return OkStatus();
  for (size_t i = part; i < functions.size(); i += parts)
    TENON_RETURN_IF_ERROR(Add(*functions[i]));
  for (llvm::Function* function : functions) {
    function->deleteBody();
    Export(*function);
  }
  RemoveUnusedGlobals(module);
  return OkStatus();
}

const TargetLevel* SharedCode::Level() {
  std::lock_guard lock(mutex_);
  if (!is_level_known_) level_ = LevelOf(options_.target);
  is_level_known_ = true;
  return level_ ? &*level_ : nullptr;
}

Status SharedCode::Add(const llvm::Function& function) {
  return Get(function.getName().str(), [&] { return Generate(function); }).status();
}

const std::string* SharedCode::Find(const std::string& name) {
  auto object = Get(
      name, [&]() -> StatusOr<std::string> { return NotFound("no code of " + name); });
  return object.ok() ? object->get() : nullptr;
}

StatusOr<CodeCache::Value> SharedCode::Get(
    const std::string& name, llvm::function_ref<StatusOr<std::string>()> generate) {
  {
    std::lock_guard lock(mutex_);
    if (auto found = objects_.find(name); found != objects_.end()) return found->second;
  }
  const TargetLevel* level = Level();
  if (!level) return NotFound("no level of features for " + name);
  const std::string key = SharedFunctionKey(name, level->target, options_);
  CodeCache::Value object;
  if (auto built_in = FindBuiltInCode(key)) {
    object = std::make_shared<const std::string>(*built_in);
  } else if (options_.cache) {
    TENON_ASSIGN_OR_RETURN(object, options_.cache->Get(KeyOfBuild(key), generate));
  } else {
    TENON_ASSIGN_OR_RETURN(std::string bytes, generate());
    object = std::make_shared<const std::string>(std::move(bytes));
  }
  if (options_.on_shared_code) options_.on_shared_code(key, *object);
  std::lock_guard lock(mutex_);
  return objects_.emplace(name, std::move(object)).first->second;
}

StatusOr<std::string> SharedCode::Generate(const llvm::Function& function) {
  const TargetLevel& level = *Level();
  LeakedOnException<BorrowedTargetMachine> borrowed;
  TENON_ASSIGN_OR_RETURN(
      *borrowed,
      BorrowTargetMachine(level.target, CodegenLevel(options_.optimization_level)));
  BorrowedTargetMachine& machine = *borrowed;
  LeakedOnException<llvm::ValueToValueMapTy> map;
  LeakedOnException<std::unique_ptr<llvm::Module>> module(
      llvm::CloneModule(*function.getParent(), *map, [&](const llvm::GlobalValue* value) {
        return value == &function || llvm::isa<llvm::GlobalVariable>(value);
      }));
  llvm::Function& copy = *(*module)->getFunction(function.getName());
  copy.addFnAttr("tune-cpu", level.tuned_for);
  Export(copy);
  RemoveUnusedGlobals(**module);
  Optimize(**module, *machine, options_.optimization_level, {});
  return EmitObject(**module, std::move(machine));
}

}  // namespace tenon::compiler
