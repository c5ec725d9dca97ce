// Code of functions that kernels of different programs share (codegen/ir/shared_names.h).
// It is made for a level of the architecture (TargetLevel), so it can be part of the
// plugin: from there, from the code cache, or generated
// (docs/design/0017-kernel-cache.md).
#ifndef TENON_COMPILER_PIPELINE_SHARED_CODE_H_
#define TENON_COMPILER_PIPELINE_SHARED_CODE_H_

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "llvm/IR/Module.h"
#include "tenon/compiler/pipeline/generate_code.h"

namespace tenon::compiler {

// The shared functions of one compilation. Thread-safe.
class SharedCode {
 public:
  explicit SharedCode(const CodeOptions& options) : options_(options) {}

  // Removes the bodies of the module's shared functions, and makes every `parts`-th of
  // them from number `part` on available to Find. Does nothing for a target without
  // levels.
  Status TakeOut(llvm::Module& module, size_t part, size_t parts);
  // The object of a function, which lives as long as this. Null if no module had it, and
  // neither the plugin nor the cache has it.
  const std::string* Find(const std::string& name);

  static bool IsShared(std::string_view name);

 private:
  StatusOr<CodeCache::Value> Get(const std::string& name,
                                 llvm::function_ref<StatusOr<std::string>()> generate);
  Status Add(const llvm::Function& function);
  StatusOr<std::string> Generate(const llvm::Function& function);
  // That of the target; null if there is none. Programs without shared functions do not
  // look for it.
  const TargetLevel* Level();

  const CodeOptions& options_;
  std::mutex mutex_;
  bool is_level_known_ = false;
  std::optional<TargetLevel> level_;
  std::map<std::string, CodeCache::Value, std::less<>> objects_;  // by name
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PIPELINE_SHARED_CODE_H_
