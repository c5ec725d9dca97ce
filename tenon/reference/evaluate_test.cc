// Programs in StableHLO text that check their own results, and errors.
#include "tenon/reference/evaluate.h"

#include "gtest/gtest.h"
#include "tenon/compiler/import/import.h"

namespace tenon::reference {
namespace {

// Evaluates `main`, which checks its results by custom calls.
Status RunText(const std::string& text, const EvaluateOptions& options = {}) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  TENON_ASSIGN_OR_RETURN(mlir::OwningOpRef<mlir::ModuleOp> module,
                         compiler::ImportProgram(context, text));
  return Evaluate(module->lookupSymbol<mlir::func::FuncOp>("main"), {}, options).status();
}

// The body of main; compares %r with %e, both of type `type`.
std::string Program(const std::string& body, const std::string& type,
                    const std::string& check = "expect_eq") {
  return "func.func @main() {\n" + body + "\nstablehlo.custom_call @check." + check +
         "(%r, %e) {has_side_effect = true} : (" + type + ", " + type +
         ") -> ()\nreturn\n}\n";
}

#define EXPECT_RIGHT(...)                                \
  do {                                                   \
    const Status status = RunText(Program(__VA_ARGS__)); \
    EXPECT_TRUE(status.ok()) << status.ToString();       \
  } while (0)

TEST(EvaluateTest, IntegerDivisionLikeTheBuiltInCpu) {
  EXPECT_RIGHT(R"(
    %a = stablehlo.constant dense<[7, -7, 5, -128]> : tensor<4xi8>
    %b = stablehlo.constant dense<[2, 2, 0, -1]> : tensor<4xi8>
    %r = stablehlo.divide %a, %b : tensor<4xi8>
    %e = stablehlo.constant dense<[3, -3, -1, -128]> : tensor<4xi8>)",
               "tensor<4xi8>");
  EXPECT_RIGHT(R"(
    %a = stablehlo.constant dense<[7, -7, 5, -128]> : tensor<4xi8>
    %b = stablehlo.constant dense<[2, 2, 0, -1]> : tensor<4xi8>
    %r = stablehlo.remainder %a, %b : tensor<4xi8>
    %e = stablehlo.constant dense<[1, -1, 5, 0]> : tensor<4xi8>)",
               "tensor<4xi8>");
}

TEST(EvaluateTest, SubByteIntegersWrap) {
  EXPECT_RIGHT(R"(
    %a = stablehlo.constant dense<[7, -8]> : tensor<2xi4>
    %b = stablehlo.constant dense<[1, -1]> : tensor<2xi4>
    %r = stablehlo.add %a, %b : tensor<2xi4>
    %e = stablehlo.constant dense<[-8, 7]> : tensor<2xi4>)",
               "tensor<2xi4>");
  EXPECT_RIGHT(R"(
    %a = stablehlo.constant dense<[1, 2]> : tensor<2xui4>
    %r = stablehlo.count_leading_zeros %a : tensor<2xui4>
    %e = stablehlo.constant dense<[3, 2]> : tensor<2xui4>)",
               "tensor<2xui4>");
}

TEST(EvaluateTest, FloatToIntegerSaturates) {
  EXPECT_RIGHT(R"(
    %a = stablehlo.constant dense<[300.0, -300.0, 0x7FC00000, 1.9, -1.9]> : tensor<5xf32>
    %r = stablehlo.convert %a : (tensor<5xf32>) -> tensor<5xi8>
    %e = stablehlo.constant dense<[127, -128, 0, 1, -1]> : tensor<5xi8>)",
               "tensor<5xi8>");
  EXPECT_RIGHT(R"(
    %a = stablehlo.constant dense<[300.0, -300.0, 0x7FC00000]> : tensor<3xf32>
    %r = stablehlo.convert %a : (tensor<3xf32>) -> tensor<3xui64>
    %e = stablehlo.constant dense<[300, 0, 0]> : tensor<3xui64>)",
               "tensor<3xui64>");
}

TEST(EvaluateTest, MinMaxOfNanAndZeros) {
  EXPECT_RIGHT(R"(
    %a = stablehlo.constant dense<[0x7FC00000, 1.0, 0.0, -0.0]> : tensor<4xf32>
    %b = stablehlo.constant dense<[1.0, 0x7FC00000, -0.0, 0.0]> : tensor<4xf32>
    %r = stablehlo.maximum %a, %b : tensor<4xf32>
    %e = stablehlo.constant dense<[0x7FC00000, 0x7FC00000, 0.0, 0.0]> : tensor<4xf32>)",
               "tensor<4xf32>");
}

