// Programs of several devices on integers, for tests.
#ifndef TENON_REFERENCE_TESTING_H_
#define TENON_REFERENCE_TESTING_H_

#include <string>
#include <vector>

#include "tenon/compiler/import/import.h"
#include "tenon/reference/devices.h"

namespace tenon::reference {

using Integers = std::vector<int64_t>;

// Evaluates main of the module `text` on the devices of `grid`. inputs[d] are the
// elements of all integer arguments of device d, one argument after another, and element
// d of the result those of its results.
inline StatusOr<std::vector<Integers>> RunIntegers(const std::string& text,
                                                   const stablehlo::ProcessGrid& grid,
                                                   const std::vector<Integers>& inputs) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  TENON_ASSIGN_OR_RETURN(mlir::OwningOpRef<mlir::ModuleOp> module,
                         compiler::ImportProgram(context, text));
  auto main = module->lookupSymbol<mlir::func::FuncOp>("main");
  std::vector<std::vector<Literal>> arguments;
  for (const Integers& input : inputs) {
    std::vector<Literal>& list = arguments.emplace_back();
    size_t next = 0;
    for (mlir::Type type : main.getArgumentTypes()) {
      auto tensor = llvm::cast<mlir::RankedTensorType>(type);
      const bool wide = tensor.getElementType().isInteger(64);
      Literal literal(wide ? ElementType::kS64 : ElementType::kS32,
                      Dims(tensor.getShape().begin(), tensor.getShape().end()));
      for (int64_t i = 0; i < literal.count(); ++i, ++next) {
        if (wide)
          literal.mutable_values<int64_t>()[i] = input.at(next);
        else
          literal.mutable_values<int32_t>()[i] = static_cast<int32_t>(input.at(next));
      }
      list.push_back(std::move(literal));
    }
  }
  TENON_ASSIGN_OR_RETURN(auto results, EvaluateOnDevices(main, grid, arguments));
  std::vector<Integers> outputs;
  for (const std::vector<Literal>& list : results) {
    Integers& output = outputs.emplace_back();
    for (const Literal& result : list)
      for (int64_t i = 0; i < result.count(); ++i) output.push_back(result.ValueAsInt(i));
  }
  return outputs;
}

}  // namespace tenon::reference

#endif  // TENON_REFERENCE_TESTING_H_
