#include "tenon/compiler/codegen/program/program_emitter.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Support/MathExtras.h"
#include "mlir/IR/BuiltinOps.h"
#include "tenon/compiler/codegen/point/value_parts.h"
#include "tenon/dialects/tenon/element_types.h"
#include "tenon/executable/run_context.h"

namespace tenon::codegen {

static_assert(compiler::SegmentAddress(0) == kSegmentAddressesOffset);

llvm::Value* ProgramEmitter::ContextField(uint64_t offset, llvm::Type* type) {
  llvm::Value* address =
      b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), function_->getArg(0), offset);
  return b_.CreateLoad(type, address);
}

llvm::Value* ProgramEmitter::LoadBuffer(llvm::Value* array, int64_t index) {
  if (options_.standalone) {
    return b_.CreateLoad(b_.getPtrTy(),
                         b_.CreateConstInBoundsGEP1_64(b_.getPtrTy(), array, index));
  }
  llvm::Value* address = b_.CreateConstInBoundsGEP1_64(
      b_.getInt8Ty(), array, sizeof(RunBuffer) * index + offsetof(RunBuffer, data));
  return b_.CreateLoad(b_.getPtrTy(), address);
}

llvm::Value* ProgramEmitter::View(mlir::Value view) {
  if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(view)) {
    int64_t number = argument.getArgNumber();
    return number < num_parameters_
               ? LoadBuffer(function_->getArg(1), number)
               : LoadBuffer(function_->getArg(2), number - num_parameters_);
  }
  mlir::Operation* op = view.getDefiningOp();
  if (auto cast = llvm::dyn_cast<ir::CastViewOp>(op)) return View(cast.getSource());
  if (auto packed = llvm::dyn_cast<ir::PackedViewOp>(op))
    return b_.CreateConstInBoundsGEP1_64(
        b_.getInt8Ty(),
        ContextField(offsetof(RunContext, packed_operands), b_.getPtrTy()),
        sizeof(PackedOperand) * packed.getNumber());
  llvm::Value* base = function_->getArg(3);
  int64_t offset = 0;
  if (auto arena = llvm::dyn_cast<ir::ArenaViewOp>(op)) {
    offset = arena.getOffset();
    if (std::optional<int64_t> segment = arena.getSegment())
      base = b_.CreateLoad(b_.getPtrTy(), FrameSlot(compiler::SegmentAddress(*segment)));
  } else {
    auto constant = llvm::cast<ir::ConstantViewOp>(op);
    base = options_.standalone
               ? module_.getNamedValue(kConstantsName)
               : ContextField(offsetof(RunContext, constants), b_.getPtrTy());
    offset = constant_offsets_.lookup(constant.getDataAttr().getAttr());
  }
  return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), base, offset);
}

Status ProgramEmitter::Emit(ir::ProgramOp program) {
  num_parameters_ = program.getNumParameters();
  auto module = program->getParentOfType<mlir::ModuleOp>();
  for (auto data : module.getOps<ir::ConstantDataOp>())
    constant_offsets_[data.getSymNameAttr()] = data.getOffset();
  for (auto [number, kernel] : llvm::enumerate(module.getOps<ir::KernelOp>()))
    kernel_numbers_[kernel.getSymNameAttr()] = static_cast<int64_t>(number);
  resume_ = compiler::LayOutFrame(program);
  auto parts = Split(program.getBody().front());
  return resume_.bytes ? EmitResumableParts(parts) : EmitParts(parts);
}

Status ProgramEmitter::EmitBlock(mlir::Block& block) {
  for (mlir::Operation& op : block) {
    if (llvm::isa<ir::YieldOp>(op)) break;
    TENON_RETURN_IF_ERROR(EmitOp(op));
  }
  return OkStatus();
}

