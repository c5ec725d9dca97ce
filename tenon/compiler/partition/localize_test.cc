// Programs of one device against whole programs, and the collectives that they have.
#include "tenon/compiler/partition/localize.h"

#include "tenon/compiler/partition/localize_testing.h"

namespace tenon::compiler::partition {
namespace {

// Moves a tensor<16x8xi32> between two shardings.
std::string Move(const std::string& from, const std::string& to) {
  return "func.func @main(%a: tensor<16x8xi32> " + Arg(from) + ") -> (tensor<16x8xi32> " +
         Arg(to) + ") {\n%r = stablehlo.negate %a " + On(from) +
         " : tensor<16x8xi32>\nreturn %r : tensor<16x8xi32>\n}";
}

TEST(LocalizeTest, MovesUseTheCollectiveThatFits) {
  const std::string none = "[{}, {}]", x0 = R"([{"x"}, {}])", x1 = R"([{}, {"x"}])";
  EXPECT_PARTITION(Move(x0, x0), "");
  EXPECT_PARTITION(Move(none, R"([{"y"}, {"x"}])"), "");
  EXPECT_PARTITION(Move(x0, R"([{"x", "y"}, {}])"), "");
  EXPECT_PARTITION(Move(x0, none), "all_gather 1");
  EXPECT_PARTITION(Move(R"([{"x", "y"}, {}])", x0), "all_gather 1");
  EXPECT_PARTITION(Move(x0, x1), "all_to_all 1");
  EXPECT_PARTITION(Move(R"([{"x", "y"}, {}])", R"([{"x"}, {"y"}])"), "all_to_all 1");
  EXPECT_PARTITION(Move(R"([{"x", "y"}, {}])", R"([{"y", "x"}, {}])"),
                   "collective_permute 1");
  // The two halves of an axis move on their own.
  EXPECT_PARTITION(Move(R"([{"x":(1)2}, {"y"}])", R"([{"y"}, {"x":(1)2}])"),
                   "collective_permute 1");
  EXPECT_PARTITION(Move(x0, R"([{"x":(1)2}, {"x":(2)2}])"), "all_to_all 1");
  EXPECT_PARTITION(Move(R"([{"x"}, {"y"}])", R"([{"y"}, {"x"}])"),
                   "all_to_all 1, collective_permute 1");
  // A part of the gathered dimension is enough.
  EXPECT_PARTITION(Move(x0, R"([{"y"}, {}])"), "all_gather 1, collective_permute 1");
}

TEST(LocalizeTest, ProductsAndTheirGradients) {
  // Data parallel, then contracted over an axis, with the sum left scattered.
  const std::string head = "func.func @main(%a: tensor<16x32xf32> ";
  auto dot = [&](const std::string& lhs, const std::string& rhs, const std::string& out) {
    return head + Arg(lhs) + ", %b: tensor<32x8xf32> " + Arg(rhs) +
           ") -> (tensor<16x8xf32> " + Arg(out) + R"() {
      %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] )" +
           On(out) + R"( : (tensor<16x32xf32>, tensor<32x8xf32>) -> tensor<16x8xf32>
      return %0 : tensor<16x8xf32>
    })";
  };
  EXPECT_PARTITION(dot(R"([{"x"}, {}])", "[{}, {}]", R"([{"x"}, {}])"), "");
  EXPECT_PARTITION(dot(R"([{"x"}, {}])", R"([{}, {"y"}])", R"([{"x"}, {"y"}])"), "");
  EXPECT_PARTITION(dot(R"([{"x"}, {"y"}])", R"([{"y"}, {}])", R"([{"x"}, {}])"),
                   "all_reduce 1");
  EXPECT_PARTITION(dot(R"([{}, {"x"}])", R"([{"x"}, {}])", R"([{"x"}, {}])"),
                   "reduce_scatter 1");
  EXPECT_PARTITION(dot(R"([{"x"}, {}])", R"([{"y"}, {}])", R"([{"x"}, {}])"),
                   "all_reduce 1");
}

TEST(LocalizeTest, UnreducedProducts) {
  EXPECT_PARTITION(R"(func.func @main(
      %a: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
      %b: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>})
      -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] )" +
                       On(R"([{"x"}, {}], unreduced={"y"})") +
                       R"( : (tensor<16x32xf32>, tensor<32x8xf32>) -> tensor<16x8xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {}], unreduced={"y"}>
      : tensor<16x8xf32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{"x"}, {}]> : tensor<16x8xf32>
    return %2 : tensor<16x8xf32>
  })",
                   "all_reduce 1");
}

