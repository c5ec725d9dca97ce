#include "tenon/compiler/import/strip_sharding.h"

#include <algorithm>
#include <string>
#include <utility>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tenon/compiler/diagnostics_to_status.h"
#include "tenon/dialects/sdy/sdy.h"
#include "tenon/dialects/stablehlo/call_ops.h"

namespace tenon::compiler {
namespace {

using llvm::StringRef;
using mlir::Operation;

int64_t CountOf(mlir::ModuleOp module, StringRef name) {
  auto count = module->getAttrOfType<mlir::IntegerAttr>(name);
  return count && count.getValue().getSignificantBits() <= 64 ? count.getInt() : 1;
}

bool IsShardingAttribute(StringRef name) {
  return name.starts_with("sdy.") || name == "mhlo.sharding";
}

mlir::ArrayAttr WithoutShardings(mlir::ArrayAttr dictionaries) {
  if (!dictionaries) return {};
  llvm::SmallVector<mlir::Attribute> kept;
  for (mlir::Attribute entry : dictionaries) {
    auto dictionary = llvm::cast<mlir::DictionaryAttr>(entry);
    llvm::SmallVector<mlir::NamedAttribute> attributes;
    for (mlir::NamedAttribute attribute : dictionary) {
      if (!IsShardingAttribute(attribute.getName())) attributes.push_back(attribute);
    }
    kept.push_back(mlir::DictionaryAttr::get(dictionaries.getContext(), attributes));
  }
  return mlir::ArrayAttr::get(dictionaries.getContext(), kept);
}

void DropAttributes(Operation* op) {
  for (mlir::NamedAttribute attribute : llvm::to_vector(op->getDiscardableAttrs())) {
    if (IsShardingAttribute(attribute.getName())) {
      op->removeDiscardableAttr(attribute.getName());
    }
  }
  if (auto function = llvm::dyn_cast<mlir::func::FuncOp>(op)) {
    if (auto list = WithoutShardings(function.getArgAttrsAttr())) {
      function.setArgAttrsAttr(list);
    }
    if (auto list = WithoutShardings(function.getResAttrsAttr())) {
      function.setResAttrsAttr(list);
    }
  }
}

// Returns the number of devices along the manual axes of a computation, in the mesh of
// its first sharding.
int64_t ManualSize(sdy::ManualComputationOp op, mlir::ModuleOp module) {
  sdy::MeshAttr mesh;
  for (auto shardings : {op.getInShardings(), op.getOutShardings()}) {
    for (sdy::TensorShardingAttr sharding : shardings.getShardings()) {
      if (mesh) break;
      mesh = llvm::dyn_cast<sdy::MeshAttr>(sharding.getMeshOrRef());
      if (auto name = llvm::dyn_cast<mlir::FlatSymbolRefAttr>(sharding.getMeshOrRef())) {
        if (auto symbol = module.lookupSymbol<sdy::MeshOp>(name.getAttr())) {
          mesh = symbol.getMesh();
        }
      }
    }
  }
  int64_t size = 1;
  for (mlir::StringAttr axis : op.getManualAxes()) {
    if (mesh) size *= mesh.getAxisSize(axis.getValue()).value_or(1);
  }
  return size;
}

// Replaces `op` with the operations of its only block.
Status InlineBody(Operation* op) {
  mlir::Block& body = op->getRegion(0).front();
  Operation* terminator = body.getTerminator();
  if (body.getArgumentTypes() != op->getOperandTypes() ||
      terminator->getOperandTypes() != op->getResultTypes()) {
    return InvalidArgument(
        "'" + op->getName().getStringRef().str() +
        "' op splits values over several devices, but the program is for one, at " +
        DescribeLocation(op->getLoc()));
  }
  for (auto [argument, operand] :
       llvm::zip_equal(body.getArguments(), op->getOperands())) {
    argument.replaceAllUsesWith(operand);
  }
  op->replaceAllUsesWith(terminator->getOperands());
  terminator->erase();
  op->getBlock()->getOperations().splice(op->getIterator(), body.getOperations());
  op->erase();
  return OkStatus();
}

// Returns whether `op` is one of the custom calls by which older frameworks convert
// between the global and the per-device view of a sharded value.
bool IsShardingCall(Operation* op) {
  auto call = llvm::dyn_cast<stablehlo::CustomCallOp>(op);
  if (!call || op->getNumOperands() != 1 || op->getNumResults() != 1) return false;
  StringRef target = call.getCallTargetName();
  return (target == "Sharding" || target == "SPMDFullToShardShape" ||
          target == "SPMDShardToFullShape") &&
         op->getOperandTypes() == op->getResultTypes();
}

}  // namespace

DeviceCounts CountDevices(mlir::ModuleOp module, int64_t num_replicas,
                          int64_t num_partitions) {
  return {std::max(num_replicas, CountOf(module, "mhlo.num_replicas")),
          std::max(num_partitions, CountOf(module, "mhlo.num_partitions"))};
}

Status StripSharding(mlir::ModuleOp module, const DeviceCounts& devices) {
  // Inner computations come before outer ones, so that no body is moved twice.
  llvm::SmallVector<Operation*> operations;
  module->walk([&](Operation* op) {
    DropAttributes(op);
    if (op->getName().getDialectNamespace() == "sdy" || IsShardingCall(op)) {
      operations.push_back(op);
    }
  });
  for (Operation* op : operations) {
    if (auto manual = llvm::dyn_cast<sdy::ManualComputationOp>(op)) {
      if (int64_t size = ManualSize(manual, module); size != 1) {
        return InvalidArgument("the number of devices is " +
                               std::to_string(devices.replicas * devices.partitions) +
                               ", but a manual computation splits its operands over " +
                               std::to_string(size) + " (at " +
                               DescribeLocation(op->getLoc()) + ")");
      }
    }
  }
  for (Operation* op : operations) {
    if (llvm::isa<sdy::ReturnOp>(op)) continue;  // erased with its computation
    if (llvm::isa<sdy::ManualComputationOp, sdy::NamedComputationOp>(op)) {
      TENON_RETURN_IF_ERROR(InlineBody(op));
    } else {
      // Meshes and groups have no results; all others forward their operands.
      if (op->getNumResults() > 0) op->replaceAllUsesWith(op->getOperands());
      op->erase();
    }
  }
  return OkStatus();
}

}  // namespace tenon::compiler