Status ProgramEmitter::EmitOp(mlir::Operation& op) {
  return llvm::TypeSwitch<mlir::Operation*, Status>(&op)
      .Case<ir::ArenaViewOp, ir::ConstantViewOp, ir::PackedViewOp, ir::CastViewOp>(
          [](auto) { return OkStatus(); })  // emitted at their uses
      .Case([&](ir::LaunchOp launch) { return EmitLaunch(launch); })
      .Case([&](ir::ReadOp read) { return EmitRead(read); })
      .Case([&](ir::WriteOp write) {
        EmitWrite(write);
        return OkStatus();
      })
      .Case([&](ir::CopyOp copy) {
        EmitCopy(copy);
        return OkStatus();
      })
      .Case([&](ir::WhileOp loop) { return EmitWhile(loop); })
      .Case([&](ir::CaseOp choice) { return EmitCase(choice); })
      .Case([&](ir::FfiCallOp call) {
        EmitFfiCall(call);
        return OkStatus();
      })
      .Case([&](ir::DeviceIdOp id) {
        if (options_.standalone) {  // a program of one device
          points_->SetScalar(id, {ElementType::kU32, b_.getInt32(0), nullptr});
          return OkStatus();
        }
        uint64_t offset = id.getPartition() ? offsetof(RunContext, partition_id)
                                            : offsetof(RunContext, replica_id);
        points_->SetScalar(
            id, {ElementType::kU32, ContextField(offset, b_.getInt32Ty()), nullptr});
        return OkStatus();
      })
      .Default([&](mlir::Operation* other) { return points_->EmitOp(*other); });
}

Status ProgramEmitter::EmitLaunch(ir::LaunchOp launch) {
  if (options_.launches) {
    EmitDeviceLaunches(launch);
    return OkStatus();
  }
  Values arguments{function_->getArg(0)};
  llvm::SmallVector<llvm::Type*> types{b_.getPtrTy()};
  for (mlir::Value operand : launch.getArguments_()) {
    if (llvm::isa<mlir::MemRefType>(operand.getType())) {
      arguments.push_back(View(operand));
    } else {
      ElementValue value = points_->Scalar(operand);
      arguments.push_back(value.re);
      if (value.im) arguments.push_back(value.im);
    }
  }
  for (llvm::Value* argument : llvm::ArrayRef<llvm::Value*>(arguments).drop_front())
    types.push_back(argument->getType());
  auto callee = module_.getOrInsertFunction(
      launch.getKernel(), llvm::FunctionType::get(b_.getVoidTy(), types, false));
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setVisibility(llvm::GlobalValue::HiddenVisibility);
  EmitTraceKernel(kernel_numbers_.at(launch.getKernelAttr().getAttr()));
  b_.CreateCall(callee, arguments);
  return OkStatus();
}

void ProgramEmitter::EmitTraceKernel(int64_t kernel) {
  if (options_.standalone) return;
  llvm::LLVMContext& context = b_.getContext();
  auto* traced = llvm::BasicBlock::Create(context, "traced", function_);
  auto* next = llvm::BasicBlock::Create(context, "untraced", function_);
  llvm::Value* trace_kernel =
      ContextField(offsetof(RunContext, trace_kernel), b_.getPtrTy());
  b_.CreateCondBr(b_.CreateIsNull(trace_kernel), next, traced,
                  llvm::MDBuilder(context).createLikelyBranchWeights());
  b_.SetInsertPoint(traced);
  auto* type =
      llvm::FunctionType::get(b_.getVoidTy(), {b_.getPtrTy(), b_.getInt64Ty()}, false);
  b_.CreateCall(type, trace_kernel,
                {function_->getArg(0), b_.getInt64(static_cast<uint64_t>(kernel))});
  b_.CreateBr(next);
  b_.SetInsertPoint(next);
}

