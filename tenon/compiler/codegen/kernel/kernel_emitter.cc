#include "tenon/compiler/codegen/kernel/kernel_emitter.h"

#include <numeric>

#include "llvm/IR/Constants.h"
#include "tenon/compiler/codegen/ir/loops.h"
#include "tenon/compiler/codegen/kernel/structured_emitter.h"
#include "tenon/compiler/plan/plan_attribute.h"
#include "tenon/compiler/plan/tile_plan.h"
#include "tenon/dialects/tenon/element_types.h"
#include "tenon/executable/run_context.h"

namespace tenon::codegen {

void EmitParallelFor(llvm::IRBuilderBase& b, llvm::Value* context, llvm::Function* body,
                     llvm::Value* env, int64_t chunks) {
  const llvm::Module& module = *b.GetInsertBlock()->getModule();
  if (llvm::Function* own = module.getFunction(kParallelForName)) {
    b.CreateCall(own, {context, body, env, b.getInt64(chunks)});
    return;
  }
  llvm::Value* table = b.CreateLoad(
      b.getPtrTy(),
      b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), context, offsetof(RunContext, table)));
  llvm::Value* parallel_for = b.CreateLoad(
      b.getPtrTy(), b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), table,
                                                 offsetof(RuntimeTable, parallel_for)));
  auto* type = llvm::FunctionType::get(
      b.getVoidTy(), {b.getPtrTy(), b.getPtrTy(), b.getPtrTy(), b.getInt64Ty()}, false);
  b.CreateCall(type, parallel_for, {context, body, env, b.getInt64(chunks)});
}

namespace {

// Whether every element index of the kernel fits in 31 bits. Uses an upper bound.
bool AllViewsNarrow(ir::KernelOp kernel) {
  for (mlir::Type type : kernel.getBody().getArgumentTypes()) {
    auto view = llvm::dyn_cast<mlir::MemRefType>(type);
    if (!view) continue;
    auto strides = ir::ViewStrides(view);
    int64_t last = 0;
    for (auto [size, stride] : llvm::zip_equal(view.getShape(), strides))
      last += std::max<int64_t>(0, size - 1) * std::abs(stride);
    if (last > (int64_t{1} << 30)) return false;
  }
  return true;
}

mlir::Value PackedOperandOf(mlir::Operation& op) {
  if (auto contract = llvm::dyn_cast<ir::ContractOp>(op)) return contract.getPacked();
  if (auto convolution = llvm::dyn_cast<ir::ConvolutionOp>(op))
    return convolution.getPacked();
  return nullptr;
}

// Whether a phase does nothing but pack the operand whose packed form is kept.
bool OnlyPacks(const compiler::StructuredPlan& plan, size_t phase) {
  const auto* product = std::get_if<compiler::KernelPlan>(&plan.details);
  if (!product || !product->tiles || product->tiles->zero_products) return false;
  return llvm::all_of(product->tiles->phases[phase].stages,
                      [](const compiler::Stage& stage) {
                        return stage.kind == compiler::StageKind::kPackB;
                      });
}

// About how many vector instructions a function that the plan's phases call executes: a
// register tile, or a step of Fourier transforms, with eight for each 32 bytes of a
// buffer. 0: unknown.
int64_t StepsOfCalls(const compiler::StructuredPlan& structured) {
  if (const auto* fft = std::get_if<compiler::FftPlan>(&structured.details))
    return fft->buffer_bytes / 32 * 8;
  const auto* product = std::get_if<compiler::KernelPlan>(&structured.details);
  if (!product || !product->tiles) return 0;
  const compiler::TilePlan& plan = *product->tiles;
  if (plan.dot || plan.multiply_matrices) return 0;
  int64_t steps = int64_t{plan.rows} * plan.vectors;
  for (const auto& [number, dim] : llvm::enumerate(plan.problem.k_dims))
    steps *= number == 0 ? std::min(dim.size, plan.k_block) : dim.size;
  return steps;
}

// Functions that only call such functions are unoptimized from the first number of steps
// on, and from the second on it does not matter how their registers are allocated: a
// product of 200 x 200, with 2,400 steps, would take 1.05 to 1.12 of the time.
constexpr int64_t kLongCall = 1024, kVeryLongCall = 4096;

int64_t Product(llvm::ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) product *= size;
  return product;
}

}  // namespace

Status KernelEmitter::EmitChunk(ir::ParallelOp parallel, llvm::Value* chunk) {
  mlir::Block& block = parallel.getBody().front();
  llvm::ArrayRef<int64_t> sizes = parallel.getSizes();
  int64_t total = Product(sizes);
  int64_t grain = parallel.getGrain();
  llvm::Value* begin = b_.getInt64(0);
  llvm::Value* end = b_.getInt64(total);
  if (grain < total) {
    begin = b_.CreateMul(chunk, b_.getInt64(grain));
    end = b_.CreateAdd(begin, b_.getInt64(grain));
    if (total % grain != 0)
      end = b_.CreateSelect(b_.CreateICmpSLT(end, b_.getInt64(total)), end,
                            b_.getInt64(total));
  }
  Status status;
  EmitForLoop(b_, begin, end, 1, {}, [&](llvm::Value* point, auto) {
    llvm::Value* outer_index = point;
    for (size_t d = sizes.size(); d-- > 0;) {
      IndexValue index{outer_index, 0, 1};
      if (sizes[d] == 1) {
        index = points_->Indices().Constant(0);
      } else if (d > 0) {
        index.base = b_.CreateURem(outer_index, b_.getInt64(sizes[d]));
        outer_index = b_.CreateUDiv(outer_index, b_.getInt64(sizes[d]));
      }
      points_->SetIndex(block.getArgument(d), index);
    }
    if (status.ok()) status = body_->EmitBlock(block);
    return Values();
  });
  return status;
}

