// Tokens order side effects. A program for one device runs its side effects in program
// order, so control flow need not carry tokens. They are removed from it, and each
// remaining use gets a new token. Custom calls keep theirs.
#include "tenon/compiler/legalize/graph_builder.h"
#include "tenon/compiler/legalize/legalize.h"

namespace tenon::compiler {
namespace {

using mlir::LogicalResult;
using mlir::PatternRewriter;
using mlir::Value;

bool IsToken(mlir::Type type) { return llvm::isa<stablehlo::TokenType>(type); }

Value FreshToken(PatternRewriter& rewriter, mlir::Location loc) {
  return stablehlo::CreateTokenOp::create(
      rewriter, loc, stablehlo::TokenType::get(rewriter.getContext()));
}

LogicalResult RewriteAfterAll(stablehlo::AfterAllOp op, PatternRewriter& rewriter) {
  rewriter.replaceOp(op, FreshToken(rewriter, op.getLoc()));
  return mlir::success();
}

Values WithoutTokens(mlir::ValueRange values) {
  Values kept;
  for (Value value : values)
    if (!IsToken(value.getType())) kept.push_back(value);
  return kept;
}

llvm::SmallVector<mlir::Type> TypesOf(llvm::ArrayRef<Value> values) {
  return llvm::to_vector(llvm::map_range(values, [](Value v) { return v.getType(); }));
}

void DropReturnedTokens(mlir::Region& region, PatternRewriter& rewriter) {
  mlir::Operation* terminator = region.front().getTerminator();
  rewriter.modifyOpInPlace(terminator, [&] {
    terminator->setOperands(WithoutTokens(terminator->getOperands()));
  });
}

// Replaces `op` by the results of `replacement`, with new tokens at the positions of
// tokens.
void ReplaceWithTokens(mlir::Operation* op, mlir::Operation* replacement,
                       PatternRewriter& rewriter) {
  Values results;
  size_t next = 0;
  for (Value result : op->getResults())
    results.push_back(IsToken(result.getType()) ? FreshToken(rewriter, op->getLoc())
                                                : Value(replacement->getResult(next++)));
  rewriter.replaceOp(op, results);
}

LogicalResult RewriteWhile(stablehlo::WhileOp op, PatternRewriter& rewriter) {
  if (llvm::none_of(op.getResultTypes(), IsToken)) return mlir::failure();
  Values inits = WithoutTokens(op.getOperand());
  auto loop = stablehlo::WhileOp::create(rewriter, op.getLoc(), TypesOf(inits), inits);
  loop->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  for (auto [from, to] : {std::pair(&op.getCond(), &loop.getCond()),
                          std::pair(&op.getBody(), &loop.getBody())}) {
    rewriter.inlineRegionBefore(*from, *to, to->end());
    mlir::Block& block = to->front();
    mlir::OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(&block);
    for (unsigned i = block.getNumArguments(); i-- > 0;) {
      mlir::BlockArgument argument = block.getArgument(i);
      if (!IsToken(argument.getType())) continue;
      rewriter.replaceAllUsesWith(argument, FreshToken(rewriter, op.getLoc()));
      block.eraseArgument(i);
    }
  }
  DropReturnedTokens(loop.getBody(), rewriter);
  ReplaceWithTokens(op, loop, rewriter);
  return mlir::success();
}

template <typename Op>
LogicalResult RewriteBranches(Op op, PatternRewriter& rewriter) {
  if (llvm::none_of(op->getResultTypes(), IsToken)) return mlir::failure();
  mlir::OperationState state(op.getLoc(), op->getName());
  state.addOperands(op->getOperands());
  for (mlir::Type type : op->getResultTypes())
    if (!IsToken(type)) state.addTypes(type);
  for (unsigned i = 0; i < op->getNumRegions(); ++i) state.addRegion();
  mlir::Operation* replacement = rewriter.create(state);
  for (auto [from, to] : llvm::zip_equal(op->getRegions(), replacement->getRegions())) {
    rewriter.inlineRegionBefore(from, to, to.end());
    DropReturnedTokens(to, rewriter);
  }
  ReplaceWithTokens(op, replacement, rewriter);
  return mlir::success();
}

}  // namespace

void PopulateTokenPatterns(mlir::RewritePatternSet& patterns) {
  patterns.add(RewriteAfterAll);
  patterns.add(RewriteWhile);
  patterns.add(RewriteBranches<stablehlo::IfOp>);
  patterns.add(RewriteBranches<stablehlo::CaseOp>);
}

}  // namespace tenon::compiler
