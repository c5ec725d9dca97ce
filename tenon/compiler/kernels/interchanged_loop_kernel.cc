// Interchanged loops: the outer loop runs over points, in parallel chunks and vectorized.
// The inner loop runs over iterations, with its carried values in registers.
#include "tenon/compiler/analysis/loop_interchange.h"
#include "tenon/compiler/kernels/kernel_frame.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::compiler {
namespace {

using Indices = llvm::SmallVector<mlir::Value>;

class InterchangedLoopBuilder {
 public:
  InterchangedLoopBuilder(KernelFrame& frame, stablehlo::WhileOp loop,
                          const LoopInterchangePlan& plan, PointBuilder& points)
      : frame_(frame),
        loop_(loop),
        body_(loop.getBody().front()),
        plan_(plan),
        points_(points) {}

  // Builds all iterations of the point with these indices along the axes.
  Status Build(llvm::ArrayRef<mlir::Value> point) {
    llvm::SmallVector<mlir::Value> inits;
    TENON_RETURN_IF_ERROR(EachElement(point, [&](size_t carry, Indices at) -> Status {
      TENON_ASSIGN_OR_RETURN(mlir::Value init,
                             points_.At(loop_.getOperand()[carry], at, nullptr));
      inits.push_back(init);
      return OkStatus();
    }));
    LevelStack& levels = points_.levels();
    mlir::Value lower = index().Constant(0), upper = index().Constant(plan_.trip_count);
    mlir::OpBuilder b = levels.InnermostBuilder();
    auto loop = ir::ForOp::create(b, levels.loc(), mlir::ValueRange(inits).getTypes(),
                                  lower, upper, inits);
    mlir::Block* block = b.createBlock(&loop.getBody());
    mlir::Value iteration = block->addArgument(b.getIndexType(), levels.loc());
    for (mlir::Value init : inits) block->addArgument(init.getType(), levels.loc());
    index().SetRange(iteration, 0, plan_.trip_count - 1);
    levels.Push(block);
    Status status = BuildIteration(point, iteration, block);
    levels.Pop();
    TENON_RETURN_IF_ERROR(status);
    mlir::ValueRange remaining = loop.getResults();
    return EachElement(point, [&](size_t carry, Indices at) {
      if (std::optional<int64_t> number = OutputOf(carry))
        BuildStore(points_, remaining.front(), frame_.output(*number), at);
      remaining = remaining.drop_front();
      return OkStatus();
    });
  }

 private:
  IndexBuilder& index() { return points_.index(); }

  // The fusion result that is the final value of carry `number`.
  std::optional<int64_t> OutputOf(size_t number) {
    for (auto [output, value] : llvm::enumerate(frame_.yields()))
      if (value == loop_->getResult(number)) return output;
    return std::nullopt;
  }

  // Visits the elements of an array of `shape` that belong to `point`. The array's
  // dimensions `axis_dims` run along the axes.
  Status EachIndex(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> axis_dims,
                   llvm::ArrayRef<mlir::Value> point,
                   llvm::function_ref<Status(Indices)> visit) {
    llvm::SmallVector<int64_t> sizes(shape);
    for (int64_t dim : axis_dims) sizes[dim] = 1;
    for (int64_t element = 0; element < Product(sizes); ++element) {
      Indices at = index().Delinearize(index().Constant(element), sizes);
      for (auto [dim, value] : llvm::zip(axis_dims, point)) at[dim] = value;
      TENON_RETURN_IF_ERROR(visit(at));
    }
    return OkStatus();
  }

  // Visits the elements that are carried in registers.
  Status EachElement(llvm::ArrayRef<mlir::Value> point,
                     llvm::function_ref<Status(size_t, Indices)> visit) {
    for (auto [number, carry] : llvm::enumerate(plan_.carries)) {
      if (carry.kind != CarriedValue::Kind::kValue) continue;
      TENON_RETURN_IF_ERROR(EachIndex(
          ShapeOf(body_.getArgument(number)), carry.axis_dims, point,
          [&, number = number](Indices at) { return visit(number, std::move(at)); }));
    }
    return OkStatus();
  }

