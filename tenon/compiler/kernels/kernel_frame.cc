#include "tenon/compiler/kernels/kernel_frame.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tenon/compiler/analysis/element_kinds.h"
#include "tenon/compiler/analysis/point_ops.h"
#include "tenon/compiler/plan/plan_attribute.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::compiler {

KernelFrame::KernelFrame(ir::FusionOp fusion, llvm::StringRef name,
                         const TargetTraits& target, mlir::OpBuilder& b)
    : fusion_(fusion), target_(target), b_(b) {
  built_.kernel = ir::KernelOp::create(b_, fusion.getLoc(), name);
  b_.createBlock(&built_.kernel.getBody());
}

mlir::Value KernelFrame::AddInput(int64_t number, mlir::Type type) {
  built_.arguments.push_back({KernelArgument::Kind::kInput, number, type});
  return built_.kernel.getBody().front().addArgument(type, loc());
}

mlir::Value KernelFrame::AddOutput(int64_t number, mlir::Type type) {
  built_.arguments.push_back({KernelArgument::Kind::kOutput, number, type});
  return built_.kernel.getBody().front().addArgument(type, loc());
}

mlir::Value KernelFrame::AddScratch(int64_t bytes) {
  return AddScratch(mlir::MemRefType::get({std::max<int64_t>(bytes, 1)}, b_.getI8Type()));
}

mlir::Value KernelFrame::AddScratch(mlir::MemRefType view) {
  built_.scratch_bytes =
      Product(view.getShape()) * ElementBytes(ir::ElementTypeOf(view.getElementType()));
  built_.arguments.push_back({KernelArgument::Kind::kScratch, 0, view});
  return built_.kernel.getBody().front().addArgument(view, loc());
}

void KernelFrame::SetScratch(mlir::Value scratch, int64_t bytes) {
  bytes = std::max<int64_t>(bytes, 1);
  auto type = mlir::MemRefType::get({bytes}, b_.getI8Type());
  scratch.setType(type);
  built_.scratch_bytes = bytes;
  built_.arguments[llvm::cast<mlir::BlockArgument>(scratch).getArgNumber()].type = type;
}

mlir::Value KernelFrame::AddPacked(int64_t number, int64_t bytes, std::string layout) {
  auto type = mlir::MemRefType::get({2}, b_.getI64Type());
  built_.packed_bytes = bytes;
  built_.packed_layout = std::move(layout);
  built_.arguments.push_back({KernelArgument::Kind::kPacked, number, type});
  return built_.kernel.getBody().front().addArgument(type, loc());
}

void KernelFrame::AddInputs(llvm::ArrayRef<int64_t> skip) {
  auto in_memory =
      fusion_->getAttrOfType<mlir::DenseI64ArrayAttr>(ir::kScalarsInMemoryAttr);
  for (auto [number, argument] : llvm::enumerate(region().getArguments())) {
    if (argument.use_empty() || llvm::is_contained(skip, static_cast<int64_t>(number)))
      continue;
    auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(argument.getType());
    if (!tensor) continue;
    const bool is_passed =
        tensor.getRank() == 0 &&
        !(in_memory && llvm::is_contained(in_memory.asArrayRef(), number));
    mlir::Type type = is_passed ? mlir::Type(tensor) : mlir::Type(ViewTypeOf(tensor));
    inputs_[number] = AddInput(number, type);
  }
}

void KernelFrame::AddOutputs() {
  for (auto [number, type] : llvm::enumerate(fusion_.getOutputs().getTypes()))
    outputs_.push_back(AddOutput(number, ViewTypeOf(type)));
}

void KernelFrame::Bind(PointBuilder& points) {
  for (auto [number, view] : inputs_) points.Bind(region().getArgument(number), view);
}

mlir::Block* KernelFrame::AddParallel(llvm::ArrayRef<int64_t> sizes, int64_t grain) {
  mlir::OpBuilder b = mlir::OpBuilder::atBlockEnd(&built_.kernel.getBody().front());
  auto parallel = ir::ParallelOp::create(b, loc(), sizes, grain);
  mlir::Block* block = b.createBlock(&parallel.getBody());
  for (size_t d = 0; d < sizes.size(); ++d) block->addArgument(b.getIndexType(), loc());
  return block;
}

KernelBlock::KernelBlock(KernelFrame& frame, mlir::Block* block)
    : block_(block), levels_(frame.loc()), points_(levels_) {
  levels_.Push(block);
  frame.Bind(points_);
}

KernelBlock::KernelBlock(KernelFrame& frame, llvm::ArrayRef<int64_t> sizes, int64_t grain)
    : KernelBlock(frame, frame.AddParallel(sizes, grain)) {
  for (auto [iv, size] : llvm::zip_equal(block_->getArguments(), sizes))
    index().SetRange(iv, 0, size - 1);
}

