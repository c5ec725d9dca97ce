// Compiles LLVM IR of device kernels to SPIR-V. For tests.
#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>

#include "llvm/IR/LLVMContext.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "tenon/compiler/targets/gpu/legalize.h"
#include "tenon/compiler/targets/spirv/spirv.h"
#include "tenon/devices/opencl/spirv_module.h"
#include "tests/spirv/host_phases.h"

namespace tenon::compiler {
namespace {

struct Options {
  std::vector<std::string> inputs;
  std::string output;
  bool text = false, phases = false, host = false, expand_all = false, offsets = false;
  SpirvOptions spirv;
};

Status Run(const std::string& input, const Options& options) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module = llvm::parseIRFile(input, diagnostic, context);
  if (!module) return InvalidArgument("no LLVM IR: " + diagnostic.getMessage().str());
  if (options.phases) KeepPhasesAsKernels(*module);
  if (options.host) {
    llvm::outs() << *module;
    return OkStatus();
  }
  TENON_ASSIGN_OR_RETURN(DeviceRules rules, SpirvRules());
  if (options.expand_all)
    rules.has_intrinsic = [](llvm::Intrinsic::ID, const llvm::Type&) { return false; };
  TENON_RETURN_IF_ERROR(LegalizeForDevice(*module, rules));
  if (options.text) llvm::outs() << *module;
  TENON_ASSIGN_OR_RETURN(SpirvModule spirv, EmitSpirv(*module, options.spirv));
  const std::string output = options.inputs.size() > 1 ? input + ".spv" : options.output;
  if (output.empty()) return OkStatus();
  std::ofstream file(output, std::ios::binary);
  file << (options.offsets ? opencl::WithPointerOffsets(spirv.binary) : spirv.binary);
  if (!file.flush()) return InvalidArgument("cannot write " + output);
  return OkStatus();
}

}  // namespace
}  // namespace tenon::compiler

int main(int argc, char** argv) {
  CLI::App app("LLVM IR of device kernels to SPIR-V");
  tenon::compiler::Options options;
  app.add_option("inputs", options.inputs, "LLVM IR; for several, .spv files beside them")
      ->required();
  app.add_option("-o", options.output, "the SPIR-V file of a single input");
  app.add_flag("-S", options.text, "print the legalized LLVM IR");
  app.add_flag("--phases", options.phases, "the input is host code; take its phases");
  app.add_flag("--host", options.host, "only print what is to be compiled");
  app.add_flag("--expand-all", options.expand_all,
               "as for a target without intrinsics that have an expansion");
  app.add_flag("--offsets", options.offsets, "kernels for buffers: with offsets");
  app.add_option("--subgroup-size", options.spirv.subgroup_size);
  app.add_option("--group-size", options.spirv.group_size[0]);
  CLI11_PARSE(app, argc, argv);
  bool ok = true;
  for (const std::string& input : options.inputs) {
    tenon::Status status = tenon::compiler::Run(input, options);
    if (status.ok()) continue;
    std::cerr << input << ": " << status.ToString() << "\n";
    ok = false;
  }
  return ok ? 0 : 1;
}
