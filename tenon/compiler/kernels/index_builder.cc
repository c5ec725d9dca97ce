#include "tenon/compiler/kernels/index_builder.h"

#include <limits>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

namespace tenon::compiler {

void LevelStack::Push(mlir::Block* block) { levels_.push_back(block); }

void LevelStack::Pop() { levels_.pop_back(); }

size_t LevelStack::LevelOf(mlir::Value value) const {
  if (!value) return 0;
  mlir::Block* block = value.getParentBlock();
  for (size_t level = levels_.size(); level-- > 0;)
    if (levels_[level] == block) return level;
  return 0;  // an argument of the kernel
}

size_t LevelStack::LevelOf(llvm::ArrayRef<mlir::Value> values) const {
  size_t level = 0;
  for (mlir::Value value : values) level = std::max(level, LevelOf(value));
  return level;
}

mlir::OpBuilder LevelStack::Builder(size_t level) const {
  mlir::Block* block = levels_[level];
  if (level + 1 < levels_.size()) {
    // The ancestor, in `block`, of the loop that contains the next level.
    mlir::Operation* loop = levels_[level + 1]->getParentOp();
    while (loop->getBlock() != block) loop = loop->getParentOp();
    return mlir::OpBuilder(loop);
  }
  return mlir::OpBuilder::atBlockEnd(block);
}

template <typename Op>
mlir::Value IndexBuilder::Binary(mlir::Value x, mlir::Value y) {
  static const char kTag = 0;
  auto key = std::make_tuple(static_cast<const void*>(&kTag), x.getAsOpaquePointer(),
                             y.getAsOpaquePointer());
  if (auto found = known_.find(key); found != known_.end()) return found->second;
  size_t level = std::max(levels_.LevelOf(x), levels_.LevelOf(y));
  mlir::OpBuilder b = levels_.Builder(level);
  mlir::Value result = Op::create(b, levels_.loc(), x, y);
  known_[key] = result;
  return result;
}

mlir::Value IndexBuilder::Constant(int64_t value) {
  // Placed at the outermost level, so that every level can use it.
  if (auto found = constants_.find(value); found != constants_.end())
    return found->second;
  mlir::OpBuilder b = levels_.Builder(0);
  mlir::Value constant = mlir::arith::ConstantIndexOp::create(b, levels_.loc(), value);
  constants_[value] = constant;
  ranges_[constant] = {value, value};
  return constant;
}

std::optional<int64_t> IndexBuilder::ConstantOf(mlir::Value value) const {
  llvm::APInt constant;
  if (mlir::matchPattern(value, mlir::m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
}

std::optional<std::pair<int64_t, int64_t>> IndexBuilder::Range(mlir::Value value) const {
  auto found = ranges_.find(value);
  if (found == ranges_.end()) return std::nullopt;
  return found->second;
}

std::pair<mlir::Value, int64_t> IndexBuilder::SplitOffset(mlir::Value x) const {
  auto split = [&](auto op, int64_t sign) -> std::pair<mlir::Value, int64_t> {
    if (auto by = ConstantOf(op.getRhs())) return {op.getLhs(), sign * *by};
    return {x, 0};
  };
  if (auto sum = x.getDefiningOp<mlir::arith::AddIOp>()) return split(sum, 1);
  if (auto difference = x.getDefiningOp<mlir::arith::SubIOp>())
    return split(difference, -1);
  return {x, 0};
}

mlir::Value IndexBuilder::Offset(mlir::Value x, int64_t by) {
  auto [base, offset] = SplitOffset(x);
  offset += by;
  if (offset == 0) return base;
  auto range = Range(x);
  mlir::Value result = offset > 0 ? Binary<mlir::arith::AddIOp>(base, Constant(offset))
                                  : Binary<mlir::arith::SubIOp>(base, Constant(-offset));
  if (range) SetRange(result, range->first + by, range->second + by);
  return result;
}

mlir::Value IndexBuilder::Add(mlir::Value x, mlir::Value y) {
  auto cx = ConstantOf(x), cy = ConstantOf(y);
  if (cx == 0) return y;
  if (cy == 0) return x;
  if (cx && cy) return Constant(*cx + *cy);
  if (cx) return Offset(y, *cx);
  if (cy) return Offset(x, *cy);
  mlir::Value sum = Binary<mlir::arith::AddIOp>(x, y);
  auto rx = Range(x), ry = Range(y);
  if (rx && ry) SetRange(sum, rx->first + ry->first, rx->second + ry->second);
  return sum;
}

mlir::Value IndexBuilder::Sub(mlir::Value x, mlir::Value y) {
  auto cx = ConstantOf(x), cy = ConstantOf(y);
  if (cy == 0) return x;
  if (cx && cy) return Constant(*cx - *cy);
  if (cy) return Offset(x, -*cy);
  mlir::Value difference = Binary<mlir::arith::SubIOp>(x, y);
  auto rx = Range(x), ry = Range(y);
  if (rx && ry) SetRange(difference, rx->first - ry->second, rx->second - ry->first);
  return difference;
}

mlir::Value IndexBuilder::Mul(mlir::Value x, int64_t y) {
  if (y == 1) return x;
  if (y == 0) return Constant(0);
  if (auto cx = ConstantOf(x)) return Constant(*cx * y);
  mlir::Value product = Binary<mlir::arith::MulIOp>(x, Constant(y));
  if (auto rx = Range(x); rx && y > 0) SetRange(product, rx->first * y, rx->second * y);
  return product;
}

mlir::Value IndexBuilder::DivU(mlir::Value x, int64_t y) {
  if (y == 1) return x;
  if (auto cx = ConstantOf(x); cx && *cx >= 0) return Constant(*cx / y);
  auto rx = Range(x);
  if (rx && rx->first >= 0 && rx->second < y) return Constant(0);
  // (a * y + b) / y = a for 0 <= b < y.
  if (auto sum = x.getDefiningOp<mlir::arith::AddIOp>()) {
    auto scaled = sum.getLhs().getDefiningOp<mlir::arith::MulIOp>();
    auto rest = Range(sum.getRhs());
    if (scaled && rest && rest->first >= 0 && rest->second < y &&
        ConstantOf(scaled.getRhs()) == y)
      return scaled.getLhs();
  }
  mlir::Value quotient = Binary<mlir::arith::DivUIOp>(x, Constant(y));
  if (rx && rx->first >= 0) SetRange(quotient, rx->first / y, rx->second / y);
  return quotient;
}

mlir::Value IndexBuilder::RemU(mlir::Value x, int64_t y) {
  if (y == 1) return Constant(0);
  if (auto cx = ConstantOf(x); cx && *cx >= 0) return Constant(*cx % y);
  auto rx = Range(x);
  if (rx && rx->first >= 0 && rx->second < y) return x;
  if (auto sum = x.getDefiningOp<mlir::arith::AddIOp>()) {
    auto scaled = sum.getLhs().getDefiningOp<mlir::arith::MulIOp>();
    auto rest = Range(sum.getRhs());
    if (scaled && rest && rest->first >= 0 && rest->second < y &&
        ConstantOf(scaled.getRhs()) == y)
      return sum.getRhs();
  }
  mlir::Value remainder = Binary<mlir::arith::RemUIOp>(x, Constant(y));
  SetRange(remainder, 0, y - 1);
  return remainder;
}

mlir::Value IndexBuilder::Min(mlir::Value x, mlir::Value y) {
  return Binary<mlir::arith::MinSIOp>(x, y);
}

mlir::Value IndexBuilder::Max(mlir::Value x, mlir::Value y) {
  return Binary<mlir::arith::MaxSIOp>(x, y);
}

template <mlir::arith::CmpIPredicate predicate>
mlir::Value IndexBuilder::Compare(mlir::Value x, int64_t y) {
  static const char kTag = 0;
  mlir::Value constant = Constant(y);
  auto key = std::make_tuple(static_cast<const void*>(&kTag), x.getAsOpaquePointer(),
                             constant.getAsOpaquePointer());
  // Reuses equal conditions, because PointBuilder::At identifies points by them.
  mlir::Value& condition = known_[key];
  if (!condition) {
    mlir::OpBuilder b = levels_.Builder(levels_.LevelOf(x));
    condition = mlir::arith::CmpIOp::create(b, levels_.loc(), predicate, x, constant);
  }
  return condition;
}

mlir::Value IndexBuilder::InRange(mlir::Value x, int64_t size) {
  auto rx = Range(x);
  if (rx && rx->first >= 0 && rx->second < size) return nullptr;
  // One unsigned comparison suffices: a negative index is huge as unsigned.
  return Compare<mlir::arith::CmpIPredicate::ult>(x, size);
}

bool IndexBuilder::AreInside(llvm::ArrayRef<mlir::Value> indices,
                             llvm::ArrayRef<int64_t> shape) const {
  return llvm::all_of(llvm::zip_equal(indices, shape), [&](auto pair) {
    auto range = Range(std::get<0>(pair));
    return range && range->first >= 0 && range->second < std::get<1>(pair);
  });
}

bool IndexBuilder::IsNeverInRange(mlir::Value x, int64_t size) const {
  auto rx = Range(x);
  return rx && (rx->second < 0 || rx->first >= size);
}

mlir::Value IndexBuilder::Equal(mlir::Value x, int64_t y) {
  return Compare<mlir::arith::CmpIPredicate::eq>(x, y);
}

mlir::Value IndexBuilder::SelectBelow(mlir::Value x, int64_t bound, mlir::Value on_below,
                                      mlir::Value otherwise) {
  if (IsNeverInRange(x, bound)) return otherwise;
  mlir::Value below = InRange(x, bound);
  if (!below || on_below == otherwise) return on_below;
  auto key =
      std::make_tuple(static_cast<const void*>(below.getAsOpaquePointer()),
                      on_below.getAsOpaquePointer(), otherwise.getAsOpaquePointer());
  if (auto found = known_.find(key); found != known_.end()) return found->second;
  mlir::OpBuilder b = levels_.Builder(levels_.LevelOf({below, on_below, otherwise}));
  mlir::Value result =
      mlir::arith::SelectOp::create(b, levels_.loc(), below, on_below, otherwise);
  known_[key] = result;
  auto low = Range(on_below), high = Range(otherwise);
  if (low && high)
    SetRange(result, std::min(low->first, high->first),
             std::max(low->second, high->second));
  return result;
}

mlir::Value IndexBuilder::And(mlir::Value x, mlir::Value y) {
  if (!x) return y;
  if (!y) return x;
  return Binary<mlir::arith::AndIOp>(x, y);
}

mlir::Value IndexBuilder::Not(mlir::Value x) {
  mlir::OpBuilder b = levels_.Builder(levels_.LevelOf(x));
  mlir::Value one = mlir::arith::ConstantIntOp::create(b, levels_.loc(), 1, 1);
  return mlir::arith::XOrIOp::create(b, levels_.loc(), x, one);
}

std::pair<mlir::Value, mlir::Value> IndexBuilder::BlockBounds(mlir::Value number,
                                                              int64_t size,
                                                              int64_t total) {
  if (total <= size) return {Constant(0), Constant(total)};
  mlir::Value lower = Mul(number, size);
  mlir::Value upper = Add(lower, Constant(size));
  if (total % size != 0) upper = Min(upper, Constant(total));
  return {lower, upper};
}

mlir::Value IndexBuilder::Linearize(llvm::ArrayRef<mlir::Value> indices,
                                    llvm::ArrayRef<int64_t> shape) {
  mlir::Value linear;
  for (auto [index, size] : llvm::zip_equal(indices, shape))
    linear = linear ? Add(Mul(linear, size), index) : index;
  return linear ? linear : Constant(0);
}

llvm::SmallVector<mlir::Value> IndexBuilder::Delinearize(mlir::Value linear,
                                                         llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<mlir::Value> indices(shape.size());
  bool outermost_done = false;
  int64_t outer = 1;
  for (int64_t size : shape) outer *= size;
  for (size_t d = shape.size(); d-- > 0;) {
    outer = shape[d] ? outer / shape[d] : 0;
    if (shape[d] == 1) {
      indices[d] = Constant(0);
    } else if (outer == 1 && !outermost_done) {
      indices[d] = linear;
      outermost_done = true;
    } else {
      indices[d] = RemU(linear, shape[d]);
      linear = DivU(linear, shape[d]);
    }
  }
  return indices;
}

}  // namespace tenon::compiler
