#include "tenon/compiler/fusion/fusion.h"

#include "tenon/compiler/analysis/host_scalars.h"
#include "tenon/compiler/fusion/attention.h"
#include "tenon/compiler/fusion/cluster.h"
#include "tenon/compiler/fusion/double_buffering.h"
#include "tenon/compiler/fusion/interchange_loop.h"
#include "tenon/compiler/fusion/product_operands.h"
#include "tenon/compiler/fusion/row_order.h"
#include "tenon/compiler/fusion/share_kernels.h"
#include "tenon/compiler/fusion/split_reductions.h"
#include "tenon/compiler/fusion/unit_dimensions.h"
#include "tenon/compiler/fusion/wide_rows.h"
#include "tenon/compiler/targets/device_target.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/tenon_ops.h"
#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::compiler {
namespace {

Status FuseRegion(mlir::Region& region, const FusionOptions& options,
                  const HostScalars& hosts) {
  for (mlir::Block& block : region) {
    // Regions of control flow are fused like functions. Regions of other ops belong to
    // their op.
    for (mlir::Operation& op : llvm::make_early_inc_range(block)) {
      if (auto loop = llvm::dyn_cast<stablehlo::WhileOp>(op);
          loop && InterchangeLoop(loop, hosts))
        continue;
      if (llvm::isa<stablehlo::WhileOp, stablehlo::IfOp, stablehlo::CaseOp>(op))
        for (mlir::Region& inner : op.getRegions())
          TENON_RETURN_IF_ERROR(FuseRegion(inner, options, hosts));
      if (auto loop = llvm::dyn_cast<stablehlo::WhileOp>(op)) DoubleBuffer(loop);
    }
    DropUnitDimensions(block);
    KeepOrderOfRows(block);
    if (!options.target.device) SplitReductions(block);
    if (options.target.device && options.target.device->matrix) {
      CopyIndexValues(block);
      ShareTransposes(block);
      OrderResults(block);
    }
    llvm::SmallPtrSet<mlir::Operation*, 4> refused;
    BlockClusters clusters = FindClusters(block, options.target, hosts);
    while (!JoinAttention(clusters, options.target, options.excess_precision, refused))
      clusters = FindClusters(block, options.target, hosts);
    TENON_RETURN_IF_ERROR(EmitFusions(block, std::move(clusters)));
  }
  return OkStatus();
}

// Kernels load scalars that the device computes; the host passes those that it computes.
void MarkScalarsInMemory(mlir::func::FuncOp function) {
  const HostScalars hosts(function, /*on_device=*/true);
  function.walk([&](ir::FusionOp fusion) {
    llvm::SmallVector<int64_t> numbers;
    for (auto [number, input] : llvm::enumerate(fusion.getInputs()))
      if (llvm::isa<mlir::RankedTensorType>(input.getType()) &&
          IsRankZero(input.getType()) && !hosts.Contains(input))
        numbers.push_back(static_cast<int64_t>(number));
    if (!numbers.empty())
      fusion->setAttr(ir::kScalarsInMemoryAttr,
                      mlir::DenseI64ArrayAttr::get(fusion.getContext(), numbers));
  });
}

struct FusionPass
    : mlir::PassWrapper<FusionPass, mlir::OperationPass<mlir::func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FusionPass)
  FusionPass() = default;
  FusionPass(const FusionPass& other) : PassWrapper(other) {}
  llvm::StringRef getArgument() const override { return "tenon-fuse"; }
  llvm::StringRef getDescription() const override {
    return "group ops into the kernels they become";
  }
  void getDependentDialects(mlir::DialectRegistry& registry) const override {
    registry.insert<ir::TenonDialect>();
  }
  void runOnOperation() override {
    Status status = FuseFunction(getOperation(),
                                 {.target = {}, .excess_precision = excess_precision});
    if (!status.ok()) {
      getOperation().emitError(llvm::StringRef(status.message()));
      signalPassFailure();
    }
  }
  Option<bool> excess_precision{*this, "excess-precision",
                                llvm::cl::desc("see FusionOptions")};
};

}  // namespace

Status FuseFunction(mlir::func::FuncOp function, const FusionOptions& options) {
  const HostScalars hosts(function, options.target.device != nullptr);
  TENON_RETURN_IF_ERROR(FuseRegion(function.getBody(), options, hosts));
  function.walk([&](ir::FusionOp fusion) {
    if (options.excess_precision && fusion.getKind() == ir::FusionKind::kAttention)
      WidenRows(fusion);
  });
  ShareKernels(function);
  if (options.target.device) MarkScalarsInMemory(function);
  return OkStatus();
}

std::unique_ptr<mlir::Pass> CreateFusionPass() { return std::make_unique<FusionPass>(); }

}  // namespace tenon::compiler
