#include "tenon/compiler/diagnostics_to_status.h"
#include "tenon/compiler/pipeline/describe.h"
#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::compiler {
namespace {

// Returns "jit(f)/jit(sort)/sort": the names that a framework gave an op and its callers.
std::string OpName(mlir::Location location) {
  if (auto fused = llvm::dyn_cast<mlir::FusedLoc>(location))
    return fused.getLocations().empty() ? "" : OpName(fused.getLocations().front());
  if (auto call = llvm::dyn_cast<mlir::CallSiteLoc>(location)) {
    std::string caller = OpName(call.getCaller()), callee = OpName(call.getCallee());
    return caller + (caller.empty() || callee.empty() ? "" : "/") + callee;
  }
  auto name = llvm::dyn_cast<mlir::NameLoc>(location);
  return name ? name.getName().strref().rtrim(':').str() : "";
}

}  // namespace

std::vector<ImageKernel> DescribeKernels(mlir::ModuleOp module) {
  std::vector<ImageKernel> kernels;
  for (ir::KernelOp kernel : module.getOps<ir::KernelOp>()) {
    ImageKernel& added = kernels.emplace_back();
    added.name = kernel.getSymName().str();
    mlir::Location location = kernel.getLoc();
    added.op_name = OpName(location);
    if (location->findInstanceOf<mlir::FileLineColRange>())
      added.source = DescribeLocation(location);
  }
  return kernels;
}

}  // namespace tenon::compiler