TEST(EvaluateTest, DenormalsFlushUnlessAsked) {
  const std::string program = Program(R"(
    %a = stablehlo.constant dense<0x00000003> : tensor<f32>
    %r = stablehlo.add %a, %a : tensor<f32>
    %e = stablehlo.constant dense<0.0> : tensor<f32>)",
                                      "tensor<f32>");
  EXPECT_TRUE(RunText(program).ok());
  EvaluateOptions ieee;
  ieee.flush_denormals = false;
  EXPECT_EQ(RunText(program, ieee).code(), StatusCode::kFailedPrecondition);
}

TEST(EvaluateTest, BroadcastTransposeReverseConcatenate) {
  EXPECT_RIGHT(R"(
    %a = stablehlo.iota dim = 0 : tensor<2xi32>
    %b = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<2xi32>) -> tensor<3x2xi32>
    %c = stablehlo.iota dim = 0 : tensor<3x2xi32>
    %d = stablehlo.add %b, %c : tensor<3x2xi32>
    %t = stablehlo.transpose %d, dims = [1, 0] : (tensor<3x2xi32>) -> tensor<2x3xi32>
    %v = stablehlo.reverse %t, dims = [1] : tensor<2x3xi32>
    %r = stablehlo.concatenate %t, %v, dim = 0
      : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<4x3xi32>
    %e = stablehlo.constant dense<[[0, 1, 2], [1, 2, 3], [2, 1, 0], [3, 2, 1]]>
      : tensor<4x3xi32>)",
               "tensor<4x3xi32>");
}

TEST(EvaluateTest, PadWithNegativeAndPositiveAmounts) {
  EXPECT_RIGHT(R"(
    %a = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
    %z = stablehlo.constant dense<0> : tensor<i32>
    %r = stablehlo.pad %a, %z, low = [-1], high = [2], interior = [1]
      : (tensor<4xi32>, tensor<i32>) -> tensor<8xi32>
    %e = stablehlo.constant dense<[0, 2, 0, 3, 0, 4, 0, 0]> : tensor<8xi32>)",
               "tensor<8xi32>");
}

TEST(EvaluateTest, BitcastChangesWidths) {
  EXPECT_RIGHT(R"(
    %a = stablehlo.constant dense<0x04030201> : tensor<i32>
    %r = stablehlo.bitcast_convert %a : (tensor<i32>) -> tensor<4xi8>
    %e = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi8>)",
               "tensor<4xi8>");
  EXPECT_RIGHT(R"(
    %a = stablehlo.constant dense<-31> : tensor<i8>
    %r = stablehlo.bitcast_convert %a : (tensor<i8>) -> tensor<2xi4>
    %e = stablehlo.constant dense<[1, -2]> : tensor<2xi4>)",
               "tensor<2xi4>");
  EXPECT_RIGHT(R"(
    %a = stablehlo.constant dense<[1, -2]> : tensor<2xi4>
    %r = stablehlo.bitcast_convert %a : (tensor<2xi4>) -> tensor<i8>
    %e = stablehlo.constant dense<-31> : tensor<i8>)",
               "tensor<i8>");
}

TEST(EvaluateTest, LoopUpdatesInPlace) {
  // 100000 updates of one element of 100000: minutes, if each update copied the tensor.
  EXPECT_RIGHT(R"(
    %i0 = stablehlo.constant dense<0> : tensor<i32>
    %n = stablehlo.constant dense<100000> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %t0 = stablehlo.constant dense<0> : tensor<100000xi32>
    %w:2 = stablehlo.while(%i = %i0, %t = %t0) : tensor<i32>, tensor<100000xi32>
    cond {
      %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %u = stablehlo.reshape %i : (tensor<i32>) -> tensor<1xi32>
      %s = stablehlo.dynamic_update_slice %t, %u, %i
        : (tensor<100000xi32>, tensor<1xi32>, tensor<i32>) -> tensor<100000xi32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %s : tensor<i32>, tensor<100000xi32>
    }
    %r = stablehlo.add %w#1, %t0 : tensor<100000xi32>
    %e = stablehlo.iota dim = 0 : tensor<100000xi32>)",
               "tensor<100000xi32>");
}

