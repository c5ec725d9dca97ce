#include "tenon/reference/evaluate.h"

#include "tenon/reference/evaluator.h"

namespace tenon::reference {

StatusOr<std::vector<Literal>> Evaluate(mlir::func::FuncOp function,
                                        std::span<const Literal> arguments,
                                        const EvaluateOptions& options) {
  return Evaluator(options).RunFunction(function, {arguments.begin(), arguments.end()});
}

StatusOr<std::vector<Literal>> EvaluateRegion(mlir::Region& region,
                                              std::span<const Literal> arguments,
                                              const EvaluateOptions& options) {
  Environment environment;
  return Evaluator(options).RunRegion(region, {arguments.begin(), arguments.end()},
                                      environment);
}

StatusOr<std::vector<Literal>> EvaluateOp(mlir::Operation* op,
                                          std::span<const Literal> operands,
                                          const EvaluateOptions& options) {
  return Evaluator(options).RunOp(op, {operands.begin(), operands.end()});
}

}  // namespace tenon::reference
