#include "tenon/compiler/buffer_assignment/program_builder.h"

#include "mlir/IR/OperationSupport.h"
#include "tenon/compiler/buffer_assignment/arena.h"
#include "tenon/compiler/buffer_assignment/ffi_calls.h"
#include "tenon/compiler/buffer_assignment/last_use.h"
#include "tenon/compiler/codegen/emitter/point_emitter.h"
#include "tenon/compiler/dialects/stablehlo/ops.h"
#include "tenon/compiler/dialects/tenon/element_types.h"
#include "tenon/compiler/fusion/fusion.h"
#include "tenon/compiler/kernels/build_kernel.h"
#include "tenon/compiler/kernels/kernel_frame.h"
#include "tenon/compiler/kernels/point_builder.h"

namespace tenon::compiler {
namespace {

using codegen::UnsupportedOp;

bool IsTensor(mlir::Value value) {
  return llvm::isa<mlir::RankedTensorType>(value.getType());
}
bool IsRankZero(mlir::Value value) {
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type && type.getRank() == 0;
}

// Every result is a function of the same elements of the operands.
bool IsFlat(ir::FusionOp fusion) {
  if (fusion.getKind() != kLoopFusion) return false;
  llvm::ArrayRef<int64_t> shape = ShapeOf(fusion.getResult(0));
  for (mlir::Value input : fusion.getInputs())
    if (!IsTensor(input) || (!IsRankZero(input) && ShapeOf(input) != shape)) return false;
  for (mlir::Operation& op : fusion.getBody().front().without_terminator()) {
    if (IsElementwise(&op) || llvm::isa<stablehlo::ConstantOp>(op)) continue;
    auto broadcast = llvm::dyn_cast<stablehlo::BroadcastInDimOp>(op);
    if (!broadcast || !ShapeOf(broadcast.getOperand()).empty()) return false;
  }
  return true;
}

// What a view stands in; used to know who may write it.
enum class Storage { kParameter, kConstant, kResult, kArena };

struct Buffer {
  mlir::Value view;  // row-major, of the tensor's shape
  Storage storage = Storage::kArena;
  mlir::Value root;  // the view of the storage itself: equal roots share it
};

// Equal kernels are built once.
class KernelCache {
 public:
  KernelCache(mlir::OpBuilder builder, const codegen::TargetTraits& target)
      : b_(builder), target_(target) {}

  StatusOr<const BuiltKernel*> Get(ir::FusionOp fusion) {
    size_t hash = Hash(fusion);
    auto& bucket = kernels_[hash];
    for (auto& [known, kernel] : bucket)
      if (SameFusion(known, fusion)) return &*kernel;
    std::string name = fusion.getKind().str() + "." + std::to_string(next_++);
    TENON_ASSIGN_OR_RETURN(BuiltKernel kernel, BuildKernel(fusion, name, target_, b_));
    bucket.emplace_back(fusion, std::make_unique<BuiltKernel>(std::move(kernel)));
    return &*bucket.back().second;
  }

 private:
  static size_t Hash(ir::FusionOp fusion) {
    llvm::hash_code hash = llvm::hash_value(fusion.getKind());
    for (mlir::Operation& op : fusion.getBody().front()) {
      hash = llvm::hash_combine(hash, op.getName(), op.getDiscardableAttrDictionary(),
                                op.hashProperties());
      for (mlir::Type type : op.getOperandTypes()) hash = llvm::hash_combine(hash, type);
      for (mlir::Type type : op.getResultTypes()) hash = llvm::hash_combine(hash, type);
    }
    return hash;
  }
  static bool SameFusion(ir::FusionOp a, ir::FusionOp b) {
    return a.getKind() == b.getKind() &&
           a->getAttrDictionary() == b->getAttrDictionary() &&
           a.getInputs().getTypes() == b.getInputs().getTypes() &&
           mlir::OperationEquivalence::isRegionEquivalentTo(
               &a.getBody(), &b.getBody(),
               mlir::OperationEquivalence::Flags::IgnoreLocations);
  }

