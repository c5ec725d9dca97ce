// Programs with collectives: functions that return at a collective and continue there
// when they are called again.
//
// A switch at the start of the function jumps behind the collective whose number is in
// the frame. So code between two collectives starts without any value in a register. It
// loads what it uses from the frame; constants are computed again.
#include "mlir/IR/BuiltinOps.h"
#include "tenon/compiler/codegen/point/value_parts.h"
#include "tenon/compiler/codegen/program/program_emitter.h"
#include "tenon/dialects/tenon/element_types.h"
#include "tenon/executable/run_context.h"

namespace tenon::codegen {

llvm::Value* ProgramEmitter::FrameSlot(int64_t offset) {
  // The arena of a launcher is on the device.
  llvm::Value* frame = options_.launches
                           ? ContextField(offsetof(RunContext, frame), b_.getPtrTy())
                           : function_->getArg(3);
  return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), frame,
                                       static_cast<uint64_t>(offset));
}

void ProgramEmitter::BeginSegment() {
  points_ = std::make_unique<PointEmitter>(
      b_, PointOptions{.elementwise = options_.target.elementwise});
}

Status ProgramEmitter::LoadScalar(mlir::Value value) {
  if (points_->Scalar(value).re) return OkStatus();
  mlir::Operation* def = value.getDefiningOp();
  if (def && def->hasTrait<mlir::OpTrait::ConstantLike>()) return points_->EmitOp(*def);
  auto found = resume_.offsets.find(value);
  if (found == resume_.offsets.end()) return OkStatus();
  ElementValue scalar{ir::ElementTypeOfShaped(value.getType()), nullptr, nullptr};
  llvm::Type* type = compiler::ElementLlvmType(b_.getContext(), scalar.type);
  scalar.re = b_.CreateLoad(type, FrameSlot(found->second));
  if (ElementParts(scalar.type) == 2)
    scalar.im = b_.CreateLoad(type, FrameSlot(found->second + 8));
  points_->SetScalar(value, scalar);
  return OkStatus();
}

Status ProgramEmitter::LoadScalars(mlir::Operation& op) {
  Status status;
  op.walk([&](mlir::Operation* inner) {
    for (mlir::Value operand : inner->getOperands()) {
      if (!llvm::isa<mlir::RankedTensorType>(operand.getType())) continue;
      // Values of regions of `op` are defined there.
      if (op.isAncestor(operand.getParentBlock()->getParentOp())) continue;
      if (status.ok()) status = LoadScalar(operand);
    }
  });
  return status;
}

void ProgramEmitter::StoreScalar(mlir::Value value, const ElementValue& scalar) {
  auto found = resume_.offsets.find(value);
  if (found == resume_.offsets.end()) return;
  b_.CreateStore(scalar.re, FrameSlot(found->second));
  if (scalar.im) b_.CreateStore(scalar.im, FrameSlot(found->second + 8));
}

Status ProgramEmitter::EmitResumable(mlir::Operation& op) {
  if (compiler::Suspends(op)) {
    if (auto collective = llvm::dyn_cast<ir::CollectiveOp>(op))
      return EmitCollective(collective);
    if (auto loop = llvm::dyn_cast<ir::WhileOp>(op)) return EmitResumableWhile(loop);
    if (auto choice = llvm::dyn_cast<ir::CaseOp>(op)) return EmitResumableCase(choice);
    return UnsupportedOp(op, "collectives in this op are not supported");
  }
  TENON_RETURN_IF_ERROR(LoadScalars(op));
  TENON_RETURN_IF_ERROR(EmitOp(op));
  if (op.hasTrait<mlir::OpTrait::ConstantLike>()) return OkStatus();
  for (mlir::Value result : op.getResults())
    if (llvm::isa<mlir::RankedTensorType>(result.getType()))
      StoreScalar(result, points_->Scalar(result));
  return OkStatus();
}

Status ProgramEmitter::EmitResumableBlock(mlir::Block& block) {
  for (mlir::Operation& op : block) {
    if (llvm::isa<ir::YieldOp>(op)) break;
    TENON_RETURN_IF_ERROR(EmitResumable(op));
  }
  return OkStatus();
}

