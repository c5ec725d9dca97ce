#include "tenon/dialects/stablehlo/arg_reduction.h"

#include "tenon/dialects/stablehlo/loop_counter.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::stablehlo {
namespace {

using mlir::Value;

mlir::RankedTensorType TypeOf(Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}

// The result of comparing the left value with the right one.
enum class Order { kLess, kEqual, kGreater, kLeftNan, kRightNan, kBothNan };

bool Holds(ComparisonDirection direction, Order order) {
  using enum ComparisonDirection;
  switch (order) {
    case Order::kLess:
      return direction == LT || direction == LE || direction == NE;
    case Order::kEqual:
      return direction == LE || direction == GE || direction == EQ;
    case Order::kGreater:
      return direction == GT || direction == GE || direction == NE;
    default:
      return direction == NE;
  }
}

Order Swapped(Order order) {
  switch (order) {
    case Order::kLess:
      return Order::kGreater;
    case Order::kGreater:
      return Order::kLess;
    case Order::kLeftNan:
      return Order::kRightNan;
    case Order::kRightNan:
      return Order::kLeftNan;
    default:
      return order;
  }
}

enum class Side { kLeft, kRight };

// Interprets a combiner for one case of the proof.
class CaseRunner {
 public:
  CaseRunner(mlir::Block& combiner, Selection selection, Order values, Order positions)
      : combiner_(combiner),
        selection_(selection),
        values_(values),
        positions_(positions),
        count_(combiner.getNumArguments() / 2) {}

  // Returns the side that result `number` comes from. Returns nullopt if the result is
  // not one of its two arguments, or if its side is unknown.
  std::optional<Side> SideOf(size_t number) {
    return ChosenSide(combiner_.back().getOperand(number), number);
  }

 private:
  std::optional<Side> ChosenSide(Value value, size_t number) {
    if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(value)) {
      if (argument.getOwner() != &combiner_ || argument.getArgNumber() % count_ != number)
        return std::nullopt;
      return argument.getArgNumber() < count_ ? Side::kLeft : Side::kRight;
    }
    auto select = value.getDefiningOp<SelectOp>();
    if (!select) return std::nullopt;
    auto pred = Evaluate(select.getPred());
    if (!pred) return std::nullopt;
    return ChosenSide(*pred ? select.getOnTrue() : select.getOnFalse(), number);
  }

  std::optional<bool> Evaluate(Value value) {
    auto found = known_.find(value);
    if (found != known_.end()) return found->second;
    std::optional<bool> result = EvaluateOp(value.getDefiningOp());
    known_[value] = result;
    return result;
  }

  std::optional<bool> EvaluateOp(mlir::Operation* op) {
    if (!op || op->getBlock() != &combiner_) return std::nullopt;
    if (auto compare = llvm::dyn_cast<CompareOp>(op)) return EvaluateCompare(compare);
    if (auto constant = llvm::dyn_cast<ConstantOp>(op)) {
      auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(constant.getValue());
      if (!dense || !dense.isSplat()) return std::nullopt;
      return dense.getSplatValue<bool>();
    }
    if (!llvm::isa<AndOp, OrOp, XorOp, NotOp>(op)) return std::nullopt;
    auto x = Evaluate(op->getOperand(0));
    if (!x) return std::nullopt;
    if (llvm::isa<NotOp>(op)) return !*x;
    auto y = Evaluate(op->getOperand(1));
    if (!y) return std::nullopt;
    if (llvm::isa<AndOp>(op)) return *x && *y;
    return llvm::isa<OrOp>(op) ? *x || *y : *x != *y;
  }

