// tenon-test-objects: compiles test programs to object files, has them linked and run in
// batches, and compares their results with the programs' checks and with a plugin's.
//
// For each batch it writes a folder with
//   p0.o, p1.o, ...   objects with the names p0, p1, ...
//   types.h           the header of one of them
//   programs.h        X(p0, stack bytes) X(p1, ...) ...
//   inputs.bin        all arguments of all programs, one after the other
// and runs the given command there, which must write all results to results.bin in the
// same way. driver.c and driver.mjs do that.
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>

#include "tenon/compiler/object/object.h"
#include "tenon/compiler/targets/architecture.h"
#include "tenon/devices/cpu/host_machine.h"
#include "tenon/tools/plugin_runner.h"
#include "tenon/tools/program_file.h"

namespace tenon::tools {
namespace {

struct Arguments {
  std::vector<std::string> files, options;
  std::string folder, command, plugin;
  int batch = 100, every = 1;
  double sum_tolerance = 0;
  bool verbose = false;
  compiler::CompilerConfig config;
  compiler::ObjectOptions object;
};

struct Case {
  std::string name, symbol;
  ProgramFile program;
  compiler::ObjectFile object;
};

struct Totals {
  int right = 0, wrong = 0, equal = 0, refused = 0;
  std::map<std::string, int> reasons;
};

std::optional<Case> Prepare(const TestCase& test, const std::string& file, int number,
                            const Arguments& arguments, Totals& totals) {
  Case result;
  result.name = std::filesystem::path(file).stem().string() + ": " + test.name;
  auto refuse = [&](const Status& status) {
    ++totals.refused;
    std::string reason = status.ToString();
    if (arguments.verbose) std::cout << result.name << ": " << reason << "\n";
    ++totals.reasons[reason.substr(0, 90)];
    return std::nullopt;
  };
  auto program = OpenProgram(test.text, /*check=*/true, arguments.sum_tolerance);
  if (!program.ok()) return refuse(program.status());
  result.program = *std::move(program);
  if (!result.program.check || !result.program.arguments)
    return refuse(Unimplemented("the program checks nothing"));
  compiler::ObjectOptions options = arguments.object;
  options.name = result.symbol = "p" + std::to_string(number);
  auto object =
      compiler::CompileObject({result.program.bytes, ""}, arguments.config, options);
  if (!object.ok()) {
    if (object.status().code() == StatusCode::kUnimplemented)
      return refuse(object.status());
    ++totals.wrong;
    std::cout << result.name << ": " << object.status().ToString() << "\n";
    return std::nullopt;
  }
  result.object = *std::move(object);
  return result;
}

void Write(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::optional<std::vector<Literal>> Read(const Case& test, std::string_view& bytes) {
  std::vector<Literal> results;
  for (const ImageTensor& tensor : test.object.image.info.results) {
    const auto size = static_cast<size_t>(tensor.ByteSize());
    if (bytes.size() < size) return std::nullopt;
    results.push_back(Literal::Copy(tensor.type, tensor.dims, bytes.data()));
    bytes.remove_prefix(size);
  }
  return results;
}

// Whether the plugin computes the same bits.
bool EqualsPlugin(const Case& test, std::span<const Literal> results,
                  PluginRunner& runner) {
  auto run = [&]() -> StatusOr<std::vector<Literal>> {
    TENON_RETURN_IF_ERROR(runner.Load(test.program, /*replicas=*/1, /*partitions=*/1));
    TENON_RETURN_IF_ERROR(runner.SetArguments({&*test.program.arguments, 1}));
    TENON_RETURN_IF_ERROR(runner.Run(false).status());
    TENON_ASSIGN_OR_RETURN(std::vector<std::vector<Literal>> by_device, runner.Results());
    return std::move(by_device[0]);
  };
  auto expected = run();
  if (!expected.ok()) {
    std::cout << test.name << ": plugin: " << expected.status().ToString() << "\n";
    return false;
  }
  for (size_t i = 0; i < results.size(); ++i) {
    const auto size = static_cast<size_t>(results[i].byte_size());
    if (size == 0) continue;
    if (std::memcmp(results[i].data(), (*expected)[i].data(), size) != 0) {
      std::cout << test.name << ": result " << i << " has other bits than the plugin's\n";
      return false;
    }
  }
  return true;
}

void WriteBatch(std::span<const Case> batch, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  std::string programs, inputs;
  for (const Case& test : batch) {
    Write(folder / (test.symbol + ".o"), test.object.bytes);
    programs +=
        "X(" + test.symbol + ", " + std::to_string(test.object.stack_bytes) + ")\n";
    for (const Literal& argument : *test.program.arguments)
      inputs.append(reinterpret_cast<const char*>(argument.data()),
                    static_cast<size_t>(argument.byte_size()));
  }
  Write(folder / "types.h", batch[0].object.header);
  Write(folder / "programs.h", programs);
  Write(folder / "inputs.bin", inputs);
}

// Checks the results in the folder. Returns of how many programs there are some.
size_t CheckResults(std::span<const Case> batch, const std::filesystem::path& folder,
                    PluginRunner* runner, Totals& totals) {
  std::ifstream file(folder / "results.bin", std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  std::string_view rest = bytes;
  for (const Case& test : batch) {
    auto results = Read(test, rest);
    if (!results) return static_cast<size_t>(&test - batch.data());
    const Status status = test.program.check(*results);
    status.ok() ? ++totals.right : ++totals.wrong;
    if (!status.ok()) std::cout << test.name << ": " << status.ToString() << "\n";
    if (runner && EqualsPlugin(test, *results, *runner)) ++totals.equal;
  }
  return batch.size();
}

// After a program that stops the run, the rest of the batch runs on its own.
bool RunBatch(std::span<const Case> batch, int number, const Arguments& arguments,
              PluginRunner* runner, Totals& totals) {
  bool fine = true;
  for (int part = 0; !batch.empty(); ++part) {
    const auto folder = std::filesystem::path(arguments.folder) /
                        ("batch" + std::to_string(number) + "." + std::to_string(part));
    WriteBatch(batch, folder);
    const std::string command = "cd '" + folder.string() + "' && " + arguments.command;
    if (std::system(command.c_str()) != 0) {
      fine = false;
      std::cout << "batch " << number << ": the command failed\n";
    }
    const size_t done = CheckResults(batch, folder, runner, totals);
    // Without a file of results the command itself does not work.
    const size_t lost =
        std::min(std::filesystem::exists(folder / "results.bin") ? 1 : batch.size(),
                 batch.size() - done);
    for (const Case& test : batch.subspan(done, lost))
      std::cout << test.name << ": there is no result; the run stopped\n";
    totals.wrong += static_cast<int>(lost);
    batch = batch.subspan(done + lost);
  }
  return fine;
}

Status Run(Arguments& arguments) {
  std::optional<PluginRunner> runner;
  if (!arguments.plugin.empty()) {
    pjrt::NamedValueMap options;
    for (const std::string& option : arguments.options) {
      const size_t equal = option.find('=');
      options[option.substr(0, equal)] = option.substr(equal + 1);
    }
    TENON_ASSIGN_OR_RETURN(runner, PluginRunner::Create(arguments.plugin, options));
  }
  PluginRunner* on = runner ? &*runner : nullptr;
  Totals totals;
  std::vector<Case> batch;
  int seen = 0, batches = 0;
  bool fine = true;
  auto flush = [&] {
    if (!batch.empty()) fine &= RunBatch(batch, batches++, arguments, on, totals);
    batch.clear();
  };
  for (const std::string& file : arguments.files) {
    TENON_ASSIGN_OR_RETURN(const std::string bytes, ReadFileBytes(file));
    for (const TestCase& test : SplitTestCases(bytes)) {
      if (seen++ % arguments.every != 0) continue;
      auto prepared =
          Prepare(test, file, static_cast<int>(batch.size()), arguments, totals);
      if (prepared) batch.push_back(*std::move(prepared));
      if (batch.size() == static_cast<size_t>(arguments.batch)) flush();
    }
  }
  flush();
  for (auto& [reason, count] : totals.reasons)
    std::cout << count << " refused: " << reason << "\n";
  std::cout << totals.right << " right, " << totals.wrong << " wrong, " << totals.refused
            << " refused";
  if (on) std::cout << ", " << totals.equal << " with the bits of the plugin";
  std::cout << "\n";
  if (fine && totals.wrong == 0 && (!on || totals.equal == totals.right))
    return OkStatus();
  return FailedPrecondition("some programs are wrong");
}

}  // namespace
}  // namespace tenon::tools

int main(int argc, char** argv) {
  CLI::App app{"Compiles test programs to object files, runs and checks them."};
  tenon::tools::Arguments arguments;
  tenon::compiler::AddObjectArchitectures();
  arguments.config.offered = tenon::cpu::HostMachine().features;
  arguments.config.num_threads = 1;
  app.add_option("files", arguments.files, "test programs")->required();
  app.add_option("--folder", arguments.folder, "where batches go")->required();
  app.add_option("--run", arguments.command, "shell command that makes results.bin")
      ->required();
  app.add_option("--plugin", arguments.plugin, "compare with this plugin's bits");
  app.add_option("--option", arguments.options, "create option of the plugin")
      ->allow_extra_args(false);
  app.add_option("--target", arguments.config.target, "see tenon-compile");
  app.add_option("--features", arguments.config.features, "see tenon-compile");
  app.add_flag("--callback", arguments.object.callback, "see tenon-compile");
  app.add_flag("--freestanding", arguments.object.freestanding, "see tenon-compile");
  app.add_option("--batch", arguments.batch, "programs of a batch");
  app.add_option("--every", arguments.every, "take only every so many-th program");
  app.add_option("--sum-tolerance", arguments.sum_tolerance, "see tenon-run");
  app.add_flag("--verbose", arguments.verbose, "name refused programs");
  CLI11_PARSE(app, argc, argv);
  const tenon::Status status = tenon::tools::Run(arguments);
  if (status.ok()) return 0;
  std::cerr << "tenon-test-objects: " << status.ToString() << "\n";
  return 1;
}