Status ProgramEmitter::EmitResumableWhile(ir::WhileOp loop) {
  llvm::LLVMContext& context = b_.getContext();
  auto* header = llvm::BasicBlock::Create(context, "while", function_);
  auto* body = llvm::BasicBlock::Create(context, "body", function_);
  auto* exit = llvm::BasicBlock::Create(context, "done", function_);
  // Loads all new values before it stores the first, because they may be each other's.
  auto carry = [&](mlir::OperandRange values) -> Status {
    for (mlir::Value value : values) TENON_RETURN_IF_ERROR(LoadScalar(value));
    for (auto [value, result] : llvm::zip_equal(values, loop.getResults()))
      StoreScalar(result, points_->Scalar(value));
    b_.CreateBr(header);
    return OkStatus();
  };
  TENON_RETURN_IF_ERROR(carry(loop.getInits()));

  b_.SetInsertPoint(header);
  BeginSegment();
  mlir::Block& condition = loop.getCondition().front();
  TENON_RETURN_IF_ERROR(EmitResumableBlock(condition));
  mlir::Value goes_on = condition.back().getOperand(0);
  TENON_RETURN_IF_ERROR(LoadScalar(goes_on));
  b_.CreateCondBr(points_->Scalar(goes_on).re, body, exit);

  b_.SetInsertPoint(body);
  BeginSegment();
  TENON_RETURN_IF_ERROR(EmitResumableBlock(loop.getBody().front()));
  TENON_RETURN_IF_ERROR(carry(loop.getBody().front().back().getOperands()));
  b_.SetInsertPoint(exit);
  BeginSegment();
  return OkStatus();
}

Status ProgramEmitter::EmitResumableCase(ir::CaseOp choice) {
  llvm::LLVMContext& context = b_.getContext();
  const size_t count = choice.getBranches().size();
  auto* end = llvm::BasicBlock::Create(context, "chosen", function_);
  llvm::SmallVector<llvm::BasicBlock*> blocks;
  for (size_t i = 0; i < count; ++i)
    blocks.push_back(llvm::BasicBlock::Create(context, "branch", function_));
  TENON_RETURN_IF_ERROR(LoadScalar(choice.getIndex()));
  // The last branch is also the default branch.
  auto* jump = b_.CreateSwitch(points_->Scalar(choice.getIndex()).re, blocks.back());
  for (size_t i = 0; i + 1 < count; ++i) jump->addCase(b_.getInt32(i), blocks[i]);
  for (auto [branch, block] : llvm::zip_equal(choice.getBranches(), blocks)) {
    b_.SetInsertPoint(block);
    BeginSegment();
    TENON_RETURN_IF_ERROR(EmitResumableBlock(branch.front()));
    for (auto [value, result] :
         llvm::zip_equal(branch.front().back().getOperands(), choice.getResults())) {
      TENON_RETURN_IF_ERROR(LoadScalar(value));
      StoreScalar(result, points_->Scalar(value));
    }
    b_.CreateBr(end);
  }
  b_.SetInsertPoint(end);
  BeginSegment();
  return OkStatus();
}

llvm::Value* ProgramEmitter::CombinerOf(ir::CollectiveOp collective) {
  llvm::Type* pointer = b_.getPtrTy();
  if (!collective.getCombiner()) return llvm::ConstantPointerNull::get(b_.getPtrTy());
  std::string name = ("combine." + *collective.getCombiner()).str();
  for (int64_t argument : collective.getCombinerArguments())
    name += "." + std::to_string(argument);
  if (llvm::Function* known = module_.getFunction(name)) return known;
  // Arguments: context, tile a, tile b, result.
  auto* function = llvm::Function::Create(
      llvm::FunctionType::get(b_.getVoidTy(), {pointer, pointer, pointer, pointer},
                              false),
      llvm::Function::InternalLinkage, name, module_);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(b_.getContext(), "entry", function));
  Values arguments{function->getArg(0)};
  llvm::SmallVector<llvm::Type*> types{pointer};
  for (int64_t argument : collective.getCombinerArguments()) {
    arguments.push_back(function->getArg(static_cast<unsigned>(argument + 1)));
    types.push_back(pointer);
  }
  auto kernel = module_.getOrInsertFunction(
      *collective.getCombiner(), llvm::FunctionType::get(b_.getVoidTy(), types, false));
  llvm::cast<llvm::Function>(kernel.getCallee())
      ->setVisibility(llvm::GlobalValue::HiddenVisibility);
  b.CreateCall(kernel, arguments);
  b.CreateRetVoid();
  LeaveUnoptimized(*function);
  return function;
}

