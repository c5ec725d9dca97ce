#include "tenon/compiler/codegen/kernel/kernel_emitter.h"

#include <numeric>

#include "llvm/IR/Constants.h"
#include "tenon/compiler/codegen/kernel/structured_emitter.h"
#include "tenon/compiler/plan/plan_attribute.h"
#include "tenon/dialects/tenon/element_types.h"
#include "tenon/executable/run_context.h"

namespace tenon::codegen {

void EmitParallelFor(llvm::IRBuilderBase& b, llvm::Value* context, llvm::Function* body,
                     llvm::Value* env, int64_t chunks) {
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

Values FlattenParts(llvm::ArrayRef<ElementValue> values) {
  Values parts;
  for (const ElementValue& value : values) {
    parts.push_back(value.re);
    if (value.im) parts.push_back(value.im);
  }
  return parts;
}

llvm::SmallVector<ElementValue> UnflattenParts(mlir::TypeRange types,
                                               llvm::ArrayRef<llvm::Value*> parts) {
  llvm::SmallVector<ElementValue> values;
  for (mlir::Type type : types) {
    ElementValue value{ir::ElementTypeOfShaped(type), parts.front(), nullptr};
    parts = parts.drop_front();
    if (ElementParts(value.type) == 2) {
      value.im = parts.front();
      parts = parts.drop_front();
    }
    values.push_back(value);
  }
  return values;
}

int ChooseWidth(mlir::Block& block, const TargetTraits& target) {
  int widest = 8;
  int ops = 0, wide_ops = 0;
  block.walk([&](mlir::Operation* op) {
    int op_bits = 0;
    auto consider = [&](mlir::Type type) {
      ElementType element = ir::ElementTypeOfShaped(type);
      if (element == ElementType::kInvalid) return;
      int bits = ElementBits(element) / ElementParts(element);
      // Floats of 16 bits and less are computed in 32 bits.
      if (compiler::IsFloat(element) && bits < 32) bits = 32;
      op_bits = std::max(op_bits, bits);
    };
    for (mlir::Value operand : op->getOperands()) {
      if (!llvm::isa<mlir::MemRefType>(operand.getType())) consider(operand.getType());
    }
    for (mlir::Type type : op->getResultTypes()) consider(type);
    widest = std::max(widest, op_bits);
    if (op_bits > 0) ++ops;
    if (op_bits > 32) ++wide_ops;
  });
  // If only a few values are 64 bits wide, such as the counters of random bits, the lanes
  // are chosen for 32 bits, and a wide value occupies two registers.
  if (widest > 32 && wide_ops * 8 <= ops) widest = 32;
  return std::max(1, target.vector_bits / widest);
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

int64_t Product(llvm::ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) product *= size;
  return product;
}

}  // namespace

size_t CountOps(mlir::Block& block) {
  size_t count = 0;
  block.walk([&](mlir::Operation*) { ++count; });
  return count;
}

Status KernelEmitter::EmitOp(mlir::Operation& op) {
  if (auto map = llvm::dyn_cast<ir::MapOp>(op)) return EmitMap(map);
  if (auto tile = llvm::dyn_cast<ir::TileOp>(op)) return EmitTile(tile);
  if (auto branch = llvm::dyn_cast<ir::IfOp>(op)) return EmitBranch(branch);
  if (auto local = llvm::dyn_cast<ir::LocalOp>(op)) {
    EmitLocal(local);
    return OkStatus();
  }
  if (auto loop = llvm::dyn_cast<ir::ForOp>(op)) return EmitFor(loop);
  if (auto reduce = llvm::dyn_cast<ir::ReduceOp>(op)) return EmitReduce(reduce);
  if (auto scan = llvm::dyn_cast<ir::ScanOp>(op)) return EmitScan(scan);
  if (llvm::isa<ir::ContractOp>(op)) return EmitInChunk(op);
  return points_->EmitOp(op);
}

Status KernelEmitter::EmitBlock(mlir::Block& block) {
  for (mlir::Operation& op : block) {
    if (llvm::isa<ir::YieldOp>(op)) break;
    TENON_RETURN_IF_ERROR(EmitOp(op));
  }
  return OkStatus();
}

void KernelEmitter::EmitLocal(ir::LocalOp local) {
  mlir::MemRefType view = local.getType();
  int64_t elements = 1;
  for (auto [size, stride] : llvm::zip_equal(view.getShape(), ir::ViewStrides(view)))
    elements += (size - 1) * stride;
  int64_t bytes = elements * ElementBytes(ir::ElementTypeOf(view.getElementType()));
  points_->SetView(local,
                   EmitEntryAlloca(b_, llvm::ArrayType::get(b_.getInt8Ty(), bytes), 64));
}

Status KernelEmitter::EmitBranch(ir::IfOp branch) {
  llvm::Value* condition = points_->Pred(branch.getCondition());
  if (condition->getType()->isVectorTy())
    return UnsupportedOp(*branch, "the condition differs between lanes");
  Status status;
  EmitIf(b_, condition, [&] { status = EmitBlock(branch.getBody().front()); });
  return status;
}

// Calls memmove: the loader binds the implementation that is fastest on this machine for
// each length.
Status KernelEmitter::EmitCopyLoop(ir::MapOp map, const CopyLoop& loop) {
  llvm::Value* lower = points_->Index(map.getLower()).base;
  llvm::Value* count = b_.CreateSub(points_->Index(map.getUpper()).base, lower);
  points_->SetIndex(map.getBody().getArgument(0), {lower, 0, 1});
  for (mlir::Operation& op : map.getBody().front())
    if (!llvm::isa<ir::LoadOp, ir::StoreOp>(op))
      TENON_RETURN_IF_ERROR(points_->EmitOp(op));
  ir::LoadOp load = loop.load;
  ir::StoreOp store = loop.store;
  int64_t bytes = ElementBytes(ir::ElementTypeOfShaped(load.getType()));
  b_.CreateMemMove(points_->Address(store.getView(), store.getIndices()), llvm::Align(1),
                   points_->Address(load.getView(), load.getIndices()), llvm::Align(1),
                   b_.CreateMul(count, b_.getInt64(bytes)));
  return OkStatus();
}

Status KernelEmitter::EmitFor(ir::ForOp loop) {
  mlir::Block& block = loop.getBody().front();
  bool vector = points_->lanes().width > 1;
  llvm::SmallVector<ElementValue> inits;
  for (mlir::Value init : loop.getInits()) {
    ElementValue value = points_->Scalar(init);
    inits.push_back(vector ? points_->Broadcast(value) : value);
  }
  Status status;
  Values results = EmitForLoop(
      b_, points_->Index(loop.getLower()).base, points_->Index(loop.getUpper()).base, 1,
      FlattenParts(inits), [&](llvm::Value* iv, llvm::ArrayRef<llvm::Value*> carried) {
        points_->SetIndex(block.getArgument(0), {iv, 0, 1});
        auto values = UnflattenParts(loop.getInits().getTypes(), carried);
        for (auto [argument, value] :
             llvm::zip_equal(block.getArguments().drop_front(), values))
          points_->SetScalar(argument, value);
        if (status.ok()) status = EmitBlock(block);
        if (!status.ok()) return Values(carried);
        llvm::SmallVector<ElementValue> next;
        for (mlir::Value operand : block.back().getOperands()) {
          ElementValue value = points_->Scalar(operand);
          next.push_back(vector ? points_->Broadcast(value) : value);
        }
        return FlattenParts(next);
      });
  TENON_RETURN_IF_ERROR(status);
  for (auto [result, value] :
       llvm::zip_equal(loop.getResults(), UnflattenParts(loop.getResultTypes(), results)))
    points_->SetScalar(result, value);
  return OkStatus();
}

Status KernelEmitter::EmitParallel(ir::ParallelOp parallel, llvm::Value* chunk) {
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
    llvm::Value* rest = point;
    for (size_t d = sizes.size(); d-- > 0;) {
      IndexValue index{rest, 0, 1};
      if (sizes[d] == 1) {
        index = points_->Indices().Constant(0);
      } else if (d > 0) {
        index.base = b_.CreateURem(rest, b_.getInt64(sizes[d]));
        rest = b_.CreateUDiv(rest, b_.getInt64(sizes[d]));
      }
      points_->SetIndex(block.getArgument(d), index);
    }
    if (status.ok()) status = EmitBlock(block);
    return Values();
  });
  return status;
}

