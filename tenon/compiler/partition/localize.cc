#include "tenon/compiler/partition/localize.h"

#include <utility>

#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tenon/compiler/diagnostics_to_status.h"
#include "tenon/compiler/partition/box.h"
#include "tenon/compiler/partition/clean_collectives.h"
#include "tenon/compiler/partition/localizer.h"
#include "tenon/compiler/partition/loop_stacks.h"
#include "tenon/compiler/partition/rule_builder.h"
#include "tenon/compiler/partition/split_updates.h"

namespace tenon::compiler::partition {
namespace {

Status CheckDivisible(const Sharding& sharding, mlir::Type type, const Mesh& mesh,
                      const std::string& what) {
  if (IsDivisible(sharding, ShapeOf(type))) return OkStatus();
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return InvalidArgument(what + " has a sharding that does not divide its shape: " +
                         ToString(sharding, mesh) + " of " + text);
}

Status CheckShapes(mlir::func::FuncOp function) {
  Status status;
  function.walk([&](mlir::Operation* op) {
    for (mlir::Type type : op->getResultTypes()) {
      auto shaped = llvm::dyn_cast<mlir::ShapedType>(type);
      if (!shaped || shaped.hasStaticShape()) continue;
      status = Unimplemented("'" + op->getName().getStringRef().str() +
                             "' op of dynamic sizes over several devices, at " +
                             DescribeLocation(op->getLoc()));
      return mlir::WalkResult::interrupt();
    }
    return mlir::WalkResult::advance();
  });
  return status;
}

void EraseDeadOps(mlir::func::FuncOp function) {
  function.walk<mlir::WalkOrder::PostOrder, mlir::ReverseIterator>(
      [](mlir::Operation* op) {
        if (mlir::isOpTriviallyDead(op)) op->erase();
      });
}

// The axes along which each argument may differ. Those on a mesh in another order have
// been sent to other devices.
std::vector<Replication::AxisSet> ArgumentSets(mlir::func::FuncOp function,
                                               const ProgramShardings& shardings) {
  std::vector<Replication::AxisSet> sets;
  for (mlir::BlockArgument argument : function.getArguments()) {
    Replication::AxisSet& set = sets.emplace_back(0);
    const Sharding* sharding = shardings.Find(argument);
    if (!sharding) continue;
    Axes axes = sharding->UsedAxes();
    axes.append(sharding->unreduced);
    for (Axis axis : axes) {
      set |= sharding->mesh == 0 ? Replication::AxisSet{1} << axis.index
                                 : ~Replication::AxisSet{0};
    }
  }
  return sets;
}

// Fills in the body of `local`, which has no blocks.
Status BuildLocal(mlir::func::FuncOp function, mlir::func::FuncOp local,
                  ProgramShardings& shardings, const stablehlo::ProcessGrid& grid,
                  const Framework& framework, bool explains) {
  mlir::Block* entry = new mlir::Block;
  local.getBody().push_back(entry);
  MeshCode code(shardings.mesh, grid, *entry, function.getLoc());
  if (explains) code.set_explains();
  Localizer localizer(shardings, code, framework);
  std::vector<Sharding> arguments;
  for (mlir::BlockArgument argument : function.getArguments()) {
    const Sharding* given = shardings.Find(argument);
    const Sharding sharding =
        given ? *given
              : Sharding::Replicated(0, static_cast<int64_t>(ShapeOf(argument).size()),
                                     false);
    TENON_RETURN_IF_ERROR(
        CheckDivisible(sharding, argument.getType(), shardings.mesh,
                       "argument " + std::to_string(argument.getArgNumber())));
    arguments.push_back(sharding);
    entry->addArgument(LocalType(argument.getType(), sharding), argument.getLoc());
  }
  mlir::OpBuilder b(entry, entry->end());
  for (auto [argument, local, sharding] :
       llvm::zip_equal(function.getArguments(), entry->getArguments(), arguments)) {
    const int32_t order = std::exchange(sharding.mesh, 0);
    localizer.Define(
        argument, localizer.ChangeOrder(local, order, 0, b, argument.getLoc()), sharding);
  }
  TENON_RETURN_IF_ERROR(localizer.RunBlock(function.getBody().front(), b));
  mlir::Operation* terminator = function.getBody().front().getTerminator();
  llvm::SmallVector<mlir::Value> results;
  for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
    std::optional<Sharding>& given = shardings.results[i];
    if (!given) {
      given = localizer.CurrentOf(value);
      given->unreduced.clear();
    }
    Sharding sharding = *given;
    const int32_t order = std::exchange(sharding.mesh, 0);
    const mlir::Location location =
        code.Explain(terminator->getLoc(), [&] { return "result " + std::to_string(i); });
    TENON_RETURN_IF_ERROR(CheckDivisible(sharding, value.getType(), shardings.mesh,
                                         "result " + std::to_string(i)));
    TENON_ASSIGN_OR_RETURN(results.emplace_back(),
                           localizer.Get(value, sharding, b, location));
    results.back() = localizer.ChangeOrder(results.back(), 0, order, b, location);
  }
  mlir::func::ReturnOp::create(b, terminator->getLoc(), results);
  local.setType(mlir::FunctionType::get(function.getContext(), entry->getArgumentTypes(),
                                        mlir::ValueRange(results).getTypes()));
  return OkStatus();
}

}  // namespace

Status Localize(mlir::func::FuncOp function, ProgramShardings& shardings,
                const stablehlo::ProcessGrid& grid, const Framework& framework,
                bool explains) {
  TENON_RETURN_IF_ERROR(CheckShapes(function));
  // A program may have no op of StableHLO itself.
  function.getContext()->getOrLoadDialect<stablehlo::StableHLODialect>();
  KeepStacksAsWritten(function, shardings);
  mlir::func::FuncOp local = function.cloneWithoutRegions();
  function->getBlock()->getOperations().insert(function->getIterator(), local);
  Status status = BuildLocal(function, local, shardings, grid, framework, explains);
  if (status.ok()) {
    CleanCollectives(local, grid);
    EraseDeadOps(local);
    // Groups over several replicas are not those of axes of the mesh.
    if (grid.replicas == 1 && shardings.mesh.sizes.size() <= Replication::kMaxAxes) {
      MeshCode code(shardings.mesh, grid, local.getBody().front(), local.getLoc());
      SplitUpdates(local, ArgumentSets(function, shardings), code);
    }
    CombineCollectives(local);
    function.getBody().takeBody(local.getBody());
    function.setType(local.getFunctionType());
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      function.removeArgAttr(i, "sdy.sharding");
    }
    for (unsigned i = 0; i < function.getNumResults(); ++i) {
      function.removeResultAttr(
          i, mlir::StringAttr::get(function.getContext(), "sdy.sharding"));
    }
  }
  local.erase();
  return status;
}

}  // namespace tenon::compiler::partition
