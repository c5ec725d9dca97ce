#include "tenon/compiler/pipeline/inline_kernels.h"

#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "mlir/IR/BuiltinOps.h"
#include "tenon/compiler/analysis/point_ops.h"

namespace tenon::compiler {
namespace {

// Limits in ops of a kernel's body. A kernel above kMaxOps takes longer than its call.
constexpr int kMaxOps = 48, kCostlyOp = 8, kMaxLaunches = 4;

bool IsShort(ir::KernelOp kernel) {
  int ops = 0;
  for (mlir::Operation& phase : kernel.getBody().front()) {
    auto parallel = llvm::dyn_cast<ir::ParallelOp>(phase);
    if (!parallel) return false;
    int64_t points = 1;
    for (int64_t size : parallel.getSizes()) points *= size;
    // divided among threads
    if (points > static_cast<int64_t>(parallel.getGrain())) return false;
    parallel.walk([&](mlir::Operation* op) {
      if (llvm::isa<ir::ReduceOp, ir::ScanOp, ir::TileOp, ir::LocalOp>(op))
        ops += kMaxOps;
      ops += IsCostly(op) ? kCostlyOp : 1;
    });
  }
  return ops <= kMaxOps;
}

}  // namespace

llvm::DenseSet<mlir::StringAttr> FindInlinedKernels(ir::ProgramOp program) {
  llvm::DenseMap<mlir::StringAttr, int> launches;
  program.walk([&](ir::LaunchOp launch) {
    mlir::StringAttr name = launch.getKernelAttr().getAttr();
    bool in_loop = launch->getParentOfType<ir::WhileOp>() != nullptr;
    // A kernel that is also launched outside a loop is never inlined.
    launches[name] += in_loop ? 1 : kMaxLaunches + 1;
  });
  llvm::DenseSet<mlir::StringAttr> names;
  for (auto kernel : program->getParentOfType<mlir::ModuleOp>().getOps<ir::KernelOp>()) {
    int count = launches.lookup(kernel.getSymNameAttr());
    if (count > 0 && count <= kMaxLaunches && IsShort(kernel))
      names.insert(kernel.getSymNameAttr());
  }
  return names;
}

void InlineKernels(llvm::Module& module, const llvm::DenseSet<mlir::StringAttr>& names,
                   llvm::ModuleAnalysisManager& modules,
                   llvm::FunctionAnalysisManager& functions) {
  if (names.empty()) return;
  for (mlir::StringAttr name : names) {
    llvm::Function* kernel = module.getFunction(name.getValue());
    kernel->setVisibility(llvm::GlobalValue::DefaultVisibility);
    kernel->setLinkage(llvm::GlobalValue::InternalLinkage);
    auto inline_always = [](llvm::Function& function) {
      function.removeFnAttr(llvm::Attribute::OptimizeNone);
      function.removeFnAttr(llvm::Attribute::NoInline);
      function.addFnAttr(llvm::Attribute::AlwaysInline);
    };
    inline_always(*kernel);
    std::string phases = name.str() + ".phase";
    for (llvm::Function& function : module)
      if (function.getName().starts_with(phases)) inline_always(function);
  }
  llvm::ModulePassManager inliner;
  inliner.addPass(llvm::AlwaysInlinerPass());
  inliner.run(module, modules);
  llvm::FunctionPassManager promotion;
  promotion.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  for (llvm::Function& function : module)
    if (!function.isDeclaration() && !function.hasOptNone())
      promotion.run(function, functions);
}

}  // namespace tenon::compiler