Status ProgramEmitter::EmitRead(ir::ReadOp read) {
  ElementType type = ir::ElementTypeOfShaped(read.getType());
  llvm::Type* memory = compiler::ElementMemoryType(b_.getContext(), type);
  if (!memory)
    return UnsupportedOp(*read, "values of this element type cannot be stored");
  ElementValue value{type, nullptr, nullptr};
  llvm::Value* pointer = View(read.getSource());
  if (options_.launches) {
    llvm::Value* copy = EmitEntryAlloca(b_, b_.getInt128Ty(), 16);
    CallTable(offsetof(RuntimeTable, read),
              {pointer, copy, b_.getInt64(static_cast<uint64_t>(ElementBytes(type)))});
    pointer = copy;
  }
  auto load = [&](int part) {
    return compiler::LoadedToValue(
        b_, type,
        b_.CreateLoad(memory, b_.CreateConstInBoundsGEP1_64(memory, pointer, part)));
  };
  value.re = load(0);
  if (ElementParts(type) == 2) value.im = load(1);
  points_->SetScalar(read, value);
  return OkStatus();
}

void ProgramEmitter::EmitWrite(ir::WriteOp write) {
  ElementValue value = points_->Scalar(write.getValue());
  llvm::Type* memory = compiler::ElementMemoryType(b_.getContext(), value.type);
  llvm::Value* target = View(write.getTarget());
  llvm::Value* pointer =
      options_.launches ? EmitEntryAlloca(b_, b_.getInt128Ty(), 16) : target;
  b_.CreateStore(compiler::ValueToStored(b_, value.type, value.re), pointer);
  if (value.im)
    b_.CreateStore(value.im, b_.CreateConstInBoundsGEP1_64(memory, pointer, 1));
  if (options_.launches) {
    CallTable(
        offsetof(RuntimeTable, write),
        {target, pointer, b_.getInt64(static_cast<uint64_t>(ElementBytes(value.type)))});
  }
}

void ProgramEmitter::EmitCopy(ir::CopyOp copy) {
  auto type = copy.getSource().getType();
  int64_t bytes =
      type.getNumElements() * ElementBytes(ir::ElementTypeOf(type.getElementType()));
  llvm::Value* target = View(copy.getTarget());
  llvm::Value* source = View(copy.getSource());
  if (options_.launches) {
    if (bytes > 0)
      CallTable(offsetof(RuntimeTable, copy),
                {target, source, b_.getInt64(static_cast<uint64_t>(bytes))});
    return;
  }
  if (bytes < options_.target.cost.min_parallel_copy_bytes) {
    b_.CreateMemCpy(target, llvm::Align(1), source, llvm::Align(1), bytes);
    return;
  }
  auto* env_type = llvm::ArrayType::get(b_.getPtrTy(), 2);
  llvm::Value* env = EmitEntryAlloca(b_, env_type, 16);
  b_.CreateStore(target, env);
  b_.CreateStore(source, b_.CreateConstInBoundsGEP2_64(env_type, env, 0, 1));
  EmitParallelFor(b_, function_->getArg(0), CopyChunk(bytes), env,
                  llvm::divideCeil(bytes, options_.target.cost.copy_chunk_bytes));
}

llvm::Function* ProgramEmitter::CopyChunk(int64_t bytes) {
  std::string name = "copy." + std::to_string(bytes);
  if (llvm::Function* known = module_.getFunction(name)) return known;
  llvm::Type* pointer = b_.getPtrTy();
  auto* type =
      llvm::FunctionType::get(b_.getVoidTy(), {pointer, pointer, b_.getInt64Ty()}, false);
  auto* function =
      llvm::Function::Create(type, llvm::Function::InternalLinkage, name, module_);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(b_.getContext(), "entry", function));
  llvm::Value* env = function->getArg(1);
  llvm::Value* target = b.CreateLoad(pointer, env);
  llvm::Value* source =
      b.CreateLoad(pointer, b.CreateConstInBoundsGEP1_64(pointer, env, 1));
  llvm::Value* start =
      b.CreateMul(function->getArg(2), b.getInt64(options_.target.cost.copy_chunk_bytes));
  llvm::Value* left = b.CreateSub(b.getInt64(bytes), start);
  llvm::Value* size = b.CreateBinaryIntrinsic(
      llvm::Intrinsic::umin, left, b.getInt64(options_.target.cost.copy_chunk_bytes));
  b.CreateMemCpy(b.CreateGEP(b.getInt8Ty(), target, start), llvm::Align(1),
                 b.CreateGEP(b.getInt8Ty(), source, start), llvm::Align(1), size);
  b.CreateRetVoid();
  return function;
}

