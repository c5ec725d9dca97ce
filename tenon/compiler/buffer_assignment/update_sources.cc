#include "tenon/compiler/buffer_assignment/update_sources.h"

#include "tenon/compiler/analysis/point_ops.h"
#include "tenon/compiler/buffer_assignment/ffi_calls.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::compiler {
namespace {

bool IsConditional(mlir::Operation* op) {
  return llvm::isa<stablehlo::IfOp, stablehlo::CaseOp>(op);
}

// The source of a result of any op but a conditional; null if it has none.
mlir::Value SourceOf(mlir::OpResult value) {
  mlir::Operation* op = value.getOwner();
  unsigned number = value.getResultNumber();
  if (mlir::Value viewed = ViewedOperand(op)) return viewed;
  if (auto loop = llvm::dyn_cast<stablehlo::WhileOp>(op)) {
    mlir::Value init = loop->getOperand(number);
    // An init that is carried twice, or read inside the loop, is copied before the loop.
    bool only_carried = llvm::count(loop->getOperands(), init) == 1 &&
                        llvm::none_of(init.getUsers(), [&](mlir::Operation* user) {
                          return loop->isProperAncestor(user);
                        });
    return only_carried ? init : mlir::Value();
  }
  if (auto call = llvm::dyn_cast<stablehlo::CustomCallOp>(op)) {
    std::optional<int64_t> alias = FfiAlias(call, number);
    return alias ? call.getInputs()[*alias] : mlir::Value();
  }
  if (auto sum = llvm::dyn_cast<stablehlo::AllReduceOp>(op)) {
    mlir::Value operand = sum->getOperand(number);
    return llvm::count(sum->getOperands(), operand) == 1 ? operand : mlir::Value();
  }
  auto fusion = llvm::dyn_cast<ir::FusionOp>(op);
  if (!fusion) return {};
  mlir::Block& body = fusion.getBody().front();
  auto yielded = llvm::dyn_cast<mlir::OpResult>(body.getTerminator()->getOperand(number));
  if (!yielded) return {};
  mlir::ValueRange updated;
  if (auto slice = llvm::dyn_cast<stablehlo::DynamicUpdateSliceOp>(yielded.getOwner()))
    updated = slice.getOperand();
  else if (auto scatter = llvm::dyn_cast<stablehlo::ScatterOp>(yielded.getOwner()))
    updated = scatter.getInputs();
  else
    return {};
  // The fusion must read the old values nowhere else.
  for (mlir::Value old : updated) {
    auto argument = llvm::dyn_cast<mlir::BlockArgument>(old);
    if (!argument || argument.getOwner() != &body || !argument.hasOneUse() ||
        llvm::count(fusion.getInputs(), fusion.getInputs()[argument.getArgNumber()]) > 1)
      return {};
  }
  auto argument = llvm::cast<mlir::BlockArgument>(updated[yielded.getResultNumber()]);
  return fusion.getInputs()[argument.getArgNumber()];
}

}  // namespace

llvm::SmallVector<mlir::Value> UpdateSources(mlir::OpResult value) {
  mlir::Operation* conditional = value.getOwner();
  if (!IsConditional(conditional)) {
    mlir::Value source = SourceOf(value);
    return source ? llvm::SmallVector<mlir::Value>{source}
                  : llvm::SmallVector<mlir::Value>();
  }
  llvm::SmallVector<std::pair<mlir::Value, int>> counts;  // number of branches by source
  for (mlir::Region& branch : conditional->getRegions()) {
    llvm::SmallVector<mlir::Value> work{
        branch.front().getTerminator()->getOperand(value.getResultNumber())};
    llvm::SmallPtrSet<mlir::Value, 8> seen;
    while (!work.empty()) {
      mlir::Value current = work.pop_back_val();
      if (!seen.insert(current).second) continue;
      if (!branch.isAncestor(current.getParentRegion())) {
        auto count = llvm::find_if(
            counts, [&](const auto& entry) { return entry.first == current; });
        if (count == counts.end())
          counts.push_back({current, 1});
        else
          ++count->second;
        continue;
      }
      auto result = llvm::dyn_cast<mlir::OpResult>(current);
      if (!result) continue;
      if (IsConditional(result.getOwner())) {
        for (mlir::Region& inner : result.getOwner()->getRegions())
          work.push_back(
              inner.front().getTerminator()->getOperand(result.getResultNumber()));
      } else if (mlir::Value source = SourceOf(result)) {
        work.push_back(source);
      }
    }
  }
  llvm::stable_sort(counts,
                    [](const auto& a, const auto& b) { return a.second > b.second; });
  llvm::SmallVector<mlir::Value> sources;
  for (const auto& [source, count] : counts) sources.push_back(source);
  return sources;
}

}  // namespace tenon::compiler
