#include "tenon/compiler/legalize/chlo_functions.h"

#include <gtest/gtest.h>

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "tenon/compiler/analysis/point_ops.h"

namespace tenon::compiler {
namespace {

// The functions in the rows of the table that belong to CHLO.
std::vector<std::string> ChloFunctions() {
  const std::string names[] = {
#define X(enumerator, name, arity) name,
#include "tenon/compiler/analysis/elementwise_ops.inc"
#undef X
  };
  return {llvm::find(names, "erf"), std::end(names)};
}

// A composite that the compiler knows needs a decomposition when the program is returned
// to a client. A new row in the table needs a new function here.
TEST(ChloFunctions, EveryKnownFunctionHasADecomposition) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<mlir::func::FuncDialect, stablehlo::StableHLODialect>();
  mlir::OpBuilder b(&context);
  const mlir::Location loc = b.getUnknownLoc();
  ASSERT_GE(ChloFunctions().size(), 12u);
  for (const std::string& name : ChloFunctions()) {
    const bool of_integers = name == "mulhi";
    const std::vector<mlir::Type> elements =
        of_integers ? std::vector<mlir::Type>{b.getI8Type(), b.getI64Type(),
                                              b.getIntegerType(64, false)}
                    : std::vector<mlir::Type>{b.getF32Type(), b.getF64Type(),
                                              b.getBF16Type(), b.getF16Type()};
    for (mlir::Type element : elements) {
      mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(loc);
      auto type = mlir::RankedTensorType::get({2, 3}, element);
      llvm::SmallVector<mlir::Type> types(of_integers ? 2 : 1, type);
      auto function =
          mlir::func::FuncOp::create(loc, "main", b.getFunctionType(types, {type}));
      module->push_back(function);
      mlir::Block* block = function.addEntryBlock();
      b.setInsertionPointToStart(block);
      auto composite = CreateComposite(b, loc, name, block->getArguments());
      ASSERT_TRUE(IsElementwise(composite)) << name;
      mlir::func::ReturnOp::create(b, loc, composite->getResults());
      Decompositions(*module).Attach(composite);
      EXPECT_TRUE(mlir::succeeded(mlir::verify(*module))) << name;
      EXPECT_EQ(composite.getDecomposition(), "chlo." + name + ".impl");
    }
  }
}

// Equal functions of equal types share a decomposition; others get unique names.
TEST(ChloFunctions, DecompositionsAreShared) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<mlir::func::FuncDialect, stablehlo::StableHLODialect>();
  mlir::OpBuilder b(&context);
  const mlir::Location loc = b.getUnknownLoc();
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(loc);
  auto small = mlir::RankedTensorType::get({2}, b.getF32Type());
  auto large = mlir::RankedTensorType::get({5}, b.getF32Type());
  auto function =
      mlir::func::FuncOp::create(loc, "main", b.getFunctionType({small, large}, {}));
  module->push_back(function);
  mlir::Block* block = function.addEntryBlock();
  b.setInsertionPointToStart(block);
  auto first = CreateComposite(b, loc, "erf", block->getArgument(0));
  auto second = CreateComposite(b, loc, "erf", block->getArgument(0));
  auto third = CreateComposite(b, loc, "erf", block->getArgument(1));
  mlir::func::ReturnOp::create(b, loc);
  Decompositions decompositions(*module);
  for (auto composite : {first, second, third}) decompositions.Attach(composite);
  EXPECT_EQ(first.getDecomposition(), second.getDecomposition());
  EXPECT_NE(first.getDecomposition(), third.getDecomposition());
  EXPECT_TRUE(mlir::succeeded(mlir::verify(*module)));
}

}  // namespace
}  // namespace tenon::compiler