void ProgramEmitter::BindResults(mlir::Operation& op,
                                 llvm::ArrayRef<llvm::Value*> parts) {
  for (auto [result, value] :
       llvm::zip_equal(op.getResults(), UnflattenParts(op.getResultTypes(), parts)))
    points_->SetScalar(result, value);
}

Status ProgramEmitter::EmitWhile(ir::WhileOp loop) {
  llvm::LLVMContext& context = b_.getContext();
  const bool calls =
      loop->walk([](ir::LaunchOp) { return mlir::WalkResult::interrupt(); })
          .wasInterrupted();
  if (!calls && !llvm::isa<ir::WhileOp>(loop->getParentOp())) EmitTraceKernel(-1);
  auto* header = llvm::BasicBlock::Create(context, "while", function_);
  auto* body = llvm::BasicBlock::Create(context, "body", function_);
  auto* exit = llvm::BasicBlock::Create(context, "done", function_);
  llvm::SmallVector<ElementValue> inits;
  for (mlir::Value init : loop.getInits()) inits.push_back(points_->Scalar(init));
  Values init_parts = FlattenParts(inits);
  llvm::BasicBlock* before = b_.GetInsertBlock();
  b_.CreateBr(header);
  b_.SetInsertPoint(header);
  llvm::SmallVector<llvm::PHINode*> phis;
  Values carried;
  for (llvm::Value* part : init_parts) {
    auto* phi = b_.CreatePHI(part->getType(), 2);
    phi->addIncoming(part, before);
    phis.push_back(phi);
    carried.push_back(phi);
  }
  auto values = UnflattenParts(loop.getInits().getTypes(), carried);
  auto bind = [&](mlir::Region& region) {
    for (auto [argument, value] : llvm::zip_equal(region.getArguments(), values))
      points_->SetScalar(argument, value);
  };
  bind(loop.getCondition());
  TENON_RETURN_IF_ERROR(EmitBlock(loop.getCondition().front()));
  mlir::Value condition = loop.getCondition().front().back().getOperand(0);
  b_.CreateCondBr(points_->Scalar(condition).re, body, exit);

  b_.SetInsertPoint(body);
  bind(loop.getBody());
  TENON_RETURN_IF_ERROR(EmitBlock(loop.getBody().front()));
  llvm::SmallVector<ElementValue> next;
  for (mlir::Value operand : loop.getBody().front().back().getOperands())
    next.push_back(points_->Scalar(operand));
  llvm::BasicBlock* latch = b_.GetInsertBlock();
  b_.CreateBr(header);
  for (auto [phi, part] : llvm::zip_equal(phis, FlattenParts(next)))
    phi->addIncoming(part, latch);
  b_.SetInsertPoint(exit);
  BindResults(*loop, carried);
  return OkStatus();
}

