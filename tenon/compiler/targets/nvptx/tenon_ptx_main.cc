// tenon-ptx: compiles LLVM IR of kernels to PTX, for tests and for people who port.
#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>

#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "tenon/compiler/targets/nvptx/ptx.h"

int main(int argc, char** argv) {
  CLI::App app("Compiles LLVM IR to PTX. Definitions with external linkage are kernels.");
  std::string input, output = "-";
  tenon::compiler::PtxOptions options;
  app.add_option("input", input, "text or bitcode; - reads standard input")->required();
  app.add_option("-o,--output", output, "where to write; - is standard output")
      ->capture_default_str();
  app.add_option("--processor", options.processor, "LLVM's name")->capture_default_str();
  app.add_flag("--flush-denormals", options.flush_denormals,
               "f32 subnormals become zero");
  CLI11_PARSE(app, argc, argv);

  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseIRFile(input, diagnostic, context);
  if (!module) {
    diagnostic.print("tenon-ptx", llvm::errs());
    return 1;
  }
  auto ptx = tenon::compiler::EmitPtx(*module, options);
  if (!ptx.ok()) {
    std::cerr << "tenon-ptx: " << ptx.status().ToString() << "\n";
    return 1;
  }
  if (output == "-") {
    std::cout << *ptx;
    return 0;
  }
  std::ofstream file(output, std::ios::binary);
  file << *ptx;
  file.close();
  if (file) return 0;
  std::cerr << "tenon-ptx: cannot write '" << output << "'\n";
  return 1;
}
