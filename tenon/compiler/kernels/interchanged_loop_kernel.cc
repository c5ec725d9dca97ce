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
        points_(points),
        locals_(plan.carries.size()) {}

  // Reserves local memory for carries whose lanes are far apart, for `block` points: a
  // loop moves the elements between an array and the local memory. One access for each
  // element and lane would take long to compile.
  void ReserveLocals(int64_t block) {
    // The loop takes 1.0 to 1.2 of the time for values, which are moved once, and up to 2
    // for rows, which are moved in each iteration.
    constexpr int64_t kMinElements = 24, kMinRow = 64;
    int64_t bytes_left = 32 << 10;  // of the stack, and in the first-level cache
    if (frame_.target().device) return;
    for (auto [number, carry] : llvm::enumerate(plan_.carries)) {
      if (carry.kind == CarriedValue::Kind::kCounter || carry.axis_dims.empty()) continue;
      mlir::Value array = ArrayOf(number);
      if (carry.axis_dims.back() == TypeOf(array).getRank() - 1) continue;
      const int64_t elements = ElementsOf(number);
      const int64_t bytes =
          elements * block * ElementBytes(ir::ElementTypeOf(ElementOf(array)));
      if (elements < (carry.kind == CarriedValue::Kind::kRows ? kMinRow : kMinElements) ||
          bytes > bytes_left)
        continue;
      bytes_left -= bytes;
      mlir::OpBuilder b = points_.levels().InnermostBuilder();
      locals_[number] = ir::LocalOp::create(
          b, frame_.loc(), mlir::MemRefType::get({elements, block}, ElementOf(array)));
    }
  }

  // Builds all iterations of the point with these indices along the axes. It is number
  // `lane` of the block.
  Status Build(llvm::ArrayRef<mlir::Value> point, mlir::Value lane) {
    lane_ = lane;
    TENON_ASSIGN_OR_RETURN(llvm::SmallVector<mlir::Value> inits, BuildInits(point));
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
    return StoreResults(point, loop.getResults());
  }

 private:
  IndexBuilder& index() { return points_.index(); }

  // The fusion result that is the final value of carry `number`.
  std::optional<int64_t> OutputOf(size_t number) {
    for (auto [output, value] : llvm::enumerate(frame_.yields()))
      if (value == loop_->getResult(number)) return output;
    return std::nullopt;
  }

  // What a carry's local memory holds elements of: its value, or a new row.
  mlir::Value ArrayOf(size_t number) {
    const CarriedValue& carry = plan_.carries[number];
    return carry.kind == CarriedValue::Kind::kRows ? carry.row
                                                   : body_.getArgument(number);
  }

  // The shape of one point's elements.
  static llvm::SmallVector<int64_t> SizesAt(mlir::Value array,
                                            llvm::ArrayRef<int64_t> axis_dims) {
    llvm::SmallVector<int64_t> sizes(ShapeOf(array));
    for (int64_t dim : axis_dims) sizes[dim] = 1;
    return sizes;
  }

  // How many elements of a carry's array belong to a point.
  int64_t ElementsOf(size_t number) {
    return Product(SizesAt(ArrayOf(number), plan_.carries[number].axis_dims));
  }

  // The indices of element `element` of a point. The array's dimensions `axis_dims` run
  // along the axes.
  Indices IndicesOf(mlir::Value element, llvm::ArrayRef<int64_t> sizes,
                    llvm::ArrayRef<int64_t> axis_dims,
                    llvm::ArrayRef<mlir::Value> point) {
    Indices at = index().Delinearize(element, sizes);
    for (auto [dim, value] : llvm::zip(axis_dims, point)) at[dim] = value;
    return at;
  }

  // Visits the elements of an array that belong to `point`.
  Status EachIndex(mlir::Value array, llvm::ArrayRef<int64_t> axis_dims,
                   llvm::ArrayRef<mlir::Value> point,
                   llvm::function_ref<Status(Indices)> visit) {
    const llvm::SmallVector<int64_t> sizes = SizesAt(array, axis_dims);
    for (int64_t element = 0; element < Product(sizes); ++element)
      TENON_RETURN_IF_ERROR(
          visit(IndicesOf(index().Constant(element), sizes, axis_dims, point)));
    return OkStatus();
  }

  // As EachIndex, by a loop over the elements of the array of carry `number`.
  Status LoopOverIndices(size_t number, llvm::ArrayRef<mlir::Value> point,
                         llvm::function_ref<Status(mlir::Value, Indices)> visit) {
    const auto& axis_dims = plan_.carries[number].axis_dims;
    const llvm::SmallVector<int64_t> sizes = SizesAt(ArrayOf(number), axis_dims);
    const int64_t elements = ElementsOf(number);
    return BuildFor(points_, index().Constant(0), index().Constant(elements),
                    elements - 1, [&](mlir::Value element) {
                      return visit(element, IndicesOf(element, sizes, axis_dims, point));
                    });
  }

  void StoreLocal(size_t number, mlir::Value element, mlir::Value value) {
    BuildStore(points_, value, locals_[number], {element, lane_});
  }
  mlir::Value LoadLocal(size_t number, mlir::Value element) {
    mlir::OpBuilder b = points_.levels().InnermostBuilder();
    return ir::LoadOp::create(b, frame_.loc(), ScalarTypeOf(ArrayOf(number)),
                              locals_[number], Indices{element, lane_}, mlir::Value(),
                              mlir::Value());
  }

  // The elements of a point before the first iteration.
  StatusOr<llvm::SmallVector<mlir::Value>> BuildInits(llvm::ArrayRef<mlir::Value> point) {
    llvm::SmallVector<mlir::Value> inits;
    for (auto [number, carry] : llvm::enumerate(plan_.carries)) {
      if (carry.kind != CarriedValue::Kind::kValue) continue;
      mlir::Value array = loop_.getOperand()[number];
      if (!locals_[number]) {
        TENON_RETURN_IF_ERROR(
            EachIndex(array, carry.axis_dims, point, [&](Indices at) -> Status {
              TENON_ASSIGN_OR_RETURN(mlir::Value init, points_.At(array, at, nullptr));
              inits.push_back(init);
              return OkStatus();
            }));
        continue;
      }
      TENON_RETURN_IF_ERROR(
          LoopOverIndices(number, point, [&](mlir::Value element, Indices at) -> Status {
            TENON_ASSIGN_OR_RETURN(mlir::Value init, points_.At(array, at, nullptr));
            StoreLocal(number, element, init);
            return OkStatus();
          }));
      for (int64_t element = 0; element < ElementsOf(number); ++element)
        inits.push_back(LoadLocal(number, index().Constant(element)));
    }
    return inits;
  }

  // Stores the elements of a point after the last iteration.
  Status StoreResults(llvm::ArrayRef<mlir::Value> point, mlir::ValueRange values) {
    for (auto [number, carry] : llvm::enumerate(plan_.carries)) {
      if (carry.kind != CarriedValue::Kind::kValue) continue;
      const int64_t elements = ElementsOf(number);
      TENON_RETURN_IF_ERROR(StoreElements(number, point, values.take_front(elements),
                                          [](Indices at) { return at; }));
      values = values.drop_front(elements);
    }
    return OkStatus();
  }

  // Stores the elements of a point to the carry's fusion result, if there is one.
  // `place` returns the indices in the result.
  Status StoreElements(size_t number, llvm::ArrayRef<mlir::Value> point,
                       mlir::ValueRange values,
                       llvm::function_ref<Indices(Indices)> place) {
    std::optional<int64_t> output = OutputOf(number);
    if (!output) return OkStatus();
    mlir::Value view = frame_.output(*output);
    if (!locals_[number])
      return EachIndex(ArrayOf(number), plan_.carries[number].axis_dims, point,
                       [&](Indices at) {
                         BuildStore(points_, values.front(), view, place(std::move(at)));
                         values = values.drop_front();
                         return OkStatus();
                       });
    for (auto [element, value] : llvm::enumerate(values))
      StoreLocal(number, index().Constant(static_cast<int64_t>(element)), value);
    return LoopOverIndices(number, point, [&](mlir::Value element, Indices at) {
      BuildStore(points_, LoadLocal(number, element), view, place(std::move(at)));
      return OkStatus();
    });
  }

  // Visits the elements that are carried in registers.
  Status EachElement(llvm::ArrayRef<mlir::Value> point,
                     llvm::function_ref<Status(size_t, Indices)> visit) {
    for (auto [number, carry] : llvm::enumerate(plan_.carries)) {
      if (carry.kind != CarriedValue::Kind::kValue) continue;
      TENON_RETURN_IF_ERROR(EachIndex(
          body_.getArgument(number), carry.axis_dims, point,
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
          noted.value, noted.axis_dims, point,
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
    if (!OutputOf(number)) return OkStatus();
    llvm::SmallVector<mlir::Value> values;
    TENON_RETURN_IF_ERROR(
        EachIndex(carry.row, carry.axis_dims, point, [&](Indices at) -> Status {
          TENON_ASSIGN_OR_RETURN(mlir::Value value, points_.At(carry.row, at, nullptr));
          values.push_back(value);
          return OkStatus();
        }));
    mlir::Value first = index().Constant(carry.first);
    mlir::Value row =
        carry.step > 0 ? index().Add(first, iteration) : index().Sub(first, iteration);
    return StoreElements(number, point, values, [&](Indices at) {
      at[carry.row_dim] = row;
      return at;
    });
  }

  KernelFrame& frame_;
  stablehlo::WhileOp loop_;
  mlir::Block& body_;
  const LoopInterchangePlan& plan_;
  PointBuilder& points_;
  llvm::SmallVector<mlir::Value> locals_;  // by carry; null: none
  mlir::Value lane_;
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
  InterchangedLoopBuilder builder(frame, loop, *plan, phase.points());
  if (total == 1) return builder.Build({}, index.Constant(0));
  builder.ReserveLocals(block);
  // The last block overlaps the previous one instead of being shorter. The overlapping
  // points are computed twice.
  mlir::Value lower = index.Mul(phase.arguments()[0], block);
  if (total % block != 0) lower = index.Min(lower, index.Constant(total - block));
  mlir::Value upper = index.Add(lower, index.Constant(block));
  return BuildMap(phase.points(), lower, upper, total - 1, [&](mlir::Value point) {
    return builder.Build(index.Delinearize(point, plan->axis_sizes),
                         index.Sub(point, lower));
  });
}

}  // namespace tenon::compiler
