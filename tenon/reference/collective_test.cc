// Every collective on grids of devices. The semantics of the programs are those of
// StableHLO's own tests (stablehlo/tests/interpret), with other shapes and groups.
#include "tenon/reference/collective.h"

#include "gtest/gtest.h"
#include "tenon/reference/testing.h"

namespace tenon::reference {
namespace {

using Lists = std::vector<Integers>;

// main(arg0: i64[in]) -> i64[out] with one collective; `rest` follows the op's name.
std::string Program(const std::string& op, const std::string& attributes,
                    const std::string& in, const std::string& out,
                    const std::string& region = "") {
  const std::string from = "tensor<" + in + ">", to = "tensor<" + out + ">";
  return "func.func @main(%arg0: " + from + ") -> " + to + " {\n%r = \"stablehlo." + op +
         "\"(%arg0) " + (region.empty() ? "" : "({" + region + "}) ") + "{" + attributes +
         "} : (" + from + ") -> " + to + "\nreturn %r : " + to + "\n}";
}

std::string Computation(const std::string& op, const std::string& type = "i64") {
  const std::string t = "tensor<" + type + ">";
  return "^bb0(%a: " + t + ", %b: " + t + "):\n%c = stablehlo." + op + " %a, %b : " + t +
         "\nstablehlo.return %c : " + t + "\n";
}

std::string Groups(const std::string& values, const std::string& shape) {
  return "replica_groups = dense<" + values + "> : tensor<" + shape + "xi64>";
}

const std::string kChannel =
    ", channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>";
const std::string kGlobal = kChannel + ", use_global_device_ids";

#define EXPECT_RESULTS(program, replicas, partitions, inputs, ...)             \
  do {                                                                         \
    auto results = RunIntegers(program, {replicas, partitions}, Lists inputs); \
    ASSERT_TRUE(results.ok()) << results.status().ToString();                  \
    EXPECT_EQ(*results, (Lists{__VA_ARGS__}));                                 \
  } while (0)

#define LISTS(...) {__VA_ARGS__}

TEST(CollectiveTest, AllReduceModes) {
  const std::string add = Computation("add");
  auto program = [&](const std::string& attributes) {
    return Program("all_reduce", attributes, "2xi64", "2xi64", add);
  };
  // Replicas of each partition; replicas and partitions; flattened numbers.
  EXPECT_RESULTS(program(Groups("[[0, 1]]", "1x2")), 2, 2,
                 LISTS({1, 2}, {3, 4}, {10, 20}, {30, 40}), {11, 22}, {33, 44}, {11, 22},
                 {33, 44});
  EXPECT_RESULTS(program(Groups("[[0], [1]]", "2x1") + kChannel), 2, 2,
                 LISTS({1, 2}, {3, 4}, {10, 20}, {30, 40}), {4, 6}, {4, 6}, {40, 60},
                 {40, 60});
  EXPECT_RESULTS(program(Groups("[[0, 3], [1, 2]]", "2x2") + kGlobal), 2, 2,
                 LISTS({1, 2}, {3, 4}, {10, 20}, {30, 40}), {31, 42}, {13, 24}, {13, 24},
                 {31, 42});
}

TEST(CollectiveTest, AllReducePaddedAndEmptyGroups) {
  const std::string add = Computation("add");
  EXPECT_RESULTS(Program("all_reduce",
                         Groups("[[0, 1, 2], [3, -1, -1], [5, 4, -1]]", "3x3") + kGlobal,
                         "1xi64", "1xi64", add),
                 1, 6, LISTS({1}, {2}, {4}, {8}, {16}, {32}), {7}, {7}, {7}, {8}, {48},
                 {48});
  const std::string empty = "replica_groups = dense<> : tensor<0x0xi64>";
  EXPECT_RESULTS(Program("all_reduce", empty + kGlobal, "1xi64", "1xi64", add), 1, 3,
                 LISTS({1}, {2}, {4}), {7}, {7}, {7});
  EXPECT_RESULTS(Program("all_reduce", empty, "1xi64", "1xi64", add), 2, 2,
                 LISTS({1}, {2}, {4}, {8}), {5}, {10}, {5}, {10});
}

TEST(CollectiveTest, AllReduceComputations) {
  const std::string all = Groups("[[0, 1, 2]]", "1x3") + kGlobal;
  EXPECT_RESULTS(Program("all_reduce", all, "2xi64", "2xi64", Computation("maximum")), 1,
                 3, LISTS({1, 9}, {7, 2}, {4, 4}), {7, 9}, {7, 9}, {7, 9});
  EXPECT_RESULTS(Program("all_reduce", all, "1xi64", "1xi64", Computation("multiply")), 1,
                 3, LISTS({3}, {5}, {7}), {105}, {105}, {105});
  // Not commutative: (a - b) - c, then ((a - b) - (c - d)).
  const std::string subtract = Computation("subtract");
  EXPECT_RESULTS(Program("all_reduce", all, "1xi64", "1xi64", subtract), 1, 3,
                 LISTS({1}, {10}, {100}), {-109}, {-109}, {-109});
  EXPECT_RESULTS(Program("all_reduce", Groups("[[3, 2, 1, 0]]", "1x4") + kGlobal, "1xi64",
                         "1xi64", subtract),
                 1, 4, LISTS({1}, {10}, {100}, {1000}), {891}, {891}, {891}, {891});
  // More than one operation, and a captured constant.
  EXPECT_RESULTS(R"(
    func.func @main(%arg0: tensor<1xi64>) -> tensor<1xi64> {
      %two = stablehlo.constant dense<2> : tensor<i64>
      %r = "stablehlo.all_reduce"(%arg0) ({
      ^bb0(%a: tensor<i64>, %b: tensor<i64>):
        %c = stablehlo.multiply %b, %two : tensor<i64>
        %d = stablehlo.add %a, %c : tensor<i64>
        stablehlo.return %d : tensor<i64>
      }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}
        : (tensor<1xi64>) -> tensor<1xi64>
      return %r : tensor<1xi64>
    })",
                 2, 1, LISTS({3}, {5}), {13}, {13});
}

TEST(CollectiveTest, AllReduceOfSeveralOperandsWithPromotion) {
  EXPECT_RESULTS(R"(
    func.func @main(%a: tensor<1xi32>, %b: tensor<2xi32>)
        -> (tensor<1xi64>, tensor<2xi64>) {
      %r:2 = "stablehlo.all_reduce"(%a, %b) ({
      ^bb0(%x: tensor<i64>, %y: tensor<i64>):
        %c = stablehlo.add %x, %y : tensor<i64>
        stablehlo.return %c : tensor<i64>
      }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}
        : (tensor<1xi32>, tensor<2xi32>) -> (tensor<1xi64>, tensor<2xi64>)
      return %r#0, %r#1 : tensor<1xi64>, tensor<2xi64>
    })",
                 2, 1, LISTS({2000000000, 1, 2}, {2000000000, 3, 4}), {4000000000, 4, 6},
                 {4000000000, 4, 6});
}

