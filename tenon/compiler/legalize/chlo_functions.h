// CHLO's elementwise functions as StableHLO expressions. They replace chlo ops in
// programs, and are the decompositions of composites in programs that are returned to
// clients. Stateless.
#ifndef TENON_COMPILER_LEGALIZE_CHLO_FUNCTIONS_H_
#define TENON_COMPILER_LEGALIZE_CHLO_FUNCTIONS_H_

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "tenon/compiler/legalize/graph_builder.h"

namespace tenon::compiler {

// Builds function `name` ("erf", without the dialect) of real operands, or of integers
// for "mulhi". Floats of fewer than 32 bits are computed in f32. Returns null if there is
// no such function.
mlir::Value BuildRealFunction(GraphBuilder& g, llvm::StringRef name,
                              mlir::ValueRange operands);

// Builds the function of complex numbers; returns null if there is no such function.
mlir::Value BuildComplexFunction(GraphBuilder& g, llvm::StringRef name, mlir::Value z);

// Functions computed by series or recurrences, on f32 or f64.
mlir::Value BuildLgamma(GraphBuilder& g, mlir::Value x);
mlir::Value BuildDigamma(GraphBuilder& g, mlir::Value x);
mlir::Value BuildZeta(GraphBuilder& g, mlir::Value x, mlir::Value q);
mlir::Value BuildPolygamma(GraphBuilder& g, mlir::Value n, mlir::Value x);
mlir::Value BuildBesselI1e(GraphBuilder& g, mlir::Value x);

// Builds the next float after `x` towards `y`, by integer arithmetic on the bits, so that
// denormals are not flushed.
mlir::Value BuildNextAfter(GraphBuilder& g, mlir::Value x, mlir::Value y);
// Builds the upper half of an integer product.
mlir::Value BuildMulhi(GraphBuilder& g, mlir::Value x, mlir::Value y);

// Creates the composite "chlo.<name>" of an elementwise function that the compiler knows.
// Its decomposition is only a name, because the compiler never looks it up.
stablehlo::CompositeOp CreateComposite(mlir::OpBuilder& builder, mlir::Location loc,
                                       llvm::StringRef name, mlir::ValueRange operands);

// Creates the missing decompositions of composites of known elementwise functions, as
// private functions of `module`: one for each function and type.
class Decompositions {
 public:
  explicit Decompositions(mlir::ModuleOp module) : module_(module), symbols_(module) {}

  void Attach(stablehlo::CompositeOp composite);

 private:
  mlir::ModuleOp module_;
  mlir::SymbolTable symbols_;
  llvm::DenseMap<std::pair<mlir::StringAttr, mlir::FunctionType>, mlir::func::FuncOp>
      functions_;
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_LEGALIZE_CHLO_FUNCTIONS_H_
