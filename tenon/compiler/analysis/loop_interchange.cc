#include "tenon/compiler/analysis/loop_interchange.h"

#include <map>
#include <set>

#include "llvm/ADT/TypeSwitch.h"
#include "tenon/compiler/analysis/dimension_maps.h"
#include "tenon/compiler/analysis/element_kinds.h"
#include "tenon/compiler/analysis/point_ops.h"
#include "tenon/dialects/stablehlo/loop_counter.h"
#include "tenon/dialects/tenon/element_types.h"
#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::compiler {
namespace {

using mlir::Value;
using Kind = CarriedValue::Kind;

// Longer bodies would not fit the instruction cache, and would take long to compile.
constexpr int64_t kMaxInstructions = 4096, kMaxCarried = 64, kMaxOps = 1024;
// Array elements that a point reads per iteration. LLVM's compile time is quadratic in
// these.
constexpr int64_t kMaxLoads = 512;
// Row elements that a point writes per iteration. Each is a store.
constexpr int64_t kMaxRowElements = 256;
// Terms of reductions and products whose result all points share. Every point would
// recompute them.
constexpr int64_t kMaxSharedTerms = 64;
// Depth of an expression of the counter. The search is exponential in the depth, because
// it visits shared subexpressions once for each use.
constexpr int kMaxPositionOps = 8;
// Values of at most this many elements per point are emitted one op at a time for all
// elements.
constexpr int64_t kMaxInterleavedElements = 16;
constexpr int64_t kMinTripCount = 4, kMinPoints = 4;
// Limits of a loop without axes. Above these, vector kernels are faster than scalar code:
// measured with scans of f32 vectors and of matrix products (docs/design/0009). Where
// scalars are in a device's memory, more instructions are still faster than kernels.
constexpr int64_t kMaxSinglePointInstructions = 1024, kMaxSinglePointElements = 16;
constexpr int64_t kMaxSinglePointCost = 96;  // of one elementwise op, in instructions

// Estimates the number of instructions of an elementwise op.
int64_t CostOf(mlir::Operation* op) {
  if (llvm::isa<stablehlo::DivOp, stablehlo::SqrtOp>(op)) return 6;
  return IsCostly(op) ? 16 : 1;
}

// a * counter + b.
struct Affine {
  int64_t a, b;
};

class Planner {
 public:
  Planner(stablehlo::WhileOp loop, bool scalars_in_memory)
      : loop_(loop),
        body_(loop.getBody().front()),
        scalars_in_memory_(scalars_in_memory) {}

  std::optional<LoopInterchangePlan> Plan() {
    if (static_cast<int64_t>(body_.getOperations().size()) > kMaxOps) return std::nullopt;
    for (mlir::Type type : loop_->getResultTypes())
      if (!llvm::isa<mlir::RankedTensorType>(type)) return std::nullopt;
    for (mlir::Operation& op : body_.without_terminator())
      if (!mlir::isMemoryEffectFree(&op) && !IsElementwise(&op)) return std::nullopt;
    plan_.carries.resize(loop_->getNumOperands());
    if (!FindCounter() || !FindRows()) return std::nullopt;
    const LoopInterchangePlan found = plan_;
    if (FindAxes() && FitsLimits()) return std::move(plan_);
    plan_ = found;
    if (PlanSinglePoint() && FitsLimits()) return std::move(plan_);
    return std::nullopt;
  }

 private:
  Value Next(size_t number) { return body_.getTerminator()->getOperand(number); }
  std::optional<size_t> CarryOf(Value value) {
    auto argument = llvm::dyn_cast<mlir::BlockArgument>(value);
    if (!argument || argument.getOwner() != &body_) return std::nullopt;
    return argument.getArgNumber();
  }

  bool FindCounter() {
    std::optional<stablehlo::LoopCounter> counter = stablehlo::CounterOf(loop_);
    if (!counter || counter->trip_count < kMinTripCount) return false;
    plan_.trip_count = counter->trip_count;
    counter_ = counter->number;
    CarriedValue& carry = plan_.carries[counter_];
    carry.kind = Kind::kCounter;
    carry.first = counter->first;
    carry.step = counter->step;
    return true;
  }

