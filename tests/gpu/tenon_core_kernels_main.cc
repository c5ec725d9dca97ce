// tenon-core-kernels: writes the PTX of the kernels that are planned by hand, one file
// for each, and their launches, as JSON, to standard output.
#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>

#include "llvm/IR/LLVMContext.h"
#include "tenon/compiler/targets/nvptx/ptx.h"
#include "tests/gpu/core_kernels.h"

int main(int argc, char** argv) {
  CLI::App app("Writes the PTX of hand-planned kernels.");
  std::string folder, processor = "sm_80";
  app.add_option("folder", folder, "where to write")->required();
  app.add_option("--processor", processor, "LLVM's name")->capture_default_str();
  CLI11_PARSE(app, argc, argv);

  for (const auto& spec : tenon::gpu_test::CoreProducts(processor)) {
    llvm::LLVMContext context;
    llvm::Module module(spec.name, context);
    auto kernel = tenon::gpu_test::AddProduct(module, spec);
    auto ptx = kernel.ok() ? tenon::compiler::EmitPtx(module, {.processor = processor})
                           : tenon::StatusOr<std::string>(kernel.status());
    if (!ptx.ok()) {
      std::cerr << spec.name << ": " << ptx.status().ToString() << "\n";
      return 1;
    }
    const std::string path = folder + "/" + spec.name + "." + processor + ".ptx";
    std::ofstream file(path, std::ios::binary);
    file << *ptx;
    file.close();
    if (!file) {
      std::cerr << "cannot write '" << path << "'\n";
      return 1;
    }
    std::cout << "{\"kernel\": \"" << spec.name << "\", \"file\": \"" << path
              << "\", \"items\": " << kernel->items << ", \"rows\": " << kernel->tile.rows
              << ", \"columns\": " << kernel->tile.columns
              << ", \"depth\": " << kernel->tile.depth
              << ", \"stages\": " << kernel->tile.stages
              << ", \"local_bytes\": " << kernel->local_bytes << "}\n";
  }
  return 0;
}