TEST(EvaluateTest, BranchesTuplesAndBarriers) {
  EXPECT_RIGHT(R"(
    %p = stablehlo.constant dense<true> : tensor<i1>
    %i = stablehlo.constant dense<7> : tensor<i32>
    %a = "stablehlo.if"(%p) ({
      stablehlo.return %i : tensor<i32>
    }, {
      %x = stablehlo.constant dense<1> : tensor<i32>
      stablehlo.return %x : tensor<i32>
    }) : (tensor<i1>) -> tensor<i32>
    %b = "stablehlo.case"(%i) ({
      %x = stablehlo.constant dense<1> : tensor<i32>
      stablehlo.return %x : tensor<i32>
    }, {
      %x = stablehlo.add %i, %a : tensor<i32>
      stablehlo.return %x : tensor<i32>
    }) : (tensor<i32>) -> tensor<i32>
    %t = stablehlo.tuple %a, %b : tuple<tensor<i32>, tensor<i32>>
    %g = stablehlo.get_tuple_element %t[1] : (tuple<tensor<i32>, tensor<i32>>) -> tensor<i32>
    %r = stablehlo.optimization_barrier %g : tensor<i32>
    %e = stablehlo.constant dense<14> : tensor<i32>)",
               "tensor<i32>");
}

TEST(EvaluateTest, LongReductionsAreSplitInOrder) {
  // A reducer that keeps the later element is only right if the order is kept.
  EXPECT_RIGHT(R"(
    %a = stablehlo.iota dim = 1 : tensor<2x5003xi32>
    %z = stablehlo.constant dense<-1> : tensor<i32>
    %r = stablehlo.reduce(%a init: %z) across dimensions = [1]
      : (tensor<2x5003xi32>, tensor<i32>) -> tensor<2xi32>
      reducer(%x: tensor<i32>, %y: tensor<i32>) {
        %d = stablehlo.subtract %y, %x : tensor<i32>
        %s = stablehlo.add %x, %d : tensor<i32>
        stablehlo.return %s : tensor<i32>
      }
    %e = stablehlo.constant dense<5002> : tensor<2xi32>)",
               "tensor<2xi32>");
  EXPECT_RIGHT(R"(
    %a = stablehlo.iota dim = 0 : tensor<70000xi64>
    %z = stablehlo.constant dense<0> : tensor<i64>
    %r = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0]
      : (tensor<70000xi64>, tensor<i64>) -> tensor<i64>
    %e = stablehlo.constant dense<2449965000> : tensor<i64>)",
               "tensor<i64>");
}

TEST(EvaluateTest, ReducerWithALoopInside) {
  EXPECT_RIGHT(R"(
    %a = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
    %z = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %r = stablehlo.reduce(%a init: %z) across dimensions = [0]
      : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
      reducer(%x: tensor<i32>, %y: tensor<i32>) {
        %w:2 = stablehlo.while(%s = %x, %k = %y) : tensor<i32>, tensor<i32>
        cond {
          %p = stablehlo.compare GT, %k, %z : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %p : tensor<i1>
        } do {
          %s1 = stablehlo.add %s, %one : tensor<i32>
          %k1 = stablehlo.subtract %k, %one : tensor<i32>
          stablehlo.return %s1, %k1 : tensor<i32>, tensor<i32>
        }
        stablehlo.return %w#0 : tensor<i32>
      }
    %e = stablehlo.constant dense<6> : tensor<i32>)",
               "tensor<i32>");
}

TEST(EvaluateTest, SortIsStableAndCarriesOperands) {
  EXPECT_RIGHT(R"(
    %k = stablehlo.constant dense<[3, 1, 3, 1, 2]> : tensor<5xi32>
    %v = stablehlo.iota dim = 0 : tensor<5xi32>
    %s:2 = "stablehlo.sort"(%k, %v) ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
        %p = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
    }) {dimension = 0 : i64, is_stable = true}
      : (tensor<5xi32>, tensor<5xi32>) -> (tensor<5xi32>, tensor<5xi32>)
    %r = stablehlo.add %s#1, %v : tensor<5xi32>
    %e = stablehlo.constant dense<[1, 4, 6, 3, 6]> : tensor<5xi32>)",
               "tensor<5xi32>");
}

