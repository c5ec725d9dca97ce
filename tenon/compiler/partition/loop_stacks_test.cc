// Stacks of one loop that another loop reads.
#include "tenon/compiler/partition/loop_stacks.h"

#include "tenon/compiler/partition/localize_testing.h"

namespace tenon::compiler::partition {
namespace {

// A loop squares slices of %w, which are split along their second dimension, and stacks
// them up with the sharding `stack`; another loop multiplies by them. The program
// also sums up `extra_use`, by default %w.
std::string Program(const std::string& stack, const std::string& extra_use = "") {
  const std::string sharding =
      "{sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, " + stack +
      ">, <@mesh, [{}, {\"x\"}]>]>}";
  return R"(func.func @main(
      %w: tensor<3x8x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>},
      %h: tensor<4x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>})
      -> (tensor<4x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
          tensor<8xi32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %empty = stablehlo.broadcast_in_dim %zero, dims = []
        {sdy.sharding = #sdy.sharding_per_value<[<@mesh, )" +
         stack + R"(>]>} : (tensor<i32>) -> tensor<3x8x8xi32>
    %f:3 = stablehlo.while(%i = %zero, %s = %empty, %c = %h)
        : tensor<i32>, tensor<3x8x8xi32>, tensor<4x8xi32> attributes )" +
         sharding + R"(
      cond {
        %p = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %d = stablehlo.dynamic_slice %w, %i, %zero, %zero, sizes = [1, 8, 8]
            : (tensor<3x8x8xi32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x8xi32>
        %r = stablehlo.reshape %d : (tensor<1x8x8xi32>) -> tensor<8x8xi32>
        %m = stablehlo.multiply %r, %r {sdy.sharding = #sdy.sharding_per_value<
            [<@mesh, [{}, {"x"}]>]>} : tensor<8x8xi32>
        %u = stablehlo.broadcast_in_dim %m, dims = [1, 2]
            {sdy.sharding = #sdy.sharding_per_value<[<@mesh, )" +
         stack + R"(>]>} : (tensor<8x8xi32>) -> tensor<1x8x8xi32>
        %t = stablehlo.dynamic_update_slice %s, %u, %i, %zero, %zero
            {sdy.sharding = #sdy.sharding_per_value<[<@mesh, )" +
         stack + R"(>]>} : (tensor<3x8x8xi32>, tensor<1x8x8xi32>, tensor<i32>,
               tensor<i32>, tensor<i32>) -> tensor<3x8x8xi32>
        %j = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %j, %t, %c : tensor<i32>, tensor<3x8x8xi32>, tensor<4x8xi32>
      }
    %b:3 = stablehlo.while(%i = %zero, %s = %f#1, %c = %f#2)
        : tensor<i32>, tensor<3x8x8xi32>, tensor<4x8xi32> attributes )" +
         sharding + R"(
      cond {
        %p = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %d = stablehlo.dynamic_slice %s, %i, %zero, %zero, sizes = [1, 8, 8]
            {sdy.sharding = #sdy.sharding_per_value<[<@mesh, )" +
         stack + R"(>]>} : (tensor<3x8x8xi32>, tensor<i32>, tensor<i32>, tensor<i32>)
            -> tensor<1x8x8xi32>
        %r = stablehlo.reshape %d : (tensor<1x8x8xi32>) -> tensor<8x8xi32>
        %q = stablehlo.dot_general %c, %r, contracting_dims = [1] x [1]
            {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>}
            : (tensor<4x8xi32>, tensor<8x8xi32>) -> tensor<4x8xi32>
        %j = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %j, %s, %q : tensor<i32>, tensor<3x8x8xi32>, tensor<4x8xi32>
      }
    %last = stablehlo.reduce(%)" +
         (extra_use.empty() ? "w" : extra_use) +
         R"( init: %zero) applies stablehlo.add across dimensions = [0, 2]
        : (tensor<3x8x8xi32>, tensor<i32>) -> tensor<8xi32>
    return %b#2, %last : tensor<4x8xi32>, tensor<8xi32>
  })";
}

TEST(LoopStacksTest, SlicesAreStackedAsTheyAreComputed) {
  // The product's contraction is split as the slices are.
  EXPECT_PARTITION(Program(R"([{}, {}, {"x"}])"), "all_reduce 1, reduce_scatter 1");
  EXPECT_PARTITION(Program(R"([{}, {"x"}, {}])"), "all_reduce 1, reduce_scatter 1");
}

TEST(LoopStacksTest, StacksWithOtherReadersKeepTheirSharding) {
  EXPECT_PARTITION(Program(R"([{}, {"x"}, {}])", "f#1"), "all_gather 1, all_to_all 1");
}

}  // namespace
}  // namespace tenon::compiler::partition
