#include "tenon/reference/fold.h"

#include "gtest/gtest.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "tenon/compiler/import/import.h"
#include "tenon/reference/literal_from_attr.h"
#include "tenon/types/literal_compare.h"
#include "tenon/types/random_literal.h"

namespace tenon::reference {
namespace {

class FoldTest : public ::testing::Test {
 protected:
  // Folds the op that defines the first result of main.
  std::optional<llvm::SmallVector<mlir::Attribute>> Fold(
      const std::string& body, const std::string& type, const FoldOptions& options = {}) {
    auto module = compiler::ImportProgram(
        context_, "func.func @main(%arg: tensor<f32>) -> " + type + " {\n" + body +
                      "\nreturn %r : " + type + "\n}\n");
    EXPECT_TRUE(module.ok()) << module.status().ToString();
    if (!module.ok()) return std::nullopt;
    module_ = *std::move(module);
    auto main = module_->lookupSymbol<mlir::func::FuncOp>("main");
    return FoldOp(main.front().getTerminator()->getOperand(0).getDefiningOp(), options);
  }
  std::string Text(const std::optional<llvm::SmallVector<mlir::Attribute>>& results) {
    std::string text;
    if (!results) return "none";
    llvm::raw_string_ostream stream(text);
    llvm::interleaveComma(*results, stream);
    return text;
  }

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

TEST_F(FoldTest, EvaluatesConstants) {
  EXPECT_EQ(Text(Fold(R"(
    %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    %b = stablehlo.constant dense<[3, 5]> : tensor<2xi32>
    %r = stablehlo.multiply %a, %b : tensor<2xi32>)",
                      "tensor<2xi32>")),
            "dense<[3, 10]> : tensor<2xi32>");
  EXPECT_EQ(Text(Fold(R"(
    %a = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
    %r = stablehlo.not %a : tensor<3xi1>)",
                      "tensor<3xi1>")),
            "dense<[false, true, false]> : tensor<3xi1>");
}

TEST_F(FoldTest, SplatsOfAnySizeStaySplats) {
  EXPECT_EQ(Text(Fold(R"(
    %a = stablehlo.constant dense<2.0> : tensor<1000000x1000xf32>
    %r = stablehlo.sqrt %a : tensor<1000000x1000xf32>)",
                      "tensor<1000000x1000xf32>")),
            "dense<1.41421354> : tensor<1000000x1000xf32>");
  EXPECT_EQ(Text(Fold(R"(
    %a = stablehlo.constant dense<7> : tensor<i4>
    %r = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<i4>) -> tensor<1000000xi4>)",
                      "tensor<1000000xi4>")),
            "dense<7> : tensor<1000000xi4>");
}

TEST_F(FoldTest, RefusesToGrowData) {
  const std::string body = R"(
    %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %r = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<2xf32>) -> tensor<2x8192xf32>)";
  EXPECT_TRUE(Fold(body, "tensor<2x8192xf32>").has_value());
  FoldOptions small;
  small.max_growth_bytes = 65000;
  EXPECT_FALSE(Fold(body, "tensor<2x8192xf32>", small).has_value());
}

TEST_F(FoldTest, RefusesNonConstantsAndSideEffects) {
  EXPECT_FALSE(Fold("%r = stablehlo.add %arg, %arg : tensor<f32>", "tensor<f32>"));
  EXPECT_FALSE(Fold(R"(
    %a = stablehlo.constant dense<0.0> : tensor<f32>
    %s = stablehlo.constant dense<4> : tensor<1xi64>
    %r = stablehlo.rng %a, %a, %s, distribution = UNIFORM
      : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>)",
                    "tensor<4xf32>"));
  EXPECT_FALSE(Fold("%r = stablehlo.partition_id : tensor<ui32>", "tensor<ui32>"));
  EXPECT_FALSE(Fold("%r = stablehlo.iota dim = 0 : tensor<4xi32>", "tensor<4xi32>"));
}