// reduce of tensor<16x8> along both dimensions from `init`.
std::string Reduce(const std::string& op, const std::string& init,
                   const std::string& type = "f32") {
  const std::string t = "tensor<16x8x" + type + ">", scalar = "tensor<" + type + ">";
  return "func.func @main(%a: " + t + Arg(R"([{"x"}, {"y"}])") + ") -> " + scalar +
         " {\n%i = stablehlo.constant dense<" + init + "> : " + scalar +
         "\n%r = stablehlo.reduce(%a init: %i) applies stablehlo." + op +
         " across dimensions = [0, 1] : (" + t + ", " + scalar + ") -> " + scalar +
         "\nreturn %r : " + scalar + "\n}";
}

TEST(LocalizeTest, ReductionsApplyTheirInitialValueOnce) {
  EXPECT_PARTITION(Reduce("add", "0.0"), "all_reduce 1");
  EXPECT_PARTITION(Reduce("add", "5.0"), "all_reduce 1");
  EXPECT_PARTITION(Reduce("maximum", "3.0"), "all_reduce 1");
  EXPECT_PARTITION(Reduce("multiply", "3", "i32"), "all_reduce 1");
  EXPECT_PARTITION(Reduce("xor", "3", "i32"), "all_reduce 1");
}

// Argmax of `type` along dimension 1 of 16 x `columns`, by axes of that dimension. Equal
// values have several positions.
std::string Argmax(const std::string& columns, const std::string& axes,
                   const std::string& type = "i32", const std::string& order = "dim = 1",
                   const std::string& value = "GE, %x, %y") {
  const std::string in = "tensor<16x" + columns + "x" + type + ">";
  const std::string positions = "tensor<16x" + columns + "xi32>";
  const std::string init = type == "i32" ? "-2147483648" : "0xFF800000";
  return "func.func @main(%a: " + in + " " + Arg("[{}, " + axes + "]") +
         ") -> (tensor<16x" + type + ">, tensor<16xi32>) {\n%n = stablehlo.iota " +
         order + " : " + positions + "\n%i = stablehlo.constant dense<" + init +
         "> : tensor<" + type + ">\n%z = stablehlo.constant dense<0> : tensor<i32>\n" +
         "%r:2 = stablehlo.reduce(%a init: %i), (%n init: %z) across dimensions = [1] : "
         "(" +
         in + ", " + positions + ", tensor<" + type + ">, tensor<i32>) -> (tensor<16x" +
         type + ">, tensor<16xi32>)\nreducer(%x: tensor<" + type + ">, %y: tensor<" +
         type + ">) (%p: tensor<i32>, %q: tensor<i32>) {\n%c = stablehlo.compare " +
         value + " : (tensor<" + type + ">, tensor<" + type +
         ">) -> tensor<i1>\n%v = stablehlo.select %c, %x, %y : tensor<i1>, tensor<" +
         type + R"(>
      %w = stablehlo.select %c, %p, %q : tensor<i1>, tensor<i32>
      stablehlo.return %v, %w : tensor<)" +
         type + ">, tensor<i32>\n}\nreturn %r#0, %r#1 : tensor<16x" + type +
         ">, tensor<16xi32>\n}";
}

TEST(LocalizeTest, PartsOfArgReductionsAreCombinedInOrder) {
  EXPECT_PARTITION(Argmax("32", R"({"x"})"), "all_gather 1");
  EXPECT_PARTITION(Argmax("32", R"({"y"})"), "all_gather 1");
  EXPECT_PARTITION(Argmax("64", R"({"y", "x"})"), "all_gather 1");
}

TEST(LocalizeTest, VariadicReductionsAreGathered) {
  // More results of parts than elements.
  EXPECT_PARTITION(Argmax("8", R"({"x"})"), "all_to_all 1");
  // Positions of another dimension: all elements of a row have the same one.
  EXPECT_PARTITION(Argmax("32", R"({"x"})", "i32", "dim = 0"), "all_to_all 1");
  // The last of equal values wins.
  EXPECT_PARTITION(Argmax("32", R"({"x"})", "i32", "dim = 1", "GT, %x, %y"),
                   "all_to_all 1");
  // NaN neither wins nor loses, so grouping makes a difference.
  EXPECT_PARTITION(Argmax("32", R"({"x"})", "f32"), "all_to_all 1");
}

