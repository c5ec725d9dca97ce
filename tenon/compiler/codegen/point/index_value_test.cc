// Computes the lanes of index values by folding constants: the emitted code has two
// arguments, which are replaced by numbers.
#include "tenon/compiler/codegen/point/index_value.h"

#include <map>
#include <random>

#include "gtest/gtest.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"

namespace tenon::codegen {
namespace {

using Lanes = std::vector<int64_t>;

// The arguments of the emitted code: the loop's index, a multiple of the width, and any
// other number.
struct Arguments {
  int64_t iv, other;
};

class IndexValueTest : public testing::Test {
 protected:
  IndexValueTest() : module_("test", context_), b_(context_) {
    auto* type = llvm::FunctionType::get(b_.getVoidTy(),
                                         {b_.getInt64Ty(), b_.getInt64Ty()}, false);
    function_ =
        llvm::Function::Create(type, llvm::Function::ExternalLinkage, "f", module_);
    b_.SetInsertPoint(llvm::BasicBlock::Create(context_, "entry", function_));
  }

  IndexValue Iv(int width) { return {function_->getArg(0), 1, width}; }
  IndexValue Other() { return {function_->getArg(1), 0, 1}; }

  llvm::Constant* Fold(llvm::Value* value, Arguments arguments) {
    folded_.clear();
    folded_[function_->getArg(0)] = b_.getInt64(arguments.iv);
    folded_[function_->getArg(1)] = b_.getInt64(arguments.other);
    return Fold(value);
  }

  int64_t FoldInt(llvm::Value* value, Arguments arguments) {
    return llvm::cast<llvm::ConstantInt>(Fold(value, arguments))->getSExtValue();
  }

  Lanes FoldLanes(IndexEmitter& emitter, const IndexValue& x, Arguments arguments) {
    return ElementsOf(Fold(emitter.Vector(x), arguments));
  }

  static Lanes ElementsOf(llvm::Constant* vector) {
    Lanes lanes;
    int count = llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements();
    for (int lane = 0; lane < count; ++lane)
      lanes.push_back(llvm::cast<llvm::ConstantInt>(vector->getAggregateElement(lane))
                          ->getSExtValue());
    return lanes;
  }

  llvm::LLVMContext context_;
  llvm::Module module_;
  llvm::IRBuilder<> b_;
  llvm::Function* function_;

 private:
  llvm::Constant* Fold(llvm::Value* value) {
    if (auto* constant = llvm::dyn_cast<llvm::Constant>(value)) return constant;
    if (auto found = folded_.find(value); found != folded_.end()) return found->second;
    auto* instruction = llvm::cast<llvm::Instruction>(value);
    llvm::SmallVector<llvm::Constant*> operands;
    for (llvm::Value* operand : instruction->operands())
      operands.push_back(Fold(operand));
    return folded_[value] = llvm::ConstantFoldInstOperands(instruction, operands,
                                                           module_.getDataLayout());
  }

