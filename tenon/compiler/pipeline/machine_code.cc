#include "tenon/compiler/pipeline/machine_code.h"

#include <memory>
#include <utility>

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "tenon/base/idle_pool.h"
#include "tenon/compiler/pipeline/compile_thread.h"
#include "tenon/compiler/pipeline/inline_kernels.h"
#include "tenon/compiler/pipeline/masked_stores.h"
#include "tenon/compiler/targets/scheduling.h"

namespace tenon::compiler {
namespace {

// LLVM's passes from IR to machine code, without loop strength reduction: the emitted
// loops have good addresses already; the pass took 10 to 45 % of the compile time and
// made no code faster. Processors that execute out of order do without the second
// scheduler, too, for which some of LLVM's models ask. It took up to 40 % of the time of
// long blocks.
class CodegenPasses : public llvm::legacy::PassManager {
 public:
  CodegenPasses(bool out_of_order, std::function<llvm::Pass*()> last)
      : unwanted_{"Loop Strength Reduction", "Canonicalize Freeze Instructions in Loops"},
        last_(std::move(last)) {
    if (out_of_order) unwanted_.push_back("Post RA top-down list latency scheduler");
  }
  void add(llvm::Pass* pass) override {
    llvm::StringRef name = pass->getPassName();
    const auto* unwanted = llvm::find(unwanted_, name);
    if (unwanted != unwanted_.end()) {
      delete pass;  // callers of add() expect that it may delete a redundant pass
      if (unwanted < unwanted_.begin() + kOfAllTargets) ++left_out_;
      return;
    }
    if (last_ && name.ends_with("Assembly Printer"))
      llvm::legacy::PassManager::add(last_());
    llvm::legacy::PassManager::add(pass);
  }
  // For an assertion.
  [[maybe_unused]] bool has_left_out() const { return left_out_ == kOfAllTargets; }

 private:
  static constexpr size_t kOfAllTargets = 2;  // the first unwanted passes
  llvm::SmallVector<llvm::StringRef, 3> unwanted_;
  std::function<llvm::Pass*()> last_;
  size_t left_out_ = 0;
};

Status AddPasses(CodegenPasses& passes, llvm::TargetMachine& machine,
                 llvm::raw_svector_ostream& stream, llvm::CodeGenFileType type) {
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type, /*DisableVerify=*/true))
    return Internal("LLVM cannot write files of this kind for the target");
  [[maybe_unused]] const bool is_bounded = BoundScheduling();
#ifndef NDEBUG
  if (!is_bounded) return Internal("LLVM has renamed an option");
  if (machine.getOptLevel() != llvm::CodeGenOptLevel::None && !passes.has_left_out())
    return Internal("LLVM has renamed passes that are not wanted");
#endif
  return OkStatus();
}

// LLVM's passes of a target, with a machine and memory of their own. LLVM's passes may
// run several times; setting them up takes as long as generating a short function.
struct ObjectPasses {
  explicit ObjectPasses(BorrowedTargetMachine machine)
      : machine(std::move(machine)),
        stream(bytes),
        passes(this->machine->getMCSubtargetInfo()->getSchedModel().isOutOfOrder(),
               nullptr) {}

  const BorrowedTargetMachine machine;
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream;
  CodegenPasses passes;
};

// By the key of the machine.
IdlePool<ObjectPasses>& IdlePasses() {
  static auto* passes = new IdlePool<ObjectPasses>(8);
  return *passes;
}

// Passes keep the memory that the largest function took.
constexpr unsigned kMaxKeptInstructions = 20000;

StatusOr<std::unique_ptr<ObjectPasses>> TakePasses(BorrowedTargetMachine machine) {
  if (auto passes = IdlePasses().Take(machine.get_deleter().key)) return passes;
  LeakedOnException<std::unique_ptr<ObjectPasses>> made(
      std::make_unique<ObjectPasses>(std::move(machine)));
  ObjectPasses& passes = **made;
  TENON_RETURN_IF_ERROR(AddPasses(passes.passes, *passes.machine, passes.stream,
                                  llvm::CodeGenFileType::ObjectFile));
  return std::move(*made);
}

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
  const bool out_of_order = machine.getMCSubtargetInfo()->getSchedModel().isOutOfOrder();
  LeakedOnException<CodegenPasses> passes(out_of_order, last_pass);
  TENON_RETURN_IF_ERROR(AddPasses(*passes, machine, stream, type));
  passes->run(module);
  return OkStatus();
}

StatusOr<std::string> EmitObject(llvm::Module& module, BorrowedTargetMachine machine) {
  LeakedOnException<std::unique_ptr<ObjectPasses>> owner;
  TENON_ASSIGN_OR_RETURN(*owner, TakePasses(std::move(machine)));
  ObjectPasses& passes = **owner;
  passes.passes.run(module);
  std::string object(passes.bytes.data(), passes.bytes.size());
  passes.bytes.clear();
  if (module.getInstructionCount() <= kMaxKeptInstructions)
    IdlePasses().Keep(passes.machine.get_deleter().key, std::move(*owner));
  return object;
}

}  // namespace tenon::compiler