TEST(LocalizeTest, ConstantsRangesAndShapes) {
  EXPECT_PARTITION(
      R"(func.func @main(
      %a: tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>})
      -> (tensor<4x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>},
          tensor<32xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
          tensor<2x4x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) {
    %n = stablehlo.iota dim = 0 : tensor<8x4xi32>
    %c = stablehlo.constant dense<[[1, 2, 3, 4]]> : tensor<1x4xi32>
    %d = stablehlo.broadcast_in_dim %c, dims = [0, 1] )" +
          On(R"([{"x"}, {"y"}])") + R"(
      : (tensor<1x4xi32>) -> tensor<8x4xi32>
    %0 = stablehlo.add %a, %n )" +
          On(R"([{"x"}, {"y"}])") + R"( : tensor<8x4xi32>
    %1 = stablehlo.multiply %0, %d )" +
          On(R"([{"x"}, {"y"}])") + R"( : tensor<8x4xi32>
    %t = stablehlo.transpose %1, dims = [1, 0] )" +
          On(R"([{"y"}, {"x"}])") + R"( : (tensor<8x4xi32>) -> tensor<4x8xi32>
    %f = stablehlo.reshape %1 )" +
          On(R"([{"x"}])") + R"( : (tensor<8x4xi32>) -> tensor<32xi32>
    %s = stablehlo.reshape %1 )" +
          On(R"([{}, {"x"}, {}])") + R"( : (tensor<8x4xi32>) -> tensor<2x4x4xi32>
    return %t, %f, %s : tensor<4x8xi32>, tensor<32xi32>, tensor<2x4x4xi32>
  })",
      "all_gather 3");
}

// The state of the loop is split; its condition needs the whole sum.
TEST(LocalizeTest, LoopsAndBranches) {
  EXPECT_PARTITION(R"(func.func @main(
      %a: tensor<16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
      %b: tensor<16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>})
      -> (tensor<16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %limit = stablehlo.constant dense<6> : tensor<i32>
    %r:2 = stablehlo.while(%i = %zero, %v = %a) : tensor<i32>, tensor<16xi32>
      attributes {sdy.sharding = #sdy.sharding_per_value<
        [<@mesh, []>, <@mesh, [{"x"}]>]>}
      cond {
        %p = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %j = stablehlo.add %i, %one : tensor<i32>
        %s = stablehlo.reduce(%v init: %zero) applies stablehlo.add
          across dimensions = [0] : (tensor<16xi32>, tensor<i32>) -> tensor<i32>
        %odd = stablehlo.compare LT, %s, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %w = "stablehlo.if"(%odd) ({
          %x = stablehlo.add %v, %b : tensor<16xi32>
          stablehlo.return %x : tensor<16xi32>
        }, {
          %x = stablehlo.subtract %v, %b : tensor<16xi32>
          stablehlo.return %x : tensor<16xi32>
        }) )" + On(R"([{"x"}])") +
                       R"( : (tensor<i1>) -> tensor<16xi32>
        stablehlo.return %j, %w : tensor<i32>, tensor<16xi32>
      }
    return %r#1 : tensor<16xi32>
  })",
                   "all_reduce 1, collective_permute 2");
}

TEST(LocalizeTest, IndexingAndSorting) {
  EXPECT_PARTITION(R"(func.func @main(
      %a: tensor<8x16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
      %i: tensor<4x1xi32>  {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
      %k: tensor<i32>)
      -> (tensor<4x16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
          tensor<8x16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
          tensor<2x16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>},
          tensor<8x16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
          tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
    %g = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<
        offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0],
        index_vector_dim = 1>, slice_sizes = array<i64: 1, 16>}
      : (tensor<8x16xi32>, tensor<4x1xi32>) -> tensor<4x16xi32>
    %s = "stablehlo.scatter"(%a, %i, %g) ({
    ^bb0(%x: tensor<i32>, %y: tensor<i32>):
      %z = stablehlo.add %x, %y : tensor<i32>
      stablehlo.return %z : tensor<i32>
    }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
        inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
        index_vector_dim = 1>}
      : (tensor<8x16xi32>, tensor<4x1xi32>, tensor<4x16xi32>) -> tensor<8x16xi32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %d = stablehlo.dynamic_slice %a, %k, %zero, sizes = [2, 16]
      : (tensor<8x16xi32>, tensor<i32>, tensor<i32>) -> tensor<2x16xi32>
    %o = "stablehlo.sort"(%a) ({
    ^bb0(%x: tensor<i32>, %y: tensor<i32>):
      %p = stablehlo.compare LT, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    }) {dimension = 1 : i64} : (tensor<8x16xi32>) -> tensor<8x16xi32>
    %h = stablehlo.slice %a [0:8, 3:11] : (tensor<8x16xi32>) -> tensor<8x8xi32>
    return %g, %s, %d, %o, %h : tensor<4x16xi32>, tensor<8x16xi32>, tensor<2x16xi32>,
      tensor<8x16xi32>, tensor<8x8xi32>
  })",
                   "all_gather 2, all_reduce 1");
}