  std::optional<bool> EvaluateCompare(CompareOp compare) {
    auto lhs = llvm::dyn_cast<mlir::BlockArgument>(compare.getLhs());
    auto rhs = llvm::dyn_cast<mlir::BlockArgument>(compare.getRhs());
    if (!lhs || !rhs || lhs.getOwner() != &combiner_ || rhs.getOwner() != &combiner_)
      return std::nullopt;
    if (compare.getCompareType() == ComparisonType::TOTALORDER) return std::nullopt;
    size_t number = lhs.getArgNumber() % count_;
    if (rhs.getArgNumber() % count_ != number) return std::nullopt;
    bool left_first = lhs.getArgNumber() < count_,
         right_last = rhs.getArgNumber() >= count_;
    Order order;
    if (number == selection_.value) {
      order = values_;
    } else if (number == selection_.position) {
      order = positions_;
    } else {
      return std::nullopt;
    }
    if (left_first == right_last) {
      if (!left_first) order = Swapped(order);
    } else {
      // The combiner compares an argument with itself.
      bool is_nan = order == Order::kBothNan ||
                    order == (left_first ? Order::kLeftNan : Order::kRightNan);
      order = is_nan ? Order::kBothNan : Order::kEqual;
    }
    return Holds(compare.getComparisonDirection(), order);
  }

  mlir::Block& combiner_;
  Selection selection_;
  Order values_, positions_;
  size_t count_;
  llvm::DenseMap<Value, std::optional<bool>> known_;
};

bool IsSelection(mlir::Block& combiner, Selection selection, bool ignore_ties) {
  mlir::Type element = TypeOf(combiner.getArgument(selection.value)).getElementType();
  bool is_float = llvm::isa<mlir::FloatType>(element);
  if (!is_float && !llvm::isa<mlir::IntegerType>(element)) return false;
  // Returns the side that both results come from.
  auto chosen = [&](Order values, Order positions) -> std::optional<Side> {
    CaseRunner runner(combiner, selection, values, positions);
    auto side = runner.SideOf(selection.position);
    auto value_side = runner.SideOf(selection.value);
    // Equal integers are identical, so the value may come from either side.
    bool may_differ = values == Order::kEqual && (!is_float || ignore_ties);
    if (!value_side || (value_side != side && !may_differ)) return std::nullopt;
    return side;
  };
  auto always = [&](Order values) -> std::optional<Side> {
    auto side = chosen(values, Order::kLess);
    for (Order positions : {Order::kEqual, Order::kGreater})
      if (chosen(values, positions) != side) return std::nullopt;
    return side;
  };
  auto less = always(Order::kLess), greater = always(Order::kGreater);
  if (!less || !greater || less == greater) return false;
  if (chosen(Order::kEqual, Order::kLess) != Side::kLeft) return false;
  if (!is_float) return true;
  auto left_nan = always(Order::kLeftNan), right_nan = always(Order::kRightNan);
  return left_nan && right_nan && left_nan != right_nan &&
         chosen(Order::kBothNan, Order::kLess) == Side::kLeft;
}

// A tensor of integers whose element at (i, j, ...) is first + i * steps[0] + ...
struct Positions {
  int64_t first = 0;
  llvm::SmallVector<int64_t> steps;
};

std::optional<Positions> PositionsOf(Value value);

std::optional<Positions> Reshaped(const Positions& from, llvm::ArrayRef<int64_t> shape,
                                  llvm::ArrayRef<int64_t> to) {
  Positions result{from.first, {}};
  size_t d = 0;
  for (size_t t = 0; t < to.size();) {
    if (to[t] == 1) {
      result.steps.push_back(0);
      ++t;
      continue;
    }
    while (d < shape.size() && shape[d] == 1) ++d;
    if (d == shape.size()) return std::nullopt;
    // Splits one dimension into several, or collapses several of one common stride.
    int64_t have = shape[d], step = from.steps[d++], want = to[t];
    size_t end = t + 1;
    while (want < have && end < to.size()) want *= to[end++];
    while (have < want && d < shape.size()) {
      if (shape[d] != 1 && step != from.steps[d] * shape[d]) return std::nullopt;
      if (shape[d] != 1) step = from.steps[d];
      have *= shape[d++];
    }
    if (have != want) return std::nullopt;
    llvm::SmallVector<int64_t> steps;
    for (size_t e = end; e-- > t;) {
      steps.push_back(step);
      step *= to[e];
    }
    result.steps.append(steps.rbegin(), steps.rend());
    t = end;
  }
  return result;
}

