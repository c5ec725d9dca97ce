// Calls in whose partitioning the framework takes part.
#include "mlir/IR/SymbolTable.h"
#include "tenon/compiler/partition/localizer.h"
#include "tenon/compiler/partition/op_sharding.h"
#include "tenon/compiler/partition/rule_builder.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::compiler::partition {
namespace {

mlir::StringRef BackendConfig(stablehlo::CustomCallOp call) {
  auto config = call.getBackendConfig()
                    ? llvm::dyn_cast<mlir::StringAttr>(*call.getBackendConfig())
                    : mlir::StringAttr();
  return config ? config.getValue() : mlir::StringRef();
}

CallPartitioner::Tensor Describe(mlir::Value value, const Sharding& sharding,
                                 const Mesh& mesh) {
  const llvm::ArrayRef<int64_t> shape = ShapeOf(value);
  return {ir::ElementTypeOfShaped(value.getType()),
          {shape.begin(), shape.end()},
          EncodeOpSharding(sharding, mesh)};
}

StatusOr<std::vector<Sharding>> Decode(llvm::ArrayRef<std::string> encoded,
                                       mlir::ValueRange values, const Mesh& mesh) {
  if (encoded.size() != values.size()) {
    return InvalidArgument("the framework returned " + std::to_string(encoded.size()) +
                           " shardings for " + std::to_string(values.size()) + " values");
  }
  std::vector<Sharding> shardings;
  for (auto [bytes, value] : llvm::zip_equal(encoded, values)) {
    TENON_ASSIGN_OR_RETURN(Sharding sharding,
                           DecodeOpSharding(bytes, ShapeOf(value).size(), mesh));
    if (MakeDivisible(sharding, ShapeOf(value)) != sharding) {
      return Unimplemented("the framework's partition of a call has uneven parts");
    }
    shardings.push_back(std::move(sharding));
  }
  return shardings;
}

}  // namespace

Status Localizer::Inspect(stablehlo::CustomCallOp op) {
  // The compiler may run outside of the framework's process.
  if (!framework_.partitioner || op->getNumOperands() != 1) return OkStatus();
  mlir::Value value = op->getOperand(0);
  const Sharding sharding = shardings_.Find(value) ? WantedFor(value) : CurrentOf(value);
  return framework_.partitioner->Inspect(BackendConfig(op),
                                         is_manual_ && FreeAxes().empty()
                                             ? EncodeManualSharding()
                                             : EncodeOpSharding(sharding, code_.mesh()));
}

StatusOr<mlir::func::FuncOp> Localizer::AddFunctions(mlir::ModuleOp module,
                                                     std::string_view program) {
  TENON_ASSIGN_OR_RETURN(mlir::OwningOpRef<mlir::ModuleOp> added,
                         framework_.read_program(*module.getContext(), program));
  auto main = added->lookupSymbol<mlir::func::FuncOp>("main");
  if (!main) return InvalidArgument("the framework's partition of a call has no main");
  mlir::SymbolTable table(module), names(*added);
  auto functions = llvm::to_vector(added->getOps<mlir::func::FuncOp>());
  for (mlir::func::FuncOp function : functions) {
    if (mlir::failed(names.renameToUnique(function, {&table})))
      return Internal("a function could not be renamed");
    function.setPrivate();
  }
  for (mlir::func::FuncOp function : functions) {
    function->remove();
    table.insert(function);
  }
  return main;
}

Status Localizer::RunPartitioned(stablehlo::CustomCallOp op, mlir::OpBuilder& b) {
  const Mesh& mesh = code_.mesh();
  std::vector<CallPartitioner::Tensor> operands, results;
  for (mlir::Value operand : op->getOperands()) {
    operands.push_back(Describe(operand, CurrentOf(operand), mesh));
  }
  for (mlir::Value result : op->getResults()) {
    results.push_back(Describe(result, WantedFor(result), mesh));
  }
  TENON_ASSIGN_OR_RETURN(
      const CallPartitioner::Partitioned partitioned,
      framework_.partitioner->Partition(op.getCallTargetName(), BackendConfig(op),
                                        operands, results));
  TENON_ASSIGN_OR_RETURN(const std::vector<Sharding> wanted,
                         Decode(partitioned.operands, op->getOperands(), mesh));
  TENON_ASSIGN_OR_RETURN(const std::vector<Sharding> produced,
                         Decode(partitioned.results, op->getResults(), mesh));
  TENON_ASSIGN_OR_RETURN(
      Values locals, GetAll(op->getOperands(), wanted, b, op.getLoc(), OperandOf(op)));
  auto module = b.getInsertionBlock()->getParentOp()->getParentOfType<mlir::ModuleOp>();
  TENON_ASSIGN_OR_RETURN(mlir::func::FuncOp main,
                         AddFunctions(module, partitioned.program));
  llvm::SmallVector<mlir::Type> types;
  for (auto [result, sharding] : llvm::zip_equal(op->getResults(), produced)) {
    types.push_back(LocalType(result.getType(), sharding));
  }
  if (!llvm::equal(main.getArgumentTypes(), mlir::ValueRange(locals).getTypes()) ||
      !llvm::equal(main.getResultTypes(), types)) {
    return InvalidArgument(
        "the framework's partition of a call does not have the shapes of the parts that "
        "its shardings give");
  }
  auto call = mlir::func::CallOp::create(b, op.getLoc(), main, locals);
  for (auto [global, local, sharding] :
       llvm::zip_equal(op->getResults(), call.getResults(), produced)) {
    if (shardings_.Find(global) && !SamePlacement(sharding, WantedFor(global))) {
      delayed_[global] = WantedFor(global);
    }
    Define(global, local, sharding);
  }
  return OkStatus();
}

}  // namespace tenon::compiler::partition
