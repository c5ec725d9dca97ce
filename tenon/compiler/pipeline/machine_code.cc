#include "tenon/compiler/pipeline/machine_code.h"

#include <utility>

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "tenon/compiler/pipeline/compile_thread.h"
#include "tenon/compiler/pipeline/inline_kernels.h"
#include "tenon/compiler/pipeline/masked_stores.h"

namespace tenon::compiler {
namespace {

// LLVM's passes from IR to machine code, without loop strength reduction. The emitted
// loops have good addresses already; the pass took 10 to 45 % of the compile time and
// made no code faster.
class CodegenPasses : public llvm::legacy::PassManager {
 public:
  // the number of passes left out; checked by an assertion
  [[maybe_unused]] static constexpr int kUnwanted = 2;

  explicit CodegenPasses(std::function<llvm::Pass*()> last) : last_(std::move(last)) {}
  void add(llvm::Pass* pass) override {
    llvm::StringRef name = pass->getPassName();
    if (name == "Loop Strength Reduction" ||
        name == "Canonicalize Freeze Instructions in Loops") {
      delete pass;  // callers of add() expect that it may delete a redundant pass
      ++left_out_;
      return;
    }
    if (last_ && name.ends_with("Assembly Printer"))
      llvm::legacy::PassManager::add(last_());
    llvm::legacy::PassManager::add(pass);
  }
  int left_out() const { return left_out_; }

 private:
  std::function<llvm::Pass*()> last_;
  int left_out_ = 0;
};

}  // namespace

void SetFunctionAttributes(llvm::Module& module, const CodeOptions& options) {
  std::string width = std::to_string(options.target.traits.vector_bits);
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    function.addFnAttr("prefer-vector-width", width);
    function.addFnAttr("min-legal-vector-width", width);
    if (!options.ieee_denormals)
      function.addFnAttr("denormal-fp-math", "preserve-sign,preserve-sign");
    // Exceptions of foreign code may pass through generated code.
    function.setUWTableKind(llvm::UWTableKind::Async);
  }
}

void Optimize(llvm::Module& module, llvm::TargetMachine& machine, int level,
              const llvm::DenseSet<mlir::StringAttr>& inlined) {
  struct Analyses {
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager sccs;
    llvm::ModuleAnalysisManager modules;
  };
  LeakedOnException<Analyses> analyses;
  auto& [loops, functions, sccs, modules] = *analyses;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  InlineKernels(module, inlined, modules, functions);
  llvm::FunctionPassManager passes;
  if (level > 0) passes.addPass(llvm::EarlyCSEPass());
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    if (!function.hasOptNone()) passes.run(function, functions);
    StoreSingleLanes(function);
  }
}

llvm::CodeGenOptLevel CodegenLevel(int level) {
  using enum llvm::CodeGenOptLevel;
  return level <= 0 ? None : level == 1 ? Less : level == 2 ? Default : Aggressive;
}

Status EmitFile(llvm::Module& module, llvm::TargetMachine& machine,
                llvm::CodeGenFileType type, llvm::SmallVectorImpl<char>& bytes,
                const std::function<llvm::Pass*()>& last_pass) {
  llvm::raw_svector_ostream stream(bytes);
  LeakedOnException<CodegenPasses> owned_passes(last_pass);
  CodegenPasses& passes = *owned_passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type, /*DisableVerify=*/true))
    return Internal("LLVM cannot write files of this kind for the target");
#ifndef NDEBUG
  if (machine.getOptLevel() != llvm::CodeGenOptLevel::None &&
      passes.left_out() != CodegenPasses::kUnwanted)
    return Internal("LLVM has renamed passes that are not wanted");
#endif
  passes.run(module);
  return OkStatus();
}

}  // namespace tenon::compiler