TEST_F(FoldTest, LoopsAndBranches) {
  const std::string loop = R"(
    %z = stablehlo.constant dense<0> : tensor<i32>
    %n = stablehlo.constant dense<10> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %r = stablehlo.while(%i = %z) : tensor<i32>
    cond {
      %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j : tensor<i32>
    })";
  EXPECT_EQ(Text(Fold(loop, "tensor<i32>")), "dense<10> : tensor<i32>");
  FoldOptions few;
  few.max_steps = 20;
  EXPECT_FALSE(Fold(loop, "tensor<i32>", few));
}

TEST_F(FoldTest, RefusesLongComputations) {
  const std::string body = R"(
    %i = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
    %a = stablehlo.constant dense<[[1, 2], [5, 25], [3, 4], [1, 1]]> : tensor<4x2xi32>
    %r = stablehlo.dot_general %i, %a, contracting_dims = [0] x [0]
      : (tensor<4xi32>, tensor<4x2xi32>) -> tensor<2xi32>)";
  EXPECT_EQ(Text(Fold(body, "tensor<2xi32>")), "dense<[24, 68]> : tensor<2xi32>");
  FoldOptions little;
  little.max_work = 20;
  EXPECT_FALSE(Fold(body, "tensor<2xi32>", little));
}

TEST_F(FoldTest, RefusesOpsWithInexactResults) {
  auto of_constant = [&](const std::string& op) {
    return Fold("%x = stablehlo.constant dense<[1.0, 3.0]> : tensor<2xf32>\n%r = " + op +
                    " : tensor<2xf32>",
                "tensor<2xf32>")
        .has_value();
  };
  EXPECT_TRUE(of_constant("stablehlo.divide %x, %x"));
  EXPECT_TRUE(of_constant("stablehlo.sqrt %x"));
  EXPECT_TRUE(of_constant("stablehlo.remainder %x, %x"));
  EXPECT_FALSE(of_constant("stablehlo.exponential %x"));
  EXPECT_FALSE(of_constant("stablehlo.rsqrt %x"));
  EXPECT_FALSE(of_constant("stablehlo.power %x, %x"));
  const std::string reduce = R"(
    %x = stablehlo.constant dense<[1.0, 3.0]> : tensor<2xf32>
    %i = stablehlo.constant dense<0.0> : tensor<f32>
    %r = stablehlo.reduce(%x init: %i) applies stablehlo.OP across dimensions = [0]
      : (tensor<2xf32>, tensor<f32>) -> tensor<f32>)";
  auto of_reduce = [&](const std::string& op) {
    std::string text = reduce;
    return Fold(text.replace(text.find("OP"), 2, op), "tensor<f32>").has_value();
  };
  EXPECT_TRUE(of_reduce("maximum"));
  EXPECT_FALSE(of_reduce("add"));
}

TEST_F(FoldTest, AttributesRoundTrip) {
  // Loads the dialects' types.
  Fold("%r = stablehlo.add %arg, %arg : tensor<f32>", "tensor<f32>");
#define X(name, number, text, bits, bytes)                                        \
  if (ElementType::name != ElementType::kToken) {                                 \
    for (const Dims& dims : {Dims{3, 5}, Dims{}, Dims{0, 4}, Dims{17}}) {         \
      const Literal literal = RandomLiteral(ElementType::name, dims, number);     \
      const mlir::RankedTensorType type = TensorTypeOf(literal, &context_);       \
      ASSERT_TRUE(type) << text;                                                  \
      auto read = LiteralFromAttr(AttrFromLiteral(literal, type));                \
      ASSERT_TRUE(read.ok()) << read.status().ToString();                         \
      EXPECT_TRUE(CompareEqual(*read, literal).ok()) << text << DimsString(dims); \
    }                                                                             \
    const Literal zeros(ElementType::name, {4, 4});                               \
    const auto splat = AttrFromLiteral(zeros, TensorTypeOf(zeros, &context_));    \
    EXPECT_TRUE(splat.isSplat()) << text;                                         \
    EXPECT_TRUE(CompareEqual(*LiteralFromAttr(splat), zeros).ok()) << text;       \
  }
  TENON_ELEMENT_TYPES(X)
#undef X
}

}  // namespace
}  // namespace tenon::reference
