#include <map>

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tenon/compiler/analysis/point_ops.h"
#include "tenon/compiler/diagnostics_to_status.h"
#include "tenon/compiler/legalize/legalize.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler {
namespace {

mlir::FlatSymbolRefAttr CalleeOf(mlir::Operation* op) {
  if (auto call = llvm::dyn_cast<mlir::func::CallOp>(op)) return call.getCalleeAttr();
  auto composite = llvm::dyn_cast<stablehlo::CompositeOp>(op);
  if (!composite || IsElementwise(op)) return nullptr;
  return composite.getDecompositionAttr();
}

// An op takes some kilobytes of memory. This limits programs that grow exponentially.
constexpr int64_t kMaxInlinedOps = 2'000'000;

// Inlines callees only after their own calls are inlined, so that no call is cloned.
class Inliner {
 public:
  explicit Inliner(mlir::ModuleOp module) : symbols_(module) {}

  // Finishes callees before their callers. Iterative, because call chains may be long.
  Status Run(mlir::func::FuncOp root) {
    TENON_RETURN_IF_ERROR(Enter(root));
    while (!stack_.empty()) {
      Frame& frame = stack_.back();
      if (frame.next == frame.calls.size()) {
        TENON_RETURN_IF_ERROR(MergeEqualCalls(frame));
        for (mlir::Operation* call : frame.calls) TENON_RETURN_IF_ERROR(Inline(call));
        Finish(frame.function);
        state_[frame.function] = State::kDone;
        stack_.pop_back();
        continue;
      }
      mlir::Operation* call = frame.calls[frame.next++];
      TENON_ASSIGN_OR_RETURN(mlir::func::FuncOp callee, Lookup(CalleeOf(call)));
      auto state = state_.find(callee);
      if (state == state_.end()) {
        TENON_RETURN_IF_ERROR(Enter(callee));
      } else if (state->second == State::kOpen) {
        return InvalidArgument("call of function '" + callee.getSymName().str() +
                               "' is recursive, which StableHLO does not allow");
      }
    }
    return OkStatus();
  }

  StatusOr<mlir::func::FuncOp> Lookup(mlir::FlatSymbolRefAttr name) {
    auto callee = symbols_.lookup<mlir::func::FuncOp>(name.getValue());
    if (!callee || callee.isExternal())
      return InvalidArgument("call of function '" + name.getValue().str() +
                             "' failed: the module has no such function with a body");
    return callee;
  }

  bool Seen(mlir::func::FuncOp function) const { return state_.contains(function); }

 private:
  enum class State { kOpen, kDone };
  struct Frame {
    mlir::func::FuncOp function;
    llvm::SmallVector<mlir::Operation*> calls;
    size_t next = 0;
  };

  Status Enter(mlir::func::FuncOp function) {
    state_[function] = State::kOpen;
    Frame frame{function, {}};
    function.walk([&](mlir::Operation* op) {
      if (CalleeOf(op)) frame.calls.push_back(op);
    });
    stack_.push_back(std::move(frame));
    return OkStatus();
  }

  // Keeps one of several calls of a function on the same operands, if the function has no
  // side effects. Otherwise a function that calls another one twice would become 2^n
  // copies after n levels.
  Status MergeEqualCalls(Frame& frame) {
    std::map<std::tuple<mlir::Block*, mlir::Operation*, const void*, std::vector<void*>>,
             mlir::Operation*>
        known;
    llvm::SmallVector<mlir::Operation*> kept;
    for (mlir::Operation* call : frame.calls) {
      TENON_ASSIGN_OR_RETURN(mlir::func::FuncOp callee, Lookup(CalleeOf(call)));
      if (has_effects_.contains(callee)) {
        kept.push_back(call);
        continue;
      }
      std::vector<void*> operands;
      for (mlir::Value operand : call->getOperands())
        operands.push_back(operand.getAsOpaquePointer());
      auto [found, is_new] = known.try_emplace(
          std::make_tuple(call->getBlock(), callee.getOperation(),
                          call->getAttrDictionary().getAsOpaquePointer(),
                          std::move(operands)),
          call);
      if (is_new) {
        kept.push_back(call);
        continue;
      }
      call->replaceAllUsesWith(found->second->getResults());
      call->erase();
    }
    frame.calls = std::move(kept);
    return OkStatus();
  }