  std::optional<Affine> AffineOf(Value value, int depth = 0) {
    if (depth > kMaxPositionOps) return std::nullopt;
    if (auto number = stablehlo::SmallIntegerOf(value)) return Affine{0, *number};
    if (CarryOf(value) == counter_) return Affine{1, 0};
    mlir::Operation* op = value.getDefiningOp();
    if (!llvm::isa_and_nonnull<stablehlo::AddOp, stablehlo::SubtractOp>(op))
      return std::nullopt;
    auto x = AffineOf(op->getOperand(0), depth + 1);
    auto y = AffineOf(op->getOperand(1), depth + 1);
    if (!x || !y) return std::nullopt;
    int64_t sign = llvm::isa<stablehlo::AddOp>(op) ? 1 : -1;
    return Affine{x->a + sign * y->a, x->b + sign * y->b};
  }

  // Finds carried arrays that are only written, one row per iteration.
  bool FindRows() {
    const CarriedValue& counter = plan_.carries[counter_];
    for (auto [number, carry] : llvm::enumerate(plan_.carries)) {
      auto update = Next(number).getDefiningOp<stablehlo::DynamicUpdateSliceOp>();
      if (!update || CarryOf(update.getOperand()) != number) continue;
      if (!body_.getArgument(number).hasOneUse() || !update->hasOneUse()) return false;
      llvm::ArrayRef<int64_t> shape = ShapeOf(update), row = ShapeOf(update.getUpdate());
      std::optional<int64_t> dim;
      for (size_t d = 0; d < shape.size(); ++d) {
        if (shape[d] == row[d]) continue;
        if (dim || row[d] != 1) return false;
        dim = d;
      }
      if (!dim || shape[*dim] != plan_.trip_count) return false;
      auto start = AffineOf(update.getStartIndices()[*dim]);
      if (!start || std::abs(start->a * counter.step) != 1) return false;
      carry.kind = Kind::kRows;
      carry.step = start->a * counter.step;
      carry.first = start->a * counter.first + start->b;
      carry.row_dim = *dim;
      carry.row = update.getUpdate();
      if (carry.first != (carry.step > 0 ? 0 : plan_.trip_count - 1)) return false;
    }
    return true;
  }

  // One axis of independent points. Maps each carried value, and each value that is read,
  // to the dimension that runs along the axis.
  struct Axis {
    std::map<size_t, int64_t> carries;
    std::set<std::pair<void*, int64_t>> seen;
    llvm::SmallVector<std::pair<Value, int64_t>> reads;  // values of the body
    llvm::SmallSetVector<Value, 4> inputs;               // values from outside the loop
  };

  // Whether the elements of `value` at one point of the axis depend only on elements at
  // that same point. The axis is dimension `dim` of `value`. Records the values read.
  bool IsIndependent(Axis& axis, Value value, int64_t dim) {
    llvm::SmallVector<std::pair<Value, int64_t>> work{{value, dim}};
    while (!work.empty()) {
      auto [read, read_dim] = work.pop_back_val();
      if (read.getParentBlock() != &body_) {  // in memory: any element is readable
        if (axis.seen.insert({read.getAsOpaquePointer(), read_dim}).second)
          axis.inputs.insert(read);
        continue;
      }
      if (!axis.seen.insert({read.getAsOpaquePointer(), read_dim}).second) continue;
      axis.reads.push_back({read, read_dim});
      if (auto number = CarryOf(read)) {
        if (!VisitCarry(axis, *number, read_dim, work)) return false;
      } else if (!VisitOperands(read, read_dim, work)) {
        return false;
      }
    }
    return true;
  }

  bool VisitCarry(Axis& axis, size_t number, int64_t dim,
                  llvm::SmallVectorImpl<std::pair<Value, int64_t>>& work) {
    const CarriedValue& carry = plan_.carries[number];
    if (carry.kind == Kind::kRows) return false;
    if (carry.kind == Kind::kCounter) return true;
    bool scalar = IsRankZero(body_.getArgument(number).getType());
    if (!single_point_ && scalar != (dim == kNoDim)) return false;
    auto [known, is_new] = axis.carries.try_emplace(number, dim);
    if (is_new) work.push_back({Next(number), dim});
    return known->second == dim;
  }

