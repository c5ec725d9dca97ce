// Communication between devices and with the host.
#ifndef TENON_DIALECTS_STABLEHLO_COLLECTIVE_OPS_H_
#define TENON_DIALECTS_STABLEHLO_COLLECTIVE_OPS_H_

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tenon/dialects/stablehlo/control_flow_ops.h"
#include "tenon/dialects/stablehlo/dialect.h"
#include "tenon/dialects/stablehlo/traits.h"

namespace tenon::stablehlo {

// The resources that host communication reads and writes. They keep ops of one kind in
// order.
struct InfeedResource : mlir::SideEffects::Resource::Base<InfeedResource> {
  llvm::StringRef getName() final { return "<stablehlo infeed>"; }
};
struct OutfeedResource : mlir::SideEffects::Resource::Base<OutfeedResource> {
  llvm::StringRef getName() final { return "<stablehlo outfeed>"; }
};
struct SendResource : mlir::SideEffects::Resource::Base<SendResource> {
  llvm::StringRef getName() final { return "<stablehlo send>"; }
};
struct RecvResource : mlir::SideEffects::Resource::Base<RecvResource> {
  llvm::StringRef getName() final { return "<stablehlo recv>"; }
};

}  // namespace tenon::stablehlo

#define GET_OP_CLASSES
#include "tenon/dialects/stablehlo/collective_ops.h.inc"

#endif  // TENON_DIALECTS_STABLEHLO_COLLECTIVE_OPS_H_
