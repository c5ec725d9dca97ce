#include "tenon/compiler/import/strip_sharding.h"

#include <string>

#include "gtest/gtest.h"
#include "mlir/IR/Verifier.h"
#include "tenon/compiler/import/import.h"

namespace tenon::compiler {
namespace {

class StripShardingTest : public testing::Test {
 protected:
  // Imports a program and strips its shardings; returns the module's text, or the error.
  std::string Strip(std::string_view text, int64_t replicas = 1, int64_t partitions = 1) {
    auto module = ImportProgram(context_, text);
    if (!module.ok()) return "import: " + module.status().ToString();
    const DeviceCounts devices = CountDevices(module->get(), replicas, partitions);
    if (Status status = StripSharding(module->get(), devices); !status.ok()) {
      return status.ToString();
    }
    if (failed(mlir::verify(module->get()))) return "does not verify";
    std::string result;
    llvm::raw_string_ostream stream(result);
    (*module)->print(stream);
    return result;
  }

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
};

TEST_F(StripShardingTest, MeshesShardingsAndConstraintsAreRemoved) {
  EXPECT_EQ(Strip(R"(
    module {
      sdy.mesh @mesh = <["x"=1]>
      func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>,
                                         jax.buffer_donor = true}) -> tensor<8xf32> {
        %0 = stablehlo.add %a, %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>}
          : tensor<8xf32>
        %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}]> : tensor<8xf32>
        sdy.sharding_group %1 group_id=1 : tensor<8xf32>
        %2 = sdy.reshard %1 <@mesh, [{}]> : tensor<8xf32>
        return %2 : tensor<8xf32>
      }
    })"),
            R"(module {
  func.func @main(%arg0: tensor<8xf32> {jax.buffer_donor = true}) -> tensor<8xf32> {
    %0 = stablehlo.add %arg0, %arg0 : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
)");
}

TEST_F(StripShardingTest, ComputationsAreReplacedByTheirBodies) {
  EXPECT_EQ(Strip(R"(
    module {
      sdy.mesh @mesh = <["x"=1]>
      func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
        %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>]
            out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<8xf32>) {
          %1 = sdy.named_computation<"f">(%b) (%c: tensor<8xf32>) {
            %2 = stablehlo.negate %c : tensor<8xf32>
            sdy.return %2 : tensor<8xf32>
          } : (tensor<8xf32>) -> tensor<8xf32>
          sdy.return %1 : tensor<8xf32>
        } : (tensor<8xf32>) -> tensor<8xf32>
        return %0 : tensor<8xf32>
      }
    })"),
            R"(module {
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.negate %arg0 : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
)");
}

TEST_F(StripShardingTest, DevicesAreCountedInOptionsAndModule) {
  auto module = ImportProgram(context_,
                              "module attributes {mhlo.num_partitions = 4 : i32} {\n"
                              "  func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> { "
                              "return %a : tensor<8xf32> }"
                              "\n}");
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  const DeviceCounts devices = CountDevices(module->get(), 2, 1);
  EXPECT_EQ(devices.replicas, 2);
  EXPECT_EQ(devices.partitions, 4);
}

TEST_F(StripShardingTest, ManualComputationOverALargerMeshIsRefused) {
  EXPECT_EQ(Strip(R"(
    module {
      sdy.mesh @mesh = <["x"=4]>
      func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
        %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>]
            out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<2xf32>) {
          sdy.return %b : tensor<2xf32>
        } : (tensor<8xf32>) -> tensor<8xf32>
        return %0 : tensor<8xf32>
      }
    })"),
            "INVALID_ARGUMENT: the number of devices is 1, but a manual "
            "computation splits its operands over 4 (at program:5:14)");
}

TEST_F(StripShardingTest, OlderShardingCallsAreIdentities) {
  EXPECT_EQ(Strip(R"(
    func.func @main(%a: tensor<8xf32> {mhlo.sharding = "{replicated}"}) -> tensor<8xf32> {
      %0 = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = "{replicated}"}
        : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    })"),
            R"(module {
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
}
)");
}

}  // namespace
}  // namespace tenon::compiler