  bool VisitOperands(Value value, int64_t dim,
                     llvm::SmallVectorImpl<std::pair<Value, int64_t>>& work) {
    mlir::Operation* op = value.getDefiningOp();
    auto need = [&](Value operand, int64_t operand_dim) {
      work.push_back({operand, operand_dim});
      return true;
    };
    auto all = [&](mlir::ValueRange operands, int64_t operand_dim) {
      for (Value operand : operands)
        need(operand, IsRankZero(operand.getType()) ? kNoDim : operand_dim);
      return true;
    };
    if (llvm::isa<stablehlo::ConstantOp>(op)) return IsSplatConstant(op) || dim == kNoDim;
    if (IsElementwise(op)) return all(op->getOperands(), dim);
    return llvm::TypeSwitch<mlir::Operation*, bool>(op)
        .Case([&](stablehlo::IotaOp) { return true; })
        .Case([&](stablehlo::BroadcastInDimOp broadcast) {
          int64_t operand_dim = kNoDim;
          Value operand = broadcast.getOperand();
          for (auto [d, to] : llvm::enumerate(broadcast.getBroadcastDimensions()))
            if (to == dim && ShapeOf(operand)[d] == ShapeOf(value)[dim]) operand_dim = d;
          return need(operand, operand_dim);
        })
        .Case([&](stablehlo::ReshapeOp reshape) {
          auto operand_dim =
              ReshapedDim(ShapeOf(value), ShapeOf(reshape.getOperand()), dim);
          return operand_dim && need(reshape.getOperand(), *operand_dim);
        })
        .Case([&](stablehlo::TransposeOp transpose) {
          return need(transpose.getOperand(),
                      dim == kNoDim ? kNoDim : transpose.getPermutation()[dim]);
        })
        .Case([&](stablehlo::SliceOp slice) {
          return CoversDim(slice.getOperand(), value, dim) &&
                 need(slice.getOperand(), dim);
        })
        .Case([&](stablehlo::PadOp pad) {
          bool in_place = dim == kNoDim || (pad.getEdgePaddingLow()[dim] == 0 &&
                                            pad.getInteriorPadding()[dim] == 0);
          return in_place && CoversDim(pad.getOperand(), value, dim) &&
                 need(pad.getOperand(), dim) && need(pad.getPaddingValue(), kNoDim);
        })
        .Case([&](stablehlo::ReverseOp reverse) {
          return !llvm::is_contained(reverse.getDimensions(), dim) &&
                 need(reverse.getOperand(), dim);
        })
        .Case([&](stablehlo::ConcatenateOp concatenate) {
          return static_cast<int64_t>(concatenate.getDimension()) != dim &&
                 all(concatenate.getInputs(), dim);
        })
        .Case([&](stablehlo::DynamicSliceOp slice) {
          // Indices computed at run time can select from memory, not from registers.
          return slice.getOperand().getParentBlock() != &body_ &&
                 CoversDim(slice.getOperand(), value, dim) &&
                 need(slice.getOperand(), dim) && all(slice.getStartIndices(), kNoDim);
        })
        .Case([&](stablehlo::ReduceOp reduce) {
          reduce->walk([&](mlir::Operation* inner) {
            if (inner != reduce) all(inner->getOperands(), kNoDim);
          });
          return all(reduce.getInputs(), KeptDim(reduce, dim)) &&
                 all(reduce.getInitValues(), kNoDim);
        })
        .Case([&](stablehlo::DotGeneralOp dot) {
          if (!IsPlainProduct(dot)) return false;
          auto [lhs, rhs] = FactorDims(dot, dim);
          return need(dot.getLhs(), lhs) && need(dot.getRhs(), rhs);
        })
        .Default([](mlir::Operation*) { return false; });
  }

  // Whether `part` covers all of `operand` along `dim`.
  static bool CoversDim(Value operand, Value part, int64_t dim) {
    return dim == kNoDim || ShapeOf(operand)[dim] == ShapeOf(part)[dim];
  }

  static bool IsPlainProduct(stablehlo::DotGeneralOp dot) {
    ElementType type = ir::ElementTypeOfShaped(dot.getType());
    return (type == ElementType::kF32 || type == ElementType::kF64) &&
           ElementOf(dot.getLhs()) == ElementOf(dot.getResult()) &&
           ElementOf(dot.getRhs()) == ElementOf(dot.getResult()) && !dot.getAlgorithm();
  }

