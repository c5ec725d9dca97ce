// tenon-test-ptx: compiles test programs for NVIDIA's processors and runs them on this
// machine: the launcher as it is, and the kernels, from the LLVM IR that also becomes
// PTX, on the emulator. Compares the results with the programs' checks.
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <map>

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/SourceMgr.h"
#include "tenon/compiler/compile.h"
#include "tenon/compiler/targets/nvptx/nvptx_architecture.h"
#include "tenon/devices/cpu/host_machine.h"
#include "tenon/executable/device_code.h"
#include "tenon/executable/loader.h"
#include "tenon/tools/program_file.h"
#include "tests/gpu/emulator.h"

#ifdef __x86_64__
#include <xmmintrin.h>
#endif

namespace tenon::gpu_test {
namespace {

struct Arguments {
  std::vector<std::string> files;
  int every = 1;
  bool backwards = false, verbose = false;
  compiler::CompilerConfig config;
};

// Memory that the device's code may use.
class Block {
 public:
  explicit Block(size_t bytes)
      : memory_(std::aligned_alloc(64, (bytes + 127) / 64 * 64), std::free) {
    std::memset(memory_.get(), 0xff, bytes + 1);
  }
  char* get() const { return static_cast<char*>(memory_.get()); }

 private:
  std::shared_ptr<void> memory_;
};

// What a launcher reaches through its context.
struct Execution {
  Emulator* emulator = nullptr;
  const DeviceCode* code = nullptr;
  bool backwards = false;
  Status status;
  int64_t launches = 0;
};

Execution& Of(RunContext* context) {
  return *static_cast<Execution*>(context->execution);
}

int32_t LaunchKernel(RunContext* context, int64_t kernel, const uint64_t* arguments,
                     int64_t num_groups) {
  Execution& execution = Of(context);
  const DeviceKernel& facts = execution.code->kernels.at(static_cast<size_t>(kernel));
  ++execution.launches;
  execution.status =
      execution.emulator->Run(facts.name,
                              {num_groups, static_cast<int>(facts.group_size),
                               execution.backwards, facts.dynamic_local_bytes},
                              arguments);
  return static_cast<int32_t>(execution.status.code());
}

int32_t CopyOnDevice(RunContext*, void* to, const void* from, int64_t bytes) {
  std::memmove(to, from, static_cast<size_t>(bytes));
  return 0;
}
int32_t ReadFromDevice(RunContext*, const void* from, void* to, int64_t bytes) {
  std::memcpy(to, from, static_cast<size_t>(bytes));
  return 0;
}
int32_t WriteToDevice(RunContext*, void* to, const void* from, int64_t bytes) {
  std::memcpy(to, from, static_cast<size_t>(bytes));
  return 0;
}
void SetError(RunContext* context, int32_t code, const char* message, int64_t size) {
  Of(context).status = Status(static_cast<StatusCode>(code),
                              std::string(message, static_cast<size_t>(size)));
}
int32_t CallHost(RunContext* context, int64_t, const RunBuffer*, const RunBuffer*) {
  Of(context).status = Unimplemented("the program calls the host");
  return static_cast<int32_t>(Of(context).status.code());
}

const RuntimeTable kTable = {.struct_size = sizeof(RuntimeTable),
                             .parallel_for = nullptr,
                             .call_ffi = CallHost,
                             .set_error = SetError,
                             .arrive = nullptr,
                             .launch = LaunchKernel,
                             .copy = CopyOnDevice,
                             .read = ReadFromDevice,
                             .write = WriteToDevice};

struct Compiled {
  std::shared_ptr<const LoadedImage> launcher;
  DeviceCode code;
  std::unique_ptr<Emulator> emulator;  // null: there are no kernels
};

StatusOr<Compiled> Compile(const std::string& bytes, compiler::CompilerConfig config) {
  std::string text;
  config.on_phase = [&](std::string_view phase, std::string_view ir) {
    if (phase == "device.ll") text = ir;
  };
  TENON_ASSIGN_OR_RETURN(Image image, compiler::Compile({bytes, ""}, config));
  Compiled compiled;
  for (const CodeObject& object : image.code_objects) {
    if (object.kind != kDeviceCode) continue;
    TENON_ASSIGN_OR_RETURN(compiled.code, DeviceCode::Deserialize(object.bytes));
  }
  Machine machine = cpu::HostMachine();
  machine.code_kind = kLauncherCode;
  TENON_ASSIGN_OR_RETURN(compiled.launcher, LoadImage(std::move(image), machine));
  if (compiled.code.kernels.empty()) return compiled;
  auto context = std::make_unique<llvm::LLVMContext>();
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString(text, diagnostic, *context);
  if (!module) return Internal(diagnostic.getMessage().str());
  TENON_ASSIGN_OR_RETURN(compiled.emulator,
                         Emulator::Make(std::move(context), std::move(module)));
  return compiled;
}

StatusOr<std::vector<Literal>> Run(const Compiled& compiled,
                                   const std::vector<Literal>& arguments,
                                   Execution& execution) {
  const ExecutableInfo& info = compiled.launcher->info();
  std::vector<Block> blocks;
  auto buffer = [&](size_t bytes, const void* from) {
    blocks.emplace_back(bytes);
    if (from && bytes > 0) std::memcpy(blocks.back().get(), from, bytes);
    return RunBuffer{blocks.back().get(), nullptr};
  };
  std::vector<RunBuffer> inputs, outputs;
  for (const Literal& argument : arguments)
    inputs.push_back(buffer(static_cast<size_t>(argument.byte_size()), argument.data()));
  for (const ImageTensor& result : info.results)
    outputs.push_back(buffer(static_cast<size_t>(result.ByteSize()), nullptr));
  const CodeObject& code = compiled.launcher->code();
  const RunBuffer constants =
      buffer(static_cast<size_t>(code.constants_size), compiled.launcher->constants());
  const RunBuffer arena = buffer(static_cast<size_t>(code.arena_bytes), nullptr);
  RunContext context{};
  context.struct_size = sizeof context;
  context.table = &kTable;
  context.constants = static_cast<const uint8_t*>(constants.data);
  context.execution = &execution;
  const int32_t failed =
      compiled.launcher->entry()(&context, inputs.data(), outputs.data(), arena.data);
  TENON_RETURN_IF_ERROR(execution.status);
  if (failed) return Internal("the launcher returned " + std::to_string(failed));
  std::vector<Literal> results;
  for (auto [i, result] : llvm::enumerate(info.results))
    results.push_back(Literal::Copy(result.type, result.dims, outputs[i].data));
  return results;
}

struct Totals {
  int right = 0, wrong = 0, refused = 0;
  int64_t launches = 0;
  std::map<std::string, int64_t> instructions;
};

Status Check(const std::string& text, const Arguments& arguments, Totals& totals) {
  TENON_ASSIGN_OR_RETURN(const tools::ProgramFile program,
                         tools::OpenProgram(text, /*check=*/true, /*sum_tolerance=*/16));
  if (!program.check || !program.arguments)
    return Unimplemented("the program checks nothing");
  TENON_ASSIGN_OR_RETURN(const Compiled compiled,
                         Compile(program.bytes, arguments.config));
  Execution execution{compiled.emulator.get(), &compiled.code, arguments.backwards,
                      OkStatus()};
  TENON_ASSIGN_OR_RETURN(const std::vector<Literal> results,
                         Run(compiled, *program.arguments, execution));
  totals.launches += execution.launches;
  if (compiled.emulator)
    for (const auto& [name, count] : compiled.emulator->counts())
      totals.instructions[name.substr(0, name.find(';'))] += count;
  return program.check(results);
}

// Whether the program is wrong.
void CheckAndReport(const tools::TestCase& test, const std::string& file,
                    const Arguments& arguments, Totals& totals) {
  const std::string name = std::filesystem::path(file).stem().string() + ": " + test.name;
  if (arguments.verbose) std::cout << name << std::endl;
  const Status status = Check(test.text, arguments, totals);
  if (status.ok()) {
    ++totals.right;
  } else if (status.code() == StatusCode::kUnimplemented) {
    ++totals.refused;
    if (arguments.verbose) std::cout << name << ": " << status.ToString() << "\n";
  } else {
    ++totals.wrong;
    std::cout << name << ": " << status.ToString() << std::endl;
  }
}

Status RunAll(const Arguments& arguments) {
#ifdef __x86_64__
  // As kernels flush subnormals on a device.
  constexpr unsigned kFlush = 0x8040;
  _mm_setcsr(_mm_getcsr() | kFlush);
#endif
  Totals totals;
  int seen = 0;
  for (const std::string& file : arguments.files) {
    TENON_ASSIGN_OR_RETURN(const std::string bytes, tools::ReadFileBytes(file));
    for (const tools::TestCase& test : tools::SplitTestCases(bytes))
      if (seen++ % arguments.every == 0) CheckAndReport(test, file, arguments, totals);
  }
  for (const auto& [name, count] : totals.instructions)
    std::cout << count << " " << name << "\n";
  std::cout << totals.right << " right, " << totals.wrong << " wrong, " << totals.refused
            << " refused, " << totals.launches << " launches\n";
  return totals.wrong ? FailedPrecondition("some programs are wrong") : OkStatus();
}

}  // namespace
}  // namespace tenon::gpu_test

int main(int argc, char** argv) {
  CLI::App app{"Runs test programs on an emulation of NVIDIA's processors."};
  tenon::gpu_test::Arguments arguments;
  arguments.config.offered = tenon::cpu::HostMachine().features;
  arguments.config.num_threads = 1;
  arguments.config.target = "nvptx64:sm_80";
  tenon::compiler::AddNvptxArchitecture();
  app.add_option("files", arguments.files, "test programs")->required();
  app.add_option("--target", arguments.config.target, "see tenon-compile")
      ->capture_default_str();
  app.add_option("--every", arguments.every, "take only every so many-th program");
  app.add_flag("--backwards", arguments.backwards, "the last item of a group runs first");
  app.add_flag("--tf32", arguments.config.tf32, "products of f32 may round operands");
  app.add_flag("--verbose", arguments.verbose, "name all programs");
  CLI11_PARSE(app, argc, argv);
  const tenon::Status status = tenon::gpu_test::RunAll(arguments);
  if (status.ok()) return 0;
  std::cerr << "tenon-test-ptx: " << status.ToString() << "\n";
  return 1;
}
