#include "tenon/compiler/kernels/column_reduce.h"

#include <string>

#include "gtest/gtest.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

namespace tenon::compiler {
namespace {

std::string Text(const std::string& op, const std::vector<std::string>& parts,
                 const std::string& separator = ", ") {
  std::string text = op;
  for (const std::string& part : parts) text += (text == op ? "" : separator) + part;
  return text;
}

std::string TensorOf(llvm::ArrayRef<int64_t> shape, const std::string& element) {
  std::string text = "tensor<";
  for (int64_t size : shape) text += std::to_string(size) + "x";
  return text + element + ">";
}

// A fusion of one reduction of `count` arrays.
std::string Reduction(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> dims,
                      const std::string& element, int count) {
  llvm::SmallVector<int64_t> kept;
  std::string list;
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d)
    if (!llvm::is_contained(dims, d)) kept.push_back(shape[d]);
  for (int64_t dim : dims) list += (list.empty() ? "" : ", ") + std::to_string(dim);
  std::string array = TensorOf(shape, element), scalar = TensorOf({}, element);
  std::vector<std::string> operands, blocks, inits, left, right, sums, results, types;
  std::string adds;
  for (int i = 0; i < count; ++i) {
    std::string n = std::to_string(i);
    operands.push_back("%x");
    blocks.push_back("%u" + n);
    inits.push_back("%z");
    left.push_back("%a" + n + ": " + scalar);
    right.push_back("%b" + n + ": " + scalar);
    sums.push_back("%s" + n);
    results.push_back("%r#" + n);
    adds += "%s" + n + " = stablehlo.add %a" + n + ", %b" + n + " : " + scalar + "\n";
  }
  std::vector<std::string> arrays(count, array), scalars(count, scalar),
      rows(count, TensorOf(kept, element)), arguments;
  for (const std::string& block : blocks) arguments.push_back(block + ": " + array);
  std::string fusion =
      "func.func @main(%x: " + array + ") {\n%f:" + std::to_string(count) +
      Text(" = tenon.fusion loop(", operands) + ") {\n" + Text("^bb0(", arguments) +
      "):\n%z = stablehlo.constant dense<0.0> : " + scalar +
      "\n%r:" + std::to_string(count) + Text(" = \"stablehlo.reduce\"(", blocks) +
      Text(", ", inits) + ") <{dimensions = array<i64: " + list + ">}> ({\n" +
      Text("^bb0(", left) + ", " + Text("", right) + "):\n" + adds +
      Text("stablehlo.return ", sums) + " : " + Text("", scalars) + "\n}) : (" +
      Text("", arrays) + Text(", ", scalars) + ") -> (" + Text("", rows) + ")\n" +
      Text("tenon.yield ", results) + " : " + Text("", rows) + "\n} : (" +
      Text("", arrays) + ") -> (" + Text("", rows) + ")\nreturn\n}";
  return fusion;
}

class ColumnReduceTest : public testing::Test {
 protected:
  ColumnReduceTest() {
    context_.loadDialect<ir::TenonDialect, stablehlo::StableHLODialect,
                         mlir::func::FuncDialect, mlir::arith::ArithDialect>();
  }