  // Builds the axis along dimension `dim` of carry `number`. Nullopt if points along it
  // are not independent.
  std::optional<Axis> TryAxis(size_t number, int64_t dim) {
    Axis axis;
    if (!AddCarry(axis, number, dim)) return std::nullopt;
    int64_t size = ShapeOf(body_.getArgument(number))[dim];
    for (size_t other = 0; other < plan_.carries.size(); ++other) {
      Value argument = body_.getArgument(other);
      if (plan_.carries[other].kind == Kind::kCounter || axis.carries.contains(other))
        continue;
      if (IsRankZero(argument.getType())) {
        if (!AddCarry(axis, other, kNoDim)) return std::nullopt;
        continue;
      }
      bool found = false;
      for (int64_t d = 0; d < TypeOf(argument).getRank() && !found; ++d) {
        if (ShapeOf(argument)[d] != size) continue;
        Axis trial = axis;
        found = AddCarry(trial, other, d);
        if (found) axis = std::move(trial);
      }
      if (!found) return std::nullopt;
    }
    return axis;
  }

  bool AddCarry(Axis& axis, size_t number, int64_t dim) {
    const CarriedValue& carry = plan_.carries[number];
    if (!axis.carries.try_emplace(number, dim).second) return false;
    if (carry.kind != Kind::kRows) return IsIndependent(axis, Next(number), dim);
    return dim != carry.row_dim && IsIndependent(axis, carry.row, dim);
  }

  bool FindAxes() {
    auto is_array = [&](size_t number) {
      return plan_.carries[number].kind != Kind::kCounter &&
             !IsRankZero(body_.getArgument(number).getType());
    };
    size_t first = 0;
    while (first < plan_.carries.size() && !is_array(first)) ++first;
    if (first == plan_.carries.size()) return false;
    llvm::ArrayRef<int64_t> shape = ShapeOf(body_.getArgument(first));
    for (int64_t dim = 0; dim < static_cast<int64_t>(shape.size()); ++dim) {
      if (shape[dim] < 2) continue;
      std::optional<Axis> axis = TryAxis(first, dim);
      if (!axis) continue;
      for (auto [number, carry_dim] : axis->carries) {
        if (carry_dim == kNoDim) continue;
        llvm::SmallVector<int64_t>& dims = plan_.carries[number].axis_dims;
        if (llvm::is_contained(dims, carry_dim)) return false;
        dims.push_back(carry_dim);
      }
      plan_.axis_sizes.push_back(shape[dim]);
      axes_.push_back(std::move(*axis));
    }
    return !axes_.empty();
  }

  // Plans the loop as a single point that holds everything carried, so that elements may
  // depend on each other. For loops over a few numbers.
  bool PlanSinglePoint() {
    single_point_ = true;
    axes_.assign(1, Axis());
    plan_.axis_sizes = {1};
    bool in_memory = false;
    for (auto [number, carry] : llvm::enumerate(plan_.carries)) {
      if (carry.kind == Kind::kCounter) continue;
      Value argument = body_.getArgument(number);
      in_memory |= scalars_in_memory_ || !IsRankZero(argument.getType());
      if (carry.kind == Kind::kValue &&
          TypeOf(argument).getNumElements() > kMaxSinglePointElements)
        return false;
      if (axes_.front().carries.contains(number)) continue;
      if (!AddCarry(axes_.front(), number, kNoDim)) return false;
    }
    return in_memory;  // otherwise all is in registers already
  }

  // Whether points along some axis read all elements of `value`.
  bool IsShared(Value value) {
    return llvm::any_of(axes_, [&](const Axis& axis) {
      return axis.seen.contains({value.getAsOpaquePointer(), kNoDim});
    });
  }

  // The number of elements of `value` that belong to one point.
  int64_t Elements(Value value) {
    int64_t elements = TypeOf(value).getNumElements();
    for (auto [axis, size] : llvm::zip_equal(axes_, plan_.axis_sizes)) {
      bool everywhere = axis.seen.contains({value.getAsOpaquePointer(), kNoDim});
      if (!everywhere) elements /= size;
    }
    return std::max<int64_t>(elements, 1);
  }

  // The number of elements that `op` reads, for one point, from arrays outside the loop.
  int64_t LoadsOf(mlir::Operation* op) {
    int64_t loads = 0;
    for (Value operand : op->getOperands()) {
      mlir::Operation* def = operand.getDefiningOp();
      if (operand.getParentBlock() == &body_ || IsRankZero(operand.getType()) ||
          (def && IsSplatConstant(def)))
        continue;
      bool part = llvm::isa<stablehlo::SliceOp, stablehlo::DynamicSliceOp>(op);
      loads += Elements(part ? op->getResult(0) : operand);
    }
    return loads;
  }