// The check is a call with side effects: one device compares whole tensors.
// A slice of one row or column of a tensor<16x8> at run time, whose result has a
// sharding.
std::string DynamicSlice(const std::string& type, const std::string& sizes,
                         const std::string& in, const std::string& out) {
  const bool is_row = sizes == "1, 8";
  const std::string result = "tensor<" + std::string(is_row ? "1x8x" : "16x1x") + type;
  return "func.func @main(%a: tensor<16x8x" + type + "> " + Arg(in) +
         ", %i: tensor<ui32>, %j: tensor<ui32>) -> (" + result + "> " + Arg(out) +
         ") {\n%0 = stablehlo.dynamic_slice %a, %i, %j, sizes = [" + sizes +
         "] : (tensor<16x8x" + type + ">, tensor<ui32>, tensor<ui32>) -> " + result +
         ">\nreturn %0 : " + result + ">\n}";
}

TEST(LocalizeTest, SlicesOfOneElementAreCombined) {
  for (std::string type : {"f32", "i8", "i1", "bf16"}) {
    EXPECT_PARTITION(DynamicSlice(type, "1, 8", R"([{"x"}, {}])", "[{}, {}]"),
                     "all_reduce 1");
    EXPECT_PARTITION(DynamicSlice(type, "1, 8", R"([{"x"}, {"y"}])", R"([{}, {"y"}])"),
                     "all_reduce 1");
    EXPECT_PARTITION(DynamicSlice(type, "16, 1", R"([{}, {"x", "y"}])", "[{}, {}]"),
                     "all_reduce 1");
  }
  // Complex numbers have no bits of one integer.
  EXPECT_PARTITION(DynamicSlice("complex<f32>", "1, 8", R"([{"x"}, {}])", "[{}, {}]"),
                   "all_gather 1, all_to_all 1");
}

// Every iteration would communicate what is now moved once.
TEST(LocalizeTest, LoopsReadSlicesOfOneMovedOperand) {
  EXPECT_PARTITION(R"(func.func @main(
      %a: tensor<16x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
      -> (tensor<1x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %limit = stablehlo.constant dense<16> : tensor<i32>
    %sum = stablehlo.constant dense<0> : tensor<1x8xi32>
    %r:2 = stablehlo.while(%i = %zero, %v = %sum) : tensor<i32>, tensor<1x8xi32>
      cond {
        %p = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %j = stablehlo.add %i, %one : tensor<i32>
        %s = stablehlo.dynamic_slice %a, %i, %zero, sizes = [1, 8]
          : (tensor<16x8xi32>, tensor<i32>, tensor<i32>) -> tensor<1x8xi32>
        %w = stablehlo.add %v, %s : tensor<1x8xi32>
        stablehlo.return %j, %w : tensor<i32>, tensor<1x8xi32>
      }
    return %r#1 : tensor<1x8xi32>
  })",
                   "all_gather 1, all_to_all 1");
}

TEST(LocalizeTest, CallsWithSideEffects) {
  EXPECT_PARTITION(R"(func.func @main(
      %a: tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>})
      -> (tensor<i1>, tensor<8x4xi32>) {
    %b = stablehlo.transpose %a, dims = [1, 0] : (tensor<8x4xi32>) -> tensor<4x8xi32>
    %c = stablehlo.transpose %b, dims = [1, 0] )" +
                       On(R"([{"x"}, {}])") + R"( : (tensor<4x8xi32>) -> tensor<8x4xi32>
    %r = stablehlo.custom_call @check.eq(%a, %c) {has_side_effect = true}
      : (tensor<8x4xi32>, tensor<8x4xi32>) -> tensor<i1>
    return %r, %c : tensor<i1>, tensor<8x4xi32>
  })",
                   "all_gather 2");
}