  Status BuildIteration(llvm::ArrayRef<mlir::Value> point, mlir::Value iteration,
                        mlir::Block* block) {
    for (auto [number, carry] : llvm::enumerate(plan_.carries)) {
      if (carry.kind != CarriedValue::Kind::kCounter) continue;
      mlir::Value argument = body_.getArgument(number);
      mlir::Value count =
          index().Add(index().Mul(iteration, carry.step), index().Constant(carry.first));
      mlir::OpBuilder b = points_.levels().InnermostBuilder();
      points_.Bind(argument, ir::FromIndexOp::create(b, frame_.loc(),
                                                     ScalarTypeOf(argument), count));
    }
    mlir::ValueRange carried = block->getArguments().drop_front();
    TENON_RETURN_IF_ERROR(EachElement(point, [&](size_t number, Indices at) {
      points_.BindPoint(body_.getArgument(number), at, carried.front());
      carried = carried.drop_front();
      return OkStatus();
    }));
    // Op by op for all elements of a point: independent chains hide instruction latency.
    for (const AxisValue& noted : plan_.values) {
      TENON_RETURN_IF_ERROR(EachIndex(
          ShapeOf(noted.value), noted.axis_dims, point,
          [&](Indices at) { return points_.At(noted.value, at, nullptr).status(); }));
    }
    mlir::OperandRange nexts = body_.getTerminator()->getOperands();
    llvm::SmallVector<mlir::Value> values;
    TENON_RETURN_IF_ERROR(EachElement(point, [&](size_t number, Indices at) -> Status {
      TENON_ASSIGN_OR_RETURN(mlir::Value value, points_.At(nexts[number], at, nullptr));
      values.push_back(value);
      return OkStatus();
    }));
    for (auto [number, carry] : llvm::enumerate(plan_.carries))
      if (carry.kind == CarriedValue::Kind::kRows)
        TENON_RETURN_IF_ERROR(StoreRow(number, carry, point, iteration));
    mlir::OpBuilder b = points_.levels().InnermostBuilder();
    ir::YieldOp::create(b, frame_.loc(), values);
    return OkStatus();
  }

  Status StoreRow(size_t number, const CarriedValue& carry,
                  llvm::ArrayRef<mlir::Value> point, mlir::Value iteration) {
    std::optional<int64_t> output = OutputOf(number);
    if (!output) return OkStatus();
    mlir::Value first = index().Constant(carry.first);
    mlir::Value row =
        carry.step > 0 ? index().Add(first, iteration) : index().Sub(first, iteration);
    return EachIndex(
        ShapeOf(carry.row), carry.axis_dims, point, [&](Indices at) -> Status {
          TENON_ASSIGN_OR_RETURN(mlir::Value value, points_.At(carry.row, at, nullptr));
          at[carry.row_dim] = row;
          BuildStore(points_, value, frame_.output(*output), at);
          return OkStatus();
        });
  }

  KernelFrame& frame_;
  stablehlo::WhileOp loop_;
  mlir::Block& body_;
  const LoopInterchangePlan& plan_;
  PointBuilder& points_;
};

// Elements per block. Unrolls across several vector registers to hide latency when an
// iteration is a short dependence chain with few carried values, but keeps enough blocks
// for all threads.
int64_t BlockPoints(const LoopInterchangePlan& plan, int64_t total,
                    const TargetTraits& target) {
  constexpr int64_t kMaxRegisters = 8, kMaxInstructions = 160, kMinBlocks = 4;
  int64_t lanes = std::max(1, target.vector_bits / plan.element_bits), registers = 1;
  while (2 * registers * plan.carried <= kMaxRegisters &&
         2 * registers * plan.instructions <= kMaxInstructions &&
         2 * registers * lanes * kMinBlocks <= total)
    registers *= 2;
  return std::min(registers * lanes, total);
}

}  // namespace

Status BuildInterchangedLoopKernel(KernelFrame& frame) {
  const TargetTraits& target = frame.target();
  auto loop = frame.yields()[0].getDefiningOp<stablehlo::WhileOp>();
  // Any plan of the fusion is one with scalars in memory, too.
  auto plan = loop ? PlanLoopInterchange(loop, target.device != nullptr) : std::nullopt;
  if (!plan)
    return Internal(
        "an interchanged loop fusion must end in a loop of independent points");
  frame.AddInputs();
  frame.AddOutputs();
  int64_t total = Product(plan->axis_sizes);
  int64_t block = BlockPoints(*plan, total, target);
  int64_t blocks = (total + block - 1) / block;
  int64_t registers =
      std::max<int64_t>(1, block * plan->element_bits / target.vector_bits);
  double block_ns = frame.cost().chained_instruction_ns * static_cast<double>(registers) *
                    static_cast<double>(plan->instructions * plan->trip_count);
  frame.built().estimated_ns = block_ns * static_cast<double>(blocks);
  KernelBlock phase(frame, {blocks}, frame.cost().Grain(blocks, block_ns));
  IndexBuilder& index = phase.index();
  phase.points().UnrollReductions();
  if (total == 1)
    return InterchangedLoopBuilder(frame, loop, *plan, phase.points()).Build({});
  // The last block overlaps the previous one instead of being shorter. The overlapping
  // points are computed twice.
  mlir::Value lower = index.Mul(phase.arguments()[0], block);
  if (total % block != 0) lower = index.Min(lower, index.Constant(total - block));
  mlir::Value upper = index.Add(lower, index.Constant(block));
  InterchangedLoopBuilder builder(frame, loop, *plan, phase.points());
  return BuildMap(phase.points(), lower, upper, total - 1, [&](mlir::Value point) {
    return builder.Build(index.Delinearize(point, plan->axis_sizes));
  });
}

}  // namespace tenon::compiler