TEST(CollectiveTest, AllGather) {
  auto program = [](const std::string& dim, const std::string& groups,
                    const std::string& out) {
    return Program("all_gather", "all_gather_dim = " + dim + " : i64, " + groups,
                   "1x2xi64", out);
  };
  EXPECT_RESULTS(program("1", Groups("[[0, 1]]", "1x2"), "1x4xi64"), 2, 1,
                 LISTS({1, 2}, {3, 4}), {1, 2, 3, 4}, {1, 2, 3, 4});
  EXPECT_RESULTS(program("0", Groups("[[1, 0]]", "1x2"), "2x2xi64"), 2, 1,
                 LISTS({1, 2}, {3, 4}), {3, 4, 1, 2}, {3, 4, 1, 2});
  EXPECT_RESULTS(program("0", Groups("[[0, 1]]", "1x2") + kChannel, "4x2xi64"), 2, 2,
                 LISTS({1, 1}, {2, 2}, {3, 3}, {4, 4}), {1, 1, 3, 3, 2, 2, 4, 4},
                 {1, 1, 3, 3, 2, 2, 4, 4}, {1, 1, 3, 3, 2, 2, 4, 4},
                 {1, 1, 3, 3, 2, 2, 4, 4});
  EXPECT_RESULTS(program("1", Groups("[[0, 2], [1, 3]]", "2x2") + kGlobal, "1x4xi64"), 1,
                 4, LISTS({1, 1}, {2, 2}, {3, 3}, {4, 4}), {1, 1, 3, 3}, {2, 2, 4, 4},
                 {1, 1, 3, 3}, {2, 2, 4, 4});
  EXPECT_RESULTS(R"(
    func.func @main(%a: tensor<1xi64>, %b: tensor<1x1xi32>)
        -> (tensor<2xi64>, tensor<2x1xi32>) {
      %r:2 = "stablehlo.all_gather"(%a, %b) {all_gather_dim = 0 : i64,
        replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}
        : (tensor<1xi64>, tensor<1x1xi32>) -> (tensor<2xi64>, tensor<2x1xi32>)
      return %r#0, %r#1 : tensor<2xi64>, tensor<2x1xi32>
    })",
                 2, 1, LISTS({1, 2}, {3, 4}), {1, 3, 2, 4}, {1, 3, 2, 4});
}

