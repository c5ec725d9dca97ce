// CHLO's functions of one element as StableHLO expressions: what programs that use the
// dialect become, and the decompositions of composites in programs that are handed out.
// Stateless.
#ifndef TENON_COMPILER_LEGALIZE_CHLO_FUNCTIONS_H_
#define TENON_COMPILER_LEGALIZE_CHLO_FUNCTIONS_H_

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "tenon/compiler/legalize/graph_builder.h"

namespace tenon::compiler {

// The function `name` ("erf", without the dialect) of real operands, or of integers for
// "mulhi". Floats of fewer than 32 bits are computed in f32. Null for a name that is no
// such function.
mlir::Value BuildRealFunction(GraphBuilder& g, llvm::StringRef name,
                              mlir::ValueRange operands);

// The function of complex numbers; null for a name that is none.
mlir::Value BuildComplexFunction(GraphBuilder& g, llvm::StringRef name, mlir::Value z);

// Functions that converge by series or recurrences, on f32 or f64.
mlir::Value BuildLgamma(GraphBuilder& g, mlir::Value x);
mlir::Value BuildDigamma(GraphBuilder& g, mlir::Value x);
mlir::Value BuildZeta(GraphBuilder& g, mlir::Value x, mlir::Value q);
mlir::Value BuildPolygamma(GraphBuilder& g, mlir::Value n, mlir::Value x);
mlir::Value BuildBesselI1e(GraphBuilder& g, mlir::Value x);

// The float after `x` on the way to `y`, by their bits: denormals are not flushed.
mlir::Value BuildNextAfter(GraphBuilder& g, mlir::Value x, mlir::Value y);
// The upper half of an integer product.
mlir::Value BuildMulhi(GraphBuilder& g, mlir::Value x, mlir::Value y);

// The composite "chlo.<name>" of an element function that the compiler knows. Its
// decomposition is a name only: nothing in the compiler looks for it.
stablehlo::CompositeOp CreateComposite(mlir::OpBuilder& builder, mlir::Location loc,
                                       llvm::StringRef name, mlir::ValueRange operands);

// Gives composites of known element functions decompositions that exist: private
// functions of `module`, one for each function and type.
class Decompositions {
 public:
  explicit Decompositions(mlir::ModuleOp module) : module_(module), symbols_(module) {}

  void Give(stablehlo::CompositeOp composite);

 private:
  mlir::ModuleOp module_;
  mlir::SymbolTable symbols_;
  llvm::DenseMap<std::pair<mlir::StringAttr, mlir::FunctionType>, mlir::func::FuncOp>
      functions_;
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_LEGALIZE_CHLO_FUNCTIONS_H_