Status BuildMap(PointBuilder& points, mlir::Value lower, mlir::Value upper, int64_t last,
                llvm::function_ref<Status(mlir::Value)> point) {
  LevelStack& levels = points.levels();
  mlir::OpBuilder b = levels.InnermostBuilder();
  auto map = ir::MapOp::create(b, levels.loc(), lower, upper);
  mlir::Block* block = b.createBlock(&map.getBody());
  mlir::Value iv = block->addArgument(b.getIndexType(), levels.loc());
  points.index().SetRange(iv, 0, last);
  levels.Push(block);
  Status status = point(iv);
  levels.Pop();
  return status;
}

Status BuildRowMap(KernelFrame& frame, PointBuilder& points, mlir::Value lower,
                   mlir::Value upper, int64_t length,
                   llvm::function_ref<Status(mlir::Value)> point) {
  auto attribute = frame.fusion()->getAttrOfType<mlir::DenseI64ArrayAttr>("row_starts");
  if (!attribute) return BuildMap(points, lower, upper, length - 1, point);
  IndexBuilder& index = points.index();
  llvm::ArrayRef<int64_t> starts = attribute.asArrayRef();
  bool whole = index.ConstantOf(lower) == 0 && index.ConstantOf(upper) == length;
  for (auto [part, start] : llvm::enumerate(starts)) {
    int64_t end = part + 1 < starts.size() ? starts[part + 1] : length;
    if (whole && end == start + 1) {
      TENON_RETURN_IF_ERROR(point(index.Constant(start)));
      continue;
    }
    mlir::Value first = index.Constant(start), last = index.Constant(end);
    if (!whole) {
      first = index.Min(index.Max(lower, first), last);
      last = index.Max(index.Min(upper, last), first);
    }
    TENON_RETURN_IF_ERROR(BuildMap(points, first, last, end - 1, [&](mlir::Value iv) {
      index.SetRange(iv, start, end - 1);
      return point(iv);
    }));
  }
  return OkStatus();
}

Status BuildFor(PointBuilder& points, mlir::Value lower, mlir::Value upper, int64_t last,
                llvm::function_ref<Status(mlir::Value)> point) {
  LevelStack& levels = points.levels();
  mlir::OpBuilder b = levels.InnermostBuilder();
  auto loop = ir::ForOp::create(b, levels.loc(), mlir::TypeRange(), lower, upper,
                                mlir::ValueRange());
  mlir::Block* block = b.createBlock(&loop.getBody());
  mlir::Value iv = block->addArgument(b.getIndexType(), levels.loc());
  points.index().SetRange(iv, 0, last);
  levels.Push(block);
  Status status = point(iv);
  levels.Pop();
  mlir::OpBuilder end = mlir::OpBuilder::atBlockEnd(block);
  ir::YieldOp::create(end, levels.loc(), mlir::ValueRange());
  return status;
}

Status BuildSequentialLoops(
    PointBuilder& points, llvm::ArrayRef<int64_t> sizes,
    llvm::function_ref<Status(llvm::ArrayRef<mlir::Value>)> point) {
  llvm::SmallVector<mlir::Value> indices;
  std::function<Status()> next = [&]() -> Status {
    if (indices.size() == sizes.size()) return point(indices);
    int64_t size = sizes[indices.size()];
    IndexBuilder& index = points.index();
    auto inner = [&](mlir::Value iv) {
      indices.push_back(iv);
      return next();
    };
    if (size == 1) return inner(index.Constant(0));
    return BuildFor(points, index.Constant(0), index.Constant(size), size - 1, inner);
  };
  return next();
}

Status BuildLoops(PointBuilder& points, llvm::ArrayRef<int64_t> sizes,
                  llvm::function_ref<Status(llvm::ArrayRef<mlir::Value>)> point) {
  if (sizes.empty()) return point({});
  return BuildSequentialLoops(
      points, sizes.drop_back(), [&](llvm::ArrayRef<mlir::Value> outer) {
        mlir::Value lower = points.index().Constant(0);
        mlir::Value upper = points.index().Constant(sizes.back());
        return BuildMap(points, lower, upper, sizes.back() - 1, [&](mlir::Value iv) {
          llvm::SmallVector<mlir::Value> indices(outer);
          indices.push_back(iv);
          return point(indices);
        });
      });
}

Status BuildIf(PointBuilder& points, mlir::Value condition,
               llvm::function_ref<Status()> then) {
  LevelStack& levels = points.levels();
  mlir::OpBuilder b = levels.InnermostBuilder();
  auto branch = ir::IfOp::create(b, levels.loc(), condition);
  levels.Push(b.createBlock(&branch.getBody()));
  Status status = then();
  levels.Pop();
  return status;
}

Status StoreResults(KernelFrame& frame, PointBuilder& points,
                    llvm::ArrayRef<mlir::Value> indices) {
  return StoreResults(frame, points, indices,
                      llvm::to_vector(llvm::seq<int64_t>(0, frame.yields().size())));
}

