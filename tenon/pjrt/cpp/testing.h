// What the tests of the C++ client share: the plugin that they run on, and programs.
#ifndef TENON_PJRT_CPP_TESTING_H_
#define TENON_PJRT_CPP_TESTING_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "tenon/pjrt.hpp"

#ifndef TENON_PLUGIN
#define TENON_PLUGIN ""
#endif

namespace pjrt::testing {

inline std::string plugin_path() {
  const char* path = std::getenv("TENON_CPP_CLIENT_PLUGIN");
  return path ? path : TENON_PLUGIN;
}

inline bool is_tenon() { return plugin_path().find("tenon") != std::string::npos; }

inline constexpr size_t kSizeOf54 = offsetof(PJRT_Api, PJRT_Buffer_CopyRawToHost);

// A test on a plugin; skipped if the plugin is not there.
class PluginTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(plugin_path())) {
      GTEST_SKIP() << "no plugin at '" << plugin_path() << "'";
    }
    client_.emplace(plugin().create_client().value());
  }
  // With TENON_CPP_CLIENT_OLD, the plugin looks as one of API 0.54: without the functions
  // that came later.
  static Plugin plugin() {
    Plugin newest = Plugin::load(plugin_path()).value();
    if (!std::getenv("TENON_CPP_CLIENT_OLD")) return newest;
    static const PJRT_Api old = [&] {
      PJRT_Api table;
      std::memset(&table, 0x5a, sizeof(table));
      std::memcpy(&table, newest.api().table(), kSizeOf54);
      table.struct_size = kSizeOf54;
      table.pjrt_api_version.minor_version = 54;
      return table;
    }();
    return Plugin::from_table(&old, plugin_path()).value();
  }
  // A client with two devices.
  static Result<Client> two_devices() {
    return plugin().create_client(
        {{is_tenon() ? "device_count" : "cpu_device_count", 2}});
  }
  const Client& client() const { return *client_; }

 private:
  std::optional<Client> client_;
};

inline constexpr const char* kAdd = R"(
  module @add {
    func.func public @main(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
      %z = stablehlo.add %x, %y : tensor<2x3xf32>
      return %z : tensor<2x3xf32>
    }
  })";

// The sum in the place of %x, which may be donated, and the difference.
inline constexpr const char* kSumAndDifference = R"(
  module @sum_and_difference {
    func.func public @main(%x: tensor<4xf32> {tf.aliasing_output = 0 : i32},
                           %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
      %z = stablehlo.add %x, %y : tensor<4xf32>
      %w = stablehlo.subtract %x, %y : tensor<4xf32>
      return %z, %w : tensor<4xf32>, tensor<4xf32>
    }
  })";

// %n multiplications of matrices, so that its result is pending when the call returns.
inline constexpr const char* kSlow = R"(
  module @slow {
    func.func public @main(%x: tensor<256x256xf32>, %n: tensor<i32>)
        -> tensor<256x256xf32> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %r:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<256x256xf32>
        cond {
          %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
        } do {
          %j = stablehlo.add %i, %one : tensor<i32>
          %z = stablehlo.dot_general %y, %x, contracting_dims = [1] x [0]
            : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
          stablehlo.return %j, %z : tensor<i32>, tensor<256x256xf32>
        }
      return %r#1 : tensor<256x256xf32>
    }
  })";

}  // namespace pjrt::testing

#endif  // TENON_PJRT_CPP_TESTING_H_
