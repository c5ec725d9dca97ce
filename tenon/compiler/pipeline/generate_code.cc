#include "tenon/compiler/pipeline/generate_code.h"

#include <algorithm>
#include <thread>

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Pass.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "tenon/compiler/codegen/emitter/program_emitter.h"
#include "tenon/compiler/pipeline/compile_thread.h"
#include "tenon/compiler/pipeline/inline_kernels.h"
#include "tenon/compiler/pipeline/masked_stores.h"
#include "tenon/compiler/targets/link/link.h"

namespace tenon::compiler {
namespace {

// What one thread generates: some kernels and, for the first, the program.
struct Share {
  llvm::SmallVector<ir::KernelOp> kernels;
  int64_t cost = 0;
  ir::ProgramOp program;
  llvm::DenseSet<mlir::StringAttr> inlined;  // kernels that become part of the program
  llvm::SmallVector<char, 0> object;
  std::string ir_text, assembly_text;
  Status status;
};

void SetFunctionAttributes(llvm::Module& module, const CodeOptions& options) {
  std::string width = std::to_string(options.target.traits.vector_bits);
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    function.addFnAttr("prefer-vector-width", width);
    function.addFnAttr("min-legal-vector-width", width);
    if (!options.ieee_denormals)
      function.addFnAttr("denormal-fp-math", "preserve-sign,preserve-sign");
    // Exceptions of foreign code may pass through.
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

// LLVM's passes from IR to machine code without loop strength reduction. Kernels' loops
// come with the addresses they should have; looking for better ones took 10 to 45 % of
// the time and made nothing faster.
class CodegenPasses : public llvm::legacy::PassManager {
 public:
  [[maybe_unused]] static constexpr int kUnwanted = 2;  // checked with assertions only

  void add(llvm::Pass* pass) override {
    llvm::StringRef name = pass->getPassName();
    if (name == "Loop Strength Reduction" ||
        name == "Canonicalize Freeze Instructions in Loops") {
      delete pass;  // callers of add() expect that a pass may be found redundant
      ++left_out_;
      return;
    }
    llvm::legacy::PassManager::add(pass);
  }
  int left_out() const { return left_out_; }

 private:
  int left_out_ = 0;
};

llvm::CodeGenOptLevel CodegenLevel(int level) {
  using enum llvm::CodeGenOptLevel;
  return level <= 0 ? None : level == 1 ? Less : level == 2 ? Default : Aggressive;
}

Status EmitFile(llvm::Module& module, llvm::TargetMachine& machine,
                llvm::CodeGenFileType type, llvm::SmallVectorImpl<char>& bytes) {
  llvm::raw_svector_ostream stream(bytes);
  LeakedOnException<CodegenPasses> owned_passes;
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

Status Generate(Share& share, const CodeOptions& options) {
  LeakedOnException<BorrowedTargetMachine> borrowed;
  TENON_ASSIGN_OR_RETURN(*borrowed, BorrowTargetMachine(options.target));
  BorrowedTargetMachine& machine = *borrowed;
  machine->setOptLevel(CodegenLevel(options.optimization_level));
  LeakedOnException<llvm::LLVMContext> context;
  LeakedOnException<llvm::Module> owned_module("tenon", *context);
  llvm::Module& module = *owned_module;
  module.setDataLayout(machine->createDataLayout());
  module.setTargetTriple(machine->getTargetTriple());
  codegen::EmitterOptions emitter_options{options.target.traits};
  emitter_options.target.elementwise.ieee_denormals = options.ieee_denormals;
  emitter_options.target.elementwise.excess_precision = options.excess_precision;
  for (ir::KernelOp kernel : share.kernels)
    TENON_RETURN_IF_ERROR(codegen::KernelEmitter(module, emitter_options).Emit(kernel));
  if (share.program)
    TENON_RETURN_IF_ERROR(
        codegen::ProgramEmitter(module, emitter_options).Emit(share.program));
  SetFunctionAttributes(module, options);
#ifndef NDEBUG
  std::string problems;
  llvm::raw_string_ostream problem_stream(problems);
  if (llvm::verifyModule(module, &problem_stream))
    return Internal("generated invalid LLVM IR: " + problems);
#endif
  Optimize(module, *machine, options.optimization_level, share.inlined);
  if (options.on_text) {
    llvm::raw_string_ostream(share.ir_text) << module;
    llvm::SmallVector<char, 0> text;
    auto copy = BorrowTargetMachine(options.target);
    if (copy.ok()) {
      (*copy)->setOptLevel(machine->getOptLevel());
      TENON_RETURN_IF_ERROR(
          EmitFile(module, **copy, llvm::CodeGenFileType::AssemblyFile, text));
      share.assembly_text.assign(text.data(), text.size());
    }
  }
  return EmitFile(module, *machine, llvm::CodeGenFileType::ObjectFile, share.object);
}

// What a kernel costs to generate, in about a point's op.
int64_t EstimateCost(ir::KernelOp kernel) {
  constexpr int64_t kFunction = 20;  // passes run for each function, however short
  // Loops and register tiles that such ops become.
  constexpr int64_t kContract = 300, kSort = 600;
  int64_t cost = kFunction;
  kernel.walk([&](mlir::Operation* op) {
    if (llvm::isa<ir::ContractOp, ir::ConvolutionOp, ir::FftOp, ir::LinalgOp>(op))
      cost += kContract;
    else if (llvm::isa<ir::SortOp>(op))
      cost += kSort;
    else
      cost += llvm::isa<ir::ParallelOp>(op) ? kFunction : 1;
  });
  return cost;
}

// Spreads kernels over threads, the dearest first, each to the one with the least to do.
std::vector<Share> Distribute(mlir::ModuleOp module, ir::ProgramOp program,
                              size_t threads) {
  std::vector<std::pair<int64_t, ir::KernelOp>> kernels;
  int64_t total = 0;
  for (ir::KernelOp kernel : module.getOps<ir::KernelOp>()) {
    kernels.emplace_back(EstimateCost(kernel), kernel);
    total += kernels.back().first;
  }
  // A thread with a module of its own costs about as much as a small kernel.
  constexpr int64_t kLeast = 100;
  size_t count =
      std::clamp<size_t>(std::min<size_t>(kernels.size(), total / kLeast), 1, threads);
  std::vector<Share> shares(count);
  shares[0].program = program;
  program.walk([&](mlir::Operation*) { ++shares[0].cost; });
  std::stable_sort(kernels.begin(), kernels.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  shares[0].inlined = FindInlinedKernels(program);
  for (auto& [cost, kernel] : kernels) {
    if (shares[0].inlined.contains(kernel.getSymNameAttr())) {
      shares[0].kernels.push_back(kernel);
      shares[0].cost += cost;
      continue;
    }
    Share& least =
        *std::min_element(shares.begin(), shares.end(),
                          [](const Share& a, const Share& b) { return a.cost < b.cost; });
    least.kernels.push_back(kernel);
    least.cost += cost;
  }
  return shares;
}

}  // namespace

StatusOr<ImageCode> GenerateCode(mlir::ModuleOp module, ir::ProgramOp program,
                                 const CodeOptions& options) {
  size_t threads = options.num_threads > 0
                       ? options.num_threads
                       : std::max(1u, std::thread::hardware_concurrency());
  std::vector<Share> shares = Distribute(module, program, threads);
  // Shares without a thread of their own are this one's: systems limit their number.
  std::vector<std::unique_ptr<CompileThread>> workers(shares.size());
  std::vector<bool> started(shares.size());
  for (size_t i = 0; i < shares.size(); ++i)
    workers[i] = std::make_unique<CompileThread>(
        [&share = shares[i], &options] { return Generate(share, options); });
  for (size_t i = 1; i < shares.size(); ++i) started[i] = workers[i]->Start();
  for (size_t i = 0; i < shares.size(); ++i) {
    if (!started[i])
      shares[i].status = RunProtected([&] { return Generate(shares[i], options); });
  }
  for (size_t i = 1; i < shares.size(); ++i)
    if (started[i]) shares[i].status = workers[i]->Join();

  std::vector<std::string_view> objects;
  for (Share& share : shares) {
    TENON_RETURN_IF_ERROR(share.status);
    objects.emplace_back(share.object.data(), share.object.size());
  }
  if (options.on_text) {
    std::string ir_text, assembly_text;
    for (const Share& share : shares) {
      ir_text += share.ir_text;
      assembly_text += share.assembly_text;
    }
    options.on_text("code.ll", ir_text);
    options.on_text("code.s", assembly_text);
  }
  TENON_ASSIGN_OR_RETURN(ImageCode code,
                         codegen::LinkObjects(objects, codegen::kEntryName.str()));
  code.features = options.target.RequiredFeatures();
  return code;
}

}  // namespace tenon::compiler
