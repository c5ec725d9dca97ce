// Runs a StableHLO program on any PJRT plugin: hello pjrt_plugin_tenon_cpu.so
#include <cstdio>
#include <vector>

#include "tenon/pjrt.hpp"

constexpr const char* kProgram = R"(
  func.func public @main(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
    %z = stablehlo.add %x, %y : tensor<3xf32>
    return %z : tensor<3xf32>
  })";

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  pjrt::Plugin plugin = pjrt::Plugin::load(argv[1]).value();
  pjrt::Client client = plugin.create_client().value();
  pjrt::Executable add = client.compile(pjrt::mlir(kProgram)).value();
  pjrt::Buffer x = client.to_device(std::vector{1.f, 2.f, 3.f}, {3}).value();
  auto [z] = add.call<1>(x, x).value();
  for (float value : z.to_host<float>().get().value()) std::printf("%g ", value);
}
