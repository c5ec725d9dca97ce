#include "tenon/compiler/extension/extension.h"

#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/Builders.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler {

Status RunPasses(std::span<const Extension* const> extensions, Phase phase,
                 mlir::ModuleOp module) {
  for (const Extension* extension : extensions) {
    mlir::PassManager passes(module->getContext());
    extension->AddPasses(phase, passes);
    if (passes.empty()) continue;
    if (mlir::failed(passes.run(module))) {
      return Internal("a pass of the compiler extension '" +
                      std::string(extension->name()) + "' failed");
    }
  }
  return OkStatus();
}

void OfferFusions(std::span<const Extension* const> extensions, mlir::ModuleOp module) {
  if (extensions.empty()) return;
  llvm::SmallVector<ir::FusionOp> fusions;
  module.walk([&](ir::FusionOp fusion) { fusions.push_back(fusion); });
  for (ir::FusionOp fusion : fusions) {
    for (const Extension* extension : extensions) {
      std::optional<FusionCall> call = extension->TakeFusion(fusion);
      if (!call) continue;
      mlir::OpBuilder builder(fusion);
      mlir::OperationState state(fusion.getLoc(),
                                 stablehlo::CustomCallOp::getOperationName());
      state.addOperands(fusion.getInputs());
      state.addTypes(fusion.getOutputs().getTypes());
      state.addAttribute("call_target_name", builder.getStringAttr(call->target));
      state.addAttribute("api_version",
                         stablehlo::CustomCallApiVersionAttr::get(
                             builder.getContext(),
                             stablehlo::CustomCallApiVersion::API_VERSION_TYPED_FFI));
      state.addAttribute("backend_config", call->attributes
                                               ? call->attributes
                                               : builder.getDictionaryAttr({}));
      fusion->replaceAllUsesWith(builder.create(state));
      fusion->erase();
      break;
    }
  }
}

}  // namespace tenon::compiler
