// tenon-compile: compiles a StableHLO program up to any stage, or to an executable image.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>

#include "tenon/compiler/compile.h"
#include "tenon/devices/cpu/host_machine.h"

namespace {

// The values of --stage, and the pipeline's names for them.
const std::map<std::string, std::string> kStages = {{"import", "import.mlir"},
                                                    {"legalize", "legalize.mlir"},
                                                    {"simplify", "simplify.mlir"},
                                                    {"fuse", "fuse.mlir"},
                                                    {"program", "program.mlir"},
                                                    {"text", "optimized.mlir"},
                                                    {"llvm", "code.ll"},
                                                    {"asm", "code.s"},
                                                    {"image", "image"}};

bool ReadFile(const std::string& path, std::string& bytes) {
  if (path == "-") {
    bytes.assign(std::istreambuf_iterator<char>(std::cin), {});
    return true;
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) return false;
  bytes.assign(std::istreambuf_iterator<char>(file), {});
  return true;
}

// Compiles `repeat` times and prints the shortest time of each phase.
int PrintTimes(const tenon::compiler::CompileRequest& request,
               tenon::compiler::CompilerConfig config, int repeat) {
  std::vector<std::pair<std::string, double>> times;
  auto note = [&](std::string_view phase, double milliseconds) {
    auto found = std::find_if(times.begin(), times.end(),
                              [&](const auto& time) { return time.first == phase; });
    if (found == times.end())
      times.emplace_back(phase, milliseconds);
    else
      found->second = std::min(found->second, milliseconds);
  };
  config.on_time = note;
  for (int i = 0; i < repeat; ++i) {
    auto start = std::chrono::steady_clock::now();
    auto image = tenon::compiler::Compile(request, config);
    std::chrono::duration<double, std::milli> total =
        std::chrono::steady_clock::now() - start;
    if (!image.ok()) {
      std::cerr << "tenon-compile: " << image.status().ToString() << "\n";
      return 1;
    }
    note("all", total.count());
  }
  for (auto& [phase, milliseconds] : times)
    std::printf("%-12s %10.3f ms\n", phase.c_str(), milliseconds);
  if (config.cache_code) {
    const tenon::compiler::CacheCounts counts = tenon::compiler::CountCached(config);
    std::printf("kernels generated %ld, from memory %ld, from the cache's folder %ld\n",
                counts.generated, counts.from_memory, counts.from_disk);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Compiles a StableHLO program (text, or a VHLO artifact) with Tenon.\n"
      "Prints the program after a stage, or writes an executable image."};
  app.name("tenon-compile");
  std::string input, output = "-", stage = "image", options_file;
  tenon::compiler::CompilerConfig config;
  config.offered = tenon::cpu::HostMachine().features;
  std::vector<std::string> stage_names;
  for (auto& [name, phase] : kStages) stage_names.push_back(name);
  app.add_option("input", input, "program to compile; - reads standard input")
      ->required();
  app.add_option("-o,--output", output, "where to write; - is standard output")
      ->capture_default_str();
  app.add_option("-s,--stage", stage, "what to write")
      ->check(CLI::IsMember(stage_names))
      ->capture_default_str();
  app.add_option("--options", options_file, "file with a serialized CompileOptionsProto");
  auto* target = app.add_option(
      "-t,--target", config.target,
      "what to compile for: host, an architecture, LLVM's name of a\n"
      "processor, or ARCHITECTURE:PROCESSOR; several, separated by commas,\n"
      "give an image with code for each, of which the best is loaded");
  target->capture_default_str();
  std::string architecture, cpu;
  app.add_option("--arch", architecture, "architecture of the one target")
      ->excludes(target);
  app.add_option("--cpu", cpu, "processor of the one target")->excludes(target);
  app.add_option("--features", config.features,
                 "LLVM features to add to each target's, as +a,-b");
  app.add_option("-O,--optimization-level", config.optimization_level,
                 "how much is done for fast code")
      ->check(CLI::Range(0, 3))
      ->capture_default_str();
  app.add_option("--threads", config.num_threads, "threads that compile; 0: one a core");
  app.add_option("--dump", config.dump_dir,
                 "folder to write the program after every stage to");
  app.add_flag("!--no-fold", config.fold_constants, "keep constants as they are");
  std::string cache;
  app.add_option("--kernel-cache", cache,
                 "folder to keep generated code in and take it from; default: neither");
  int repeat = 0;
  app.add_option("--time", repeat,
                 "compile so many times and print the shortest time of each phase");
  CLI11_PARSE(app, argc, argv);

  if (!architecture.empty() || !cpu.empty()) {
    const bool both = !architecture.empty() && !cpu.empty();
    config.target = architecture + (both ? ":" : "") + cpu;
  }
  if (!cache.empty()) {
    config.cache_code = true;
    config.cache_folder = std::filesystem::absolute(cache).string();
  }
  std::string code, options;
  if (!ReadFile(input, code)) {
    std::cerr << "tenon-compile: cannot read '" << input << "'\n";
    return 1;
  }
  if (!options_file.empty() && !ReadFile(options_file, options)) {
    std::cerr << "tenon-compile: cannot read '" << options_file << "'\n";
    return 1;
  }
  if (repeat > 0) return PrintTimes({code, options}, config, repeat);
  std::string wanted;
  bool found = false;
  if (stage != "image") {
    config.on_phase = [&](std::string_view phase, std::string_view text) {
      if (phase != kStages.at(stage)) return;
      wanted = text;
      found = true;
    };
  }
  auto image = tenon::compiler::Compile({code, options}, config);
  // Print a stage that was reached, even if a later one failed.
  if (!image.ok() && !found) {
    std::cerr << "tenon-compile: " << image.status().ToString() << "\n";
    return 1;
  }
  if (stage == "image") wanted = image->Serialize();
  if (output == "-") {
    std::cout << wanted;
  } else {
    std::ofstream file(output, std::ios::binary);
    file << wanted;
    if (!file) {
      std::cerr << "tenon-compile: cannot write '" << output << "'\n";
      return 1;
    }
  }
  if (!image.ok()) {
    std::cerr << "tenon-compile: " << image.status().ToString() << "\n";
    return 1;
  }
  return 0;
}
