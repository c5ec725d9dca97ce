// What the emitters ask about a loop: row periods, strides of accesses, copies, widths.
#include <string>

#include "gtest/gtest.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Parser/Parser.h"
#include "tenon/compiler/codegen/kernel/access_analysis.h"
#include "tenon/compiler/codegen/kernel/row_periods.h"
#include "tenon/compiler/codegen/kernel/vector_width.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::codegen {
namespace {

class LoopAnalysisTest : public testing::Test {
 protected:
  LoopAnalysisTest() {
    context_.loadDialect<ir::TenonDialect, stablehlo::StableHLODialect,
                         mlir::arith::ArithDialect>();
  }

  // Parses a kernel of the views `arguments` with `loop` in a phase with index %p.
  void Parse(const std::string& arguments, const std::string& loop) {
    std::string constants;
    for (int c : {0, 1, 2, 3, 4, 5, 7, 8, 17, 500, 512, 600})
      constants += "%c" + std::to_string(c) + " = arith.constant " + std::to_string(c) +
                   " : index\n";
    module_ = mlir::parseSourceString<mlir::ModuleOp>(
        "tenon.kernel @k {\n^bb0(" + arguments +
            "):\ntenon.parallel [9] grain 1 {\n^bb0(%p: index):\n" + constants + loop +
            "\n}\n}",
        &context_);
    ASSERT_TRUE(module_) << loop;
  }

  ir::MapOp Map() {
    ir::MapOp map;
    module_->walk([&](ir::MapOp op) { map = op; });
    return map;
  }

