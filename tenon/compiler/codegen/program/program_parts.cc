// Splits a program's entry point into parts, and passes scalars between the parts in a
// frame.
#include "mlir/IR/BuiltinOps.h"
#include "tenon/compiler/codegen/program/program_emitter.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::codegen {

llvm::SmallVector<ProgramEmitter::Part> ProgramEmitter::Split(mlir::Block& body) {
  llvm::SmallVector<Part> parts;
  int calls = 0;
  auto begin = body.begin();
  for (auto op = body.begin(); op != body.end(); ++op) {
    calls += compiler::CountCalls(*op);
    if (calls < compiler::kMaxCallsOfPart) continue;
    parts.push_back({begin, std::next(op)});
    begin = std::next(op);
    calls = 0;
  }
  if (begin != body.end() || parts.empty()) parts.push_back({begin, body.end()});
  return parts;
}

void ProgramEmitter::LayOutFrame(llvm::ArrayRef<Part> parts) {
  llvm::DenseMap<mlir::Operation*, size_t> part_of;
  for (auto [number, part] : llvm::enumerate(parts))
    for (mlir::Operation& op : llvm::make_range(part.begin, part.end))
      part_of[&op] = number;
  llvm::SmallVector<llvm::Type*> fields;
  for (auto [number, part] : llvm::enumerate(parts)) {
    for (mlir::Operation& op : llvm::make_range(part.begin, part.end)) {
      if (op.hasTrait<mlir::OpTrait::ConstantLike>()) continue;  // rematerialized
      for (mlir::Value result : op.getResults()) {
        if (!llvm::isa<mlir::RankedTensorType>(result.getType())) continue;
        bool crosses = llvm::any_of(result.getUsers(), [&](mlir::Operation* user) {
          return part_of.lookup(op.getBlock()->findAncestorOpInBlock(*user)) != number;
        });
        if (!crosses) continue;
        ElementType type = ir::ElementTypeOfShaped(result.getType());
        frame_fields_[result] = fields.size();
        fields.append(ElementParts(type),
                      compiler::ElementLlvmType(b_.getContext(), type));
      }
    }
  }
  frame_type_ = llvm::StructType::get(b_.getContext(), fields);
}

llvm::Value* ProgramEmitter::FrameField(unsigned field) {
  return b_.CreateStructGEP(frame_type_, function_->getArg(4), field);
}

Status ProgramEmitter::LoadFromFrame(mlir::Operation& op) {
  Status status;
  mlir::Block* body = op.getBlock();
  op.walk([&](mlir::Operation* inner) {
    for (mlir::Value operand : inner->getOperands()) {
      mlir::Operation* def = operand.getDefiningOp();
      if (!def || def->getBlock() != body || points_->Scalar(operand).re) continue;
      if (def->hasTrait<mlir::OpTrait::ConstantLike>()) {
        if (status.ok()) status = points_->EmitOp(*def);
        continue;
      }
      auto found = frame_fields_.find(operand);
      if (found == frame_fields_.end()) continue;
      ElementValue value{ir::ElementTypeOfShaped(operand.getType()), nullptr, nullptr};
      auto load = [&](unsigned field) {
        return b_.CreateLoad(frame_type_->getElementType(field), FrameField(field));
      };
      value.re = load(found->second);
      if (ElementParts(value.type) == 2) value.im = load(found->second + 1);
      points_->SetScalar(operand, value);
    }
  });
  return status;
}

void ProgramEmitter::StoreToFrame(mlir::Operation& op) {
  for (mlir::Value result : op.getResults()) {
    auto found = frame_fields_.find(result);
    if (found == frame_fields_.end()) continue;
    ElementValue value = points_->Scalar(result);
    b_.CreateStore(value.re, FrameField(found->second));
    if (value.im) b_.CreateStore(value.im, FrameField(found->second + 1));
  }
}

llvm::Function* ProgramEmitter::NewFunction(llvm::StringRef name, bool is_entry) {
  // Arguments: context, arguments, results, arena; a part also gets the frame.
  llvm::SmallVector<llvm::Type*> arguments(is_entry ? 4 : 5, b_.getPtrTy());
  auto* function = llvm::Function::Create(
      llvm::FunctionType::get(b_.getInt32Ty(), arguments, false),
      is_entry ? llvm::Function::ExternalLinkage : llvm::Function::InternalLinkage, name,
      module_);
  if (is_entry) function->setVisibility(llvm::GlobalValue::HiddenVisibility);
  llvm::BasicBlock::Create(b_.getContext(), "entry", function);
  return function;
}

Status ProgramEmitter::EmitPart(const Part& part) {
  b_.SetInsertPoint(&function_->back());
  points_ = std::make_unique<PointEmitter>(
      b_, PointOptions{.elementwise = options_.target.elementwise});
  bool loops = false;
  for (mlir::Operation& op : llvm::make_range(part.begin, part.end)) {
    op.walk([&](ir::WhileOp) { loops = true; });
    TENON_RETURN_IF_ERROR(LoadFromFrame(op));
    TENON_RETURN_IF_ERROR(EmitOp(op));
    StoreToFrame(op);
  }
  b_.CreateRet(b_.getInt32(0));
  // Every instruction runs once per call.
  if (!loops) LeaveUnoptimized(*function_);
  return OkStatus();
}

Status ProgramEmitter::EmitParts(llvm::ArrayRef<Part> parts) {
  llvm::Function* entry = NewFunction(kEntryName, true);
  if (parts.size() == 1) {
    function_ = entry;
    return EmitPart(parts[0]);
  }
  LayOutFrame(parts);
  llvm::IRBuilder<> entry_builder(&entry->front());
  Values arguments;
  for (llvm::Argument& argument : entry->args()) arguments.push_back(&argument);
  auto* frame = entry_builder.CreateAlloca(frame_type_);
  frame->setAlignment(llvm::Align(16));
  arguments.push_back(frame);
  for (auto [number, part] : llvm::enumerate(parts)) {
    function_ = NewFunction((kEntryName + ".part" + llvm::Twine(number)).str(), false);
    TENON_RETURN_IF_ERROR(EmitPart(part));
    llvm::Value* code = entry_builder.CreateCall(function_, arguments);
    auto* failed = llvm::BasicBlock::Create(b_.getContext(), "failed", entry);
    auto* next = llvm::BasicBlock::Create(b_.getContext(), "next", entry);
    entry_builder.CreateCondBr(entry_builder.CreateIsNotNull(code), failed, next);
    entry_builder.SetInsertPoint(failed);
    entry_builder.CreateRet(code);
    entry_builder.SetInsertPoint(next);
  }
  entry_builder.CreateRet(entry_builder.getInt32(0));
  LeaveUnoptimized(*entry);
  return OkStatus();
}

}  // namespace tenon::codegen