std::optional<Positions> PositionsOf(Value value) {
  mlir::Operation* op = value.getDefiningOp();
  if (!op) return std::nullopt;
  if (auto iota = llvm::dyn_cast<IotaOp>(op)) {
    auto type = TypeOf(value);
    // The positions must not wrap around.
    auto element = llvm::dyn_cast<mlir::IntegerType>(type.getElementType());
    int64_t size = type.getDimSize(iota.getIotaDimension());
    if (!element) return std::nullopt;
    unsigned bits = element.getWidth() - (element.isUnsigned() ? 0 : 1);
    if (bits < 63 && size > (int64_t{1} << bits)) return std::nullopt;
    Positions positions;
    positions.steps.resize(type.getRank());
    positions.steps[iota.getIotaDimension()] = 1;
    return positions;
  }
  if (auto broadcast = llvm::dyn_cast<BroadcastInDimOp>(op)) {
    auto inner = PositionsOf(broadcast.getOperand());
    if (!inner) return std::nullopt;
    Positions positions{inner->first, {}};
    positions.steps.resize(TypeOf(value).getRank());
    for (auto [d, dim] : llvm::enumerate(broadcast.getBroadcastDimensions()))
      if (TypeOf(broadcast.getOperand()).getDimSize(d) != 1)
        positions.steps[dim] = inner->steps[d];
    return positions;
  }
  if (auto reshape = llvm::dyn_cast<ReshapeOp>(op)) {
    auto inner = PositionsOf(reshape.getOperand());
    if (!inner) return std::nullopt;
    return Reshaped(*inner, TypeOf(reshape.getOperand()).getShape(),
                    TypeOf(value).getShape());
  }
  return std::nullopt;
}

bool AreAscending(const Positions& positions, llvm::ArrayRef<int64_t> shape,
                  llvm::ArrayRef<int64_t> dims) {
  llvm::SmallVector<int64_t> reduced(dims);
  llvm::sort(reduced);
  int64_t span = 0;  // of the inner dimensions
  for (int64_t dim : llvm::reverse(reduced)) {
    if (shape[dim] == 1) continue;
    int64_t step = positions.steps[dim];
    if (step <= span) return false;
    span += step * (shape[dim] - 1);
  }
  return true;
}

// Whether an initial value has the same bits as every element that compares equal to it.
// True for integers. False for some floats: zeros differ in sign, and denormals compare
// equal to zeros.
bool HasUniqueBits(Value init) {
  auto type = TypeOf(init).getElementType();
  if (llvm::isa<mlir::IntegerType>(type)) return true;
  auto constant = init.getDefiningOp<ConstantOp>();
  auto dense = constant ? llvm::dyn_cast<mlir::DenseElementsAttr>(constant.getValue())
                        : mlir::DenseElementsAttr();
  return dense && dense.isSplat() && llvm::isa<mlir::FloatType>(type) &&
         dense.getSplatValue<llvm::APFloat>().isInfinity();
}

}  // namespace

std::optional<Selection> ProveSelection(mlir::Block& combiner, bool ignore_ties) {
  if (combiner.getNumArguments() != 4) return std::nullopt;
  for (Selection selection : {Selection{0, 1}, Selection{1, 0}}) {
    auto type = TypeOf(combiner.getArgument(selection.position)).getElementType();
    if (llvm::isa<mlir::IntegerType>(type) &&
        IsSelection(combiner, selection, ignore_ties))
      return selection;
  }
  return std::nullopt;
}

std::optional<size_t> PositionOperand(ReduceOp reduce, bool ignore_ties) {
  auto selection = ProveSelection(reduce.getBody().front(), ignore_ties);
  if (!selection) return std::nullopt;
  Value positions = reduce.getInputs()[selection->position];
  auto affine = PositionsOf(positions);
  if (!affine ||
      !AreAscending(*affine, TypeOf(positions).getShape(), reduce.getDimensions()))
    return std::nullopt;
  // The initial value must precede all elements: its position must not exceed the first.
  auto first = SmallIntegerOf(reduce.getInitValues()[selection->position]);
  if (!first || *first > affine->first ||
      !HasUniqueBits(reduce.getInitValues()[selection->value]))
    return std::nullopt;
  return selection->position;
}

}  // namespace tenon::stablehlo
