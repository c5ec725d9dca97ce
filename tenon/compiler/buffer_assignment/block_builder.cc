#include "tenon/compiler/buffer_assignment/block_builder.h"

#include "tenon/compiler/analysis/point_ops.h"
#include "tenon/compiler/buffer_assignment/collective_calls.h"
#include "tenon/compiler/buffer_assignment/ffi_calls.h"
#include "tenon/compiler/diagnostics_to_status.h"
#include "tenon/dialects/tenon/element_types.h"
#include "tenon/dialects/tenon/tensor_types.h"
#include "tenon/ffi/known_targets.h"

namespace tenon::compiler {

void BlockBuilder::BuildCopy(mlir::Location loc, mlir::Value from, mlir::Value to) {
  auto type = llvm::cast<mlir::MemRefType>(from.getType());
  double bytes =
      type.getNumElements() * ElementBytes(ir::ElementTypeOf(type.getElementType()));
  AddCost(cost_.launch_ns + bytes / cost_.copied_bytes_per_ns);
  ir::CopyOp::create(b_, loc, from, to);
}

Status BlockBuilder::BuildConstant(stablehlo::ConstantOp constant) {
  mlir::Value value = constant.getResult();
  if (IsRankZero(value)) {
    value_buffers_.SetScalar(value, b_.clone(*constant)->getResult(0));
    return OkStatus();
  }
  ir::ConstantDataOp& data = constants_[constant.getValue()];
  if (!data) {
    mlir::OpBuilder at_module = mlir::OpBuilder::atBlockEnd(module_.getBody());
    auto type = llvm::cast<mlir::RankedTensorType>(value.getType());
    int64_t bytes =
        type.getNumElements() * ElementBytes(ir::ElementTypeOf(type.getElementType()));
    data = ir::ConstantDataOp::create(at_module, constant.getLoc(),
                                      "constant." + std::to_string(constants_.size() - 1),
                                      constant.getValue(), constant_bytes_);
    constant_bytes_ += (bytes + 63) / 64 * 64;
  }
  mlir::Value view = ir::ConstantViewOp::create(
      b_, constant.getLoc(), ViewTypeOf(value.getType()), data.getSymName());
  value_buffers_.SetBuffer(value, Buffer{view, Storage::kConstant, view});
  return OkStatus();
}

// States whether the second operand of a product is a parameter, so that its kernel can
// ask for the packed form. Nothing is stated about other operands, because that would
// keep equal products from sharing a kernel.
void BlockBuilder::MarkParameter(ir::FusionOp fusion) {
  if (!keep_packed_ || (fusion.getKind() != ir::FusionKind::kContract &&
                        fusion.getKind() != ir::FusionKind::kConvolution))
    return;
  for (mlir::Operation& op : fusion.getBody().front()) {
    if (!llvm::isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>(op)) continue;
    auto rhs = llvm::dyn_cast<mlir::BlockArgument>(op.getOperand(1));
    if (!rhs) return;
    std::optional<Buffer> buffer =
        value_buffers_.FindBuffer(fusion.getInputs()[rhs.getArgNumber()]);
    if (buffer && buffer->storage == Storage::kParameter)
      fusion->setAttr(ir::kRhsIsParameterAttr, b_.getUnitAttr());
    return;
  }
}

// The view of where the packed form of operand `number` is kept. Products that read the
// same packed form of a parameter have one.
StatusOr<mlir::Value> BlockBuilder::PackedView(ir::FusionOp fusion,
                                               const BuiltKernel& kernel, int64_t number,
                                               mlir::Type type) {
  TENON_ASSIGN_OR_RETURN(Buffer buffer,
                         value_buffers_.BufferOf(fusion.getInputs()[number]));
  auto parameter = llvm::cast<mlir::BlockArgument>(buffer.root).getArgNumber();
  const ImagePackedOperand wanted{static_cast<int64_t>(parameter),
                                  static_cast<uint64_t>(kernel.packed_bytes),
                                  kernel.packed_layout};
  auto found = llvm::find(packed_operands_, wanted);
  if (found == packed_operands_.end()) found = packed_operands_.insert(found, wanted);
  return mlir::Value(ir::PackedViewOp::create(
      b_, fusion.getLoc(), type, static_cast<int64_t>(found - packed_operands_.begin())));
}

Status BlockBuilder::LaunchArguments(ir::FusionOp fusion, const BuiltKernel& kernel,
                                     llvm::ArrayRef<Buffer> outputs,
                                     llvm::SmallVectorImpl<mlir::Value>& arguments) {
  for (const KernelArgument& argument : kernel.arguments) {
    switch (argument.kind) {
      case KernelArgument::Kind::kInput: {
        mlir::Value input = fusion.getInputs()[argument.number];
        if (llvm::isa<mlir::RankedTensorType>(argument.type)) {
          TENON_ASSIGN_OR_RETURN(mlir::Value scalar, value_buffers_.ScalarOf(input));
          arguments.push_back(scalar);
        } else {
          TENON_ASSIGN_OR_RETURN(Buffer buffer, value_buffers_.BufferOf(input));
          arguments.push_back(value_buffers_.View(buffer, argument.type));
        }
        break;
      }
      case KernelArgument::Kind::kOutput:
        arguments.push_back(value_buffers_.View(outputs[argument.number], argument.type));
        break;
      case KernelArgument::Kind::kScratch:
        arguments.push_back(ir::ArenaViewOp::create(b_, fusion.getLoc(), argument.type, 0,
                                                    mlir::IntegerAttr()));
        break;
      case KernelArgument::Kind::kPacked: {
        TENON_ASSIGN_OR_RETURN(
            mlir::Value view, PackedView(fusion, kernel, argument.number, argument.type));
        arguments.push_back(view);
        break;
      }
    }
  }
  return OkStatus();
}

Status BlockBuilder::BuildFusion(ir::FusionOp fusion) {
  MarkParameter(fusion);
  TENON_ASSIGN_OR_RETURN(const BuiltKernel* kernel, kernels_.Get(fusion));
  AddCost(cost_.launch_ns + kernel->estimated_ns);
  mlir::Location loc = fusion.getLoc();
  llvm::SmallVector<Buffer> outputs;
  bool elementwise =
      fusion.getKind() == ir::FusionKind::kLoop && IsElementwiseFusion(fusion);
  bool product = fusion.getKind() == ir::FusionKind::kContract ||
                 fusion.getKind() == ir::FusionKind::kConvolution;
  // A product may overwrite an operand that only its epilogue reads, at the same
  // elements.
  auto destination = [&](mlir::Value result) {
    Buffer to = value_buffers_.Destination(result, fusion, elementwise || product);
    if (!product) return to;
    for (auto [number, input] : llvm::enumerate(fusion.getInputs())) {
      std::optional<Buffer> from = value_buffers_.FindBuffer(input);
      if (from && from->root == to.root &&
          !IsReadByPoint(fusion.getBody().front().getArgument(number)))
        return value_buffers_.Destination(result, fusion);
    }
    return to;
  };
  for (auto [number, result] : llvm::enumerate(fusion.getResults())) {
    if (number >= kernel->in_place.size()) {
      outputs.push_back(destination(result));
      continue;
    }
    int64_t operand = kernel->in_place[number];
    mlir::Value old = fusion.getInputs()[operand];
    TENON_ASSIGN_OR_RETURN(Buffer from, value_buffers_.BufferOf(old));
    bool also_input =
        llvm::any_of(kernel->arguments, [&](const KernelArgument& argument) {
          return argument.kind == KernelArgument::Kind::kInput &&
                 argument.number == operand;
        });
    bool repeated = value_buffers_.CountIn(fusion.getInputs(), from) > 1;
    if (!also_input && !repeated && value_buffers_.MayWriteOver(from, fusion)) {
      outputs.push_back({value_buffers_.View(from, ViewTypeOf(result.getType())),
                         from.storage, from.root});
      continue;
    }
    Buffer to = value_buffers_.Destination(result, fusion);
    BuildCopy(loc, from.view, to.view);
    outputs.push_back(to);
  }
  llvm::SmallVector<mlir::Value> arguments;
  TENON_RETURN_IF_ERROR(LaunchArguments(fusion, *kernel, outputs, arguments));
  ir::LaunchOp::create(
      b_, loc,
      mlir::FlatSymbolRefAttr::get(ir::KernelOp(kernel->kernel).getSymNameAttr()),
      arguments);
  for (auto [result, buffer] : llvm::zip_equal(fusion.getResults(), outputs))
    value_buffers_.SetBuffer(result, buffer);
  ReadScalars(fusion.getResults(), loc);
  return OkStatus();
}

Status BlockBuilder::BuildCustomCall(stablehlo::CustomCallOp call) {
  // JAX emits this call to keep a value that nothing reads.
  if (call.getCallTargetName() == "dce_sink" && call->getNumResults() == 0)
    return OkStatus();
  TENON_ASSIGN_OR_RETURN(ImageFfiCall ffi_call, DescribeFfiCall(call));
  llvm::SmallVector<mlir::Value> inputs, outputs;
  for (mlir::Value input : call.getInputs()) {
    if (!IsTensor(input)) continue;  // tokens: the program's order already orders calls
    TENON_ASSIGN_OR_RETURN(Buffer buffer, value_buffers_.BufferOf(input));
    inputs.push_back(buffer.view);
  }
  for (auto [number, result] : llvm::enumerate(call.getResults())) {
    if (!IsTensor(result)) continue;
    std::optional<int64_t> alias = FfiAlias(call, number);
    Buffer to;
    if (alias) {
      mlir::Value old = call.getInputs()[*alias];
      TENON_ASSIGN_OR_RETURN(Buffer from, value_buffers_.BufferOf(old));
      bool repeated = value_buffers_.CountIn(call.getInputs(), from) > 1;
      if (!repeated && value_buffers_.MayWriteOver(from, call)) {
        to = from;
      } else {
        to = value_buffers_.Destination(result, call);
        BuildCopy(call.getLoc(), from.view, to.view);
      }
      inputs[llvm::count_if(call.getInputs().take_front(*alias), IsTensor)] = to.view;
    } else {
      to = value_buffers_.Destination(result, call);
    }
    outputs.push_back(to.view);
    value_buffers_.SetBuffer(result, to);
  }
  if (ffi::OnlyComputes(ffi_call.target)) AddCost(EstimateNs(call, cost_));
  ir::FfiCallOp::create(b_, call.getLoc(), ffi_calls_.size(), inputs, outputs);
  ReadScalars(call.getResults(), call.getLoc());
  ffi_calls_.push_back(std::move(ffi_call));
  return OkStatus();
}

StatusOr<Buffer> BlockBuilder::CollectiveDestination(mlir::Operation& op,
                                                     const ImageCollective& site,
                                                     size_t number) {
  const mlir::OpResult result = op.getResult(static_cast<unsigned>(number));
  if (share_ && !value_buffers_.IsHinted(result)) {
    std::optional<int64_t> segment = shared_segments_.Find(
        site, std::ssize(collectives_), site.results[number].ByteSize());
    if (segment) return value_buffers_.NewSharedSlot(result, *segment);
  }
  const bool is_ragged = site.kind == CollectiveKind::kRaggedAllToAll;
  TENON_ASSIGN_OR_RETURN(Buffer from,
                         value_buffers_.BufferOf(op.getOperand(is_ragged ? 1 : number)));
  // Of reductions the runtime combines a tile of all operands before it writes that
  // tile. A ragged_all_to_all only writes rows over its second operand.
  const bool in_place = (site.kind == CollectiveKind::kAllReduce || is_ragged) &&
                        value_buffers_.CountIn(op.getOperands(), from) == 1 &&
                        value_buffers_.MayWriteOver(from, &op);
  if (!in_place) return value_buffers_.Destination(result, &op);
  return Buffer{value_buffers_.View(from, ViewTypeOf(result.getType())), from.storage,
                from.root};
}

Status BlockBuilder::BuildCollective(mlir::Operation& op) {
  TENON_ASSIGN_OR_RETURN(ImageCollective site, DescribeCollective(op, grid_));
  llvm::SmallVector<mlir::Value> inputs, outputs;
  double bytes = 0;
  for (auto [number, input] : llvm::enumerate(op.getOperands())) {
    TENON_ASSIGN_OR_RETURN(Buffer buffer, value_buffers_.BufferOf(input));
    inputs.push_back(buffer.view);
    bytes += static_cast<double>(site.operands[number].ByteSize());
  }
  for (auto [number, result] : llvm::enumerate(op.getResults())) {
    bytes += static_cast<double>(site.results[number].ByteSize());
    TENON_ASSIGN_OR_RETURN(const Buffer to, CollectiveDestination(op, site, number));
    outputs.push_back(to.view);
    value_buffers_.SetBuffer(result, to);
  }
  AddCost(cost_.launch_ns + bytes / cost_.copied_bytes_per_ns);
  mlir::FlatSymbolRefAttr combiner;
  llvm::SmallVector<int64_t> arguments;
  if (site.tile_elements > 0) {
    TENON_ASSIGN_OR_RETURN(ir::FusionOp fusion, BuildCombiner(op, site.tile_elements));
    TENON_ASSIGN_OR_RETURN(const BuiltKernel* kernel, kernels_.Get(fusion));
    for (const KernelArgument& argument : kernel->arguments) {
      if (argument.kind == KernelArgument::Kind::kScratch)
        return Internal("the reducer of a collective needs scratch memory");
      arguments.push_back(argument.kind == KernelArgument::Kind::kInput ? argument.number
                                                                        : 2);
    }
    combiner =
        mlir::FlatSymbolRefAttr::get(ir::KernelOp(kernel->kernel).getSymNameAttr());
  }
  ir::CollectiveOp::create(b_, op.getLoc(), static_cast<int64_t>(collectives_.size()),
                           inputs, outputs, combiner, arguments);
  ReadScalars(op.getResults(), op.getLoc());
  collectives_.push_back(std::move(site));
  return OkStatus();
}

Status BlockBuilder::BuildView(mlir::Operation& op) {
  mlir::Value result = op.getResult(0), operand = ViewedOperand(&op);
  mlir::Value scalar = value_buffers_.FindScalar(operand);
  if (IsRankZero(result) && scalar) {
    value_buffers_.SetScalar(result, scalar);
    return OkStatus();
  }
  TENON_ASSIGN_OR_RETURN(Buffer from, value_buffers_.BufferOf(operand));
  mlir::Value view = value_buffers_.View(from, ViewTypeOf(result.getType()));
  value_buffers_.SetBuffer(result, Buffer{view, from.storage, from.root});
  ReadScalars(result, op.getLoc());
  return OkStatus();
}

void BlockBuilder::ReadScalars(mlir::ValueRange values, mlir::Location loc) {
  for (mlir::Value value : values)
    if (IsRankZero(value) && hosts_.Contains(value))
      value_buffers_.ReadScalar(value, loc);
}

Status BlockBuilder::BuildScalar(mlir::Operation& op) {
  llvm::SmallVector<mlir::Value> operands;
  for (mlir::Value operand : op.getOperands()) {
    TENON_ASSIGN_OR_RETURN(mlir::Value scalar, value_buffers_.ScalarOf(operand));
    operands.push_back(scalar);
  }
  mlir::Operation* clone = b_.clone(op);
  clone->setOperands(operands);
  AddCost(IsCostly(&op) ? cost_.costly_scalar_ns : cost_.scalar_ns);
  value_buffers_.SetScalar(op.getResult(0), clone->getResult(0));
  return OkStatus();
}

Status BlockBuilder::BuildOp(mlir::Operation& op) {
  if (auto constant = llvm::dyn_cast<stablehlo::ConstantOp>(op))
    return BuildConstant(constant);
  if (auto fusion = llvm::dyn_cast<ir::FusionOp>(op)) return BuildFusion(fusion);
  if (ViewedOperand(&op)) return BuildView(op);
  if (auto loop = llvm::dyn_cast<stablehlo::WhileOp>(op)) return BuildWhile(loop);
  if (auto branch = llvm::dyn_cast<stablehlo::CaseOp>(op)) {
    TENON_ASSIGN_OR_RETURN(mlir::Value index, value_buffers_.ScalarOf(branch.getIndex()));
    return BuildBranches(op, index, op.getRegions());
  }
  if (auto branch = llvm::dyn_cast<stablehlo::IfOp>(op)) {
    TENON_ASSIGN_OR_RETURN(mlir::Value pred, value_buffers_.ScalarOf(branch.getPred()));
    // Branch 0 is the true one.
    auto i32 = mlir::RankedTensorType::get({}, b_.getI32Type());
    mlir::Value is_false =
        stablehlo::NotOp::create(b_, op.getLoc(), pred.getType(), pred);
    mlir::Value index = stablehlo::ConvertOp::create(b_, op.getLoc(), i32, is_false);
    return BuildBranches(op, index, op.getRegions());
  }
  if (grid_.size() > 1 && stablehlo::IsCollective(&op)) return BuildCollective(op);
  if (auto call = llvm::dyn_cast<stablehlo::CustomCallOp>(op))
    return BuildCustomCall(call);
  if (llvm::isa<stablehlo::CreateTokenOp>(op)) return OkStatus();  // it holds no data
  if (llvm::isa<stablehlo::PartitionIdOp, stablehlo::ReplicaIdOp>(op)) {
    value_buffers_.SetScalar(
        op.getResult(0),
        ir::DeviceIdOp::create(b_, op.getLoc(), op.getResult(0).getType(),
                               llvm::isa<stablehlo::PartitionIdOp>(op)));
    return OkStatus();
  }
  if (IsScalarOp(&op)) return BuildScalar(op);
  return UnsupportedOp(op, "this op is not supported");
}

Status BlockBuilder::BuildBlock(mlir::Block& block) {
  for (mlir::Operation& op : block.without_terminator()) {
    if (op.use_empty() && op.getNumResults() > 0 && mlir::isMemoryEffectFree(&op))
      continue;
    TENON_RETURN_IF_ERROR(BuildOp(op));
  }
  return OkStatus();
}

}  // namespace tenon::compiler