  std::optional<ColumnReducePlan> Plan(llvm::ArrayRef<int64_t> shape,
                                       llvm::ArrayRef<int64_t> dims,
                                       const std::string& element = "f32",
                                       int count = 1) {
    module_ = mlir::parseSourceString<mlir::ModuleOp>(
        Reduction(shape, dims, element, count), &context_);
    EXPECT_TRUE(module_);
    if (!module_) return std::nullopt;
    ir::FusionOp fusion;
    module_->walk([&](ir::FusionOp op) { fusion = op; });
    mlir::OpBuilder b = mlir::OpBuilder::atBlockEnd(module_->getBody());
    KernelFrame frame(fusion, "kernel", TargetTraits(), b);
    return PlanColumnReduce(frame);
  }

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

// Parts start with `first_rows` rows and add groups of `rows` rows. Together they have
// all rows.
TEST_F(ColumnReduceTest, PartsHaveAllRows) {
  int planned = 0;
  for (int64_t rows : {15, 16, 17, 23, 24, 1000, 1001, 4096, 4099, 65536}) {
    for (int64_t columns : {15, 16, 100, 256, 4096, 5000}) {
      auto plan = Plan({rows, columns}, {0});
      if (!plan) {
        EXPECT_TRUE(rows < 16 || columns < 16 || rows * columns < 1 << 15)
            << rows << " x " << columns;
        continue;
      }
      ++planned;
      int64_t in_groups = rows - plan->parts * plan->first_rows;
      EXPECT_GE(in_groups, 0) << rows;
      EXPECT_EQ(in_groups % plan->rows, 0) << rows;
      EXPECT_GT(plan->column_block, 0);
      EXPECT_LE(plan->column_block * 4, 16 << 10);
      EXPECT_EQ(plan->outer_rank, 0u);
    }
  }
  EXPECT_GT(planned, 30);
}

TEST_F(ColumnReduceTest, TallArraysAreCutIntoParts) {
  EXPECT_EQ(Plan({65536, 64}, {0})->parts, 8);
  EXPECT_EQ(Plan({65537, 64}, {0})->parts, 9);  // one row is left over in each part
  EXPECT_EQ(Plan({1000, 64}, {0})->parts, 1);
  // There is enough parallel work without parts.
  EXPECT_EQ(Plan({16, 65536, 64}, {1})->parts, 1);
}

TEST_F(ColumnReduceTest, RowsMergeTheInnerDimensionsThatFit) {
  auto plan = Plan({100, 4, 8, 32}, {0});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->outer_rank, 0u);
  EXPECT_EQ(plan->columns_rank, 2);
  EXPECT_EQ(plan->column_block, 8 * 32);
  plan = Plan({100, 200, 8, 32}, {0});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->outer_rank, 1u);
  EXPECT_EQ(plan->columns_rank, 2);  // one loop over 8 x 32
  EXPECT_EQ(plan->column_block, 256);
  // A kept dimension before the reduced one is never in a row.
  plan = Plan({2, 100, 1000}, {1});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->outer_rank, 1u);
}

TEST_F(ColumnReduceTest, BlocksOfShortDimensionsBeginWithThem) {
  auto plan = Plan({100, 50000, 3}, {0});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->columns_rank, 2);
  EXPECT_EQ(plan->column_block % (3 * 16), 0);
  EXPECT_LE(plan->column_block, 4096);
  plan = Plan({100, 5000, 9, 7}, {0}, "f64");  // blocks of 63 x 16
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->columns_rank, 3);
  EXPECT_EQ(plan->column_block, 2016);
  EXPECT_FALSE(Plan({100000, 3, 5}, {0}));  // short rows
}

TEST_F(ColumnReduceTest, UnsupportedReductionsHaveNoPlan) {
  EXPECT_FALSE(Plan({1000, 256}, {1}));       // along rows
  EXPECT_FALSE(Plan({1000, 256}, {0, 1}));    // of everything
  EXPECT_FALSE(Plan({100, 256}, {0}));        // small
  EXPECT_FALSE(Plan({100000, 15}, {0}));      // short rows
  EXPECT_FALSE(Plan({15, 4096}, {0}));        // few rows
  EXPECT_TRUE(Plan({1000, 1, 256}, {0, 1}));  // a reduced dimension of size one
}

// The accumulators of one block of 64 columns must fit. 33 results of f64 do not.
TEST_F(ColumnReduceTest, ManyResults) {
  auto plan = Plan({1000, 256}, {0}, "f64", 32);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->column_block, 64);
  EXPECT_FALSE(Plan({1000, 256}, {0}, "f64", 33));
}

}  // namespace
}  // namespace tenon::compiler