  mlir::OpBuilder b_;
  codegen::TargetTraits target_;
  std::map<size_t, std::vector<std::pair<ir::FusionOp, std::unique_ptr<BuiltKernel>>>>
      kernels_;
  int next_ = 0;
};

class ProgramBuilder {
 public:
  ProgramBuilder(mlir::ModuleOp module, mlir::func::FuncOp function,
                 const ProgramOptions& options)
      : module_(module),
        function_(function),
        options_(options),
        b_(module.getContext()),
        uses_(function),
        kernels_(mlir::OpBuilder::atBlockEnd(module.getBody()), options.target) {}

  StatusOr<BuiltProgram> Build();

 private:
  Status BuildBlock(mlir::Block& block);
  Status BuildOp(mlir::Operation& op);
  Status BuildFusion(ir::FusionOp fusion);
  Status BuildWhile(stablehlo::WhileOp op);
  Status BuildBranches(mlir::Operation& op, mlir::Value index,
                       llvm::MutableArrayRef<mlir::Region> branches);
  Status BuildReturn(mlir::Operation& terminator);
  Status BuildConstant(stablehlo::ConstantOp constant);
  Status BuildCustomCall(stablehlo::CustomCallOp call);

  // Scalars of `values` and moves of its arrays into `targets` (no entry: nothing to
  // move).
  Status BuildYield(llvm::ArrayRef<mlir::Value> values,
                    llvm::ArrayRef<std::optional<Buffer>> targets,
                    llvm::SmallVector<mlir::Value>& scalars);

  StatusOr<Buffer> BufferOf(mlir::Value value);
  StatusOr<mlir::Value> ScalarOf(mlir::Value value);
  // Where a fresh value of `value`'s type goes: its hinted place, if free by now, or a
  // new slot. `flat`: it is computed element by element from the same elements of its
  // operands, so that it may overwrite one of them.
  Buffer Destination(mlir::Value value, int64_t position, bool flat = false);
  Buffer NewSlot(mlir::Type tensor);
  mlir::Value View(const Buffer& buffer, mlir::Type type);
  bool MayWriteOver(mlir::Value value, const Buffer& buffer, int64_t position);
  // `value` is to end in `buffer`: it is made there if nothing else lives there by then.
  void Hint(mlir::Value value, const Buffer& buffer);
  void SetBuffer(mlir::Value value, const Buffer& buffer) {
    buffers_[value] = buffer;
    holders_[buffer.root].push_back(value);
  }

