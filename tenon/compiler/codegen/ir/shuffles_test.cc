// Shuffles and address arithmetic on constants, which the IR builder folds: what is
// emitted is the result.
#include <numeric>

#include "gtest/gtest.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "tenon/compiler/codegen/ir/interleave.h"
#include "tenon/compiler/codegen/ir/loops.h"
#include "tenon/compiler/codegen/ir/transpose_tile.h"

namespace tenon::codegen {
namespace {

class IrTest : public testing::Test {
 protected:
  IrTest() : module_("test", context_), b_(context_) {
    auto* type = llvm::FunctionType::get(b_.getVoidTy(), {b_.getInt64Ty()}, false);
    function_ =
        llvm::Function::Create(type, llvm::Function::ExternalLinkage, "f", module_);
    b_.SetInsertPoint(llvm::BasicBlock::Create(context_, "entry", function_));
  }

  // The vector first, first + 1, ...
  llvm::Value* Ramp(uint32_t first, int lanes) {
    std::vector<uint32_t> elements(lanes);
    std::iota(elements.begin(), elements.end(), first);
    return llvm::ConstantDataVector::get(context_, elements);
  }

  static std::vector<int64_t> ElementsOf(llvm::Value* vector) {
    auto* constant = llvm::cast<llvm::Constant>(vector);
    int lanes = llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements();
    std::vector<int64_t> elements;
    for (int lane = 0; lane < lanes; ++lane)
      elements.push_back(
          llvm::cast<llvm::ConstantInt>(constant->getAggregateElement(lane))
              ->getSExtValue());
    return elements;
  }

  static int64_t IntOf(llvm::Value* value) {
    return llvm::cast<llvm::ConstantInt>(value)->getSExtValue();
  }

  llvm::LLVMContext context_;
  llvm::Module module_;
  llvm::IRBuilder<> b_;
  llvm::Function* function_;
};

TEST_F(IrTest, TransposesTiles) {
  for (int unit : {1, 2, 3}) {
    for (int size : {1, 2, 4, 8, 16}) {
      int lanes = size * unit;
      llvm::SmallVector<llvm::Value*> rows;
      for (int row = 0; row < size; ++row) rows.push_back(Ramp(row * lanes, lanes));
      TransposeTile(b_, rows, unit);
      for (int row = 0; row < size; ++row) {
        std::vector<int64_t> got = ElementsOf(rows[row]);
        for (int lane = 0; lane < lanes; ++lane)
          EXPECT_EQ(got[lane], lane / unit * lanes + row * unit + lane % unit)
              << size << " x " << size << ", elements of " << unit;
      }
    }
  }
}

TEST_F(IrTest, TransposesBlocksOfFour) {
  for (int lanes : {4, 8, 16}) {
    llvm::Value* rows[4];
    for (int row = 0; row < 4; ++row) rows[row] = Ramp(row * lanes, lanes);
    TransposeBlocksOfFour(b_, rows);
    for (int row = 0; row < 4; ++row) {
      std::vector<int64_t> got = ElementsOf(rows[row]);
      for (int lane = 0; lane < lanes; ++lane)
        EXPECT_EQ(got[lane], lane % 4 * lanes + lane / 4 * 4 + row);
    }
  }
}

TEST_F(IrTest, InterleavesPairs) {
  for (int lanes : {1, 2, 8, 16}) {
    auto [re, im] = Deinterleave(b_, Ramp(0, lanes), Ramp(lanes, lanes), lanes);
    for (int lane = 0; lane < lanes; ++lane) {
      EXPECT_EQ(ElementsOf(re)[lane], 2 * lane);
      EXPECT_EQ(ElementsOf(im)[lane], 2 * lane + 1);
    }
    EXPECT_EQ(ElementsOf(Interleave(b_, re, im, 0, lanes)),
              ElementsOf(Ramp(0, 2 * lanes)));
    // The last pair alone.
    EXPECT_EQ(ElementsOf(Interleave(b_, re, im, lanes - 1, 1)),
              ElementsOf(Ramp(2 * lanes - 2, 2)));
  }
  // All pairs in one register.
  auto [re, im] = Deinterleave(b_, Ramp(0, 8), nullptr, 4);
  EXPECT_EQ(ElementsOf(re), (std::vector<int64_t>{0, 2, 4, 6}));
  EXPECT_EQ(ElementsOf(im), (std::vector<int64_t>{1, 3, 5, 7}));
}

TEST_F(IrTest, DelinearizesEveryIndex) {
  const std::vector<std::vector<int64_t>> shapes = {
      {}, {1}, {5}, {1, 1}, {2, 3, 4}, {1, 7, 1}, {3, 1, 5, 1}, {1, 1, 6}, {7, 1}};
  for (const std::vector<int64_t>& shape : shapes) {
    int64_t total =
        std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
    for (int64_t index = 0; index < total; ++index) {
      IrValues digits = Delinearize(b_, b_.getInt64(index), shape);
      ASSERT_EQ(digits.size(), shape.size());
      int64_t linear = 0;
      for (size_t d = 0; d < shape.size(); ++d) {
        EXPECT_LT(IntOf(digits[d]), shape[d]);
        linear = linear * shape[d] + IntOf(digits[d]);
      }
      EXPECT_EQ(linear, index);
    }
  }
}

TEST_F(IrTest, ArithmeticFoldsZeroAndOne) {
  llvm::Value* x = function_->getArg(0);
  EXPECT_EQ(AddI(b_, x, int64_t{0}), x);
  EXPECT_EQ(AddI(b_, b_.getInt64(0), x), x);
  EXPECT_EQ(MulI(b_, x, 1), x);
  EXPECT_EQ(IntOf(MulI(b_, x, 0)), 0);
  EXPECT_EQ(IntOf(MinI(b_, b_.getInt64(-2), b_.getInt64(3))), -2);
  EXPECT_EQ(function_->getEntryBlock().size(), 0u);
}

TEST_F(IrTest, ALoopOfOneIterationHasNoBlocks) {
  IrValues carried{b_.getInt64(5)};
  auto add_iv = [&](llvm::Value* iv, IrValues& values) {
    values[0] = b_.CreateAdd(values[0], iv);
    return OkStatus();
  };
  ASSERT_TRUE(EmitLoop(b_, b_.getInt64(8), b_.getInt64(9), 4, carried, add_iv).ok());
  EXPECT_EQ(IntOf(carried[0]), 13);
  EXPECT_EQ(function_->size(), 1u);
  // Two iterations: 0 and 4.
  ASSERT_TRUE(EmitLoop(b_, b_.getInt64(0), b_.getInt64(5), 4, carried, add_iv).ok());
  EXPECT_GT(function_->size(), 1u);
}

TEST_F(IrTest, ConstantConditionEmitsNoBranch) {
  int then_bodies = 0, else_bodies = 0;
  for (bool condition : {true, false, true}) {
    ASSERT_TRUE(EmitIfElse(
                    b_, b_.getInt1(condition), [&] { return ++then_bodies, OkStatus(); },
                    [&] { return ++else_bodies, OkStatus(); })
                    .ok());
  }
  EXPECT_EQ(then_bodies, 2);
  EXPECT_EQ(else_bodies, 1);
  EXPECT_EQ(function_->size(), 1u);
}

TEST_F(IrTest, ErrorsOfABodyAreReturned) {
  IrValues carried;
  Status status = EmitLoop(b_, b_.getInt64(0), function_->getArg(0), 1, carried,
                           [](llvm::Value*, IrValues&) { return Unimplemented("body"); });
  EXPECT_EQ(status.code(), StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace tenon::codegen