Status KernelEmitter::EmitInChunk(mlir::Operation& op) {
  TENON_ASSIGN_OR_RETURN(StructuredPlan plan, PlanOf(op, options_.target));
  StructuredKernel kernel = BindStructured(op, std::move(plan), options_.target);
  for (auto [number, chunks] : llvm::enumerate(kernel.plan.phase_chunks)) {
    int phase = static_cast<int>(number);
    auto emit = [&](llvm::Value* chunk) {
      return kernel.emit_phase(*points_, {phase, b_.getInt64(phase), chunk},
                               [this](mlir::Block& block) { return EmitBlock(block); });
    };
    Status status;
    if (chunks == 1) {
      status = emit(b_.getInt64(0));
    } else {
      EmitForLoop(b_, b_.getInt64(0), b_.getInt64(chunks), 1, {},
                  [&](llvm::Value* chunk, auto) {
                    if (status.ok()) status = emit(chunk);
                    return Values();
                  });
    }
    TENON_RETURN_IF_ERROR(status);
  }
  return OkStatus();
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
      b_, PointOptions{options_.target.elementwise, narrow_indices_});
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
  if (auto parallel = llvm::dyn_cast<ir::ParallelOp>(op)) {
    int64_t total = Product(parallel.getSizes());
    if (total == 0) return OkStatus();
    llvm::Function* phase = BeginPhase(name);
    TENON_RETURN_IF_ERROR(EmitParallel(parallel, phase->getArg(2)));
    EndPhase();
    CallPhase(phase, kNoNumber, (total + parallel.getGrain() - 1) / parallel.getGrain());
    return OkStatus();
  }
  TENON_ASSIGN_OR_RETURN(StructuredPlan plan, PlanOf(op, options_.target));
  StructuredKernel kernel = BindStructured(op, std::move(plan), options_.target);
  std::vector<int>& function_of = kernel.plan.function_of;
  if (function_of.empty()) {
    function_of.resize(kernel.plan.phase_chunks.size());
    std::iota(function_of.begin(), function_of.end(), 0);
  }
  std::vector<llvm::Function*> functions(function_of.size());
  for (auto [number, chunks] : llvm::enumerate(kernel.plan.phase_chunks)) {
    int first = function_of[number];
    if (!functions[first]) {
      llvm::Function* phase = BeginPhase(name + "." + std::to_string(first));
      functions[first] = phase;
      PhaseSite site{first, b_.getInt64(first), phase->getArg(2)};
      if (llvm::count(function_of, first) > 1) {
        unsigned field = env_type_->getNumElements() - 1;
        site.number =
            b_.CreateLoad(env_type_->getElementType(field),
                          b_.CreateStructGEP(env_type_, phase->getArg(1), field));
      }
      TENON_RETURN_IF_ERROR(kernel.emit_phase(
          *points_, site, [this](mlir::Block& block) { return EmitBlock(block); }));
      EndPhase();
    }
    bool shared = llvm::count(function_of, first) > 1;
    CallPhase(functions[first], shared ? static_cast<int64_t>(number) : kNoNumber,
              chunks);
  }
  return OkStatus();
}