  // A loop over [%c0, %c600) with `body`.
  void ParseMap(const std::string& arguments, const std::string& body,
                const std::string& bounds = "%c0 to %c600") {
    Parse(arguments, "tenon.map " + bounds + " {\n^bb0(%j: index):\n" + body + "\n}");
  }

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

class RowPeriodsTest : public LoopAnalysisTest {
 protected:
  // The registers of a period of a loop that reads element j % length of row j / length
  // and stores it to position j.
  std::optional<int> Registers(int length, const std::string& view, int width,
                               int64_t multiple, const std::string& more = "") {
    std::string size = "%c" + std::to_string(length);
    ParseMap("%x: " + view + ", %y: memref<600xf32>",
             "%q = arith.divui %j, " + size + " : index\n%r = arith.remui %j, " + size +
                 " : index\n" + more + "%v = tenon.load %x[%q, %r] : " + view +
                 " -> tensor<f32>\n"
                 "tenon.store %v, %y[%j] : tensor<f32>, memref<600xf32>");
    return module_ ? RegistersPerPeriod(Map(), width, multiple) : -1;
  }
};

TEST_F(RowPeriodsTest, PaddedRowsRepeatAfterWholeRegisters) {
  std::string padded = "memref<200x5xf32, strided<[8, 1]>>";
  EXPECT_EQ(Registers(5, padded, 16, 0), 5);
  EXPECT_EQ(Registers(5, padded, 16, 80), 5);
  EXPECT_EQ(Registers(5, padded, 16, 800), 5);
  EXPECT_EQ(Registers(5, padded, 1, 0), 5);
  EXPECT_EQ(Registers(8, "memref<75x8xf32, strided<[9, 1]>>", 16, 0), 1);
  EXPECT_EQ(Registers(8, "memref<75x8xf32, strided<[9, 1]>>", 4, 0), 2);
}

TEST_F(RowPeriodsTest, LoopsThatStartWithinAPeriod) {
  std::string padded = "memref<200x5xf32, strided<[8, 1]>>";
  EXPECT_EQ(Registers(5, padded, 16, 16), std::nullopt);
  EXPECT_EQ(Registers(5, padded, 16, 1), std::nullopt);
}

TEST_F(RowPeriodsTest, ContiguousRowsGainNothing) {
  EXPECT_EQ(Registers(5, "memref<200x5xf32>", 16, 0), std::nullopt);
  // A comparison with the column does.
  EXPECT_EQ(
      Registers(5, "memref<200x5xf32>", 16, 0, "%m = arith.cmpi ult, %r, %c3 : index\n"),
      5);
  EXPECT_EQ(Registers(5, "memref<200x5xf32>", 16, 0,
                      "%m = tenon.from_index %r : tensor<f32>\n"),
            5);
}

TEST_F(RowPeriodsTest, RowsOfReductionsRepeatAfterTheInnerOnes) {
  // Rows of 3 in groups of 8, which are in groups of 5. A step of 8 rows is in one group.
  std::string view = "memref<5x5x8x9x3xf32>";
  std::string indices =
                  "%c = arith.remui %j, %c3 : index\n"
                  "%r = arith.divui %j, %c3 : index\n"
                  "%i = arith.remui %r, %c8 : index\n"
                  "%g = arith.divui %r, %c8 : index\n"
                  "%k = arith.remui %g, %c5 : index\n"
                  "%h = arith.divui %g, %c5 : index\n",
              store = "tenon.store %v, %y[%j] : tensor<f32>, memref<600xf32>";
  ParseMap("%x: " + view + ", %init: tensor<f32>, %y: memref<600xf32>",
           indices +
               "%v = tenon.reduce [9] init(%init : tensor<f32>) {\n^bb0(%n: index):\n"
               "%e = tenon.load %x[%h, %k, %i, %n, %c] : " +
               view +
               " -> tensor<f32>\ntenon.yield %e : tensor<f32>\n} combine {\n"
               "^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
               "%s = stablehlo.add %a, %b : tensor<f32>\n"
               "tenon.yield %s : tensor<f32>\n} -> tensor<f32>\n" +
               store);
  EXPECT_EQ(RegistersPerPeriod(Map(), 8, 0), 3);
  // Not: without a reduction, all divisions are exact.
  ParseMap("%x: " + view + ", %y: memref<600xf32>",
           indices + "%v = tenon.load %x[%h, %k, %i, %c0, %c] : " + view +
               " -> tensor<f32>\n" + store);
  EXPECT_EQ(RegistersPerPeriod(Map(), 8, 0), 15);
}

TEST_F(RowPeriodsTest, LanesThatVaryAnywayAreNotRepeated) {
  // Rows of 5 in groups of 7, of which the loads skip elements. The position in a row
  // repeats after 5 registers, but the position in a group does not.
  std::string view = "memref<18x7x5xf32, strided<[50, 5, 1]>>";
  std::string load = " = tenon.load %x[%g, %i, %r] : " + view + " -> tensor<f32>\n";
  ParseMap("%x: " + view + ", %y: memref<600xf32>",
           "%q = arith.divui %j, %c5 : index\n%r = arith.remui %j, %c5 : index\n"
           "%g = arith.divui %q, %c7 : index\n%i = arith.remui %q, %c7 : index\n"
           "%v" +
               load + "%w" + load +
               "%s = stablehlo.add %v, %w : tensor<f32>\n"
               "tenon.store %s, %y[%j] : tensor<f32>, memref<600xf32>");
  EXPECT_EQ(RegistersPerPeriod(Map(), 8, 0), 5);
  EXPECT_EQ(RegistersPerPeriod(Map(), 64, 0), std::nullopt);
}

TEST_F(RowPeriodsTest, CodeStaysShort) {
  // 17 registers.
  EXPECT_EQ(Registers(17, "memref<40x17xf32, strided<[20, 1]>>", 16, 0), std::nullopt);
  EXPECT_EQ(Registers(17, "memref<40x17xf32, strided<[20, 1]>>", 17, 0), 1);
  // 5 registers of more than 80 ops.
  std::string ops;
  for (int i = 0; i < 80; ++i)
    ops += "%n" + std::to_string(i) + " = tenon.from_index %p : tensor<f32>\n";
  EXPECT_EQ(Registers(5, "memref<200x5xf32, strided<[8, 1]>>", 16, 0, ops), std::nullopt);
  // Of two row lengths, the one that fits.
  EXPECT_EQ(Registers(5, "memref<200x5xf32, strided<[8, 1]>>", 16, 0,
                      "%s = arith.remui %j, %c17 : index\n"
                      "%m = arith.cmpi ult, %s, %c3 : index\n"),
            5);
}

class AccessStrideTest : public LoopAnalysisTest {
 protected:
  // The stride of x[indices], where `ops` compute indices. x is 100 x 64.
  std::optional<int64_t> Stride(const std::string& ops, const std::string& indices) {
    ParseMap("%x: memref<100x64xf32>, %n: tensor<i32>",
             ops + "\n%v = tenon.load %x[" + indices +
                 "] : memref<100x64xf32> -> tensor<f32>");
    if (!module_) return -999;
    ir::LoadOp load;
    module_->walk([&](ir::LoadOp op) { load = op; });
    return AccessStride(load.getView().getType(), load.getIndices(),
                        Map().getBody().getArgument(0));
  }
};

TEST_F(AccessStrideTest, SumsOfMultiples) {
  EXPECT_EQ(Stride("", "%p, %j"), 1);
  EXPECT_EQ(Stride("", "%j, %p"), 64);
  EXPECT_EQ(Stride("", "%j, %j"), 65);
  EXPECT_EQ(Stride("", "%p, %p"), 0);
  EXPECT_EQ(Stride("%i = arith.subi %p, %j : index", "%p, %i"), -1);
  EXPECT_EQ(Stride("%i = arith.subi %j, %j : index", "%p, %i"), 0);
  EXPECT_EQ(
      Stride("%i = arith.muli %c3, %j : index\n%k = arith.addi %i, %p : index", "%p, %k"),
      3);
  EXPECT_EQ(Stride("%i = arith.muli %j, %c3 : index\n%k = arith.muli %i, %c5 : index",
                   "%k, %j"),
            15 * 64 + 1);
}

TEST_F(AccessStrideTest, OtherIndicesHaveNone) {
  EXPECT_EQ(Stride("%i = arith.muli %j, %j : index", "%p, %i"), std::nullopt);
  EXPECT_EQ(Stride("%i = arith.muli %j, %p : index", "%p, %i"), std::nullopt);
  EXPECT_EQ(Stride("%i = arith.divui %j, %c2 : index", "%p, %i"), std::nullopt);
  EXPECT_EQ(Stride("%i = arith.remui %j, %c2 : index", "%p, %i"), std::nullopt);
  EXPECT_EQ(Stride("%i = tenon.to_index %n : tensor<i32>", "%p, %i"), std::nullopt);
  EXPECT_EQ(Stride("%m = arith.cmpi ult, %j, %c2 : index\n"
                   "%i = arith.select %m, %c2, %c3 : index",
                   "%p, %i"),
            std::nullopt);
  // An index that does not depend on the loop, however it is computed.
  EXPECT_EQ(Stride("%i = arith.divui %p, %c2 : index", "%i, %j"), 1);
}

TEST_F(LoopAnalysisTest, LoadsAcrossTheLanesOfATile) {
  auto stride = [&](const std::string& indices) {
    Parse("%x: memref<64x128xf32>, %y: memref<128x64xf32>",
          "tenon.tile [128, 64] block 64 at (%p, %c0) {\n^bb0(%i: index, %j: index):\n"
          "%v = tenon.load %x[" +
              indices +
              "] : memref<64x128xf32> -> tensor<f32>\n"
              "tenon.store %v, %y[%i, %j] : tensor<f32>, memref<128x64xf32>\n}");
    ir::LoadOp load;
    ir::TileOp tile;
    module_->walk([&](ir::LoadOp op) { load = op; });
    module_->walk([&](ir::TileOp op) { tile = op; });
    return StrideAcrossLanes(load, tile);
  };
  EXPECT_EQ(stride("%j, %i"), 128);
  EXPECT_EQ(stride("%c0, %i"), std::nullopt);  // the same for all lanes
  EXPECT_EQ(stride("%i, %j"), std::nullopt);   // along the lanes
}

TEST_F(LoopAnalysisTest, DistancesOfBounds) {
  auto distance = [&](const std::string& upper) {
    Parse("%x: memref<600xf32>", "%u = arith." + upper +
                                     " : index\ntenon.map %p to %u {\n^bb0(%j: index):\n"
                                     "%v = tenon.load %x[%j] : memref<600xf32> -> "
                                     "tensor<f32>\n}");
    return ConstantDistance(Map());
  };
  EXPECT_EQ(distance("addi %p, %c7"), 7);
  EXPECT_EQ(distance("addi %p, %p"), std::nullopt);
  EXPECT_EQ(distance("addi %c7, %c8"), std::nullopt);
  EXPECT_EQ(distance("muli %p, %c7"), std::nullopt);
}

class CopyLoopTest : public LoopAnalysisTest {
 protected:
  bool IsCopy(const std::string& type, const std::string& from, const std::string& to,
              const std::string& bounds = "%c0 to %c600", const std::string& ops = "") {
    std::string view = "memref<600x" + type + ">", value = "tensor<" + type + ">";
    ParseMap("%x: " + view + ", %y: " + view,
             ops + "%v = tenon.load %x[" + from + "] : " + view + " -> " + value +
                 "\ntenon.store %v, %y[" + to + "] : " + value + ", " + view,
             bounds);
    return module_ && AsCopyLoop(Map(), 2048).has_value();
  }
};

TEST_F(CopyLoopTest, LongContiguousRanges) {
  EXPECT_TRUE(IsCopy("f32", "%j", "%j"));
  EXPECT_TRUE(IsCopy("f32", "%j", "%j", "%c0 to %c512"));   // 2048 bytes
  EXPECT_FALSE(IsCopy("f32", "%j", "%j", "%c1 to %c512"));  // 2044 bytes
  EXPECT_FALSE(IsCopy("i8", "%j", "%j"));
  EXPECT_TRUE(
      IsCopy("f64", "%k", "%j", "%c0 to %c500", "%k = arith.addi %j, %p : index\n"));
}

TEST_F(CopyLoopTest, OtherLoops) {
  EXPECT_FALSE(IsCopy("f32", "%c0", "%j"));  // fills
  EXPECT_FALSE(
      IsCopy("f64", "%k", "%j", "%c0 to %c500", "%k = arith.subi %c500, %j : index\n"));
  EXPECT_FALSE(
      IsCopy("f64", "%k", "%j", "%c0 to %c500", "%k = arith.muli %j, %c2 : index\n"));
  EXPECT_FALSE(IsCopy("f64", "%j", "%j", "%c0 to %c500",
                      "%w = tenon.load %x[%j] : memref<600xf64> -> tensor<f64>\n"));
  EXPECT_FALSE(IsCopy("f64", "%j", "%j", "%p to %c500"));  // of unknown length
  // Stores write the canonical form of these elements.
  EXPECT_FALSE(IsCopy("i1", "%j", "%j"));
  EXPECT_FALSE(IsCopy("i4", "%j", "%j"));
}

TEST_F(CopyLoopTest, Masks) {
  auto is_copy = [&](const std::string& before, const std::string& inside,
                     int64_t min_bytes) {
    Parse("%x: memref<600xi8>, %y: memref<600xi8>",
          "%o = stablehlo.constant dense<0> : tensor<i8>\n" + before +
              "tenon.map %c0 to %c500 {\n^bb0(%j: index):\n" + inside +
              "%v = tenon.load %x[%j] if %m else %o : tensor<i8> : memref<600xi8> -> "
              "tensor<i8>\n"
              "tenon.store %v, %y[%j] : tensor<i8>, memref<600xi8>\n}");
    return module_ && AsCopyLoop(Map(), min_bytes).has_value();
  };
  const std::string mask = " = arith.cmpi ult, %p, %c500 : index\n";
  EXPECT_TRUE(is_copy("%m" + mask, "", 500));
  EXPECT_FALSE(is_copy("%m" + mask, "", 501));
  // Masks that are not the same for all points.
  EXPECT_FALSE(is_copy("", "%m = arith.cmpi ult, %j, %c500 : index\n", 500));
}

TEST_F(CopyLoopTest, BlocksOfARange) {
  Parse("%x: memref<600xf64>, %y: memref<600xf64>",
        "%s = arith.addi %p, %c500 : index\n%u = arith.minsi %s, %c600 : index\n"
        "tenon.map %p to %u {\n^bb0(%j: index):\n"
        "%v = tenon.load %x[%j] : memref<600xf64> -> tensor<f64>\n"
        "tenon.store %v, %y[%j] : tensor<f64>, memref<600xf64>\n}");
  EXPECT_TRUE(AsCopyLoop(Map(), 2048));
}

TEST_F(LoopAnalysisTest, LanesOfTheWidestElement) {
  auto width = [&](const std::string& type, const std::string& more = "") {
    std::string view = "memref<600x" + type + ">", value = "tensor<" + type + ">";
    ParseMap("%x: " + view + ", %y: " + view,
             "%v = tenon.load %x[%j] : " + view + " -> " + value + "\n" + more +
                 "tenon.store %v, %y[%j] : " + value + ", " + view);
    TargetTraits target;
    target.vector_bits = 512;
    return ChooseWidth(Map().getBody().front(), target);
  };
  EXPECT_EQ(width("f32"), 16);
  EXPECT_EQ(width("f64"), 8);
  EXPECT_EQ(width("i8"), 64);
  EXPECT_EQ(width("i16"), 32);
  EXPECT_EQ(width("bf16"), 16);          // computed in f32
  EXPECT_EQ(width("complex<f32>"), 16);  // parts are separate registers
  EXPECT_EQ(width("complex<f64>"), 8);
  EXPECT_EQ(width("i4"), 64);
  // One wide op among many narrow ones occupies two registers.
  std::string wide = "%w = stablehlo.constant dense<1> : tensor<i64>\n", ops = wide;
  EXPECT_EQ(width("f32", wide), 8);
  for (int i = 0; i < 5; ++i)
    ops += "%n" + std::to_string(i) + " = stablehlo.negate %v : tensor<f32>\n";
  EXPECT_EQ(width("f32", ops), 16);
}

}  // namespace
}  // namespace tenon::codegen