Status StoreResults(KernelFrame& frame, PointBuilder& points,
                    llvm::ArrayRef<mlir::Value> indices,
                    llvm::ArrayRef<int64_t> numbers) {
  // All loads come before all stores, because a result may overwrite an operand.
  llvm::SmallVector<mlir::Value> values;
  for (int64_t number : numbers) {
    TENON_ASSIGN_OR_RETURN(mlir::Value value,
                           points.At(frame.yields()[number], indices, nullptr));
    values.push_back(value);
  }
  for (auto [number, value] : llvm::zip_equal(numbers, values))
    BuildStore(points, value, frame.output(number), indices);
  return OkStatus();
}

void BuildStore(PointBuilder& points, mlir::Value value, mlir::Value view,
                llvm::ArrayRef<mlir::Value> indices, mlir::Value mask) {
  mlir::OpBuilder b = points.levels().InnermostBuilder();
  ir::StoreOp::create(b, points.levels().loc(), value, view, indices, mask);
}

StatusOr<int64_t> UpdatedOperand(mlir::Value value) {
  auto argument = llvm::dyn_cast<mlir::BlockArgument>(value);
  if (!argument) return Internal("an operand updated in place must come from outside");
  return static_cast<int64_t>(argument.getArgNumber());
}

StatusOr<StructuredPlan> PlanKernel(KernelFrame& frame, mlir::Operation& op,
                                    mlir::Value scratch) {
  TENON_ASSIGN_OR_RETURN(auto plan, PlanStructured(op, frame.target()));
  SetPlan(op, plan);
  frame.SetScratch(scratch, plan.scratch_bytes);
  frame.built().estimated_ns = plan.estimated_ns;
  return plan;
}

namespace {

// Nanoseconds per element of a result of `op`.
double OpNs(mlir::Operation* op, const CostModel& cost) {
  if (llvm::isa<stablehlo::GatherOp>(op)) return cost.gather_ns;
  if (!IsElementwise(op)) return cost.simple_ns / 2;
  double ns = cost.ElementNs(op->getName().stripDialect());
  // A register holds half as many 64-bit elements. 16-bit floats are converted both ways.
  for (mlir::Type type : op->getOperandTypes()) {
    ElementType element = ir::ElementTypeOfShaped(type);
    if (ElementBytes(element) >= 8) return 2 * ns;
    if (IsFloat(element) && ElementBits(element) < 32) return ns + 2 * cost.simple_ns;
  }
  return ns;
}

// The number of elements of `input` that are read. Slices and gathers read only as many
// elements as they return.
int64_t ElementsRead(mlir::BlockArgument input) {
  int64_t max_elements = 0;
  for (mlir::OpOperand& use : input.getUses()) {
    mlir::Value read = input;
    if (use.getOperandNumber() == 0 &&
        llvm::isa<stablehlo::SliceOp, stablehlo::DynamicSliceOp, stablehlo::GatherOp>(
            use.getOwner()))
      read = use.getOwner()->getResult(0);
    max_elements = std::max(max_elements, Product(ShapeOf(read)));
  }
  return max_elements;
}

}  // namespace

double EstimatePointNs(KernelFrame& frame) {
  ir::FusionOp fusion = frame.fusion();
  const CostModel& cost = frame.cost();
  double points = 1;
  if (fusion.getNumResults() > 0)
    points = std::max<int64_t>(
        1, Product(ShapeOf(fusion.getBody().front().getTerminator()->getOperand(0))));
  double total = 0;
  for (mlir::Operation& op : fusion.getBody().front().without_terminator()) {
    double elements = 1;
    if (auto type = llvm::dyn_cast<mlir::RankedTensorType>(op.getResult(0).getType()))
      elements = type.getNumElements();
    if (auto reduce = llvm::dyn_cast<stablehlo::ReduceOp>(op))
      elements = Product(ShapeOf(reduce.getInputs()[0])) * 2.0;
    if (auto window = llvm::dyn_cast<stablehlo::ReduceWindowOp>(op))
      elements *= Product(window.getWindowDimensions()) * 4.0;
    total += OpNs(&op, cost) * elements;
  }
  for (mlir::BlockArgument input : fusion.getBody().front().getArguments()) {
    auto type = llvm::dyn_cast<mlir::RankedTensorType>(input.getType());
    if (!type) continue;
    total += cost.memory_ns * std::min<double>(ElementsRead(input), points * 64) *
             std::max<double>(1, ElementBytes(ir::ElementTypeOfShaped(type)) / 4.0);
  }
  for (mlir::Type type : fusion.getOutputs().getTypes())
    total += cost.memory_ns * llvm::cast<mlir::RankedTensorType>(type).getNumElements();
  return total / points;
}

}  // namespace tenon::compiler