  std::map<llvm::Value*, llvm::Constant*> folded_;
};

TEST_F(IndexValueTest, ConsecutiveIndicesOfABlockShareTheirRow) {
  // Lanes of index 8k + l in rows of 24: all in one row, with consecutive columns.
  IndexEmitter emitter(b_, 8, false);
  IndexValue row = emitter.DivU(Iv(8), emitter.Constant(24));
  IndexValue column = emitter.RemU(Iv(8), emitter.Constant(24));
  EXPECT_TRUE(row.uniform());
  EXPECT_EQ(column.stride, 1);
  EXPECT_EQ(column.multiple, 8);
  EXPECT_EQ(FoldInt(row.base, {40, 0}), 1);
  EXPECT_EQ(FoldLanes(emitter, column, {40, 0}), Lanes({16, 17, 18, 19, 20, 21, 22, 23}));
}

TEST_F(IndexValueTest, OffsetsWithinAPartOfARowShareTheRow) {
  // A quarter of a row of 48 begins at base + 12.
  IndexEmitter emitter(b_, 4, false);
  IndexValue x{function_->getArg(0), 0, 12, {14, 12, 23, 13}};
  IndexValue row = emitter.DivU(x, emitter.Constant(48));
  IndexValue column = emitter.RemU(x, emitter.Constant(48));
  EXPECT_TRUE(row.uniform());
  EXPECT_EQ(FoldInt(row.base, {36, 0}), 1);
  EXPECT_EQ(column.multiple, 12);
  EXPECT_EQ(FoldLanes(emitter, column, {36, 0}), Lanes({2, 0, 11, 1}));
  EXPECT_EQ(FoldLanes(emitter, column, {60, 0}), Lanes({26, 24, 35, 25}));
  // Not: lanes of two quarters.
  x.lanes = {14, 12, 24, 13};
  EXPECT_TRUE(emitter.DivU(x, emitter.Constant(48)).varying());
  EXPECT_EQ(FoldLanes(emitter, emitter.DivU(x, emitter.Constant(48)), {24, 0}),
            Lanes({0, 0, 1, 0}));
}

TEST_F(IndexValueTest, RegisterAcrossTwoRows) {
  IndexEmitter emitter(b_, 8, false);
  IndexValue shifted = emitter.Add(Iv(8), emitter.Constant(4));
  EXPECT_EQ(shifted.multiple, 8);  // the constant is in the lane offsets
  EXPECT_EQ(FoldLanes(emitter, emitter.DivU(shifted, emitter.Constant(24)), {16, 0}),
            Lanes({0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(FoldLanes(emitter, emitter.RemU(shifted, emitter.Constant(24)), {16, 0}),
            Lanes({20, 21, 22, 23, 0, 1, 2, 3}));
}

TEST_F(IndexValueTest, IndicesOfWholeRowsHaveConstantOffsets) {
  // The index is a multiple of 3 rows of 5, so that all remainders are constants.
  IndexEmitter emitter(b_, 4, false);
  IndexValue iv{function_->getArg(0), 1, 15};
  IndexValue row = emitter.DivU(iv, emitter.Constant(5));
  IndexValue column = emitter.RemU(iv, emitter.Constant(5));
  EXPECT_EQ(column.multiple, 0);
  EXPECT_EQ(emitter.LanesOf(column), (llvm::SmallVector<int64_t, 0>{0, 1, 2, 3}));
  EXPECT_EQ(FoldLanes(emitter, row, {30, 0}), Lanes({6, 6, 6, 6}));
  // The next register of the same period.
  IndexValue next{function_->getArg(0), 0, 15, {4, 5, 6, 7}};
  EXPECT_EQ(FoldLanes(emitter, emitter.DivU(next, emitter.Constant(5)), {15, 0}),
            Lanes({3, 4, 4, 4}));
  EXPECT_EQ(FoldLanes(emitter, emitter.RemU(next, emitter.Constant(5)), {15, 0}),
            Lanes({4, 0, 1, 2}));
}

TEST_F(IndexValueTest, NegativeOffsetsRoundDown) {
  IndexEmitter emitter(b_, 4, false);
  IndexValue x{function_->getArg(0), 0, 5, {-6, -5, -1, 0}};
  EXPECT_EQ(FoldLanes(emitter, emitter.DivU(x, emitter.Constant(5)), {10, 0}),
            Lanes({0, 1, 1, 2}));
  EXPECT_EQ(FoldLanes(emitter, emitter.RemU(x, emitter.Constant(5)), {10, 0}),
            Lanes({4, 0, 4, 0}));
}

TEST_F(IndexValueTest, RowsInReverseHaveConstantOffsets) {
  // Element 4095 - (8 i + 3) of rows of 8, for 4 successive i: the fifth of each row,
  // from the last row on.
  IndexEmitter emitter(b_, 4, false);
  IndexValue element =
      emitter.Add(emitter.Mul(Iv(4), emitter.Constant(8)), emitter.Constant(3));
  IndexValue reversed = emitter.Sub(emitter.Constant(4095), element);
  IndexValue row = emitter.WithStride(emitter.DivU(reversed, emitter.Constant(8)));
  IndexValue column = emitter.WithStride(emitter.RemU(reversed, emitter.Constant(8)));
  EXPECT_EQ(row.stride, -1);
  EXPECT_EQ(FoldInt(row.base, {20, 0}), 491);
  EXPECT_EQ(ConstantIndex(column), 4);
}

TEST_F(IndexValueTest, OffsetsAreComparedAndSelectedAsAStride) {
  IndexEmitter emitter(b_, 8, false);
  IndexValue next = emitter.Add(Iv(8), emitter.Constant(1));
  llvm::Value* less = emitter.Compare(llvm::CmpInst::ICMP_SLT, Iv(8), next);
  EXPECT_FALSE(less->getType()->isVectorTy());
  EXPECT_EQ(emitter.Select(less, Iv(8), next).stride, 1);
}

TEST_F(IndexValueTest, EquallySpacedOffsetsBecomeAStride) {
  IndexEmitter emitter(b_, 4, false);
  IndexValue spaced{function_->getArg(0), 0, 8, {6, 4, 2, 0}};
  IndexValue strided = emitter.WithStride(spaced);
  EXPECT_TRUE(strided.lanes.empty());
  EXPECT_EQ(strided.stride, -2);
  EXPECT_EQ(strided.multiple, 2);
  EXPECT_EQ(FoldLanes(emitter, strided, {8, 0}), Lanes({14, 12, 10, 8}));
  IndexValue uneven{function_->getArg(0), 0, 8, {0, 1, 2, 4}};
  EXPECT_FALSE(emitter.WithStride(uneven).lanes.empty());
}

TEST_F(IndexValueTest, ConstantsAreFound) {
  IndexEmitter emitter(b_, 4, false);
  EXPECT_EQ(ConstantIndex(emitter.Constant(-3)), -3);
  EXPECT_EQ(emitter.Constant(-3).multiple, 3);
  EXPECT_EQ(ConstantIndex(Iv(4)), std::nullopt);
  EXPECT_EQ(ConstantIndex(emitter.RemU(Iv(4), emitter.Constant(1))), 0);
  IndexValue strided = emitter.Constant(3);
  strided.stride = 1;
  EXPECT_EQ(ConstantIndex(strided), std::nullopt);
}

TEST_F(IndexValueTest, LanesOfEqualStrideAreComparedOnce) {
  IndexEmitter emitter(b_, 4, false);
  IndexValue shifted = emitter.Add(Iv(4), Other());
  auto* same = emitter.Compare(llvm::CmpInst::ICMP_SLT, Iv(4), shifted);
  EXPECT_FALSE(same->getType()->isVectorTy());
  auto* lanes = emitter.Compare(llvm::CmpInst::ICMP_SLT, Iv(4), Other());
  EXPECT_TRUE(lanes->getType()->isVectorTy());
  EXPECT_EQ(ElementsOf(Fold(lanes, {4, 6})), Lanes({-1, -1, 0, 0}));
}

// Random expressions, compared with arithmetic on each lane at some values of the
// arguments. The base of every index must be a multiple of `multiple`.
class RandomIndices : public IndexValueTest {
 protected:
  struct Node {
    IndexValue index;
    std::vector<Lanes> values;  // for each of samples_
  };

  void Check(IndexEmitter& emitter, const Node& node, const std::string& op) {
    for (size_t s = 0; s < samples_.size(); ++s) {
      ASSERT_EQ(FoldLanes(emitter, node.index, samples_[s]), node.values[s])
          << op << " at " << samples_[s].iv << ", " << samples_[s].other;
      if (node.index.varying()) continue;
      int64_t base = FoldInt(node.index.base, samples_[s]);
      int64_t multiple = node.index.multiple;
      ASSERT_TRUE(multiple == 0 ? base == 0 : base % multiple == 0)
          << op << ": " << base << " is no multiple of " << multiple;
    }
  }

  template <typename F>
  static std::vector<Lanes> Map(const Node& x, const Node& y, F function) {
    std::vector<Lanes> values = x.values;
    for (size_t s = 0; s < values.size(); ++s)
      for (size_t lane = 0; lane < values[s].size(); ++lane)
        values[s][lane] = function(x.values[s][lane], y.values[s][lane]);
    return values;
  }

  static bool All(const Node& x, llvm::function_ref<bool(int64_t)> condition) {
    return llvm::all_of(
        x.values, [&](const Lanes& lanes) { return llvm::all_of(lanes, condition); });
  }

  Node Constant(IndexEmitter& emitter, int64_t value, int width) {
    return {emitter.Constant(value),
            std::vector<Lanes>(samples_.size(), Lanes(width, value))};
  }

  std::vector<Node> Leaves(int width, int64_t period) {
    samples_.clear();
    for (int64_t k : {0, 1, 2, 7, 30})
      samples_.push_back({k * period * width, 13 - 5 * k});
    Node iv{Iv(width * period), {}}, other{Other(), {}};
    for (Arguments sample : samples_) {
      iv.values.push_back({});
      other.values.push_back(Lanes(width, sample.other));
      for (int lane = 0; lane < width; ++lane)
        iv.values.back().push_back(sample.iv + lane);
    }
    return {iv, other};
  }

  // Returns `op` of x and y, or nothing if it is not defined for some lanes.
  std::optional<Node> Apply(IndexEmitter& e, const std::string& op, const Node& x,
                            const Node& y) {
    const IndexValue &a = x.index, &c = y.index;
    if (op == "add") return Node{e.Add(a, c), Map(x, y, std::plus<>())};
    if (op == "sub") return Node{e.Sub(a, c), Map(x, y, std::minus<>())};
    if (op == "mul") return Node{e.Mul(a, c), Map(x, y, std::multiplies<>())};
    if (op == "min")
      return Node{e.MinS(a, c), Map(x, y, [](auto p, auto q) { return std::min(p, q); })};
    if (op == "max")
      return Node{e.MaxS(a, c), Map(x, y, [](auto p, auto q) { return std::max(p, q); })};
    if (op == "select")  // the smaller one
      return Node{e.Select(e.Compare(llvm::CmpInst::ICMP_SLT, a, c), a, c),
                  Map(x, y, [](auto p, auto q) { return std::min(p, q); })};
    if (!All(x, [](int64_t v) { return v >= 0; }) ||
        !All(y, [](int64_t v) { return v > 0; }))
      return std::nullopt;
    if (op == "div") return Node{e.DivU(a, c), Map(x, y, std::divides<>())};
    return Node{e.RemU(a, c), Map(x, y, std::modulus<>())};
  }

  void Run(int width, bool narrow, int64_t period, uint64_t seed) {
    std::mt19937_64 random(seed);
    IndexEmitter emitter(b_, width, narrow);
    std::vector<Node> nodes = Leaves(width, period);
    const char* ops[] = {"add", "sub", "mul", "div", "rem", "min", "max", "select"};
    for (int i = 0; i < 60; ++i) {
      const Node x = nodes[random() % nodes.size()];
      Node y = nodes[random() % nodes.size()];
      auto constant = static_cast<int64_t>(random() % 20) - 2;
      if (random() % 3 == 0) constant *= width;
      if (random() % 4) y = Constant(emitter, constant, width);
      std::string op = ops[random() % std::size(ops)];
      std::optional<Node> result = Apply(emitter, op, x, y);
      if (!result || !All(*result, [](int64_t v) { return std::abs(v) < 1 << 20; }))
        continue;
      Check(emitter, *result, op);
      if (HasFatalFailure()) return;
      nodes.push_back(std::move(*result));
    }
  }

  std::vector<Arguments> samples_;
};

TEST_F(RandomIndices, MatchPerLaneEvaluation) {
  for (int width : {1, 4, 16}) {
    for (bool narrow : {false, true}) {
      for (int64_t period : {1, 3, 12}) {
        for (uint64_t seed = 0; seed < 10; ++seed) {
          SCOPED_TRACE(testing::Message() << width << " lanes, narrow " << narrow
                                          << ", period " << period << ", seed " << seed);
          Run(width, narrow, period, seed);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

}  // namespace
}  // namespace tenon::codegen