  // Records the facts about `function` that its callers need. All its calls are inlined.
  void Finish(mlir::func::FuncOp function) {
    bool has_effects = false;
    int64_t count = 0;
    function.walk([&](mlir::Operation* op) {
      ++count;
      if (op == function || op->hasTrait<mlir::OpTrait::IsTerminator>()) return;
      has_effects |= !mlir::isMemoryEffectFree(op) && !IsElementwise(op);
    });
    if (has_effects) has_effects_.insert(function);
    op_counts_[function] = count;
  }

  Status Inline(mlir::Operation* op) {
    TENON_ASSIGN_OR_RETURN(mlir::func::FuncOp callee, Lookup(CalleeOf(op)));
    mlir::Block& body = callee.getBody().front();
    if (body.getArgumentTypes() != op->getOperandTypes() ||
        body.getTerminator()->getOperandTypes() != op->getResultTypes())
      return InvalidArgument(
          "call of function '" + callee.getSymName().str() +
          "' has operands or results that do not fit the function's type");
    inlined_ += op_counts_.lookup(callee);
    if (inlined_ > kMaxInlinedOps)
      return ResourceExhausted(
          "inlining failed: the program has more than " + std::to_string(kMaxInlinedOps) +
          " operations once its calls are inlined; reduce calls such as that of '" +
          callee.getSymName().str() + "' at " + DescribeLocation(op->getLoc()));
    mlir::IRMapping mapping;
    mapping.map(body.getArguments(), op->getOperands());
    mlir::OpBuilder b(op);
    for (mlir::Operation& inner : body.without_terminator()) {
      // Functions that a framework caches for many calls have no location in the user's
      // source; their calls have one.
      mlir::Operation* clone = b.clone(inner, mapping);
      clone->setLoc(mlir::CallSiteLoc::get(inner.getLoc(), op->getLoc()));
    }
    llvm::SmallVector<mlir::Value> results;
    for (mlir::Value value : body.getTerminator()->getOperands())
      results.push_back(mapping.lookup(value));
    op->replaceAllUsesWith(results);
    op->erase();
    return OkStatus();
  }

  mlir::SymbolTable symbols_;
  llvm::DenseSet<mlir::Operation*> has_effects_;
  llvm::DenseMap<mlir::Operation*, int64_t> op_counts_;
  int64_t inlined_ = 0;
  llvm::DenseMap<mlir::Operation*, State> state_;
  llvm::SmallVector<Frame> stack_;
};

}  // namespace

Status InlineCalls(mlir::ModuleOp module, mlir::func::FuncOp entry) {
  Inliner inliner(module);
  TENON_RETURN_IF_ERROR(inliner.Run(entry));
  // Computations that custom calls name stay functions until the calls are rewritten.
  llvm::SmallPtrSet<mlir::Operation*, 4> kept = {entry};
  llvm::SmallVector<mlir::FlatSymbolRefAttr> computations;
  entry.walk([&](stablehlo::CustomCallOp call) {
    for (mlir::Attribute name : call.getCalledComputations())
      if (auto symbol = llvm::dyn_cast<mlir::FlatSymbolRefAttr>(name))
        computations.push_back(symbol);
  });
  for (mlir::FlatSymbolRefAttr name : computations) {
    TENON_ASSIGN_OR_RETURN(mlir::func::FuncOp function, inliner.Lookup(name));
    if (!inliner.Seen(function)) TENON_RETURN_IF_ERROR(inliner.Run(function));
    kept.insert(function);
  }
  for (auto function : llvm::make_early_inc_range(module.getOps<mlir::func::FuncOp>()))
    if (!kept.contains(function)) function.erase();
  return OkStatus();
}

}  // namespace tenon::compiler