Status KernelEmitter::Emit(ir::KernelOp kernel, llvm::StringRef name) {
  kernel_ = kernel;
  name_ = name.str();
  narrow_indices_ = AllViewsNarrow(kernel);
  llvm::LLVMContext& context = module_.getContext();
  llvm::SmallVector<llvm::Type*> fields;
  for (mlir::Type type : kernel.getBody().getArgumentTypes()) {
    if (llvm::isa<mlir::MemRefType>(type)) {
      fields.push_back(b_.getPtrTy());
      continue;
    }
    ElementType element = ir::ElementTypeOfShaped(type);
    fields.append(ElementParts(element), compiler::ElementLlvmType(context, element));
  }
  llvm::SmallVector<llvm::Type*> arguments{b_.getPtrTy()};
  arguments.append(fields);
  size_t count = fields.size();
  fields.push_back(b_.getInt64Ty());
  env_type_ = llvm::StructType::get(context, fields);
  auto* function = llvm::cast<llvm::Function>(
      module_
          .getOrInsertFunction(name_,
                               llvm::FunctionType::get(b_.getVoidTy(), arguments, false))
          .getCallee());
  function->setVisibility(llvm::GlobalValue::HiddenVisibility);
  kernel_block_ = llvm::BasicBlock::Create(context, "entry", function);
  b_.SetInsertPoint(kernel_block_);
  kernel_context_ = function->getArg(0);
  auto* env = b_.CreateAlloca(env_type_);
  env->setAlignment(llvm::Align(16));
  env_ = env;
  for (size_t i = 0; i < count; ++i)
    b_.CreateStore(function->getArg(i + 1), b_.CreateStructGEP(env_type_, env_, i));
  int index = 0;
  for (mlir::Operation& op : kernel.getBody().front())
    TENON_RETURN_IF_ERROR(EmitPhases(op, index++));
  b_.CreateRetVoid();
  return OkStatus();
}

}  // namespace tenon::codegen