TEST(LocalizeTest, Errors) {
  EXPECT_NE(
      PartitionAndCompare(kMesh + R"(func.func @main(
      %a: tensor<10xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
      -> tensor<10xi32> { return %a : tensor<10xi32> })")
          .status()
          .ToString()
          .find("argument 0 has a sharding that does not divide its shape: [{\"x\"}]"),
      std::string::npos);
}

TEST(LocalizeTest, MeshesMayHaveTheirDevicesInOtherOrders) {
  const std::string meshes = R"(
    sdy.mesh @straight = <["x"=2, "y"=2]>
    sdy.mesh @turned = <["a"=4], device_ids=[3, 1, 0, 2]>
  )";
  auto moved = PartitionAndCompare(meshes + R"(
    func.func @main(%a: tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@turned, [{"a"}, {}]>},
                    %b: tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@straight, [{"x"}, {"y"}]>})
        -> (tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@straight, [{"x"}, {"y"}]>},
            tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@turned, [{}, {"a"}]>},
            tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@turned, [{}, {}]>}) {
      %0 = stablehlo.add %a, %b : tensor<8x4xi32>
      return %0, %0, %a : tensor<8x4xi32>, tensor<8x4xi32>, tensor<8x4xi32>
    })");
  ASSERT_TRUE(moved.ok()) << moved.status().ToString();
  EXPECT_EQ(Count(*moved, "stablehlo.collective_permute\""), 2) << *moved;

  // A manual computation runs on the devices of its mesh, whose groups are device
  // numbers.
  auto manual = PartitionAndCompare(meshes + R"(
    func.func @main(%a: tensor<8xi32> {sdy.sharding = #sdy.sharding<@straight, [{"x", "y"}]>})
        -> (tensor<8xi32> {sdy.sharding = #sdy.sharding<@straight, [{"x", "y"}]>}) {
      %0 = sdy.manual_computation(%a) in_shardings=[<@turned, [{"a"}]>]
          out_shardings=[<@turned, [{"a"}]>] manual_axes={"a"} (%b: tensor<2xi32>) {
        %1 = stablehlo.negate %b : tensor<2xi32>
        sdy.return %1 : tensor<2xi32>
      } : (tensor<8xi32>) -> tensor<8xi32>
      return %0 : tensor<8xi32>
    })");
  ASSERT_TRUE(manual.ok()) << manual.status().ToString();
  EXPECT_EQ(Count(*manual, "stablehlo.collective_permute\""), 2) << *manual;
}

TEST(LocalizeTest, SplitValuesBecomeUnreducedWithoutCommunication) {
  const std::string partial = R"([{}, {}], unreduced={"x"})";
  auto local = PartitionAndCompare(kMesh + R"(
    func.func @main(%a: tensor<16x8xi32> )" +
                                   Arg(R"([{"x"}, {}])") + R"()
        -> (tensor<16x8xi32> )" + Arg("[{}, {}]") +
                                   R"() {
      %0 = sdy.sharding_constraint %a <@mesh, )" +
                                   partial + R"(> : tensor<16x8xi32>
      %1 = stablehlo.add %0, %0 )" +
                                   On(partial) + R"( : tensor<16x8xi32>
      %2 = stablehlo.multiply %a, %1 )" +
                                   On("[{}, {}]") + R"( : tensor<16x8xi32>
      return %2 : tensor<16x8xi32>
    })");
  ASSERT_TRUE(local.ok()) << local.status().ToString();
  EXPECT_EQ(Collectives(*local), "all_gather 1, reduce_scatter 1") << *local;
}

// Sums over a loop stay partial, and are combined once behind it.
TEST(LocalizeTest, LinearOpsComputeOnPartialSums) {
  const std::string partial = R"([{}, {}], unreduced={"x"})";
  auto local = PartitionAndCompare(
      kMesh + R"(
    func.func @main(%a: tensor<8x16xi32> )" +
      Arg(R"([{}, {"x"}])") + R"(,
                    %b: tensor<16x8xi32> )" +
      Arg(R"([{"x"}, {}])") + R"()
        -> (tensor<8x8xi32> )" +
      Arg("[{}, {}]") + R"() {
      %zero = stablehlo.constant dense<0> : tensor<8x8xi32>
      %i = stablehlo.constant dense<0> : tensor<i32>
      %n = stablehlo.constant dense<3> : tensor<i32>
      %r:2 = stablehlo.while(%k = %i, %sum = %zero) : tensor<i32>, tensor<8x8xi32>
          attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, )" +
      partial + R"(>]>}
        cond {
          %c = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
        } do {
          %one = stablehlo.constant dense<1> : tensor<i32>
          %next = stablehlo.add %k, %one : tensor<i32>
          %d = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] )" +
      On(partial) + R"( : (tensor<8x16xi32>, tensor<16x8xi32>) -> tensor<8x8xi32>
          %t = stablehlo.transpose %d, dims = [1, 0] )" +
      On(partial) + R"( : (tensor<8x8xi32>) -> tensor<8x8xi32>
          %s = stablehlo.add %sum, %t )" +
      On(partial) + R"( : tensor<8x8xi32>
          stablehlo.return %next, %s : tensor<i32>, tensor<8x8xi32>
        }
      return %r#1 : tensor<8x8xi32>
    })");
  ASSERT_TRUE(local.ok()) << local.status().ToString();
  EXPECT_EQ(Collectives(*local), "all_reduce 1") << *local;
}

