// Updates that each device computes a part of, and those that all must compute.
#include "tenon/compiler/partition/localize_testing.h"

namespace tenon::compiler::partition {
namespace {

constexpr char kScatterAndGather[] = "all_gather 1, reduce_scatter 1";

// Arguments %a and %b, whose product is a sum over x, and %w.
std::string Step(const std::string& w, const std::string& ops,
                 const std::string& results = "%u",
                 const std::string& types = "tensor<256x256xi32> " + Arg("[{}, {}]")) {
  const std::string returned = results == "%u"
                                   ? ": tensor<256x256xi32>"
                                   : ": tensor<256x256xi32>, tensor<256x256xi32>";
  return "func.func @main(%a: tensor<256x8xi32> " + Arg(R"([{}, {"x"}])") +
         ", %b: tensor<8x256xi32> " + Arg(R"([{"x"}, {}])") +
         ", %w: tensor<256x256xi32> " + Arg(w) + ") -> (" + types +
         ") {\n%rate = stablehlo.constant dense<3> : tensor<256x256xi32>\n"
         "%g = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] " +
         On("[{}, {}]") +
         " : (tensor<256x8xi32>, tensor<8x256xi32>) -> tensor<256x256xi32>\n" + ops +
         "\nreturn " + results + " " + returned + "\n}";
}

constexpr char kUpdate[] = R"(
    %s = stablehlo.multiply %g, %rate : tensor<256x256xi32>
    %u = stablehlo.subtract %w, %s : tensor<256x256xi32>)";

TEST(SplitUpdatesTest, EachDeviceUpdatesAPart) {
  EXPECT_PARTITION(Step("[{}, {}]", kUpdate), kScatterAndGather);
}

// The gradient is transposed.
TEST(SplitUpdatesTest, TransposesComeBeforeTheSum) {
  EXPECT_PARTITION(Step("[{}, {}]", R"(
    %s = stablehlo.transpose %g, dims = [1, 0] : (tensor<256x256xi32>) -> tensor<256x256xi32>
    %u = stablehlo.subtract %w, %s : tensor<256x256xi32>)"),
                   kScatterAndGather);
}

// Weights are split along another axis: groups along x have the same part.
TEST(SplitUpdatesTest, WeightsMayBeSplitAlongOtherAxes) {
  const std::string split = R"([{}, {"y"}])";
  EXPECT_PARTITION(
      "func.func @main(%a: tensor<256x8xi32> " + Arg(R"([{}, {"x"}])") +
          ", %b: tensor<8x512xi32> " + Arg(R"([{"x"}, {"y"}])") +
          ", %w: tensor<256x512xi32> " + Arg(split) + ") -> (tensor<256x512xi32> " +
          Arg(split) +
          ") {\n%g = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] " +
          On(split) +
          " : (tensor<256x8xi32>, tensor<8x512xi32>) -> tensor<256x512xi32>\n"
          "%u = stablehlo.subtract %w, %g " +
          On(split) + " : tensor<256x512xi32>\nreturn %u : tensor<256x512xi32>\n}",
      kScatterAndGather);
}

// The momentum is a result too: gathering both would take more bytes.
TEST(SplitUpdatesTest, TwoResultsStay) {
  const std::string type = "tensor<256x256xi32> " + Arg("[{}, {}]");
  EXPECT_PARTITION(Step("[{}, {}]", kUpdate, "%u, %s", type + ", " + type),
                   "all_reduce 1");
}

// A loop whose carried weights start alike, and stay so.
std::string Loop(const std::string& next) {
  return Step("[{}, {}]", R"(
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %loop:2 = stablehlo.while(%i = %zero, %v = %w) : tensor<i32>, tensor<256x256xi32>
    cond {
      %n = stablehlo.constant dense<2> : tensor<i32>
      %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
)" + next + R"(
      stablehlo.return %j, %u : tensor<i32>, tensor<256x256xi32>
    }
    %u = stablehlo.negate %loop#1 : tensor<256x256xi32>)");
}

TEST(SplitUpdatesTest, CarriedWeightsAreAlike) {
  EXPECT_PARTITION(
      Loop(R"(
      %h = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] )" +
           On("[{}, {}]") +
           R"( : (tensor<256x8xi32>, tensor<8x256xi32>) -> tensor<256x256xi32>
      %u = stablehlo.subtract %v, %h : tensor<256x256xi32>)"),
      kScatterAndGather);
}

// Devices add what only they have: each must compute its own.
std::string Manual(const std::string& other) {
  const std::string type = "tensor<256x256xi32>";
  return "func.func @main(%a: tensor<1024x256xi32> " + Arg(R"([{"x"}, {}])") +
         ", %w: " + type + " " + Arg("[{}, {}]") + ") -> (tensor<2048x256xi32> " +
         Arg(R"([{"x", "y"}, {}])") + R"() {
    %r = sdy.manual_computation(%a, %w) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {}]>]
        out_shardings=[<@mesh, [{"x", "y"}, {}]>] manual_axes={"x", "y"}
        (%p: tensor<256x256xi32>, %q: tensor<256x256xi32>) {
      %s = "stablehlo.all_reduce"(%p) <{channel_handle = #stablehlo.channel_handle<handle = 1,
          type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>,
          use_global_device_ids}> ({
      ^bb0(%c: tensor<i32>, %d: tensor<i32>):
        %e = stablehlo.add %c, %d : tensor<i32>
        stablehlo.return %e : tensor<i32>
      }) : (tensor<256x256xi32>) -> tensor<256x256xi32>
      )" +
         other + R"(
      %t = stablehlo.add %s, %o : tensor<256x256xi32>
      sdy.return %t : tensor<256x256xi32>
    } : (tensor<1024x256xi32>, tensor<256x256xi32>) -> tensor<2048x256xi32>
    return %r : tensor<2048x256xi32>
  })";
}

TEST(SplitUpdatesTest, WhatDevicesHaveAloneStays) {
  EXPECT_PARTITION(Manual("%o = stablehlo.negate %q : tensor<256x256xi32>"),
                   kScatterAndGather);
  EXPECT_PARTITION(Manual("%o = stablehlo.negate %p : tensor<256x256xi32>"),
                   "all_reduce 1");
  EXPECT_PARTITION(Manual(R"(%id = stablehlo.partition_id : tensor<ui32>
      %n = stablehlo.convert %id : (tensor<ui32>) -> tensor<i32>
      %o = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<i32>) -> tensor<256x256xi32>)"),
                   "all_reduce 1");
}

}  // namespace
}  // namespace tenon::compiler::partition
