// Evaluates the ops that an IndexBuilder creates, for some values of the block's
// arguments, and compares them with integer arithmetic.
#include "tenon/compiler/kernels/index_builder.h"

#include <random>

#include "gtest/gtest.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/BuiltinOps.h"
#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::compiler {
namespace {

namespace arith = mlir::arith;
using Shape = std::vector<int64_t>;

class IndexBuilderTest : public testing::Test {
 protected:
  static constexpr int kArguments = 3;

  IndexBuilderTest()
      : module_(mlir::ModuleOp::create(mlir::UnknownLoc::get(&context_))),
        block_(*module_->getBody()),
        levels_(module_->getLoc()),
        index_(levels_) {
    context_.loadDialect<arith::ArithDialect, ir::TenonDialect>();
    for (int i = 0; i < kArguments; ++i)
      block_.addArgument(mlir::IndexType::get(&context_), levels_.loc());
    levels_.Push(&block_);
  }

  mlir::Value Argument(int number) { return block_.getArgument(number); }

  // The value if the block's arguments are `arguments`. Conditions are 0 or 1.
  static int64_t Evaluate(mlir::Value value, llvm::ArrayRef<int64_t> arguments) {
    if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(value))
      return arguments[argument.getArgNumber()];
    mlir::Operation* op = value.getDefiningOp();
    if (auto constant = llvm::dyn_cast<arith::ConstantOp>(op))
      return llvm::cast<mlir::IntegerAttr>(constant.getValue()).getValue().getZExtValue();
    llvm::SmallVector<int64_t, 3> x;
    for (mlir::Value operand : op->getOperands())
      x.push_back(Evaluate(operand, arguments));
    auto u = [&](int i) { return static_cast<uint64_t>(x[i]); };
    return llvm::TypeSwitch<mlir::Operation*, int64_t>(op)
        .Case([&](arith::AddIOp) { return x[0] + x[1]; })
        .Case([&](arith::SubIOp) { return x[0] - x[1]; })
        .Case([&](arith::MulIOp) { return x[0] * x[1]; })
        .Case([&](arith::DivUIOp) { return u(0) / u(1); })
        .Case([&](arith::RemUIOp) { return u(0) % u(1); })
        .Case([&](arith::MinSIOp) { return std::min(x[0], x[1]); })
        .Case([&](arith::MaxSIOp) { return std::max(x[0], x[1]); })
        .Case([&](arith::AndIOp) { return x[0] & x[1]; })
        .Case([&](arith::XOrIOp) { return x[0] ^ x[1]; })
        .Case([&](arith::SelectOp) { return x[0] ? x[1] : x[2]; })
        .Case([&](arith::CmpIOp compare) {
          return compare.getPredicate() == arith::CmpIPredicate::ult ? u(0) < u(1)
                                                                     : x[0] == x[1];
        });
  }

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  mlir::Block& block_;  // of the module
  LevelStack levels_;
  IndexBuilder index_;
};

TEST_F(IndexBuilderTest, DelinearizeIsTheInverseOfLinearize) {
  const Shape shapes[] = {{},        {1},          {5},       {1, 1}, {2, 3, 4},
                          {1, 7, 1}, {3, 1, 5, 1}, {1, 1, 6}, {7, 1}};
  for (bool has_range : {false, true}) {
    for (const Shape& shape : shapes) {
      int64_t total = 1;
      for (int64_t size : shape) total *= size;
      LevelStack levels(levels_.loc());
      levels.Push(&block_);
      IndexBuilder index(levels);
      if (has_range) index.SetRange(Argument(0), 0, total - 1);
      auto position = index.Delinearize(Argument(0), shape);
      mlir::Value linear = index.Linearize(position, shape);
      ASSERT_EQ(position.size(), shape.size());
      EXPECT_TRUE(!has_range || index.AreInside(position, shape));
      for (int64_t i = 0; i < total; ++i) {
        EXPECT_EQ(Evaluate(linear, {i, 0, 0}), i);
        int64_t rest = i;
        for (size_t d = shape.size(); d-- > 0; rest /= shape[d])
          EXPECT_EQ(Evaluate(position[d], {i, 0, 0}), rest % shape[d]) << d;
      }
    }
  }
}