// An update of partial sums by partial sums communicates nothing; one by a value that all
// devices have is one device's.
TEST(LocalizeTest, UpdatesOfPartialSumsStayPartial) {
  auto update = [](const std::string& of_update, const std::string& of_result) {
    const std::string partial = R"([{}, {}], unreduced={"x"})";
    return PartitionAndCompare(
        kMesh + R"(
    func.func @main(%a: tensor<8x16xi32> )" +
        Arg(R"([{}, {"x"}])") + R"(,
                    %b: tensor<16x8xi32> )" +
        Arg(R"([{"x"}, {}])") + R"(, %i: tensor<i32>)
        -> (tensor<8x8xi32> )" +
        Arg("[{}, {}]") +
        R"() {
      %d = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] )" +
        On(partial) +
        R"( : (tensor<8x16xi32>, tensor<16x8xi32>) -> tensor<8x8xi32>
      %s = stablehlo.slice %d [0:2, 1:4] )" +
        On(of_update) + R"( : (tensor<8x8xi32>) -> tensor<2x3xi32>
      %u = stablehlo.dynamic_update_slice %d, %s, %i, %i )" +
        On(of_result) + R"( :
          (tensor<8x8xi32>, tensor<2x3xi32>, tensor<i32>, tensor<i32>) -> tensor<8x8xi32>
      return %u : tensor<8x8xi32>
    })");
  };
  const std::string partial = R"([{}, {}], unreduced={"x"})";
  auto all = update(partial, partial);
  ASSERT_TRUE(all.ok()) << all.status().ToString();
  EXPECT_EQ(Collectives(*all), "all_reduce 1") << *all;
  auto some = update("[{}, {}]", partial);
  ASSERT_TRUE(some.ok()) << some.status().ToString();
  EXPECT_EQ(Collectives(*some), "all_reduce 2") << *some;
  auto none = update(partial, "[{}, {}]");
  ASSERT_TRUE(none.ok()) << none.status().ToString();
}

TEST(LocalizeTest, UpdatesOfScattersAreSplit) {
  auto scatter = [](const std::string& combiner, const std::string& out) {
    return "func.func @main(%a: tensor<4x8xi32> " + Arg("[{}, {}]") +
           ", %i: tensor<16x1xi32> " + Arg(R"([{"x"}, {}])") + ", %u: tensor<16x8xi32> " +
           Arg(R"([{"x"}, {}])") + ") -> (tensor<4x8xi32> " + Arg(out) + R"() {
      %four = stablehlo.constant dense<3> : tensor<16x1xi32>
      %index = stablehlo.and %i, %four )" +
           On(R"([{"x"}, {}])") + R"( : tensor<16x1xi32>
      %0 = "stablehlo.scatter"(%a, %index, %u) <{scatter_dimension_numbers =
          #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0],
          scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
        ^bb0(%l: tensor<i32>, %r: tensor<i32>):
          %c = stablehlo.)" +
           combiner + R"( %l, %r : tensor<i32>
          stablehlo.return %c : tensor<i32>
      }) )" +
           On(out) + R"( : (tensor<4x8xi32>, tensor<16x1xi32>, tensor<16x8xi32>)
          -> tensor<4x8xi32>
      return %0 : tensor<4x8xi32>
    })";
  };
  EXPECT_PARTITION(scatter("add", "[{}, {}]"), "all_reduce 1");
  EXPECT_PARTITION(scatter("maximum", "[{}, {}]"), "all_reduce 1");
  EXPECT_PARTITION(scatter("add", R"([{}, {"x"}])"), "reduce_scatter 1");
}

}  // namespace
}  // namespace tenon::compiler::partition