  // Adds `value` to `values` if each axis runs along exactly one dimension of it.
  void AddIfIndexed(Value value, llvm::SmallVector<AxisValue>& values) {
    AxisValue noted{value, {}};
    if (single_point_) return values.push_back(std::move(noted));
    for (const Axis& axis : axes_) {
      std::optional<int64_t> dim;
      for (int64_t d = kNoDim; d < TypeOf(value).getRank(); ++d) {
        if (!axis.seen.contains({value.getAsOpaquePointer(), d})) continue;
        if (dim || d == kNoDim) return;
        dim = d;
      }
      if (!dim) return;
      noted.axis_dims.push_back(*dim);
    }
    values.push_back(std::move(noted));
  }

  // The width of an element, or of the real part of a complex one.
  static int BitsOf(Value value) {
    ElementType type = ir::ElementTypeOfShaped(value.getType());
    return ElementBits(type) / (IsComplex(type) ? 2 : 1);
  }

  bool FitsLimits() {
    int64_t points = 1, wide = 0, row_elements = 0, shared_terms = 0, loads = 0;
    for (int64_t size : plan_.axis_sizes) points *= size;
    if (!single_point_ && points < kMinPoints) return false;
    for (auto [number, carry] : llvm::enumerate(plan_.carries)) {
      if (carry.kind == Kind::kCounter) continue;
      bool scalar = carry.axis_dims.empty();
      // All points share this value, so every point would store the result.
      if (!single_point_ && scalar && !loop_->getResult(number).use_empty()) return false;
      if (carry.kind == Kind::kValue)
        plan_.carried +=
            TypeOf(body_.getArgument(number)).getNumElements() / (scalar ? 1 : points);
      if (carry.kind == Kind::kRows)
        row_elements += TypeOf(carry.row).getNumElements() / points;
    }
    if (row_elements > kMaxRowElements) return false;
    for (auto [read, dim] : axes_.front().reads) {
      mlir::Operation* op = read.getDefiningOp();
      if (!op) continue;
      loads += LoadsOf(op);
      if (loads > kMaxLoads) return false;
      int64_t elements = Elements(read);
      if (auto dot = llvm::dyn_cast<stablehlo::DotGeneralOp>(op)) {
        for (int64_t d : dot.getDotDimensionNumbers().getLhsContractingDimensions())
          elements *= ShapeOf(dot.getLhs())[d];
      } else if (auto reduce = llvm::dyn_cast<stablehlo::ReduceOp>(op)) {
        for (int64_t d : reduce.getDimensions())
          elements *= ShapeOf(reduce.getInputs()[0])[d];
      } else if (!IsElementwise(op)) {
        continue;
      }
      if (!single_point_ && !IsElementwise(op) && IsShared(read))
        shared_terms += elements;
      if (shared_terms > kMaxSharedTerms) return false;
      if (single_point_ && IsElementwise(op) &&
          (elements > kMaxSinglePointElements ||
           elements * CostOf(op) > kMaxSinglePointCost))
        return false;
      elements *= CostOf(op);
      plan_.instructions += elements;
      if (BitsOf(read) > 32) wide += elements;
      if (plan_.instructions > (single_point_ && !scalars_in_memory_
                                    ? kMaxSinglePointInstructions
                                    : kMaxInstructions))
        return false;
    }
    for (mlir::Operation& op : body_.without_terminator()) {
      int64_t elements = IsElementwise(&op) ? Elements(op.getResult(0)) : 1;
      if (elements > 1 && elements <= kMaxInterleavedElements)
        AddIfIndexed(op.getResult(0), plan_.values);
    }
    if (!single_point_)
      for (Value input : axes_.back().inputs) AddIfIndexed(input, plan_.inputs);
    // 64-bit values take two registers each. A few of them, such as the counters of
    // random bits, do not decide the vector width.
    plan_.element_bits = wide * 8 > plan_.instructions ? 64 : 32;
    return plan_.carried <= kMaxCarried;
  }

  stablehlo::WhileOp loop_;
  mlir::Block& body_;
  LoopInterchangePlan plan_;
  size_t counter_ = 0;
  llvm::SmallVector<Axis> axes_;
  const bool scalars_in_memory_;
  bool single_point_ = false;  // there is no axis
};

}  // namespace

std::optional<LoopInterchangePlan> PlanLoopInterchange(stablehlo::WhileOp loop,
                                                       bool scalars_in_memory) {
  return Planner(loop, scalars_in_memory).Plan();
}

}  // namespace tenon::compiler