  mlir::ModuleOp module_;
  mlir::func::FuncOp function_;
  const ProgramOptions& options_;
  mlir::OpBuilder b_;
  LastUses uses_;
  KernelCache kernels_;
  llvm::DenseMap<mlir::Value, Buffer> buffers_;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value, 2>> holders_;  // by root
  llvm::DenseMap<mlir::Value, mlir::Value> scalars_;
  llvm::DenseMap<mlir::Value, Buffer> hints_;
  llvm::DenseMap<mlir::Attribute, ir::ConstantDataOp> constants_;
  int64_t constant_bytes_ = 0;
  llvm::SmallVector<Buffer> results_;
  BuiltProgram built_;
  double loop_factor_ = 1;
};

mlir::Value ProgramBuilder::View(const Buffer& buffer, mlir::Type type) {
  if (buffer.view.getType() == type) return buffer.view;
  return ir::CastViewOp::create(b_, buffer.view.getLoc(), type, buffer.view);
}

Buffer ProgramBuilder::NewSlot(mlir::Type tensor) {
  mlir::Value view =
      ir::ArenaViewOp::create(b_, b_.getUnknownLoc(), ViewTypeOf(tensor), 0);
  return {view, Storage::kArena, view};
}

void ProgramBuilder::Hint(mlir::Value value, const Buffer& buffer) {
  // Through views: the storage is that of the value they are views of.
  mlir::Value root = LastUses::ViewRoot(value);
  if (root.getParentBlock() != value.getParentBlock() || hints_.contains(root)) return;
  if (!root.getDefiningOp()) return;
  Buffer place = buffer;
  mlir::Type type = ViewTypeOf(root.getType());
  if (place.view.getType() != type)
    place.view = ir::CastViewOp::create(b_, b_.getUnknownLoc(), type, place.view);
  hints_[root] = place;
}

Buffer ProgramBuilder::Destination(mlir::Value value, int64_t position, bool flat) {
  if (auto hint = hints_.find(value); hint != hints_.end()) {
    // Whatever lies there must be dead: the value it is hinted after, and those that took
    // over its storage by updates in place.
    const Buffer& place = hint->second;
    bool held = llvm::any_of(holders_[place.root], [&](mlir::Value other) {
      return uses_.Of(other) >= position + (flat ? 1 : 0);
    });
    if (!held) return place;
  }
  return NewSlot(value.getType());
}

bool ProgramBuilder::MayWriteOver(mlir::Value value, const Buffer& buffer,
                                  int64_t position) {
  if (buffer.storage != Storage::kArena && buffer.storage != Storage::kResult)
    return false;
  mlir::Value root = LastUses::ViewRoot(value);
  // What a loop's body finds in storage from outside it must still be there the next
  // time.
  if (root.getParentBlock() != value.getParentBlock()) return false;
  mlir::Operation* at = nullptr;
  for (mlir::Operation* user : value.getUsers())
    if (uses_.PositionOf(user) == position) at = user;
  if (!at || at->getBlock() != root.getParentBlock()) return false;
  if (uses_.Of(value) > position) return false;
  // Another value may live on in the same storage.
  return llvm::none_of(holders_[buffer.root], [&](mlir::Value other) {
    return LastUses::ViewRoot(other) != root && uses_.Of(other) > position;
  });
}

StatusOr<mlir::Value> ProgramBuilder::ScalarOf(mlir::Value value) {
  if (auto found = scalars_.find(value); found != scalars_.end()) return found->second;
  auto buffer = buffers_.find(value);
  if (buffer == buffers_.end()) return Internal("a scalar is used before it is made");
  mlir::Value scalar =
      ir::ReadOp::create(b_, value.getLoc(), value.getType(), buffer->second.view);
  return scalar;
}

StatusOr<Buffer> ProgramBuilder::BufferOf(mlir::Value value) {
  if (auto found = buffers_.find(value); found != buffers_.end()) return found->second;
  auto scalar = scalars_.find(value);
  if (scalar == scalars_.end()) return Internal("a value is used before it is made");
  Buffer buffer = NewSlot(value.getType());
  ir::WriteOp::create(b_, value.getLoc(), scalar->second, buffer.view);
  return buffer;
}

Status ProgramBuilder::BuildConstant(stablehlo::ConstantOp constant) {
  mlir::Value value = constant.getResult();
  if (IsRankZero(value)) {
    scalars_[value] = b_.clone(*constant)->getResult(0);
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
  SetBuffer(value, Buffer{view, Storage::kConstant, view});
  return OkStatus();
}

Status ProgramBuilder::BuildFusion(ir::FusionOp fusion) {
  TENON_ASSIGN_OR_RETURN(const BuiltKernel* kernel, kernels_.Get(fusion));
  built_.estimated_ns += kernel->estimated_ns * loop_factor_;
  int64_t position = uses_.PositionOf(fusion);
  mlir::Location loc = fusion.getLoc();
  llvm::SmallVector<Buffer> outputs;
  bool flat = IsFlat(fusion);
  for (auto [number, result] : llvm::enumerate(fusion.getResults())) {
    if (number >= kernel->in_place.size()) {
      outputs.push_back(Destination(result, position, flat));
      continue;
    }
    int64_t operand = kernel->in_place[number];
    mlir::Value old = fusion.getInputs()[operand];
    TENON_ASSIGN_OR_RETURN(Buffer from, BufferOf(old));
    bool also_input =
        llvm::any_of(kernel->arguments, [&](const KernelArgument& argument) {
          return argument.kind == KernelArgument::Kind::kInput &&
                 argument.number == operand;
        });
    bool repeated = llvm::count(fusion.getInputs(), old) > 1;
    if (!also_input && !repeated && MayWriteOver(old, from, position)) {
      outputs.push_back(
          {View(from, ViewTypeOf(result.getType())), from.storage, from.root});
      continue;
    }
    Buffer to = Destination(result, position);
    ir::CopyOp::create(b_, loc, from.view, to.view);
    outputs.push_back(to);
  }
  llvm::SmallVector<mlir::Value> arguments;
  for (const KernelArgument& argument : kernel->arguments) {
    switch (argument.kind) {
      case KernelArgument::Kind::kInput: {
        mlir::Value input = fusion.getInputs()[argument.number];
        if (llvm::isa<mlir::RankedTensorType>(argument.type)) {
          TENON_ASSIGN_OR_RETURN(mlir::Value scalar, ScalarOf(input));
          arguments.push_back(scalar);
        } else {
          TENON_ASSIGN_OR_RETURN(Buffer buffer, BufferOf(input));
          arguments.push_back(View(buffer, argument.type));
        }
        break;
      }
      case KernelArgument::Kind::kOutput:
        arguments.push_back(View(outputs[argument.number], argument.type));
        break;
      case KernelArgument::Kind::kScratch:
        arguments.push_back(ir::ArenaViewOp::create(b_, loc, argument.type, 0));
        break;
    }
  }
  ir::LaunchOp::create(
      b_, loc,
      mlir::FlatSymbolRefAttr::get(ir::KernelOp(kernel->kernel).getSymNameAttr()),
      arguments);
  for (auto [result, buffer] : llvm::zip_equal(fusion.getResults(), outputs)) {
    SetBuffer(result, buffer);
    if (IsRankZero(result))
      scalars_[result] = ir::ReadOp::create(b_, loc, result.getType(), buffer.view);
  }
  return OkStatus();
}

Status ProgramBuilder::BuildYield(llvm::ArrayRef<mlir::Value> values,
                                  llvm::ArrayRef<std::optional<Buffer>> targets,
                                  llvm::SmallVector<mlir::Value>& scalars) {
  // Arrays that lie where another one has to go leave first.
  struct Move {
    Buffer from, to;
  };
  llvm::SmallVector<Move> moves;
  for (auto [value, target] : llvm::zip_equal(values, targets)) {
    if (!target) {
      TENON_ASSIGN_OR_RETURN(mlir::Value scalar, ScalarOf(value));
      scalars.push_back(scalar);
      continue;
    }
    if (auto scalar = scalars_.find(value); scalar != scalars_.end()) {
      auto held = buffers_.find(value);
      if (held == buffers_.end() || held->second.root != target->root)
        moves.push_back({{scalar->second, Storage::kConstant, nullptr}, *target});
      continue;
    }
    TENON_ASSIGN_OR_RETURN(Buffer from, BufferOf(value));
    if (from.root == target->root) continue;
    moves.push_back({from, *target});
  }
  for (Move& move : moves) {
    bool overwritten = llvm::any_of(moves, [&](const Move& other) {
      return move.from.root && other.to.root == move.from.root;
    });
    if (!overwritten) continue;
    auto type = llvm::cast<mlir::MemRefType>(move.from.view.getType());
    mlir::Value saved = ir::ArenaViewOp::create(
        b_, b_.getUnknownLoc(),
        mlir::MemRefType::get(type.getShape(), type.getElementType()), 0);
    ir::CopyOp::create(b_, b_.getUnknownLoc(), move.from.view, saved);
    move.from = {saved, Storage::kArena, saved};
  }
  for (Move& move : moves) {
    if (llvm::isa<mlir::RankedTensorType>(move.from.view.getType()))
      ir::WriteOp::create(b_, b_.getUnknownLoc(), move.from.view, move.to.view);
    else
      ir::CopyOp::create(b_, b_.getUnknownLoc(), move.from.view,
                         View(move.to, move.from.view.getType()));
  }
  return OkStatus();
}

Status ProgramBuilder::BuildWhile(stablehlo::WhileOp op) {
  int64_t position = uses_.PositionOf(op);
  llvm::SmallVector<std::optional<Buffer>> carried;
  llvm::SmallVector<mlir::Value> inits;
  for (auto [init, result] : llvm::zip_equal(op.getOperand(), op.getResults())) {
    if (!IsTensor(init)) return UnsupportedOp(*op, "a loop can carry tensors only");
    if (IsRankZero(init)) {
      TENON_ASSIGN_OR_RETURN(mlir::Value scalar, ScalarOf(init));
      inits.push_back(scalar);
      carried.push_back(std::nullopt);
      continue;
    }
    TENON_ASSIGN_OR_RETURN(Buffer from, BufferOf(init));
    bool repeated = llvm::count(op.getOperand(), init) > 1 ||
                    llvm::any_of(carried, [&](const std::optional<Buffer>& other) {
                      return other && other->root == from.root;
                    });
    // Uses inside of the loop see the init's storage change under them.
    bool used_inside = llvm::any_of(init.getUsers(), [&](mlir::Operation* user) {
      return op->isProperAncestor(user);
    });
    if (!repeated && !used_inside && MayWriteOver(init, from, position)) {
      carried.push_back(from);
      continue;
    }
    Buffer to = Destination(result, position);
    ir::CopyOp::create(b_, op.getLoc(), from.view, to.view);
    carried.push_back(to);
  }
  llvm::SmallVector<mlir::Type> types;
  for (mlir::Value init : inits) types.push_back(init.getType());
  auto loop = ir::WhileOp::create(b_, op.getLoc(), types, inits);
  double outer_factor = loop_factor_;
  loop_factor_ *= 16;  // a guess: the trip count is not looked for
  auto build_region = [&](mlir::Region& from, mlir::Region& to, bool is_body) -> Status {
    mlir::OpBuilder::InsertionGuard guard(b_);
    mlir::Block* block = b_.createBlock(&to);
    for (auto [argument, buffer] : llvm::zip_equal(from.getArguments(), carried)) {
      if (buffer)
        SetBuffer(argument, *buffer);
      else
        scalars_[argument] = block->addArgument(argument.getType(), op.getLoc());
    }
    mlir::Operation* terminator = from.front().getTerminator();
    if (is_body) {
      for (auto [value, buffer] : llvm::zip_equal(terminator->getOperands(), carried))
        if (buffer) Hint(value, *buffer);
    }
    TENON_RETURN_IF_ERROR(BuildBlock(from.front()));
    llvm::SmallVector<mlir::Value> scalars;
    if (is_body) {
      TENON_RETURN_IF_ERROR(BuildYield(
          llvm::SmallVector<mlir::Value>(terminator->getOperands()), carried, scalars));
    } else {
      TENON_ASSIGN_OR_RETURN(mlir::Value condition, ScalarOf(terminator->getOperand(0)));
      scalars.push_back(condition);
    }
    ir::YieldOp::create(b_, op.getLoc(), scalars);
    return OkStatus();
  };
  TENON_RETURN_IF_ERROR(build_region(op.getCond(), loop.getCondition(), false));
  TENON_RETURN_IF_ERROR(build_region(op.getBody(), loop.getBody(), true));
  loop_factor_ = outer_factor;
  size_t next = 0;
  for (auto [result, buffer] : llvm::zip_equal(op.getResults(), carried)) {
    if (buffer)
      SetBuffer(result, *buffer);
    else
      scalars_[result] = loop.getResult(next++);
  }
  return OkStatus();
}

Status ProgramBuilder::BuildBranches(mlir::Operation& op, mlir::Value index,
                                     llvm::MutableArrayRef<mlir::Region> branches) {
  int64_t position = uses_.PositionOf(&op);
  llvm::SmallVector<std::optional<Buffer>> targets;
  llvm::SmallVector<mlir::Type> types;
  for (mlir::Value result : op.getResults()) {
    if (!IsTensor(result)) return UnsupportedOp(op, "branches can give tensors only");
    if (IsRankZero(result)) {
      types.push_back(result.getType());
      targets.push_back(std::nullopt);
    } else {
      targets.push_back(Destination(result, position));
    }
  }
  auto choice = ir::CaseOp::create(b_, op.getLoc(), types, index, branches.size());
  for (auto [number, branch] : llvm::enumerate(branches)) {
    mlir::OpBuilder::InsertionGuard guard(b_);
    b_.createBlock(&choice.getBranches()[number]);
    mlir::Operation* terminator = branch.front().getTerminator();
    for (auto [value, target] : llvm::zip_equal(terminator->getOperands(), targets))
      if (target) Hint(value, *target);
    TENON_RETURN_IF_ERROR(BuildBlock(branch.front()));
    llvm::SmallVector<mlir::Value> scalars;
    TENON_RETURN_IF_ERROR(BuildYield(
        llvm::SmallVector<mlir::Value>(terminator->getOperands()), targets, scalars));
    ir::YieldOp::create(b_, op.getLoc(), scalars);
  }
  size_t next = 0;
  for (auto [result, target] : llvm::zip_equal(op.getResults(), targets)) {
    if (target)
      SetBuffer(result, *target);
    else
      scalars_[result] = choice.getResult(next++);
  }
  return OkStatus();
}

Status ProgramBuilder::BuildCustomCall(stablehlo::CustomCallOp call) {
  // JAX's way to keep a value that nobody reads.
  if (call.getCallTargetName() == "dce_sink" && call->getNumResults() == 0)
    return OkStatus();
  TENON_ASSIGN_OR_RETURN(ImageFfiCall site, DescribeFfiCall(call));
  int64_t position = uses_.PositionOf(call);
  llvm::SmallVector<mlir::Value> inputs, outputs;
  for (mlir::Value input : call.getInputs()) {
    if (!IsTensor(input)) continue;  // tokens order calls; the program's order is enough
    TENON_ASSIGN_OR_RETURN(Buffer buffer, BufferOf(input));
    inputs.push_back(buffer.view);
  }
  for (auto [number, result] : llvm::enumerate(call.getResults())) {
    if (!IsTensor(result)) continue;
    std::optional<int64_t> alias = FfiAlias(call, number);
    Buffer to;
    if (alias) {
      mlir::Value old = call.getInputs()[*alias];
      TENON_ASSIGN_OR_RETURN(Buffer from, BufferOf(old));
      bool repeated = llvm::count(call.getInputs(), old) > 1;
      if (!repeated && MayWriteOver(old, from, position)) {
        to = from;
      } else {
        to = Destination(result, position);
        ir::CopyOp::create(b_, call.getLoc(), from.view, to.view);
        for (mlir::Value& input : inputs)
          if (input == from.view) input = to.view;
      }
    } else {
      to = Destination(result, position);
    }
    outputs.push_back(to.view);
    SetBuffer(result, to);
  }
  ir::FfiCallOp::create(b_, call.getLoc(), built_.ffi_calls.size(), inputs, outputs);
  for (mlir::Value result : call.getResults()) {
    if (IsRankZero(result))
      scalars_[result] =
          ir::ReadOp::create(b_, call.getLoc(), result.getType(), buffers_[result].view);
  }
  built_.ffi_calls.push_back(std::move(site));
  return OkStatus();
}

Status ProgramBuilder::BuildOp(mlir::Operation& op) {
  if (auto constant = llvm::dyn_cast<stablehlo::ConstantOp>(op))
    return BuildConstant(constant);
  if (auto fusion = llvm::dyn_cast<ir::FusionOp>(op)) return BuildFusion(fusion);
  if (auto reshape = llvm::dyn_cast<stablehlo::ReshapeOp>(op)) {
    mlir::Value result = reshape.getResult(), operand = reshape.getOperand();
    auto scalar = scalars_.find(operand);
    if (IsRankZero(result) && scalar != scalars_.end()) {
      scalars_[result] = scalar->second;
      return OkStatus();
    }
    TENON_ASSIGN_OR_RETURN(Buffer from, BufferOf(operand));
    SetBuffer(result,
              Buffer{View(from, ViewTypeOf(result.getType())), from.storage, from.root});
    if (IsRankZero(result))
      scalars_[result] =
          ir::ReadOp::create(b_, op.getLoc(), result.getType(), buffers_[result].view);
    return OkStatus();
  }
  if (auto loop = llvm::dyn_cast<stablehlo::WhileOp>(op)) return BuildWhile(loop);
  if (auto branch = llvm::dyn_cast<stablehlo::CaseOp>(op)) {
    TENON_ASSIGN_OR_RETURN(mlir::Value index, ScalarOf(branch.getIndex()));
    return BuildBranches(op, index, op.getRegions());
  }
  if (auto branch = llvm::dyn_cast<stablehlo::IfOp>(op)) {
    TENON_ASSIGN_OR_RETURN(mlir::Value pred, ScalarOf(branch.getPred()));
    // Branch 0 is the true one.
    auto i32 = mlir::RankedTensorType::get({}, b_.getI32Type());
    mlir::Value is_false =
        stablehlo::NotOp::create(b_, op.getLoc(), pred.getType(), pred);
    mlir::Value index = stablehlo::ConvertOp::create(b_, op.getLoc(), i32, is_false);
    return BuildBranches(op, index, op.getRegions());
  }
  if (auto call = llvm::dyn_cast<stablehlo::CustomCallOp>(op))
    return BuildCustomCall(call);
  if (llvm::isa<stablehlo::CreateTokenOp>(op)) return OkStatus();  // it holds no data
  if (llvm::isa<stablehlo::PartitionIdOp, stablehlo::ReplicaIdOp>(op)) {
    scalars_[op.getResult(0)] =
        ir::DeviceIdOp::create(b_, op.getLoc(), op.getResult(0).getType(),
                               llvm::isa<stablehlo::PartitionIdOp>(op));
    return OkStatus();
  }
  if (IsScalarOp(&op)) {
    llvm::SmallVector<mlir::Value> operands;
    for (mlir::Value operand : op.getOperands()) {
      TENON_ASSIGN_OR_RETURN(mlir::Value scalar, ScalarOf(operand));
      operands.push_back(scalar);
    }
    mlir::Operation* clone = b_.clone(op);
    clone->setOperands(operands);
    scalars_[op.getResult(0)] = clone->getResult(0);
    return OkStatus();
  }
  return UnsupportedOp(op, "this op is not supported");
}

Status ProgramBuilder::BuildBlock(mlir::Block& block) {
  for (mlir::Operation& op : block.without_terminator()) {
    if (op.use_empty() && op.getNumResults() > 0 && mlir::isMemoryEffectFree(&op))
      continue;
    TENON_RETURN_IF_ERROR(BuildOp(op));
  }
  return OkStatus();
}

StatusOr<BuiltProgram> ProgramBuilder::Build() {
  mlir::Block& body = function_.getBody().front();
  mlir::Operation* terminator = body.getTerminator();
  size_t parameters = body.getNumArguments();
  b_.setInsertionPointToEnd(module_.getBody());
  auto aliases = options_.result_aliases;
  aliases.resize(terminator->getNumOperands(), -1);
  built_.program = ir::ProgramOp::create(b_, function_.getLoc(), function_.getSymName(),
                                         parameters, 0, aliases);
  mlir::Block* block = b_.createBlock(&built_.program.getBody());
  auto add_view = [&](mlir::Value value) {
    mlir::Type type =
        IsTensor(value)
            ? mlir::Type(ViewTypeOf(value.getType()))
            : mlir::Type(mlir::MemRefType::get({0}, b_.getI8Type()));  // a token
    return block->addArgument(type, value.getLoc());
  };
  llvm::SmallVector<mlir::Value> parameter_views;
  for (mlir::BlockArgument argument : body.getArguments())
    parameter_views.push_back(add_view(argument));
  for (mlir::Value result : terminator->getOperands()) {
    mlir::Value view = add_view(result);
    results_.push_back({view, Storage::kResult, view});
  }
  for (auto [argument, view] : llvm::zip_equal(body.getArguments(), parameter_views))
    SetBuffer(argument, Buffer{view, Storage::kParameter, view});
  for (auto [result, parameter] : llvm::enumerate(aliases)) {
    if (parameter < 0) continue;
    mlir::Value argument = body.getArgument(parameter);
    Buffer& place = results_[result];
    mlir::Value view = View(place, ViewTypeOf(argument.getType()));
    SetBuffer(argument, Buffer{view, Storage::kResult, place.root});
  }
  for (mlir::BlockArgument argument : body.getArguments()) {
    if (IsRankZero(argument) && !argument.use_empty())
      scalars_[argument] = ir::ReadOp::create(b_, argument.getLoc(), argument.getType(),
                                              buffers_[argument].view);
  }
  for (auto [value, place] : llvm::zip_equal(terminator->getOperands(), results_))
    if (IsTensor(value)) Hint(value, place);
  TENON_RETURN_IF_ERROR(BuildBlock(body));
  llvm::SmallVector<mlir::Value> values, scalars;
  llvm::SmallVector<std::optional<Buffer>> targets;
  for (auto [value, place] : llvm::zip_equal(terminator->getOperands(), results_)) {
    if (!IsTensor(value)) continue;
    values.push_back(value);
    targets.push_back(place);
  }
  TENON_RETURN_IF_ERROR(BuildYield(values, targets, scalars));
  AssignArenaOffsets(built_.program);
  function_.erase();
  return std::move(built_);
}

}  // namespace

StatusOr<BuiltProgram> BuildProgram(mlir::ModuleOp module, mlir::func::FuncOp function,
                                    const ProgramOptions& options) {
  return ProgramBuilder(module, function, options).Build();
}

}  // namespace tenon::compiler
