// Calls as named computations, and back. Within a named computation, shardings propagate
// per call, and the borders of the call take part in the order of propagation.
#include <vector>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "mlir/IR/SymbolTable.h"
#include "tenon/compiler/diagnostics_to_status.h"
#include "tenon/compiler/partition/prepare.h"

namespace tenon::compiler::partition {
namespace {

using mlir::func::CallOp;
using mlir::func::FuncOp;

// Limits programs that grow exponentially: each op takes some hundred bytes.
constexpr int64_t kMaxClonedOps = 2'000'000;

// The shardings of arguments or results; open where there is none, null if all are so.
sdy::TensorShardingPerValueAttr ShardingsOf(
    mlir::TypeRange types, llvm::function_ref<sdy::TensorShardingAttr(unsigned)> get) {
  mlir::Attribute mesh;
  for (unsigned i = 0; i < types.size() && !mesh; ++i) {
    if (auto sharding = get(i)) mesh = sharding.getMeshOrRef();
  }
  if (!mesh) return nullptr;
  llvm::SmallVector<sdy::TensorShardingAttr> shardings;
  for (auto [i, type] : llvm::enumerate(types)) {
    sdy::TensorShardingAttr sharding = get(i);
    if (!sharding) {
      auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
      llvm::SmallVector<sdy::DimensionShardingAttr> dims(
          tensor ? tensor.getRank() : 0,
          sdy::DimensionShardingAttr::get(mesh.getContext(), {}, /*is_closed=*/false,
                                          std::nullopt));
      sharding = sdy::TensorShardingAttr::get(mesh.getContext(), mesh, dims, {}, {});
    }
    shardings.push_back(sharding);
  }
  return sdy::TensorShardingPerValueAttr::get(mesh.getContext(), shardings);
}

class Importer {
 public:
  explicit Importer(mlir::ModuleOp module) : symbols_(module) {}

  // Imports the calls of `root` and of all functions that it calls, callees first.
  Status Run(FuncOp root) {
    TENON_RETURN_IF_ERROR(FindOrder(root));
    // Clones are added to the end of the list, with callees of their own.
    for (size_t i = 0, count = order_.size(); i < count; ++i) {
      auto calls = calls_[order_[i]];
      for (CallOp call : calls) TENON_RETURN_IF_ERROR(TakeCallee(call));
    }
    for (size_t i = 0; i < order_.size(); ++i) {
      for (CallOp call : calls_[order_[i]]) Import(call);
    }
    for (FuncOp callee : callees_) symbols_.erase(callee);
    root.walk([](sdy::NamedComputationOp op) { AddDataFlowEdges(op); });
    return OkStatus();
  }

 private:
  // Lists functions after those that they call. Iterative, because chains of calls may be
  // long.
  Status FindOrder(FuncOp root) {
    struct Frame {
      FuncOp function;
      size_t next = 0;
    };
    enum class State { kOpen, kDone };
    llvm::DenseMap<mlir::Operation*, State> state;
    llvm::SmallVector<Frame> stack;
    auto enter = [&](FuncOp function) {
      state[function] = State::kOpen;
      FindCalls(function);
      stack.push_back({function});
    };
    enter(root);
    while (!stack.empty()) {
      FuncOp function = stack.back().function;
      const auto& calls = calls_[function];
      if (stack.back().next == calls.size()) {
        state[function] = State::kDone;
        order_.push_back(function);
        stack.pop_back();
        continue;
      }
      TENON_ASSIGN_OR_RETURN(FuncOp callee, Lookup(calls[stack.back().next++]));
      auto it = state.find(callee);
      if (it == state.end()) {
        enter(callee);
      } else if (it->second == State::kOpen) {
        return InvalidArgument("call of function '" + callee.getSymName().str() +
                               "' is recursive, which StableHLO does not allow");
      }
    }
    return OkStatus();
  }

  void FindCalls(FuncOp function) {
    auto& calls = calls_[function];
    int64_t count = 0;
    function.walk([&](mlir::Operation* op) {
      ++count;
      if (auto call = llvm::dyn_cast<CallOp>(op)) calls.push_back(call);
    });
    size_[function] = count;
  }