TEST(EvaluateTest, ScatterDropsUpdatesOutOfBounds) {
  EXPECT_RIGHT(R"(
    %a = stablehlo.constant dense<0> : tensor<4xi32>
    %i = stablehlo.constant dense<[[1], [9], [1], [-1]]> : tensor<4x1xi64>
    %u = stablehlo.constant dense<[10, 20, 30, 40]> : tensor<4xi32>
    %r = "stablehlo.scatter"(%a, %i, %u) ({
      ^bb0(%x: tensor<i32>, %y: tensor<i32>):
        %s = stablehlo.add %x, %y : tensor<i32>
        stablehlo.return %s : tensor<i32>
    }) {scatter_dimension_numbers = #stablehlo.scatter<
          inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
          index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}
      : (tensor<4xi32>, tensor<4x1xi64>, tensor<4xi32>) -> tensor<4xi32>
    %e = stablehlo.constant dense<[0, 40, 0, 0]> : tensor<4xi32>)",
               "tensor<4xi32>");
}

TEST(EvaluateTest, RunningReductionsAreLinear) {
  // By the definition this would take 10^12 steps.
  const std::string reduce = R"("stablehlo.reduce_window"(%a, %z) ({
      ^bb0(%x: tensor<i32>, %y: tensor<i32>):
        %s = stablehlo.maximum %x, %y : tensor<i32>
        stablehlo.return %s : tensor<i32>
    }) {window_dimensions = array<i64: 1000000>, padding = dense<)";
  const std::string type =
      "> : tensor<1x2xi64>} : (tensor<1000000xi32>, tensor<i32>) -> "
      "tensor<1000000xi32>\n";
  const std::string operands = R"(
    %a = stablehlo.iota dim = 0 : tensor<1000000xi32>
    %z = stablehlo.constant dense<-7> : tensor<i32>
    %last = stablehlo.constant dense<999999> : tensor<1000000xi32>)";
  EXPECT_RIGHT(operands + "\n%r = " + reduce + "[[999999, 0]]" + type +
                   "%e = stablehlo.maximum %a, %a : tensor<1000000xi32>",
               "tensor<1000000xi32>");
  EXPECT_RIGHT(operands + "\n%r = " + reduce + "[[0, 999999]]" + type +
                   "%e = stablehlo.maximum %a, %last : tensor<1000000xi32>",
               "tensor<1000000xi32>");
}

TEST(EvaluateTest, PartOfAScatterWindowOutsideDropsTheWindow) {
  EXPECT_RIGHT(R"(
    %a = stablehlo.constant dense<0> : tensor<5xi32>
    %i = stablehlo.constant dense<[[3], [-1], [2]]> : tensor<3x1xi32>
    %u = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9]]> : tensor<3x3xi32>
    %r = "stablehlo.scatter"(%a, %i, %u) ({
      ^bb0(%x: tensor<i32>, %y: tensor<i32>):
        stablehlo.return %y : tensor<i32>
    }) {scatter_dimension_numbers = #stablehlo.scatter<
          update_window_dims = [1], scatter_dims_to_operand_dims = [0],
          index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}
      : (tensor<5xi32>, tensor<3x1xi32>, tensor<3x3xi32>) -> tensor<5xi32>
    %e = stablehlo.constant dense<[0, 0, 7, 8, 9]> : tensor<5xi32>)",
               "tensor<5xi32>");
}

TEST(EvaluateTest, FftOfAPrimeLengthAndBack) {
  EXPECT_RIGHT(R"(
    %e = stablehlo.constant dense<[1.0, 2.0, -3.0, 0.5, 4.0, 0.25, 8.0]> : tensor<7xf32>
    %f = stablehlo.fft %e, type = RFFT, length = [7] : (tensor<7xf32>) -> tensor<4xcomplex<f32>>
    %r = stablehlo.fft %f, type = IRFFT, length = [7]
      : (tensor<4xcomplex<f32>>) -> tensor<7xf32>)",
               "tensor<7xf32>", "expect_almost_eq");
}