TEST(CollectiveTest, ReduceScatter) {
  auto program = [](const std::string& dim, const std::string& groups,
                    const std::string& out) {
    return Program("reduce_scatter", "scatter_dimension = " + dim + " : i64, " + groups,
                   "2x4xi64", out, Computation("add"));
  };
  const Lists inputs = {{1, 2, 3, 4, 5, 6, 7, 8}, {10, 20, 30, 40, 50, 60, 70, 80}};
  EXPECT_RESULTS(program("1", Groups("[[0, 1]]", "1x2"), "2x2xi64"), 2, 1, (inputs),
                 {11, 22, 55, 66}, {33, 44, 77, 88});
  EXPECT_RESULTS(program("0", Groups("[[1, 0]]", "1x2") + kGlobal, "1x4xi64"), 1, 2,
                 (inputs), {55, 66, 77, 88}, {11, 22, 33, 44});
  EXPECT_RESULTS(program("1", Groups("[[0], [1]]", "2x1") + kChannel, "2x2xi64"), 2, 2,
                 LISTS(inputs[0], inputs[1], inputs[0], inputs[0]), {11, 22, 55, 66},
                 {33, 44, 77, 88}, {2, 4, 10, 12}, {6, 8, 14, 16});
  EXPECT_RESULTS(program("0", Groups("[[0], [1]]", "2x1"), "2x4xi64"), 2, 1, (inputs),
                 inputs[0], inputs[1]);
  EXPECT_RESULTS(program("1", Groups("[[0, 1], [2, 3]]", "2x2") + kGlobal, "2x2xi64"), 2,
                 2, LISTS(inputs[0], inputs[0], inputs[1], inputs[1]), {2, 4, 10, 12},
                 {6, 8, 14, 16}, {20, 40, 100, 120}, {60, 80, 140, 160});
}

TEST(CollectiveTest, AllToAll) {
  auto program = [](const std::string& dims, const std::string& groups,
                    const std::string& in, const std::string& out) {
    return Program("all_to_all", dims + ", split_count = 2 : i64, " + groups, in, out);
  };
  const std::string columns_to_rows =
      "split_dimension = 1 : i64, concat_dimension = 0 : i64";
  const std::string same = "split_dimension = 0 : i64, concat_dimension = 0 : i64";
  EXPECT_RESULTS(
      program(columns_to_rows, Groups("[[0, 1]]", "1x2"), "1x4xi64", "2x2xi64"), 2, 1,
      LISTS({1, 2, 3, 4}, {5, 6, 7, 8}), {1, 2, 5, 6}, {3, 4, 7, 8});
  EXPECT_RESULTS(
      program(columns_to_rows, Groups("[[1, 0]]", "1x2"), "1x4xi64", "2x2xi64"), 2, 1,
      LISTS({1, 2, 3, 4}, {5, 6, 7, 8}), {7, 8, 3, 4}, {5, 6, 1, 2});
  EXPECT_RESULTS(program(same, Groups("[[0, 1]]", "1x2") + kChannel, "2xi64", "2xi64"), 2,
                 2, LISTS({1, 2}, {3, 4}, {5, 6}, {7, 8}), {1, 3}, {2, 4}, {5, 7},
                 {6, 8});
  EXPECT_RESULTS(
      program(same, Groups("[[0, 2], [3, 1]]", "2x2") + kChannel, "2xi64", "2xi64"), 1, 4,
      LISTS({1, 2}, {3, 4}, {5, 6}, {7, 8}), {1, 5}, {8, 4}, {2, 6}, {7, 3});
  EXPECT_RESULTS(R"(
    func.func @main(%a: tensor<2xi64>, %b: tensor<2xi32>)
        -> (tensor<2xi64>, tensor<2xi32>) {
      %r:2 = "stablehlo.all_to_all"(%a, %b) {split_dimension = 0 : i64,
        concat_dimension = 0 : i64, split_count = 2 : i64,
        replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}
        : (tensor<2xi64>, tensor<2xi32>) -> (tensor<2xi64>, tensor<2xi32>)
      return %r#0, %r#1 : tensor<2xi64>, tensor<2xi32>
    })",
                 2, 1, LISTS({1, 2, 3, 4}, {5, 6, 7, 8}), {1, 5, 3, 7}, {2, 6, 4, 8});
}

TEST(CollectiveTest, CollectivePermute) {
  auto program = [](const std::string& pairs, const std::string& shape,
                    const std::string& channel) {
    return Program("collective_permute",
                   "source_target_pairs = dense<" + pairs + "> : tensor<" + shape +
                       "xi64>" + channel,
                   "1xi64", "1xi64");
  };
  // A chain and a pair of one device. Devices that are no target get zeros.
  EXPECT_RESULTS(program("[[0, 1], [1, 2], [3, 3]]", "3x2", ""), 5, 1,
                 LISTS({1}, {2}, {3}, {4}, {5}), {0}, {1}, {2}, {4}, {0});
  EXPECT_RESULTS(program("[[0, 1], [1, 2], [2, 0]]", "3x2", kChannel), 1, 3,
                 LISTS({1}, {2}, {3}), {3}, {1}, {2});
  // The pairs are of replicas in each partition, or of partitions in each replica.
  EXPECT_RESULTS(program("[[0, 1]]", "1x2", ""), 2, 2, LISTS({1}, {2}, {3}, {4}), {0},
                 {0}, {1}, {2});
  EXPECT_RESULTS(program("[[0, 1], [1, 0]]", "2x2", kChannel), 2, 2,
                 LISTS({1}, {2}, {3}, {4}), {2}, {1}, {4}, {3});
  EXPECT_RESULTS(program("", "0x2", kChannel), 1, 2, LISTS({1}, {2}), {0}, {0});
}