  StatusOr<FuncOp> Lookup(CallOp call) {
    auto callee = symbols_.lookup<FuncOp>(call.getCallee());
    if (!callee || callee.isExternal()) {
      return InvalidArgument(
          "call of function '" + call.getCallee().str() +
          "' failed: the module has no such function with a body, at " +
          DescribeLocation(call.getLoc()));
    }
    return callee;
  }

  // Gives the call a callee of its own: the function, or a clone from the second call on.
  Status TakeCallee(CallOp call) {
    TENON_ASSIGN_OR_RETURN(FuncOp callee, Lookup(call));
    if (callees_.insert(callee)) {
      name_[callee] = callee.getSymName().str();
      return OkStatus();
    }
    return Clone(call, callee);
  }

  // Clones `callee` and, in turn, what it calls.
  Status Clone(CallOp call, FuncOp callee) {
    llvm::SmallVector<std::pair<CallOp, FuncOp>> todo{{call, callee}};
    while (!todo.empty()) {
      auto [caller, original] = todo.pop_back_val();
      cloned_ += size_[original];
      if (cloned_ > kMaxClonedOps) {
        return ResourceExhausted("calls of the program's functions expand to more than " +
                                 std::to_string(kMaxClonedOps) + " operations");
      }
      FuncOp clone = original.clone();
      caller.setCalleeAttr(mlir::FlatSymbolRefAttr::get(symbols_.insert(clone)));
      name_[clone] = name_[original];
      callees_.insert(clone);
      FindCalls(clone);
      order_.push_back(clone);
      for (CallOp inner : calls_[clone]) {
        TENON_ASSIGN_OR_RETURN(FuncOp inner_callee, Lookup(inner));
        todo.push_back({inner, inner_callee});
      }
    }
    return OkStatus();
  }

  void Import(CallOp call) {
    auto callee = symbols_.lookup<FuncOp>(call.getCallee());
    auto in = ShardingsOf(callee.getArgumentTypes(), [&](unsigned i) {
      return callee.getArgAttrOfType<sdy::TensorShardingAttr>(i, kShardingAttr);
    });
    auto out = call->getAttrOfType<sdy::TensorShardingPerValueAttr>(kShardingAttr);
    if (!out) {
      out = ShardingsOf(callee.getResultTypes(), [&](unsigned i) {
        return callee.getResultAttrOfType<sdy::TensorShardingAttr>(i, kShardingAttr);
      });
    }
    mlir::OpBuilder builder(call);
    auto named =
        sdy::NamedComputationOp::create(builder, call.getLoc(), call.getResultTypes(),
                                        name_[callee], call.getOperands(), in, out);
    for (mlir::NamedAttribute attribute : call->getDiscardableAttrs()) {
      if (attribute.getName() != kShardingAttr) {
        named->setDiscardableAttr(attribute.getName(), attribute.getValue());
      }
    }
    named.getBody().takeBody(callee.getBody());
    mlir::Operation* last = named.getBody().front().getTerminator();
    builder.setInsertionPoint(last);
    sdy::ReturnOp::create(builder, last->getLoc(), last->getOperands());
    last->erase();
    call->replaceAllUsesWith(named);
    call.erase();
  }

  mlir::SymbolTable symbols_;
  std::vector<FuncOp> order_;
  llvm::DenseMap<mlir::Operation*, llvm::SmallVector<CallOp>> calls_;
  llvm::DenseMap<mlir::Operation*, int64_t> size_;
  llvm::DenseMap<mlir::Operation*, std::string> name_;  // of the original of a clone
  llvm::SetVector<FuncOp> callees_;
  int64_t cloned_ = 0;
};

}  // namespace

Status ImportCalls(mlir::ModuleOp module) {
  FuncOp main = MainFunction(module);
  if (!main) return InvalidArgument("the program has no function to call");
  return Importer(module).Run(main);
}

void InlineNamedComputations(mlir::ModuleOp module) {
  // Inner ones before those around them, so that no op moves twice per level.
  module.walk([&](sdy::NamedComputationOp op) {
    mlir::Block& body = op.getBody().front();
    for (auto [argument, operand] :
         llvm::zip_equal(body.getArguments(), op->getOperands())) {
      argument.replaceAllUsesWith(operand);
    }
    mlir::Operation* last = body.getTerminator();
    op->replaceAllUsesWith(last->getOperands());
    last->erase();
    op->getBlock()->getOperations().splice(op->getIterator(), body.getOperations());
    op.erase();
  });
}

}  // namespace tenon::compiler::partition