TEST_F(IndexBuilderTest, IndicesOfALinearIndexNeedNoDivision) {
  index_.SetRange(Argument(0), 0, 9);
  index_.SetRange(Argument(1), 0, 4);
  mlir::Value linear = index_.Linearize({Argument(0), Argument(1)}, {10, 5});
  EXPECT_EQ(index_.DivU(linear, 5), Argument(0));
  EXPECT_EQ(index_.RemU(linear, 5), Argument(1));
  // The second index may be 5: the quotient can be larger than the first.
  index_.SetRange(Argument(1), 0, 5);
  mlir::Value quotient = index_.DivU(linear, 5);
  EXPECT_NE(quotient, Argument(0));
  EXPECT_EQ(Evaluate(quotient, {3, 5, 0}), 4);
}

TEST_F(IndexBuilderTest, OffsetsAreMerged) {
  mlir::Value x = Argument(0);
  mlir::Value moved = index_.Add(index_.Sub(x, index_.Constant(5)), index_.Constant(7));
  auto sum = moved.getDefiningOp<arith::AddIOp>();
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum.getLhs(), x);
  EXPECT_EQ(index_.ConstantOf(sum.getRhs()), 2);
  EXPECT_EQ(index_.Sub(moved, index_.Constant(2)), x);
  EXPECT_EQ(index_.Add(index_.Constant(2), x), moved);  // created once
}

TEST_F(IndexBuilderTest, BlocksCoverTheRangeOnce) {
  for (int64_t total : {1, 7, 8, 9, 16, 17}) {
    for (int64_t size : {1, 3, 8, 20}) {
      auto [lower, upper] = index_.BlockBounds(Argument(0), size, total);
      int64_t next = 0;
      for (int64_t number = 0; number < (total + size - 1) / size; ++number) {
        EXPECT_EQ(Evaluate(lower, {number, 0, 0}), next);
        next = Evaluate(upper, {number, 0, 0});
        EXPECT_LE(next, std::min(total, (number + 1) * size));
      }
      EXPECT_EQ(next, total);
    }
  }
}

TEST_F(IndexBuilderTest, KnownConditionsAreNotComputed) {
  mlir::Value x = Argument(0), other = Argument(1);
  EXPECT_TRUE(index_.InRange(x, 10));  // nothing is known
  EXPECT_FALSE(index_.IsNeverInRange(x, 10));
  index_.SetRange(x, 0, 9);
  EXPECT_FALSE(index_.InRange(x, 10));
  EXPECT_TRUE(index_.InRange(x, 9));
  EXPECT_EQ(index_.SelectBelow(x, 10, x, other), x);
  index_.SetRange(x, 10, 12);
  EXPECT_TRUE(index_.IsNeverInRange(x, 10));
  EXPECT_EQ(index_.SelectBelow(x, 10, x, other), other);
  index_.SetRange(x, -3, -1);
  EXPECT_TRUE(index_.IsNeverInRange(x, 10));
  EXPECT_TRUE(index_.InRange(x, 10));
  // Null stands for true.
  mlir::Value condition = index_.Equal(other, 2);
  EXPECT_EQ(index_.And(nullptr, condition), condition);
  EXPECT_EQ(index_.And(condition, nullptr), condition);
  EXPECT_FALSE(index_.And(nullptr, nullptr));
  EXPECT_EQ(index_.Equal(other, 2), condition);
  EXPECT_EQ(Evaluate(index_.Not(condition), {0, 2, 0}), 0);
}

TEST_F(IndexBuilderTest, NegativeIndicesAreOutOfRange) {
  mlir::Value inside = index_.InRange(Argument(0), 10);
  for (int64_t x : {-1, 0, 9, 10})
    EXPECT_EQ(Evaluate(inside, {x, 0, 0}), x == 0 || x == 9);
}

// Ops go to the outermost level that has their operands.
TEST_F(IndexBuilderTest, InvariantOpsStayOutsideOfLoops) {
  mlir::OpBuilder b = mlir::OpBuilder::atBlockEnd(&block_);
  mlir::Value zero = index_.Constant(0), end = index_.Constant(8);
  auto loop = ir::MapOp::create(b, levels_.loc(), zero, end);
  mlir::Block& body = loop.getBody().emplaceBlock();
  body.addArgument(b.getIndexType(), levels_.loc());
  levels_.Push(&body);
  mlir::Value inner = index_.Add(Argument(0), body.getArgument(0));
  mlir::Value outer = index_.Mul(Argument(0), 3);
  EXPECT_EQ(inner.getParentBlock(), &body);
  EXPECT_EQ(outer.getParentBlock(), &block_);
  EXPECT_TRUE(outer.getDefiningOp()->isBeforeInBlock(loop));
  EXPECT_EQ(levels_.LevelOf({outer, inner}), 1u);
  EXPECT_EQ(levels_.LevelOf(outer), 0u);
  levels_.Pop();
  EXPECT_EQ(levels_.depth(), 1u);
}