TEST(CollectiveTest, CollectiveBroadcast) {
  auto program = [](const std::string& groups) {
    return Program("collective_broadcast", groups, "1xi64", "1xi64");
  };
  const Lists inputs = {{1}, {2}, {3}, {4}};
  EXPECT_RESULTS(program(Groups("[[2, 1]]", "1x2")), 4, 1, (inputs), {0}, {3}, {3}, {0});
  EXPECT_RESULTS(program(Groups("[[2, 1, 0]]", "1x3") + kChannel), 1, 4, (inputs), {3},
                 {3}, {3}, {0});
  EXPECT_RESULTS(program(Groups("[[1, 0]]", "1x2")), 2, 2, (inputs), {3}, {4}, {3}, {4});
  EXPECT_RESULTS(program(Groups("[[1, 0]]", "1x2") + kChannel), 2, 2, (inputs), {2}, {2},
                 {4}, {4});
  EXPECT_RESULTS(program(Groups("[[3, 0], [1, -1]]", "2x2") + kChannel), 1, 4, (inputs),
                 {4}, {2}, {0}, {4});
  EXPECT_RESULTS(R"(
    func.func @main(%a: tensor<1xi64>, %b: tensor<1xi64>, %root: tensor<2xi32>)
        -> (tensor<1xi64>, tensor<1xi64>) {
      %r:2 = "stablehlo.collective_broadcast"(%a, %b, %root) {
        replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root}
        : (tensor<1xi64>, tensor<1xi64>, tensor<2xi32>) -> (tensor<1xi64>, tensor<1xi64>)
      return %r#0, %r#1 : tensor<1xi64>, tensor<1xi64>
    })",
                 2, 1, LISTS({1, 2, 1, 0}, {3, 4, 1, 0}), {3, 2}, {3, 2});
}

TEST(CollectiveTest, CollectiveReduceAndCrossReplicaSum) {
  EXPECT_RESULTS(Program("collective_reduce", Groups("[[1, 0, 2]]", "1x3"), "1xi64",
                         "1xi64", Computation("add")),
                 4, 1, LISTS({1}, {2}, {4}, {8}), {0}, {7}, {0}, {0});
  EXPECT_RESULTS(
      Program("cross-replica-sum", Groups("[[0, 1]]", "1x2"), "1xi64", "1xi64"), 2, 2,
      LISTS({1}, {2}, {4}, {8}), {5}, {10}, {5}, {10});
}

TEST(CollectiveTest, DeviceNumbers) {
  EXPECT_RESULTS(R"(
    func.func @main() -> (tensor<ui32>, tensor<ui32>) {
      %p = stablehlo.partition_id : tensor<ui32>
      %r = stablehlo.replica_id : tensor<ui32>
      return %r, %p : tensor<ui32>, tensor<ui32>
    })",
                 2, 3, LISTS({}, {}, {}, {}, {}, {}), {0, 0}, {0, 1}, {0, 2}, {1, 0},
                 {1, 1}, {1, 2});
}

// 1 + 2^-8 + 2^-8 needs more digits than bf16 has between the steps, but not at the end.
TEST(CollectiveTest, NarrowFloatsAreRoundedOnce) {
  EXPECT_RESULTS(R"(
    func.func @main(%arg0: tensor<1xi32>) -> tensor<1xi32> {
      %scale = stablehlo.constant dense<256.0> : tensor<1xbf16>
      %x = stablehlo.convert %arg0 : (tensor<1xi32>) -> tensor<1xbf16>
      %y = stablehlo.divide %x, %scale : tensor<1xbf16>
      %r = "stablehlo.all_reduce"(%y) ({)" +
                     Computation("add", "bf16") + R"(
      }) {replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>}
        : (tensor<1xbf16>) -> tensor<1xbf16>
      %z = stablehlo.multiply %r, %scale : tensor<1xbf16>
      %i = stablehlo.convert %z : (tensor<1xbf16>) -> tensor<1xi32>
      return %i : tensor<1xi32>
    })",
                 3, 1, LISTS({256}, {1}, {1}), {258}, {258}, {258});
}

}  // namespace
}  // namespace tenon::reference