llvm::Function* KernelEmitter::BeginPhase(const std::string& name) {
  llvm::Type* pointer = b_.getPtrTy();
  auto* type =
      llvm::FunctionType::get(b_.getVoidTy(), {pointer, pointer, b_.getInt64Ty()}, false);
  auto* phase =
      llvm::Function::Create(type, llvm::Function::InternalLinkage, name, module_);
  // Aligns the stack so that a spilled vector register lies in one cache line.
  phase->addFnAttr("stackrealign");
  b_.SetInsertPoint(llvm::BasicBlock::Create(b_.getContext(), "entry", phase));
  points_ = std::make_unique<PointEmitter>(
      b_, PointOptions{.elementwise = options_.target.elementwise,
                       .narrow_indices = narrow_indices_,
                       .narrow_masks = options_.target.narrow_masks,
                       .byte_shuffles = options_.target.byte_shuffles});
  body_ = std::make_unique<BodyEmitter>(*points_, options_.target);
  unsigned field = 0;
  auto load_field = [&] {
    llvm::Value* address = b_.CreateStructGEP(env_type_, phase->getArg(1), field);
    return b_.CreateLoad(env_type_->getElementType(field++), address);
  };
  for (mlir::BlockArgument argument : kernel_.getBody().getArguments()) {
    if (llvm::isa<mlir::MemRefType>(argument.getType())) {
      points_->SetView(argument, load_field());
      continue;
    }
    ElementValue value{ir::ElementTypeOfShaped(argument.getType()), load_field(),
                       nullptr};
    if (ElementParts(value.type) == 2) value.im = load_field();
    points_->SetScalar(argument, value);
  }
  return phase;
}

void KernelEmitter::EndPhase() {
  b_.CreateRetVoid();
  b_.SetInsertPoint(kernel_block_);
}

void KernelEmitter::CallPhase(llvm::Function* phase, int64_t number, int64_t chunks) {
  if (chunks <= 0) return;
  if (number >= 0) {
    b_.CreateStore(b_.getInt64(number),
                   b_.CreateStructGEP(env_type_, env_, env_type_->getNumElements() - 1));
  }
  if (chunks == 1) {
    b_.CreateCall(phase, {kernel_context_, env_, b_.getInt64(0)});
    return;
  }
  EmitParallelFor(b_, kernel_context_, phase, env_, chunks);
}

Status KernelEmitter::EmitPhases(mlir::Operation& op, int index) {
  std::string name = name_ + ".phase" + std::to_string(index);
  if (auto parallel = llvm::dyn_cast<ir::ParallelOp>(op))
    return EmitParallelPhase(parallel, name);
  return EmitStructuredPhases(op, name);
}

Status KernelEmitter::EmitParallelPhase(ir::ParallelOp parallel,
                                        const std::string& name) {
  int64_t total = Product(parallel.getSizes());
  if (total == 0) return OkStatus();
  llvm::Function* phase = BeginPhase(name);
  TENON_RETURN_IF_ERROR(EmitChunk(parallel, phase->getArg(2)));
  EndPhase();
  CallPhase(phase, kNoNumber, (total + parallel.getGrain() - 1) / parallel.getGrain());
  return OkStatus();
}

Status KernelEmitter::EmitStructuredPhases(mlir::Operation& op, const std::string& name) {
  TENON_ASSIGN_OR_RETURN(StructuredPlan plan, PlanOf(op, options_.target));
  StructuredKernel kernel = BindStructured(op, std::move(plan), options_.target);
  std::vector<int>& function_of = kernel.plan.function_of;
  if (function_of.empty()) {
    function_of.resize(kernel.plan.phase_chunks.size());
    std::iota(function_of.begin(), function_of.end(), 0);
  }
  std::vector<llvm::Function*> functions(function_of.size());
  llvm::Value* const packed = PackedArgument(op);
  for (auto [number, chunks] : llvm::enumerate(kernel.plan.phase_chunks)) {
    int first = function_of[number];
    bool shared = llvm::count(function_of, first) > 1;
    if (!functions[first]) {
      TENON_ASSIGN_OR_RETURN(functions[first],
                             EmitPhaseFunction(kernel, first, shared, name));
    }
    auto call = [&, chunks = chunks] {
      CallPhase(functions[first], shared ? static_cast<int64_t>(number) : kNoNumber,
                chunks);
    };
    if (packed && OnlyPacks(kernel.plan, number))
      EmitIf(b_, b_.CreateIsNull(PackedField(packed, offsetof(PackedOperand, is_packed))),
             call);
    else
      call();
    kernel_block_ = b_.GetInsertBlock();
  }
  if (packed) MarkPacked(packed);
  return OkStatus();
}