Status ProgramEmitter::EmitCase(ir::CaseOp choice) {
  llvm::LLVMContext& context = b_.getContext();
  size_t count = choice.getBranches().size();
  auto* end = llvm::BasicBlock::Create(context, "chosen", function_);
  llvm::SmallVector<llvm::BasicBlock*> blocks;
  for (size_t i = 0; i < count; ++i)
    blocks.push_back(llvm::BasicBlock::Create(context, "branch", function_));
  // The last branch is also the default branch.
  auto* jump = b_.CreateSwitch(points_->Scalar(choice.getIndex()).re, blocks.back());
  for (size_t i = 0; i + 1 < count; ++i) jump->addCase(b_.getInt32(i), blocks[i]);
  llvm::SmallVector<std::pair<llvm::BasicBlock*, Values>> exits;
  for (auto [branch, block] : llvm::zip_equal(choice.getBranches(), blocks)) {
    b_.SetInsertPoint(block);
    TENON_RETURN_IF_ERROR(EmitBlock(branch.front()));
    llvm::SmallVector<ElementValue> values;
    for (mlir::Value operand : branch.front().back().getOperands())
      values.push_back(points_->Scalar(operand));
    exits.emplace_back(b_.GetInsertBlock(), FlattenParts(values));
    b_.CreateBr(end);
  }
  b_.SetInsertPoint(end);
  Values results;
  for (size_t part = 0; part < exits[0].second.size(); ++part) {
    auto* phi = b_.CreatePHI(exits[0].second[part]->getType(), count);
    for (auto& [block, values] : exits) phi->addIncoming(values[part], block);
    results.push_back(phi);
  }
  BindResults(*choice, results);
  return OkStatus();
}

llvm::Value* ProgramEmitter::BufferArray(mlir::OperandRange views) {
  // A RunBuffer has two pointers, of which the second is null for static shapes.
  const size_t step = options_.standalone ? 1 : 2;
  auto* type =
      llvm::ArrayType::get(b_.getPtrTy(), step * std::max<size_t>(views.size(), 1));
  llvm::Value* array = EmitEntryAlloca(b_, type, 16);
  for (auto [number, view] : llvm::enumerate(views)) {
    b_.CreateStore(View(view),
                   b_.CreateConstInBoundsGEP1_64(b_.getPtrTy(), array, step * number));
    if (options_.standalone) continue;
    b_.CreateStore(llvm::Constant::getNullValue(b_.getPtrTy()),
                   b_.CreateConstInBoundsGEP1_64(b_.getPtrTy(), array, 2 * number + 1));
  }
  return array;
}

llvm::Value* ProgramEmitter::TableFunction(uint64_t offset) {
  llvm::Value* table = ContextField(offsetof(RunContext, table), b_.getPtrTy());
  return b_.CreateLoad(b_.getPtrTy(),
                       b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), table, offset));
}

void ProgramEmitter::ReturnError(llvm::Value* code) {
  auto* failed = llvm::BasicBlock::Create(b_.getContext(), "failed", function_);
  auto* next = llvm::BasicBlock::Create(b_.getContext(), "next", function_);
  b_.CreateCondBr(b_.CreateIsNotNull(code), failed, next);
  b_.SetInsertPoint(failed);
  b_.CreateRet(code);
  b_.SetInsertPoint(next);
}

void ProgramEmitter::CallTable(uint64_t offset, llvm::ArrayRef<llvm::Value*> arguments) {
  Values all{function_->getArg(0)};
  llvm::append_range(all, arguments);
  llvm::SmallVector<llvm::Type*> types;
  for (llvm::Value* argument : all) types.push_back(argument->getType());
  auto* type = llvm::FunctionType::get(b_.getInt32Ty(), types, false);
  ReturnError(b_.CreateCall(type, TableFunction(offset), all));
}

void ProgramEmitter::EmitFfiCall(ir::FfiCallOp call) {
  llvm::Type* pointer = b_.getPtrTy();
  llvm::Value *context = function_->getArg(0), *inputs = BufferArray(call.getInputs()),
              *outputs = BufferArray(call.getOutputs()), *code = nullptr;
  if (options_.standalone) {
    code = b_.CreateCall(
        module_.getOrInsertFunction(FfiFunctionName(call.getSite()), b_.getInt32Ty(),
                                    pointer, pointer, pointer),
        {context, inputs, outputs});
  } else {
    auto* type = llvm::FunctionType::get(
        b_.getInt32Ty(), {pointer, b_.getInt64Ty(), pointer, pointer}, false);
    code = b_.CreateCall(type, TableFunction(offsetof(RuntimeTable, call_ffi)),
                         {context, b_.getInt64(call.getSite()), inputs, outputs});
  }
  ReturnError(code);
}

}  // namespace tenon::codegen
