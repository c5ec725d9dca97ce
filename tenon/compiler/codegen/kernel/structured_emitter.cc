#include "tenon/compiler/codegen/kernel/structured_emitter.h"

#include "llvm/ADT/STLExtras.h"
#include "tenon/compiler/analysis/point_ops.h"
#include "tenon/compiler/codegen/contract/contract.h"
#include "tenon/compiler/codegen/fft/fft_emitter.h"
#include "tenon/compiler/codegen/linalg/linalg_emitter.h"
#include "tenon/compiler/codegen/sort/sort_emitter.h"
#include "tenon/executable/run_context.h"

namespace tenon::codegen {
namespace {

// The results of a product or convolution, as an array.
struct ResultArray {
  llvm::SmallVector<int64_t> sizes, strides;
};

// The indices of the result in the dimensions of more than one element.
llvm::SmallVector<mlir::Value> ResultIndices(mlir::Block& block,
                                             const ResultArray& array) {
  llvm::SmallVector<mlir::Value> indices;
  for (auto [size, index] : llvm::zip(array.sizes, block.getArguments()))
    if (size != 1) indices.push_back(index);
  return indices;
}

// The loads of an epilogue that read a large array at the index of the result.
llvm::SmallVector<ir::LoadOp> LargeLoads(mlir::Block& block, const ResultArray& array) {
  constexpr int64_t kLargeBytes = 64 << 10;  // more than the L1 cache holds
  llvm::SmallVector<ir::LoadOp> loads;
  const llvm::SmallVector<mlir::Value> indices = ResultIndices(block, array);
  for (auto load : block.getOps<ir::LoadOp>()) {
    mlir::MemRefType type = load.getView().getType();
    llvm::SmallVector<mlir::Value> own;
    for (auto [size, index] : llvm::zip(type.getShape(), load.getIndices()))
      if (size != 1) own.push_back(index);
    if (own == indices && type.getElementType().isIntOrFloat() &&
        type.getNumElements() * type.getElementTypeBitWidth() >= 8 * kLargeBytes)
      loads.push_back(load);
  }
  return loads;
}

// Sets the indices of the epilogue's block. Arrays with the strides of the product's
// results are accessed at its own offset.
void SetResultIndex(PointEmitter& points, mlir::Block& block, const ResultArray& array,
                    const VectorAccess& access) {
  int64_t lane_step = access.lanes > 1 ? access.lane_step : 0;
  for (auto [d, index] : llvm::enumerate(access.index)) {
    const bool lanes = static_cast<int>(d) == access.lane_dim;
    points.SetIndex(block.getArgument(d), {index, lanes ? lane_step : 0, 1});
  }
  llvm::SmallVector<int64_t> strides;
  for (auto [size, stride] : llvm::zip(array.sizes, array.strides))
    if (size != 1) strides.push_back(stride);
  points.memory().SetKnownOffset(
      {ResultIndices(block, array),
       std::move(strides),
       {access.offset, lane_step * array.strides[access.lane_dim], 1}});
}

// Passes each stored vector to the epilogue's ops.
ContractHooks EpilogueHooks(PointEmitter& points, mlir::Block& block,
                            const ResultArray& array, const BlockEmitter& emit_block) {
  ContractHooks hooks;
  constexpr size_t kShortStore = 16;
  hooks.store_is_short = block.getOperations().size() <= kShortStore &&
                         llvm::none_of(block, [](mlir::Operation& op) {
                           return compiler::IsCostly(&op) || op.getNumRegions() > 0;
                         });
  hooks.store = [&points, &block, array, emit_block](
                    llvm::IRBuilder<>&, const VectorAccess& access,
                    const ElementValue& value) -> Status {
    Lanes saved = points.lanes();
    points.set_lanes({access.lanes, access.mask, nullptr, /*mostly_active=*/true});
    SetResultIndex(points, block, array, access);
    points.SetScalar(block.getArguments().back(), value);
    Status status = emit_block(block);
    points.set_lanes(saved);
    return status;
  };
  if (llvm::SmallVector<ir::LoadOp> loads = LargeLoads(block, array); !loads.empty()) {
    hooks.read_by_store = [&points, &block, array, loads](
                              llvm::IRBuilder<>&, const VectorAccess& access) mutable {
      SetResultIndex(points, block, array, access);
      llvm::SmallVector<llvm::Value*> addresses;
      for (ir::LoadOp load : loads)
        addresses.push_back(points.memory().Address(load.getView(), load.getIndices()));
      return addresses;
    };
  }
  return hooks;
}

// Loads the fields of the PackedOperand of a product, if it has one.
template <typename Op>
void LoadPacked(PointEmitter& points, Op op, ContractPointers& pointers) {
  if (!op.getPacked()) return;
  auto& b = points.builder();
  auto load = [&](llvm::Type* type, uint64_t offset) {
    return b.CreateLoad(type, b.CreateConstInBoundsGEP1_64(
                                  b.getInt8Ty(), points.View(op.getPacked()), offset));
  };
  pointers.packed = load(b.getPtrTy(), offsetof(PackedOperand, data));
  pointers.is_packed =
      b.CreateIsNotNull(load(b.getInt64Ty(), offsetof(PackedOperand, is_packed)));
}

void BindContract(ir::ContractOp op, const KernelPlan& plan, StructuredKernel& kernel) {
  ContractOpSpec found = SpecOf(op);
  kernel.emit_phase = [op, found, plan](PointEmitter& points,
                                        const PhaseArguments& arguments,
                                        BlockEmitter emit_block) mutable -> Status {
    ContractPointers pointers{points.View(op.getLhs()), points.View(op.getRhs()), nullptr,
                              points.View(op.getScratch())};
    LoadPacked(points, op, pointers);
    ContractHooks hooks;
    if (found.spec.has_store)
      hooks =
          EpilogueHooks(points, op.getEpilogue().front(),
                        {{found.spec.batch, found.spec.m, found.spec.n},
                         {found.spec.out.batch, found.spec.out.row, found.spec.out.col}},
                        emit_block);
    else
      pointers.out = points.View(found.plain.view);
    return EmitContractPhase(static_cast<llvm::IRBuilder<>&>(points.builder()),
                             found.spec, plan, arguments.first_phase, pointers,
                             arguments.chunk, hooks);
  };
}

void BindConvolution(ir::ConvolutionOp op, const KernelPlan& plan,
                     StructuredKernel& kernel) {
  ConvOpSpec found = SpecOf(op);
  kernel.emit_phase = [op, found, plan](PointEmitter& points,
                                        const PhaseArguments& arguments,
                                        BlockEmitter emit_block) mutable -> Status {
    ContractPointers pointers{points.View(op.getInput()), points.View(op.getKernel()),
                              nullptr, points.View(op.getScratch())};
    LoadPacked(points, op, pointers);
    ContractHooks hooks;
    if (found.spec.has_store)
      hooks = EpilogueHooks(
          points, op.getEpilogue().front(),
          {llvm::to_vector(op.getOutputSizes()), llvm::to_vector(op.getOutputStrides())},
          emit_block);
    else
      pointers.out = points.View(found.plain.view);
    return EmitConvPhase(static_cast<llvm::IRBuilder<>&>(points.builder()), found.spec,
                         plan, arguments.first_phase, pointers, arguments.chunk, hooks);
  };
}

void BindFft(ir::FftOp op, const FftPlan& plan, const TargetTraits& target,
             StructuredKernel& kernel) {
  kernel.emit_phase = [op, spec = SpecOf(op), plan, target](
                          PointEmitter& points, const PhaseArguments& arguments,
                          BlockEmitter) mutable -> Status {
    FftPointers pointers{points.View(op.getInput()), points.View(op.getOutput()),
                         points.View(op.getScratch())};
    return EmitFftPhase(static_cast<IrBuilder&>(points.builder()), spec, plan,
                        arguments.first_phase, pointers, arguments.chunk, target);
  };
}

void BindLinalg(ir::LinalgOp op, const LinalgPlan& plan, const TargetTraits& target,
                StructuredKernel& kernel) {
  kernel.emit_phase = [op, spec = SpecOf(op), plan, target](
                          PointEmitter& points, const PhaseArguments& arguments,
                          BlockEmitter) mutable -> Status {
    LinalgPointers pointers;
    pointers.a = points.View(op.getInputs()[0]);
    for (mlir::Value output : op.getOutputs())
      pointers.outputs.push_back(points.View(output));
    if (op.getInputs().size() > 1) pointers.b = points.View(op.getInputs()[1]);
    if (pointers.outputs.size() > 1) pointers.numbers = pointers.outputs[1];
    pointers.result = points.View(op.getOutputs()[0]);
    pointers.scratch = points.View(op.getScratch());
    return EmitLinalgPhase(
        static_cast<IrBuilder&>(points.builder()), spec, plan, pointers,
        {arguments.first_phase, arguments.phase, arguments.chunk}, target);
  };
}

}  // namespace

StructuredKernel BindStructured(mlir::Operation& op, StructuredPlan plan,
                                const TargetTraits& target) {
  StructuredKernel kernel{std::move(plan), {}};
  const auto& details = kernel.plan.details;
  if (auto contract = llvm::dyn_cast<ir::ContractOp>(op))
    BindContract(contract, std::get<KernelPlan>(details), kernel);
  else if (auto convolution = llvm::dyn_cast<ir::ConvolutionOp>(op))
    BindConvolution(convolution, std::get<KernelPlan>(details), kernel);
  else if (auto fft = llvm::dyn_cast<ir::FftOp>(op))
    BindFft(fft, std::get<FftPlan>(details), target, kernel);
  else if (auto linalg = llvm::dyn_cast<ir::LinalgOp>(op))
    BindLinalg(linalg, std::get<LinalgPlan>(details), target, kernel);
  else if (auto sort = llvm::dyn_cast<ir::SortOp>(op))
    BindSort(sort, std::get<SortPlan>(details), target, kernel);
  return kernel;
}

}  // namespace tenon::codegen
