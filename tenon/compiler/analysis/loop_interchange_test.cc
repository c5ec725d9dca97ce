#include "tenon/compiler/analysis/loop_interchange.h"

#include <string>

#include "gtest/gtest.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

namespace tenon::compiler {
namespace {

using Kind = CarriedValue::Kind;

// A loop over a counter and an array %y, which `body` changes to %next; with rows, it
// also sets a row of `rows_type` to %row at position %at.
struct Loop {
  std::string type = "tensor<40xf32>";
  std::string body;
  int64_t first = 0, step = 1, end = 9;
  std::string rows_type = "", row_type = "", position = "%at, %zero";
  bool scalars_in_memory = false;
};

std::string Text(const Loop& loop) {
  bool rows = !loop.rows_type.empty();
  std::string types = "tensor<i32>, " + loop.type + (rows ? ", " + loop.rows_type : "");
  std::string indices = "tensor<i32>, tensor<i32>";
  return "func.func @main(%x: " + loop.type + (rows ? ", %r: " + loop.rows_type : "") +
         ", %f: tensor<f32>) {\n"
         "%first = stablehlo.constant dense<" +
         std::to_string(loop.first) +
         "> : tensor<i32>\n%end = stablehlo.constant dense<" + std::to_string(loop.end) +
         "> : tensor<i32>\n%step = stablehlo.constant dense<" +
         std::to_string(loop.step) +
         "> : tensor<i32>\n%zero = stablehlo.constant dense<0> : tensor<i32>\n%w:" +
         (rows ? "3" : "2") + " = stablehlo.while(%i = %first, %y = %x" +
         (rows ? ", %rows = %r" : "") + ") : " + types +
         "\ncond {\n%p = stablehlo.compare LT, %i, %end, SIGNED : (tensor<i32>, "
         "tensor<i32>) -> tensor<i1>\nstablehlo.return %p : tensor<i1>\n} do {\n" +
         loop.body +
         (rows ? "\n%new = stablehlo.dynamic_update_slice %rows, %row, " + loop.position +
                     " : (" + loop.rows_type + ", " + loop.row_type + ", " + indices +
                     ") -> " + loop.rows_type
               : "") +
         "\n%j = stablehlo.add %i, %step : tensor<i32>\nstablehlo.return %j, %next" +
         (rows ? ", %new" : "") + " : " + types + "\n}\nreturn\n}";
}

class LoopInterchangeTest : public testing::Test {
 protected:
  std::optional<LoopInterchangePlan> Plan(const Loop& loop) {
    context_.loadDialect<stablehlo::StableHLODialect, mlir::func::FuncDialect>();
    module_ = mlir::parseSourceString<mlir::ModuleOp>(Text(loop), &context_);
    EXPECT_TRUE(module_) << Text(loop);
    if (!module_) return std::nullopt;
    stablehlo::WhileOp op;
    module_->walk([&](stablehlo::WhileOp found) { op = found; });
    return PlanLoopInterchange(op, loop.scalars_in_memory);
  }

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

constexpr char kSine[] = "%next = stablehlo.sine %y : tensor<40xf32>";

TEST_F(LoopInterchangeTest, ScalarsAreOnePointIfTheyAreInMemory) {
  Loop loop{.type = "tensor<f32>", .body = "%next = stablehlo.sine %y : tensor<f32>"};
  EXPECT_FALSE(Plan(loop));
  loop.scalars_in_memory = true;
  auto plan = Plan(loop);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->axis_sizes, llvm::SmallVector<int64_t>{1});
  EXPECT_EQ(plan->carried, 1);
}

TEST_F(LoopInterchangeTest, IndependentPoints) {
  auto plan = Plan({.body = kSine});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->trip_count, 9);
  EXPECT_EQ(plan->axis_sizes, llvm::SmallVector<int64_t>{40});
  EXPECT_EQ(plan->carried, 1);
  EXPECT_EQ(plan->element_bits, 32);
  ASSERT_EQ(plan->carries.size(), 2u);
  EXPECT_EQ(plan->carries[0].kind, Kind::kCounter);
  EXPECT_EQ(plan->carries[1].kind, Kind::kValue);
  EXPECT_EQ(plan->carries[1].axis_dims, llvm::SmallVector<int64_t>{0});
}

TEST_F(LoopInterchangeTest, TripCounts) {
  EXPECT_FALSE(Plan({.body = kSine, .end = 3}));
  EXPECT_EQ(Plan({.body = kSine, .end = 4})->trip_count, 4);
  EXPECT_FALSE(Plan({.body = kSine, .first = 9}));
  auto plan = Plan({.body = kSine, .first = -3, .step = 4, .end = 10});
  ASSERT_TRUE(plan);  // -3, 1, 5, 9
  EXPECT_EQ(plan->trip_count, 4);
  EXPECT_EQ(plan->carries[0].first, -3);
  EXPECT_EQ(plan->carries[0].step, 4);
}

TEST_F(LoopInterchangeTest, RejectsPointsThatDependOnOtherPoints) {
  EXPECT_FALSE(
      Plan({.body = "%next = stablehlo.reverse %y, dims = [0] : tensor<40xf32>"}));
  EXPECT_FALSE(Plan({.body = R"(
    %a = stablehlo.slice %y [1:40] : (tensor<40xf32>) -> tensor<39xf32>
    %b = stablehlo.slice %y [0:1] : (tensor<40xf32>) -> tensor<1xf32>
    %next = stablehlo.concatenate %a, %b, dim = 0
        : (tensor<39xf32>, tensor<1xf32>) -> tensor<40xf32>)"}));
  // An array that is not a splat has other elements at other points.
  EXPECT_TRUE(Plan({.body = R"(
    %c = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %next = stablehlo.add %y, %c : tensor<40xf32>)"}));
}

// Rows depend on each other, columns do not.
TEST_F(LoopInterchangeTest, OneAxisOfTwo) {
  auto plan = Plan({.type = "tensor<4x40xf32>", .body = R"(
    %a = stablehlo.reverse %y, dims = [0] : tensor<4x40xf32>
    %next = stablehlo.add %a, %y : tensor<4x40xf32>)"});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->axis_sizes, llvm::SmallVector<int64_t>{40});
  EXPECT_EQ(plan->carries[1].axis_dims, llvm::SmallVector<int64_t>{1});
  EXPECT_EQ(plan->carried, 4);
  plan = Plan({.type = "tensor<4x40xf32>",
               .body = "%next = stablehlo.sine %y : tensor<4x40xf32>"});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->axis_sizes, (llvm::SmallVector<int64_t>{4, 40}));
  EXPECT_EQ(plan->carried, 1);
}

// A transposed value runs along another dimension in the next iteration.
TEST_F(LoopInterchangeTest, TransposesCarriedValue) {
  EXPECT_FALSE(Plan({.type = "tensor<40x40xf32>",
                     .body = "%next = stablehlo.transpose %y, dims = [1, 0] : "
                             "(tensor<40x40xf32>) -> tensor<40x40xf32>"}));
}

TEST_F(LoopInterchangeTest, SmallArraysAreOnePoint) {
  auto plan = Plan({.type = "tensor<3xf32>", .body = R"(
    %a = stablehlo.reverse %y, dims = [0] : tensor<3xf32>
    %next = stablehlo.add %a, %y : tensor<3xf32>)"});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->axis_sizes, llvm::SmallVector<int64_t>{1});
  EXPECT_EQ(plan->carried, 3);
  // A loop over scalars keeps them in registers without a plan.
  EXPECT_FALSE(
      Plan({.type = "tensor<f32>", .body = "%next = stablehlo.sine %y : tensor<f32>"}));
}

TEST_F(LoopInterchangeTest, WideElements) {
  auto plan = Plan(
      {.type = "tensor<40xf64>", .body = "%next = stablehlo.sine %y : tensor<40xf64>"});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->element_bits, 64);
}

// Loops that also set a row of an array in every iteration, at a position computed from
// the counter.
class RowsTest : public LoopInterchangeTest {
 protected:
  static Loop WithRows(const std::string& position, int64_t rows = 9) {
    return {.body = std::string(kSine) +
                    "\n%row = stablehlo.reshape %next : (tensor<40xf32>) -> "
                    "tensor<1x40xf32>\n" +
                    position,
            .rows_type = "tensor<" + std::to_string(rows) + "x40xf32>",
            .row_type = "tensor<1x40xf32>"};
  }
};

TEST_F(RowsTest, InAscendingOrder) {
  auto plan = Plan(WithRows("%at = stablehlo.add %i, %zero : tensor<i32>"));
  ASSERT_TRUE(plan);
  const CarriedValue& rows = plan->carries[2];
  EXPECT_EQ(rows.kind, Kind::kRows);
  EXPECT_EQ(rows.first, 0);
  EXPECT_EQ(rows.step, 1);
  EXPECT_EQ(rows.row_dim, 0);
  EXPECT_EQ(rows.axis_dims, llvm::SmallVector<int64_t>{1});
}

TEST_F(RowsTest, InDescendingOrder) {
  std::string reversed =
      "%last = stablehlo.constant dense<8> : tensor<i32>\n"
      "%at = stablehlo.subtract %last, %i : tensor<i32>";
  auto plan = Plan(WithRows(reversed));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->carries[2].first, 8);
  EXPECT_EQ(plan->carries[2].step, -1);
}

TEST_F(RowsTest, CounterStartsAtNonZero) {
  Loop loop = WithRows("%at = stablehlo.subtract %i, %first : tensor<i32>");
  loop.first = 5, loop.end = 14;
  auto plan = Plan(loop);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->carries[2].first, 0);
  loop = WithRows("%at = stablehlo.add %i, %zero : tensor<i32>");
  loop.first = 5, loop.end = 14;
  EXPECT_FALSE(Plan(loop));  // the last positions are clamped
}

TEST_F(RowsTest, SomeRowsAreSkipped) {
  std::string at = "%at = stablehlo.add %i, %zero : tensor<i32>";
  EXPECT_FALSE(Plan(WithRows(at, 10)));
  EXPECT_FALSE(Plan(WithRows("%at = stablehlo.add %i, %step : tensor<i32>")));
  EXPECT_FALSE(Plan(WithRows("%at = stablehlo.add %i, %i : tensor<i32>")));
  EXPECT_FALSE(Plan(WithRows("%at = stablehlo.subtract %i, %i : tensor<i32>")));
}

TEST_F(RowsTest, RowsThatAreRead) {
  Loop loop = WithRows("%at = stablehlo.add %i, %zero : tensor<i32>");
  loop.body += R"(
    %read = stablehlo.abs %rows : tensor<9x40xf32>)";
  EXPECT_FALSE(Plan(loop));
}

}  // namespace
}  // namespace tenon::compiler
