// ShardingTable::Write: from the table to the attributes of the program.
#include "llvm/ADT/STLExtras.h"
#include "tenon/compiler/partition/manual_axes.h"
#include "tenon/compiler/partition/sharding_table.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler::partition {

using mlir::Operation;
using mlir::Value;

// Null if no value has a sharding; else those without one are open.
sdy::TensorShardingPerValueAttr ShardingTable::WriteList(mlir::ValueRange values) {
  const Sharding* first = nullptr;
  for (Value value : values) {
    if (!first) first = Find(value);
  }
  if (!first) return nullptr;
  mlir::MLIRContext* context = values.front().getContext();
  int32_t mesh = first->mesh;
  auto list = llvm::map_to_vector(values, [&](Value value) {
    if (const Sharding* sharding = Find(value)) {
      return WriteSharding(*sharding, meshes_, context);
    }
    auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
    return WriteSharding(
        Sharding::Replicated(mesh, type ? type.getRank() : 0, /*open=*/true), meshes_,
        context);
  });
  return sdy::TensorShardingPerValueAttr::get(context, list);
}

void ShardingTable::WriteOp(Operation* op) {
  if (auto manual = llvm::dyn_cast<sdy::ManualComputationOp>(op)) {
    const Manual& given = manual_.find(op)->second;
    auto in = llvm::map_to_vector(
        llvm::enumerate(manual.getBody().getArguments()), [&](auto it) {
          const Sharding* sharding = Find(it.value());
          const Sharding& outer = given.in[it.index()];
          return WriteSharding(
              sharding ? WithManualAxes(outer, *sharding, given.axes) : outer, meshes_,
              op->getContext());
        });
    auto out = llvm::map_to_vector(llvm::enumerate(op->getResults()), [&](auto it) {
      const Sharding* sharding = Find(it.value());
      return WriteSharding(sharding ? *sharding : given.out[it.index()], meshes_,
                           op->getContext());
    });
    manual.setInShardingsAttr(sdy::TensorShardingPerValueAttr::get(op->getContext(), in));
    manual.setOutShardingsAttr(
        sdy::TensorShardingPerValueAttr::get(op->getContext(), out));
    return;
  }
  if (auto named = llvm::dyn_cast<sdy::NamedComputationOp>(op)) {
    auto arguments = llvm::to_vector_of<Value>(named.getBody().getArguments());
    if (auto in = WriteList(arguments)) named.setInShardingsAttr(in);
    if (auto out = WriteList(op->getResults())) named.setOutShardingsAttr(out);
    return;
  }
  auto list = WriteList(op->getResults());
  if (!list) return;
  if (auto constraint = llvm::dyn_cast<sdy::ShardingConstraintOp>(op)) {
    constraint.setShardingAttr(list.getShardings().front());
  } else if (auto reshard = llvm::dyn_cast<sdy::ReshardOp>(op)) {
    reshard.setShardingAttr(list.getShardings().front());
  } else {
    op->setAttr(kShardingAttr, list);
  }
}

void ShardingTable::WriteFunction(mlir::func::FuncOp function, bool is_main) {
  if (function.isExternal()) return;
  for (mlir::BlockArgument argument : function.getArguments()) {
    if (const Sharding* sharding = Find(argument)) {
      function.setArgAttr(argument.getArgNumber(), kShardingAttr,
                          WriteSharding(*sharding, meshes_, function.getContext()));
    }
  }
  if (!is_main) return;
  for (auto [number, place] : llvm::enumerate(results_)) {
    if (place < 0 || !entries_[place].sharding) continue;
    function.setResultAttr(
        number, kShardingAttr,
        WriteSharding(*entries_[place].sharding, meshes_, function.getContext()));
  }
}

void ShardingTable::Write(mlir::ModuleOp module) {
  module.walk([&](sdy::DataFlowEdgeOp edge) {
    Place place = PlaceOf(edge.getResult());
    places_.erase(edge.getResult());
    places_[edge.getInput()] = place;
    edge.getResult().replaceAllUsesWith(edge.getInput());
    edge.erase();
  });
  mlir::func::FuncOp main = MainFunction(module);
  module.walk([&](Operation* op) {
    if (auto function = llvm::dyn_cast<mlir::func::FuncOp>(op)) {
      WriteFunction(function, function == main);
    } else {
      WriteOp(op);
    }
  });
}

}  // namespace tenon::compiler::partition
