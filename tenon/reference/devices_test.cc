// Programs of several devices: control flow, order of collectives, and errors.
#include "tenon/reference/devices.h"

#include "gtest/gtest.h"
#include "tenon/reference/testing.h"

namespace tenon::reference {
namespace {

const std::string kSum = R"( ({
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %c = stablehlo.add %a, %b : tensor<i64>
    stablehlo.return %c : tensor<i64>
  }) )";

std::string AllReduce(const std::string& groups, const std::string& location = "") {
  return "\"stablehlo.all_reduce\"" + groups.substr(0, groups.find(';')) + kSum +
         "{replica_groups = dense<" + groups.substr(groups.find(';') + 1) +
         "xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, "
         "use_global_device_ids} : (tensor<i64>) -> tensor<i64>" +
         (location.empty() ? "" : " loc(\"" + location + "\")") + "\n";
}

// A loop whose trip count is the sum over all devices, with a collective in its body.
TEST(DevicesTest, CollectivesInLoops) {
  auto results = RunIntegers("func.func @main(%x: tensor<i64>) -> tensor<i64> {\n%n = " +
                                 AllReduce("(%x);[[0, 1, 2]]> : tensor<1x3") + R"(
      %zero = stablehlo.constant dense<0> : tensor<i64>
      %one = stablehlo.constant dense<1> : tensor<i64>
      %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i64>, tensor<i64>
        cond {
          %p = stablehlo.compare LT, %i, %n
            : (tensor<i64>, tensor<i64>) -> tensor<i1>
          stablehlo.return %p : tensor<i1>
        } do {
          %j = stablehlo.add %i, %one : tensor<i64>
          %w = )" + AllReduce("(%v);[[0, 1, 2]]> : tensor<1x3") +
                                 R"(
          stablehlo.return %j, %w : tensor<i64>, tensor<i64>
        }
      return %r#1 : tensor<i64>
    })",
                             {1, 3}, {{1}, {2}, {1}});
  ASSERT_TRUE(results.ok()) << results.status().ToString();
  EXPECT_EQ(*results, (std::vector<Integers>(3, {4 * 27})));
}

// Devices 0 and 1 take one branch, 2 and 3 the other; the groups are consistent.
TEST(DevicesTest, GroupsMayBeAtDifferentPlaces) {
  auto results = RunIntegers(
      "func.func @main(%x: tensor<i64>) -> tensor<i64> {\n"
      R"(
      %p = stablehlo.partition_id : tensor<ui32>
      %two = stablehlo.constant dense<2> : tensor<ui32>
      %low = stablehlo.compare LT, %p, %two : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
      %r = "stablehlo.if"(%low) ({
        %y = )" +
          AllReduce("(%x);[[0, 1], [2, 3]]> : tensor<2x2") +
          R"(stablehlo.return %y : tensor<i64>
      }, {
        %y = )" +
          AllReduce("(%x);[[0, 1], [3, 2]]> : tensor<2x2") +
          R"(%z = stablehlo.negate %y : tensor<i64>
        stablehlo.return %z : tensor<i64>
      }) : (tensor<i1>) -> tensor<i64>
      return %r : tensor<i64>
    })",
      {1, 4}, {{1}, {2}, {3}, {4}});
  ASSERT_TRUE(results.ok()) << results.status().ToString();
  EXPECT_EQ(*results, (std::vector<Integers>{{3}, {3}, {-7}, {-7}}));
}

TEST(DevicesTest, CollectivesInCallsAndAsynchronousOps) {
  auto results = RunIntegers(R"(
    func.func private @sum(%x: tensor<i64>) -> tensor<i64> {
      %f = "stablehlo.async_start"(%x) ({
      ^bb0(%y: tensor<i64>):
        %z = )" + AllReduce("(%y);[[0, 1]]> : tensor<1x2") +
                                 R"(stablehlo.return %z : tensor<i64>
      }) : (tensor<i64>) -> !stablehlo.future<tensor<i64>>
      %r = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<i64>>) -> tensor<i64>
      return %r : tensor<i64>
    }
    func.func @main(%x: tensor<i64>) -> tensor<i64> {
      %y = call @sum(%x) : (tensor<i64>) -> tensor<i64>
      %z = call @sum(%y) : (tensor<i64>) -> tensor<i64>
      return %z : tensor<i64>
    })",
                             {1, 2}, {{1}, {2}});
  ASSERT_TRUE(results.ok()) << results.status().ToString();
  EXPECT_EQ(*results, (std::vector<Integers>{{6}, {6}}));
}

