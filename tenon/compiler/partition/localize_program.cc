#include "tenon/compiler/diagnostics_to_status.h"
#include "tenon/compiler/partition/boundary.h"
#include "tenon/compiler/partition/explain.h"
#include "tenon/compiler/partition/import_gspmd.h"
#include "tenon/compiler/partition/localize.h"
#include "tenon/compiler/partition/op_sharding.h"
#include "tenon/compiler/partition/propagate.h"
#include "tenon/compiler/partition/rule_builder.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler::partition {
namespace {

// Annotations of older frameworks that ImportGspmd does not know.
Status RefuseGspmd(mlir::func::FuncOp entry) {
  Status status;
  const auto refuse = [&](const std::string& what) {
    status = Unimplemented(what +
                           " is an annotation of GSPMD, which is not supported for "
                           "several devices; use Shardy (jax_use_shardy_partitioner)");
  };
  for (unsigned i = 0; i < entry.getNumArguments(); ++i) {
    if (entry.getArgAttr(i, "mhlo.sharding") && !entry.getArgAttr(i, "sdy.sharding")) {
      refuse("mhlo.sharding of argument " + std::to_string(i));
    }
  }
  entry.walk([&](stablehlo::CustomCallOp call) {
    llvm::StringRef target = call.getCallTargetName();
    if (target == "Sharding" || target.starts_with("SPMD")) {
      refuse("custom call '" + target.str() + "' (at " + DescribeLocation(call.getLoc()) +
             ")");
    }
  });
  return status;
}

std::string Encoded(const Sharding* sharding, const ProgramShardings& shardings) {
  return sharding ? EncodeOpSharding(*sharding, shardings.MeshOf(*sharding)) : "";
}

}  // namespace

StatusOr<BoundaryShardings> LocalizeProgram(mlir::ModuleOp module,
                                            mlir::func::FuncOp entry,
                                            const stablehlo::ProcessGrid& grid,
                                            const Framework& framework,
                                            ShardingReport* report) {
  if (HasGspmdShardings(module)) TENON_RETURN_IF_ERROR(ImportGspmd(module));
  TENON_RETURN_IF_ERROR(RefuseGspmd(entry));
  // Groups of collectives list all devices.
  constexpr int64_t kMaxPartitions = 1 << 16;
  if (grid.partitions > kMaxPartitions) {
    return Unimplemented("a program for " + std::to_string(grid.partitions) +
                         " partitions; at most " + std::to_string(kMaxPartitions) +
                         " are supported");
  }
  if (!module.getOps<sdy::MeshOp>().empty()) {
    TENON_RETURN_IF_ERROR(PropagateShardings(module));
    TENON_RETURN_IF_ERROR(SettleBoundary(module));
  }
  TENON_ASSIGN_OR_RETURN(ProgramShardings shardings, ReadProgramShardings(entry));
  const int64_t devices = shardings.mesh.num_devices();
  if (devices != 1 && devices != grid.partitions) {
    return InvalidArgument("the program's meshes have " + std::to_string(devices) +
                           " devices, but it is compiled for " +
                           std::to_string(grid.partitions) + " partitions");
  }
  // What propagation does not reach is replicated.
  for (auto [result, type] : llvm::zip_equal(shardings.results, entry.getResultTypes())) {
    if (!result) {
      result = Sharding::Replicated(0, static_cast<int64_t>(ShapeOf(type).size()),
                                    /*open=*/false);
    }
  }
  BoundaryShardings boundary;
  for (mlir::BlockArgument argument : entry.getArguments()) {
    boundary.parameters.push_back(Encoded(shardings.Find(argument), shardings));
  }
  if (report) DescribeTensors(entry, shardings, *report);
  TENON_RETURN_IF_ERROR(Localize(entry, shardings, grid, framework, report != nullptr));
  if (report) DescribeCollectives(entry, grid, *report);
  for (const std::optional<Sharding>& result : shardings.results) {
    boundary.results.push_back(Encoded(result ? &*result : nullptr, shardings));
  }
  return boundary;
}

}  // namespace tenon::compiler::partition