// Random expressions: the simplified ops compute the same, and all values are in the
// known ranges.
class RandomIndexOps : public IndexBuilderTest {
 protected:
  struct Node {
    mlir::Value value;
    std::vector<int64_t> at;  // for each of samples_
  };

  Node Constant(int64_t value) {
    return {index_.Constant(value), std::vector<int64_t>(samples_.size(), value)};
  }

  // Returns operation number `op` of x and y, or of x and the constant c.
  std::optional<Node> Apply(int op, const Node& x, const Node& y, int64_t c) {
    auto map = [&](mlir::Value value, auto function) {
      Node result{value, {}};
      for (auto [a, b] : llvm::zip_equal(x.at, y.at)) result.at.push_back(function(a, b));
      return result;
    };
    bool divides = c > 0 && llvm::all_of(x.at, [](int64_t a) { return a >= 0; });
    switch (op) {
      case 0:
        return map(index_.Add(x.value, y.value), std::plus<int64_t>());
      case 1:
        return map(index_.Sub(x.value, y.value), std::minus<int64_t>());
      case 2:
        return map(index_.Mul(x.value, c), [&](int64_t a, int64_t) { return a * c; });
      case 3:
        if (!divides) return std::nullopt;
        return map(index_.DivU(x.value, c), [&](int64_t a, int64_t) { return a / c; });
      case 4:
        if (!divides) return std::nullopt;
        return map(index_.RemU(x.value, c), [&](int64_t a, int64_t) { return a % c; });
      case 5:
        return map(index_.Min(x.value, y.value),
                   [](int64_t a, int64_t b) { return std::min(a, b); });
      default:
        if (c <= 0) return std::nullopt;
        return map(index_.SelectBelow(x.value, c, x.value, y.value),
                   [&](int64_t a, int64_t b) { return 0 <= a && a < c ? a : b; });
    }
  }

  std::vector<std::array<int64_t, kArguments>> samples_;
};

TEST_F(RandomIndexOps, ComputeTheirDefinition) {
  std::mt19937_64 random(7);
  const int64_t last[kArguments] = {6, 30, 200};
  for (int i = 0; i < 40; ++i) {
    samples_.push_back({});
    for (int a = 0; a < kArguments; ++a)
      samples_.back()[a] = i == 0   ? 0
                           : i == 1 ? last[a]
                                    : static_cast<int64_t>(random() % (last[a] + 1));
  }
  std::vector<Node> nodes;
  for (int a = 0; a < kArguments; ++a) {
    nodes.push_back({Argument(a), {}});
    for (const auto& sample : samples_) nodes.back().at.push_back(sample[a]);
    index_.SetRange(Argument(a), 0, last[a]);
  }
  for (int i = 0; i < 3000; ++i) {
    // The last nodes more often, so that ops follow each other.
    auto pick = [&] {
      size_t recent = std::min<size_t>(nodes.size(), 12);
      return nodes[nodes.size() - 1 - random() % recent];
    };
    const Node x = random() % 3 ? pick() : nodes[random() % kArguments];
    const Node y =
        random() % 2 ? pick() : Constant(static_cast<int64_t>(random() % 9) - 2);
    int op = static_cast<int>(random() % 7);
    auto result = Apply(op, x, y, static_cast<int64_t>(random() % 9) - 1);
    if (!result ||
        llvm::any_of(result->at, [](int64_t v) { return std::abs(v) > 1 << 20; }))
      continue;
    for (auto [sample, want] : llvm::zip_equal(samples_, result->at))
      ASSERT_EQ(Evaluate(result->value, sample), want) << "op " << op << " in step " << i;
    if (auto range = index_.Range(result->value)) {
      for (int64_t v : result->at) {
        ASSERT_GE(v, range->first) << "op " << op << " in step " << i;
        ASSERT_LE(v, range->second) << "op " << op << " in step " << i;
      }
    }
    nodes.push_back(std::move(*result));
  }
}

}  // namespace
}  // namespace tenon::compiler
