#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "tenon/compiler/dialects/stablehlo/ops.h"
#include "tenon/compiler/kernels/point_builder.h"
#include "tenon/compiler/legalize/legalize.h"

namespace tenon::compiler {
namespace {

// A callee may call others; past this depth a program can only be recursive.
constexpr int kMaxDepth = 1000;

mlir::FlatSymbolRefAttr CalleeOf(mlir::Operation* op) {
  if (auto call = llvm::dyn_cast<mlir::func::CallOp>(op)) return call.getCalleeAttr();
  auto composite = llvm::dyn_cast<stablehlo::CompositeOp>(op);
  if (!composite || IsElementwise(op)) return nullptr;
  return composite.getDecompositionAttr();
}

}  // namespace

Status InlineCalls(mlir::ModuleOp module, mlir::func::FuncOp entry) {
  mlir::SymbolTable symbols(module);
  struct Call {
    mlir::Operation* op;
    int depth;
  };
  llvm::SmallVector<Call> work;
  auto collect = [&](mlir::Operation* root, int depth) {
    root->walk([&](mlir::Operation* op) {
      if (CalleeOf(op)) work.push_back({op, depth});
    });
  };
  collect(entry, 0);
  while (!work.empty()) {
    auto [op, depth] = work.pop_back_val();
    mlir::FlatSymbolRefAttr name = CalleeOf(op);
    auto callee = symbols.lookup<mlir::func::FuncOp>(name.getValue());
    if (!callee || callee.isExternal())
      return InvalidArgument("call of unknown function '" + name.getValue().str() + "'");
    if (callee == entry || depth >= kMaxDepth)
      return InvalidArgument("recursive call of function '" + name.getValue().str() +
                             "'");
    mlir::Block& body = callee.getBody().front();
    if (body.getNumArguments() != op->getNumOperands() ||
        body.getTerminator()->getNumOperands() != op->getNumResults())
      return InvalidArgument("call of function '" + name.getValue().str() +
                             "' does not fit its signature");
    mlir::IRMapping mapping;
    mapping.map(body.getArguments(), op->getOperands());
    mlir::OpBuilder b(op);
    for (mlir::Operation& inner : body.without_terminator())
      collect(b.clone(inner, mapping), depth + 1);
    llvm::SmallVector<mlir::Value> results;
    for (mlir::Value value : body.getTerminator()->getOperands())
      results.push_back(mapping.lookup(value));
    op->replaceAllUsesWith(results);
    op->erase();
  }
  llvm::SmallVector<mlir::func::FuncOp> others;
  for (auto function : module.getOps<mlir::func::FuncOp>())
    if (function != entry) others.push_back(function);
  for (mlir::func::FuncOp function : others) function.erase();
  return OkStatus();
}

}  // namespace tenon::compiler