TEST(EvaluateTest, CholeskyAndTriangularSolve) {
  EXPECT_RIGHT(R"(
    %a = stablehlo.constant dense<[[4.0, 2.0], [2.0, 10.0]]> : tensor<2x2xf32>
    %l = stablehlo.cholesky %a, lower = true : tensor<2x2xf32>
    %b = stablehlo.constant dense<[[2.0], [7.0]]> : tensor<2x1xf32>
    %r = "stablehlo.triangular_solve"(%l, %b) {left_side = true, lower = true,
      unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}
      : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
    %e = stablehlo.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>)",
               "tensor<2x1xf32>");
}

TEST(EvaluateTest, RandomBitsMatchThePublishedGenerators) {
  // Known answers of Salmon et al. for a zero counter and key.
  EXPECT_RIGHT(R"(
    %s = stablehlo.constant dense<[0, 0]> : tensor<2xui64>
    %t, %r = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2xui32>)
    %e = stablehlo.constant dense<[0x6b200159, 0x99ba4efe]> : tensor<2xui32>)",
               "tensor<2xui32>");
  EXPECT_RIGHT(R"(
    %s = stablehlo.constant dense<[0, 0, 0]> : tensor<3xui64>
    %t, %r = stablehlo.rng_bit_generator %s, algorithm = PHILOX
      : (tensor<3xui64>) -> (tensor<3xui64>, tensor<4xui32>)
    %e = stablehlo.constant dense<[0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]>
      : tensor<4xui32>)",
               "tensor<4xui32>");
}

TEST(EvaluateTest, ErrorsNameTheOperation) {
  const Status custom = RunText(R"(func.func @main() -> tensor<f32> {
    %r = stablehlo.custom_call @foo() : () -> tensor<f32> loc("model.py":3:1)
    return %r : tensor<f32>
  })");
  EXPECT_EQ(custom.code(), StatusCode::kUnimplemented);
  EXPECT_EQ(custom.message(),
            "stablehlo.custom_call at loc(\"model.py\":3:1): custom call 'foo'");
  const Status wrong = RunText(Program(R"(
    %r = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    %e = stablehlo.constant dense<[1, 3]> : tensor<2xi32>)",
                                       "tensor<2xi32>"));
  EXPECT_NE(wrong.message().find("first at [1]: got 2, expected 3"), std::string::npos);
}

TEST(EvaluateTest, LimitsStopEndlessPrograms) {
  const std::string forever = R"(func.func @main() -> tensor<i1> {
    %t = stablehlo.constant dense<true> : tensor<i1>
    %w = stablehlo.while(%a = %t) : tensor<i1>
    cond { stablehlo.return %a : tensor<i1> } do { stablehlo.return %a : tensor<i1> }
    return %w : tensor<i1>
  })";
  EvaluateOptions steps;
  steps.max_steps = 1000;
  EXPECT_EQ(RunText(forever, steps).code(), StatusCode::kResourceExhausted);
  const std::string recursive = R"(
    func.func @main() { call @main() : () -> ()
    return })";
  EXPECT_EQ(RunText(recursive).code(), StatusCode::kResourceExhausted);
  const std::string recursive_computation = R"(
    func.func @f(%a: tensor<1xi32>, %z: tensor<i32>) -> tensor<i32> {
      %r = stablehlo.reduce(%a init: %z) across dimensions = [0]
        : (tensor<1xi32>, tensor<i32>) -> tensor<i32>
        reducer(%x: tensor<i32>, %y: tensor<i32>) {
          %b = stablehlo.reshape %x : (tensor<i32>) -> tensor<1xi32>
          %c = func.call @f(%b, %y) : (tensor<1xi32>, tensor<i32>) -> tensor<i32>
          stablehlo.return %c : tensor<i32>
        }
      return %r : tensor<i32>
    }
    func.func @main() -> tensor<i32> {
      %a = stablehlo.constant dense<1> : tensor<1xi32>
      %z = stablehlo.constant dense<0> : tensor<i32>
      %r = call @f(%a, %z) : (tensor<1xi32>, tensor<i32>) -> tensor<i32>
      return %r : tensor<i32>
    })";
  EXPECT_EQ(RunText(recursive_computation).code(), StatusCode::kResourceExhausted);
  const std::string large = R"(func.func @main() -> tensor<4000000000xi64> {
    %t = stablehlo.iota dim = 0 : tensor<4000000000xi64>
    return %t : tensor<4000000000xi64>
  })";
  EXPECT_EQ(RunText(large).code(), StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace tenon::reference