Status ProgramEmitter::EmitCollective(ir::CollectiveOp collective) {
  const int32_t state = resume_.states.lookup(collective);
  llvm::Value* inputs = BufferArray(collective.getInputs());
  llvm::Value* outputs = BufferArray(collective.getOutputs());
  llvm::Type* pointer = b_.getPtrTy();
  auto* type = llvm::FunctionType::get(
      b_.getVoidTy(), {pointer, b_.getInt64Ty(), pointer, pointer, pointer}, false);
  b_.CreateStore(b_.getInt32(static_cast<uint32_t>(state)), FrameSlot(0));
  b_.CreateCall(
      type, TableFunction(offsetof(RuntimeTable, arrive)),
      {function_->getArg(0), b_.getInt64(static_cast<uint64_t>(collective.getSite())),
       inputs, outputs, CombinerOf(collective)});
  b_.CreateRet(b_.getInt32(static_cast<uint32_t>(kSuspended)));
  auto* resumed = llvm::BasicBlock::Create(b_.getContext(), "resumed", function_);
  resume_switch_->addCase(b_.getInt32(static_cast<uint32_t>(state)), resumed);
  b_.SetInsertPoint(resumed);
  BeginSegment();
  return OkStatus();
}

Status ProgramEmitter::EmitResumablePart(const Part& part) {
  b_.SetInsertPoint(&function_->back());
  auto* start = llvm::BasicBlock::Create(b_.getContext(), "start", function_);
  llvm::Value* state = b_.CreateLoad(b_.getInt32Ty(), FrameSlot(0));
  resume_switch_ = b_.CreateSwitch(state, start);
  b_.SetInsertPoint(start);
  BeginSegment();
  bool loops = false;
  for (mlir::Operation& op : llvm::make_range(part.begin, part.end)) {
    op.walk([&](ir::WhileOp) { loops = true; });
    TENON_RETURN_IF_ERROR(EmitResumable(op));
  }
  b_.CreateRet(b_.getInt32(0));
  if (!loops) LeaveUnoptimized(*function_);
  return OkStatus();
}

Status ProgramEmitter::EmitResumableParts(llvm::ArrayRef<Part> parts) {
  llvm::Function* entry = NewFunction(kEntryName, true);
  function_ = entry;
  if (parts.size() == 1) return EmitResumablePart(parts[0]);
  // Continues in the part of the collective, and runs the later parts after it. Their
  // switches do not know its number, so they begin at their start.
  llvm::IRBuilder<> b(&entry->front());
  llvm::Value* state = b.CreateLoad(b.getInt32Ty(), entry->getArg(3));
  Values arguments;
  for (llvm::Argument& argument : entry->args()) arguments.push_back(&argument);
  llvm::SmallVector<llvm::BasicBlock*> blocks;
  for (size_t i = 0; i <= parts.size(); ++i)
    blocks.push_back(llvm::BasicBlock::Create(b_.getContext(), "part", entry));
  llvm::SwitchInst* jump = b.CreateSwitch(state, blocks[0]);
  for (auto [number, part] : llvm::enumerate(parts)) {
    function_ = llvm::Function::Create(
        entry->getFunctionType(), llvm::Function::InternalLinkage,
        (kEntryName + ".part" + llvm::Twine(number)).str(), module_);
    llvm::BasicBlock::Create(b_.getContext(), "entry", function_);
    TENON_RETURN_IF_ERROR(EmitResumablePart(part));
    for (auto state_case : resume_switch_->cases())
      jump->addCase(state_case.getCaseValue(), blocks[number]);
    b.SetInsertPoint(blocks[number]);
    llvm::Value* code = b.CreateCall(function_, arguments);
    auto* left = llvm::BasicBlock::Create(b_.getContext(), "left", entry);
    b.CreateCondBr(b.CreateIsNotNull(code), left, blocks[number + 1]);
    b.SetInsertPoint(left);
    b.CreateRet(code);
  }
  b.SetInsertPoint(blocks.back());
  b.CreateRet(b.getInt32(0));
  LeaveUnoptimized(*entry);
  return OkStatus();
}

}  // namespace tenon::codegen