// Loads a field of the PackedOperand.
llvm::Value* KernelEmitter::PackedField(llvm::Value* operand, uint64_t offset) {
  llvm::Type* type = offset == offsetof(PackedOperand, data)
                         ? static_cast<llvm::Type*>(b_.getPtrTy())
                         : b_.getInt64Ty();
  return b_.CreateLoad(type,
                       b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), operand, offset));
}

// States that the phases have packed the operand, if there is memory for it.
void KernelEmitter::MarkPacked(llvm::Value* operand) {
  llvm::Value* data = PackedField(operand, offsetof(PackedOperand, data));
  b_.CreateStore(b_.CreateZExt(b_.CreateIsNotNull(data), b_.getInt64Ty()),
                 b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), operand,
                                               offsetof(PackedOperand, is_packed)));
}

// The argument of the kernel's function that is the PackedOperand of `op`, or null.
llvm::Value* KernelEmitter::PackedArgument(mlir::Operation& op) {
  mlir::Value packed = PackedOperandOf(op);
  if (!packed) return nullptr;
  auto before = kernel_.getBody().getArguments().take_front(
      llvm::cast<mlir::BlockArgument>(packed).getArgNumber());
  unsigned number = 1;  // after the context
  for (mlir::BlockArgument argument : before)
    number += llvm::isa<mlir::MemRefType>(argument.getType())
                  ? 1
                  : ElementParts(ir::ElementTypeOfShaped(argument.getType()));
  return kernel_block_->getParent()->getArg(number);
}

StatusOr<llvm::Function*> KernelEmitter::EmitPhaseFunction(const StructuredKernel& kernel,
                                                           int phase, bool shared,
                                                           const std::string& name) {
  llvm::Function* function = BeginPhase(name + "." + std::to_string(phase));
  PhaseArguments arguments{phase, b_.getInt64(phase), function->getArg(2)};
  if (shared) {
    unsigned field = env_type_->getNumElements() - 1;
    arguments.phase =
        b_.CreateLoad(env_type_->getElementType(field),
                      b_.CreateStructGEP(env_type_, function->getArg(1), field));
  }
  TENON_RETURN_IF_ERROR(
      kernel.emit_phase(*points_, arguments,
                        [this](mlir::Block& block) { return body_->EmitBlock(block); }));
  EndPhase();
  const int64_t steps = StepsOfCalls(kernel.plan);
  if (steps >= kLongCall && OnlyCalls(*function)) {
    LeaveUnoptimized(*function);
    if (steps < kVeryLongCall) function->addFnAttr(kAllocatesRegisters);
  }
  return function;
}

llvm::Function* KernelEmitter::BeginKernel() {
  llvm::LLVMContext& context = module_.getContext();
  llvm::SmallVector<llvm::Type*> fields;
  for (mlir::Type type : kernel_.getBody().getArgumentTypes()) {
    if (llvm::isa<mlir::MemRefType>(type)) {
      fields.push_back(b_.getPtrTy());
      continue;
    }
    ElementType element = ir::ElementTypeOfShaped(type);
    fields.append(ElementParts(element), compiler::ElementLlvmType(context, element));
  }
  llvm::SmallVector<llvm::Type*> arguments{b_.getPtrTy()};
  arguments.append(fields);
  fields.push_back(b_.getInt64Ty());
  env_type_ = llvm::StructType::get(context, fields);
  auto* type = llvm::FunctionType::get(b_.getVoidTy(), arguments, false);
  auto* function =
      llvm::cast<llvm::Function>(module_.getOrInsertFunction(name_, type).getCallee());
  function->setVisibility(llvm::GlobalValue::HiddenVisibility);
  return function;
}

Status KernelEmitter::Emit(ir::KernelOp kernel, llvm::StringRef name) {
  kernel_ = kernel;
  name_ = name.str();
  narrow_indices_ = AllViewsNarrow(kernel);
  llvm::Function* function = BeginKernel();
  kernel_block_ = llvm::BasicBlock::Create(module_.getContext(), "entry", function);
  b_.SetInsertPoint(kernel_block_);
  kernel_context_ = function->getArg(0);
  auto* env = b_.CreateAlloca(env_type_);
  env->setAlignment(llvm::Align(16));
  env_ = env;
  for (unsigned field = 0; field + 1 < env_type_->getNumElements(); ++field)
    b_.CreateStore(function->getArg(field + 1),
                   b_.CreateStructGEP(env_type_, env_, field));
  int index = 0;
  for (mlir::Operation& op : kernel.getBody().front())
    TENON_RETURN_IF_ERROR(EmitPhases(op, index++));
  b_.CreateRetVoid();
  LeaveUnoptimized(*function);  // it calls the phases
  return OkStatus();
}

}  // namespace tenon::codegen