// Returns the error of a program in which partition 0 alone runs `then`, and the others
// `otherwise`; both end in a definition of %y.
std::string ErrorOf(const std::string& then, const std::string& otherwise) {
  auto results = RunIntegers(R"(
    func.func @main(%x: tensor<i64>) -> tensor<i64> {
      %p = stablehlo.partition_id : tensor<ui32>
      %one = stablehlo.constant dense<1> : tensor<ui32>
      %first = stablehlo.compare LT, %p, %one
        : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
      %r = "stablehlo.if"(%first) ({
        )" + then + R"(stablehlo.return %y : tensor<i64>
      }, {
        )" + otherwise +
                                 R"(stablehlo.return %y : tensor<i64>
      }) : (tensor<i1>) -> tensor<i64>
      return %r : tensor<i64>
    })",
                             {1, 3}, {{1}, {2}, {3}});
  if (results.ok()) return "";
  EXPECT_EQ(results.status().code(), StatusCode::kFailedPrecondition);
  return results.status().ToString();
}

TEST(DevicesTest, AMismatchNamesDevicesOpsAndLocations) {
  const std::string all = "(%x);[[0, 1, 2]]> : tensor<1x3";
  const std::string forward = "%y = stablehlo.negate %x : tensor<i64>\n";
  const std::string ended = ErrorOf("%y = " + AllReduce(all, "model.py:7"), forward);
  EXPECT_NE(ended.find("partition 0 waits in stablehlo.all_reduce at loc(\"model.py:7\") "
                       "for partition 1, which has ended; partition 2, which has ended"),
            std::string::npos)
      << ended;
  const std::string elsewhere = ErrorOf("%y = " + AllReduce(all, "model.py:7"),
                                        "%y = " + AllReduce(all, "model.py:9"));
  EXPECT_NE(elsewhere.find("partition 0 waits in stablehlo.all_reduce at "
                           "loc(\"model.py:7\") for partition 1, which waits in "
                           "stablehlo.all_reduce at loc(\"model.py:9\")"),
            std::string::npos)
      << elsewhere;
  EXPECT_NE(elsewhere.find("partition 2 waits in"), std::string::npos) << elsewhere;
}

TEST(DevicesTest, InvalidGroups) {
  auto error = [](const std::string& groups) {
    return RunIntegers("func.func @main(%x: tensor<i64>) -> tensor<i64> {\n%y = " +
                           AllReduce(groups) + "return %y : tensor<i64>\n}",
                       {1, 2}, {{1}, {2}})
        .status()
        .ToString();
  };
  EXPECT_NE(error("(%x);[[0, 1, 2]]> : tensor<1x3")
                .find("a group has the number 2, but the numbers are 0 to 1"),
            std::string::npos);
  EXPECT_NE(error("(%x);[[0]]> : tensor<1x1").find("partition 1 is in no group"),
            std::string::npos);
}

TEST(DevicesTest, InvalidGrids) {
  const std::string text =
      "func.func @main(%x: tensor<i64>) -> tensor<i64> {\nreturn %x : tensor<i64>\n}";
  EXPECT_EQ(RunIntegers(text, {0, 1}, {}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(RunIntegers(text, {int64_t{1} << 40, int64_t{1} << 40}, {}).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(RunIntegers(text, {1, 2}, {{1}}).status().code(),
            StatusCode::kInvalidArgument);
}

TEST(DevicesTest, ManyDevices) {
  std::vector<Integers> inputs;
  std::string numbers;
  for (int64_t i = 0; i < 1024; ++i) {
    inputs.push_back({i});
    numbers += (i ? ", " : "") + std::to_string(i);
  }
  auto results = RunIntegers("func.func @main(%x: tensor<i64>) -> tensor<i64> {\n%y = " +
                                 AllReduce("(%x);[[" + numbers + "]]> : tensor<1x1024") +
                                 "return %y : tensor<i64>\n}",
                             {1, 1024}, inputs);
  ASSERT_TRUE(results.ok()) << results.status().ToString();
  EXPECT_EQ(*results, (std::vector<Integers>(1024, {1023 * 512})));
}

}  // namespace
}  // namespace tenon::reference
