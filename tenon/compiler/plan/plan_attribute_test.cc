#include "tenon/compiler/plan/plan_attribute.h"

#include "gtest/gtest.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "tenon/compiler/plan/tile_plan.h"

namespace tenon::compiler {
namespace {

TargetTraits Wide() {
  TargetTraits target;
  target.vector_bits = 512;
  target.vector_registers = 32;
  return target;
}

class PlanAttributeTest : public testing::Test {
 protected:
  PlanAttributeTest() {
    context_.loadDialect<ir::TenonDialect, mlir::arith::ArithDialect>();
  }

  // The first structured op of a kernel with these arguments.
  mlir::Operation& Parse(const std::string& arguments, const std::string& op) {
    module_ = mlir::parseSourceString<mlir::ModuleOp>(
        "tenon.kernel @k {\n^bb0(" + arguments + "):\n" + op + "\n}", &context_);
    return module_->getBody()->front().getRegion(0).front().front();
  }

  // The attribute of the op's plan, after it was printed and parsed.
  mlir::Attribute Planned(mlir::Operation& op, const TargetTraits& target) {
    auto plan = PlanStructured(op, target);
    EXPECT_TRUE(plan.ok()) << plan.status().ToString();
    std::string text;
    llvm::raw_string_ostream os(text);
    os << PlanToAttribute(*plan, &context_);
    return mlir::parseAttribute(text, &context_);
  }

  // Expects that a plan is the same after its attribute was printed and parsed.
  void ExpectRoundTrip(mlir::Operation& op, const TargetTraits& target) {
    mlir::Attribute attribute = Planned(op, target);
    ASSERT_TRUE(attribute);
    op.setAttr(ir::kPlanAttr, attribute);
    auto planned = PlanStructured(op, target), read = PlanOf(op, target);
    ASSERT_TRUE(read.ok()) << read.status().ToString();
    EXPECT_EQ(PlanToAttribute(*read, &context_), PlanToAttribute(*planned, &context_));
    EXPECT_EQ(read->scratch_bytes, planned->scratch_bytes);
    EXPECT_EQ(read->phase_chunks, planned->phase_chunks);
    EXPECT_EQ(read->function_of, planned->function_of);
    EXPECT_EQ(read->estimated_ns, planned->estimated_ns);
  }

  mlir::MLIRContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

const char kArrays[] =
    "%a: memref<1x512x300xf32>, %b: memref<1x300x512xf32>, %s: memref<1xi8>";
const char kProduct[] =
    "tenon.contract %a, %b scratch %s accumulate f32 {\n"
    "^bb0(%i: index, %m: index, %n: index, %v: tensor<f32>):\n"
    "} : memref<1x512x300xf32>, memref<1x300x512xf32>, memref<1xi8>";

TEST_F(PlanAttributeTest, Products) {
  mlir::Operation& op = Parse(kArrays, kProduct);
  ExpectRoundTrip(op, Wide());
  ExpectRoundTrip(op, TargetTraits());
}

TEST_F(PlanAttributeTest, ProductsOfKGroups) {
  TargetTraits target = Wide();
  target.bf16_pairs.emit = [](llvm::IRBuilder<>&, llvm::Value* sum, llvm::Value*,
                              llvm::Value*) { return sum; };
  target.bf16_pairs.lanes = 16;
  mlir::Operation& op =
      Parse("%a: memref<1x512x300xbf16>, %b: memref<1x300x512xbf16>, %s: memref<1xi8>",
            "tenon.contract %a, %b scratch %s accumulate f32 {\n"
            "^bb0(%i: index, %m: index, %n: index, %v: tensor<f32>):\n"
            "} : memref<1x512x300xbf16>, memref<1x300x512xbf16>, memref<1xi8>");
  ExpectRoundTrip(op, target);
  auto read = PlanOf(op, target);
  ASSERT_TRUE(read.ok());
  const TilePlan& tiles = *std::get<KernelPlan>(read->details).tiles;
  EXPECT_EQ(tiles.k_group_size, 2);
  EXPECT_EQ(tiles.k_group_product.emit, target.bf16_pairs.emit);
}

TEST_F(PlanAttributeTest, Transforms) {
  for (const char* shape : {"64x1024x", "1x131072x", "64x1021x", "5x48x"}) {
    std::string view = "memref<" + std::string(shape) + "complex<f32>>";
    std::string length = shape;
    length = length.substr(length.find('x') + 1);
    length.pop_back();
    ExpectRoundTrip(
        Parse("%a: " + view + ", %b: " + view + ", %s: memref<1xi8>",
              "tenon.fft %a to %b scratch %s lengths [" + length +
                  "] inverse false : " + view + " to " + view + ", memref<1xi8>"),
        Wide());
  }
}

TEST_F(PlanAttributeTest, InvalidPlansAreNamed) {
  mlir::Operation& op = Parse(kArrays, kProduct);
  EXPECT_EQ(PlanOf(op, Wide()).status().message(), "tenon.contract has not been planned");
  op.setAttr(ir::kPlanAttr, mlir::parseAttribute(
                                "{tiles = {source = {row = {size = true}}}}", &context_));
  EXPECT_EQ(PlanOf(op, Wide()).status().message(),
            "field 'tiles.source.row.size' of a plan is not an i64");
  op.setAttr(ir::kPlanAttr, mlir::parseAttribute("{tiles = {sise = 3}}", &context_));
  EXPECT_EQ(PlanOf(op, Wide()).status().message(),
            "field 'tiles' of a plan is not a struct that has all of these fields");
}

}  // namespace
}  // namespace tenon::compiler
