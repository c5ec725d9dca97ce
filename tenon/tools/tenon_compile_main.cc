// tenon-compile: compiles a StableHLO program up to any stage, to an executable image, or
// to an object file.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tenon/compiler/compile.h"
#include "tenon/compiler/object/object.h"
#include "tenon/compiler/object/package.h"
#include "tenon/compiler/targets/all_devices/device_architectures.h"
#include "tenon/compiler/targets/architecture.h"
#include "tenon/devices/cpu/host_machine.h"
#include "tenon/executable/weights.h"
#include "tenon/format/layout.h"

namespace {

// The values of --stage, and the pipeline's names for them.
const std::map<std::string, std::string> kStages = {{"import", "import.mlir"},
                                                    {"partition", "partition.mlir"},
                                                    {"legalize", "legalize.mlir"},
                                                    {"simplify", "simplify.mlir"},
                                                    {"fuse", "fuse.mlir"},
                                                    {"program", "program.mlir"},
                                                    {"text", "optimized.mlir"},
                                                    {"llvm", "code.ll"},
                                                    {"asm", "code.s"},
                                                    {"image", "image"}};

// The values of --emit; "image" is the stage of this name.
using tenon::compiler::PackageKind;
const std::map<std::string, PackageKind> kPackages = {{"object", PackageKind::kObject},
                                                      {"archive", PackageKind::kArchive},
                                                      {"shared", PackageKind::kShared},
                                                      {"wasm", PackageKind::kWasm}};

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
  auto print_time = [&](std::string_view phase, double milliseconds) {
    auto found = std::find_if(times.begin(), times.end(),
                              [&](const auto& time) { return time.first == phase; });
    if (found == times.end())
      times.emplace_back(phase, milliseconds);
    else
      found->second = std::min(found->second, milliseconds);
  };
  config.on_time = print_time;
  for (int i = 0; i < repeat; ++i) {
    auto start = std::chrono::steady_clock::now();
    auto image = tenon::compiler::Compile(request, config);
    std::chrono::duration<double, std::milli> total =
        std::chrono::steady_clock::now() - start;
    if (!image.ok()) {
      std::cerr << "tenon-compile: " << image.status().ToString() << "\n";
      return 1;
    }
    print_time("all", total.count());
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

// The command line, apart from what it sets in the compiler's configuration.
struct Arguments {
  std::string input, output = "-", stage = "image", options_file;
  std::string architecture, cpu;  // the parts of --target, if it is not given
  std::string cache;
  std::string threads = "0";  // a number, or who runs parallel loops of an object
  std::string emit = "image", header;
  tenon::compiler::ObjectOptions object;
  std::string weights, aligned_weights;
  std::vector<std::string> weight_bindings;
  bool embed_weights = false;
  int repeat = 0;
};

void AddCompilerOptions(CLI::App& app, Arguments& arguments,
                        tenon::compiler::CompilerConfig& config) {
  auto* target = app.add_option(
      "-t,--target", config.target,
      "what to compile for: host, an architecture, LLVM's name of a\n"
      "processor, or ARCHITECTURE:PROCESSOR; several, separated by commas,\n"
      "give an image with code for each, of which the best is loaded");
  target->capture_default_str();
  app.add_option("--arch", arguments.architecture, "architecture of the processors")
      ->excludes(target);
  app.add_option("--cpu", arguments.cpu,
                 "processors or levels by LLVM's names, or native, separated by\n"
                 "commas; the image gets code for each, and the best that a machine\n"
                 "can run is loaded there")
      ->excludes(target);
  app.add_option("--features", config.features,
                 "LLVM features to add to each target's, as +a,-b");
  app.add_option("-O,--optimization-level", config.optimization_level,
                 "how much is done for fast code")
      ->check(CLI::Range(0, 3))
      ->capture_default_str();
  app.add_option("--threads", arguments.threads,
                 "threads that compile; 0: one per core. With --emit=object and the\n"
                 "like: none (parallel loops are plain loops), or callback (they run\n"
                 "on threads of the caller)")
      ->check(CLI::NonNegativeNumber | CLI::IsMember({"none", "callback"}));
  app.add_option("--dump", config.dump_dir,
                 "folder to write the program after every stage to; created if missing");
  app.add_flag("--tf32", config.tf32,
               "products of f32 may round operands to 10 bits of mantissa, where a\n"
               "device has such instructions");
  app.add_flag("!--no-fold", config.fold_constants, "keep constants as they are");
  app.add_option("--kernel-cache", arguments.cache,
                 "folder to keep generated code in and take it from; default: neither");
}

void AddObjectOptions(CLI::App& app, Arguments& arguments) {
  std::vector<std::string> kinds{"image"};
  for (auto& [name, kind] : kPackages) kinds.push_back(name);
  app.add_option("--emit", arguments.emit,
                 "write an executable image, or code for C programs: an object file,\n"
                 "an archive, a shared library or a WebAssembly module")
      ->check(CLI::IsMember(kinds))
      ->capture_default_str();
  app.add_option("--header", arguments.header, "C header to write for the object");
  app.add_option("--name", arguments.object.name,
                 "prefix of the object's symbols, a C identifier")
      ->capture_default_str();
  app.add_flag("--freestanding", arguments.object.freestanding,
               "the object has its own memcpy, memmove and memset");
  app.add_option("--max-stack", arguments.object.max_stack_bytes,
                 "fail if a call of the object takes more bytes of stack; 0: no limit")
      ->check(CLI::NonNegativeNumber);
}

void AddWeightOptions(CLI::App& app, Arguments& arguments) {
  auto* weights = app.add_option(
      "--weights", arguments.weights,
      "safetensors file with the values of those arguments that have the name of\n"
      "a tensor; the image names the file, which must be beside it to run it");
  app.add_option("--weight", arguments.weight_bindings,
                 "ARGUMENT=TENSOR: an argument, by name or number, and the tensor of\n"
                 "--weights with its value, if their names differ; repeat it for more")
      ->needs(weights);
  auto* embed = app.add_flag("--embed-weights", arguments.embed_weights,
                             "write the values into the image instead")
                    ->needs(weights);
  app.add_option("--write-weights", arguments.aligned_weights,
                 "write the tensors of --weights to this safetensors file, with\n"
                 "alignment, and let the image name it; values that are not aligned\n"
                 "to 64 bytes are copied when the image is opened")
      ->needs(weights)
      ->excludes(embed);
}

void AddOptions(CLI::App& app, Arguments& arguments,
                tenon::compiler::CompilerConfig& config) {
  std::vector<std::string> stage_names;
  for (auto& [name, phase] : kStages) stage_names.push_back(name);
  app.add_option("input", arguments.input,
                 "program to compile, or an image to which --weights are bound; -\n"
                 "reads standard input")
      ->required();
  app.add_option("-o,--output", arguments.output, "where to write; - is standard output")
      ->capture_default_str();
  app.add_option("-s,--stage", arguments.stage, "what to write")
      ->check(CLI::IsMember(stage_names))
      ->capture_default_str();
  app.add_option("--options", arguments.options_file,
                 "file with a serialized CompileOptionsProto");
  AddCompilerOptions(app, arguments, config);
  AddObjectOptions(app, arguments);
  AddWeightOptions(app, arguments);
  app.add_option("--explain-sharding", config.explain_format,
                 "write what the devices of a sharded program communicate, and why,\n"
                 "instead of a stage; text, html (a page with pictures) or json;\n"
                 "without a value: by the name of --output, or text")
      ->check(CLI::IsMember({"text", "html", "json", ""}))
      ->expected(0, 1);
  app.add_option("--time", arguments.repeat,
                 "compile so many times and print the shortest time of each phase");
}

// The names of targets for a list of processors. LLVM's users call the host "native".
std::string TargetsOf(const std::string& architecture, const std::string& cpus) {
  std::string targets, cpu;
  for (std::istringstream list(cpus); std::getline(list, cpu, ',');) {
    if (!targets.empty()) targets += ",";
    if (!architecture.empty()) targets += architecture + ":";
    targets += cpu == "native" && architecture.empty() ? "host" : cpu;
  }
  return targets;
}

// Completes the configuration from options that do not set it directly.
void FinishConfig(const Arguments& arguments, tenon::compiler::CompilerConfig& config) {
  if (!arguments.cpu.empty()) {
    config.target = TargetsOf(arguments.architecture, arguments.cpu);
  } else if (!arguments.architecture.empty()) {
    config.target = arguments.architecture;
  }
  if (arguments.threads != "none" && arguments.threads != "callback")
    config.num_threads = std::stoi(arguments.threads);
  if (!arguments.cache.empty()) {
    config.cache_code = true;
    config.cache_folder = std::filesystem::absolute(arguments.cache).string();
  }
}

std::string NameOf(const std::string& path) {
  return path == "-" ? "standard output" : "'" + path + "'";
}

// Removes a file that is not complete; leaves devices and pipes alone.
void RemoveFile(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored))
    std::filesystem::remove(path, ignored);
}

bool WriteFile(const std::string& path, const std::string& bytes) {
  if (path == "-") return static_cast<bool>(std::cout << bytes << std::flush);
  std::error_code error;
  const bool replaces = std::filesystem::is_regular_file(path, error);
  error.clear();
  // Renamed when complete: programs that have the old file mapped keep it.
  const std::string written = replaces ? path + ".part" : path;
  std::ofstream file(written, std::ios::binary);
  if (!file) return false;
  file << bytes;
  file.close();
  if (file && replaces) std::filesystem::rename(written, path, error);
  if (file && !error) return true;
  RemoveFile(written);
  return false;
}

// Why options do not go together; empty if they do.
std::string Contradiction(const CLI::App& app, const Arguments& arguments) {
  if (arguments.emit == "image") {
    for (const char* option : {"--header", "--name", "--freestanding", "--max-stack"})
      if (app.count(option) > 0)
        return std::string(option) + " needs --emit=object, archive, shared or wasm";
    if (arguments.threads == "callback" || arguments.threads == "none")
      return "--threads=" + arguments.threads +
             " needs --emit=object, archive, shared or wasm";
  }
  if (!arguments.header.empty() && arguments.header == arguments.output)
    return "--header and --output name the same file, '" + arguments.header + "'";
  return "";
}

// Creates the folder of --dump. Says on standard error if it cannot.
bool CreateDumpFolder(const std::string& folder) {
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error)
    std::cerr << "tenon-compile: cannot create the folder '" << folder
              << "' of --dump: " << error.message() << "\n";
  return !error;
}

// Says what the program's parameters became, on standard error.
void ReportWeights(const tenon::Image& image, const tenon::ImageWeights& weights) {
  size_t bytes = 0, unaligned = 0;
  std::vector<bool> is_weight(image.info.parameters.size());
  for (const tenon::ImageWeight& weight : weights.weights) {
    bytes += weight.value.size();
    is_weight[weight.parameter] = true;
    if (reinterpret_cast<uintptr_t>(weight.value.data()) % 64)
      unaligned += weight.value.size();
  }
  std::cerr << "tenon-compile: " << weights.weights.size() << " weights, " << bytes
            << " bytes; inputs:";
  for (size_t i = 0; i < is_weight.size(); ++i) {
    const std::string& name = image.info.parameters[i].name;
    if (!is_weight[i]) std::cerr << " " << (name.empty() ? std::to_string(i) : name);
  }
  std::cerr << "\n";
  if (!weights.file.empty() && unaligned > 0)
    std::cerr << "tenon-compile: " << unaligned
              << " bytes of weights are not aligned in '" << weights.file
              << "' and will be copied; --write-weights aligns them\n";
}

// The content of the image's file, with weights if there are any.
tenon::StatusOr<std::string> FileOf(const tenon::Image& image,
                                    const Arguments& arguments) {
  if (arguments.weights.empty()) return image.Serialize({.page_aligned = true});
  if (arguments.output == "-" && !arguments.embed_weights)
    return tenon::InvalidArgument(
        "an image on standard output cannot name a file beside it; use --output or "
        "--embed-weights");
  TENON_ASSIGN_OR_RETURN(auto file, tenon::TensorFile::Open(arguments.weights));
  if (!arguments.aligned_weights.empty()) {
    TENON_RETURN_IF_ERROR(file->WriteAligned(arguments.aligned_weights));
    TENON_ASSIGN_OR_RETURN(file, tenon::TensorFile::Open(arguments.aligned_weights));
  }
  tenon::ImageWeights weights;
  TENON_ASSIGN_OR_RETURN(
      weights.weights, tenon::FindWeights(image.info, *file, arguments.weight_bindings));
  if (!arguments.embed_weights) {
    namespace fs = std::filesystem;
    weights.file =
        fs::relative(file->path(), fs::absolute(arguments.output).parent_path()).string();
  }
  ReportWeights(image, weights);
  return image.Serialize({.page_aligned = true, .weights = &weights});
}

// Binds weights to an image that was compiled before.
int RewriteImage(const std::string& bytes, const Arguments& arguments) {
  auto image = tenon::Image::Deserialize(bytes);
  auto file = image.ok() ? FileOf(*image, arguments) : image.status();
  tenon::Status status = file.status();
  if (arguments.weights.empty())
    status = tenon::InvalidArgument("the input is compiled; it can only get --weights");
  if (status.ok() && !WriteFile(arguments.output, *file))
    status = tenon::InvalidArgument("cannot write " + NameOf(arguments.output));
  if (status.ok()) return 0;
  std::cerr << "tenon-compile: " << status.ToString() << "\n";
  return 1;
}

// Compiles the program and writes the stage that was asked for.
int WriteStage(const tenon::compiler::CompileRequest& request,
               tenon::compiler::CompilerConfig config, const Arguments& arguments) {
  std::string wanted;
  bool found = false;
  if (arguments.stage != "image") {
    config.on_phase = [&](std::string_view phase, std::string_view text) {
      if (phase != kStages.at(arguments.stage) &&
          !(arguments.stage == "llvm" && phase == "device.ll"))
        return;
      wanted = text;
      found = true;
    };
  }
  auto image = tenon::compiler::Compile(request, config);
  if (image.ok() && !found && arguments.stage != "image") {
    std::cerr << "tenon-compile: target '" << config.target << "' has no stage '"
              << arguments.stage << "'; --dump writes all that it has\n";
    return 1;
  }
  // Write a stage that was reached, even if a later one failed.
  if (image.ok() || found) {
    if (arguments.stage == "image") {
      auto bytes = FileOf(*image, arguments);
      if (!bytes.ok()) {
        std::cerr << "tenon-compile: " << bytes.status().ToString() << "\n";
        return 1;
      }
      wanted = *std::move(bytes);
    }
    if (!WriteFile(arguments.output, wanted)) {
      std::cerr << "tenon-compile: cannot write " << NameOf(arguments.output) << "\n";
      return 1;
    }
  }
  if (!image.ok()) {
    std::cerr << "tenon-compile: " << image.status().ToString() << "\n";
    return 1;
  }
  return 0;
}

int WriteObject(const tenon::compiler::CompileRequest& request,
                const tenon::compiler::CompilerConfig& config,
                const Arguments& arguments) {
  tenon::compiler::ObjectOptions options = arguments.object;
  options.callback = arguments.threads == "callback";
  // A module has no C library to link with.
  options.freestanding |= arguments.emit == "wasm";
  auto object = tenon::compiler::CompileObject(request, config, options);
  tenon::Status status = object.status();
  if (status.ok() && !arguments.header.empty() &&
      !WriteFile(arguments.header, object->header))
    status = tenon::InvalidArgument("cannot write '" + arguments.header + "'");
  if (status.ok()) {
    status = tenon::compiler::WritePackage(
        *object, options.name, kPackages.at(arguments.emit), arguments.output);
    if (!status.ok()) RemoveFile(arguments.header);
  }
  if (status.ok()) return 0;
  std::cerr << "tenon-compile: " << status.ToString() << "\n";
  return 1;
}

// The compiler writes the report as soon as it is known.
int Explain(const tenon::compiler::CompileRequest& request,
            const tenon::compiler::CompilerConfig& config) {
  auto image = tenon::compiler::Compile(request, config);
  if (image.ok()) return 0;
  std::cerr << "tenon-compile: " << image.status().ToString() << "\n";
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Compiles a StableHLO program (text, or a VHLO artifact) with Tenon.\n"
      "Prints the program after a stage, or writes an executable image."};
  app.name("tenon-compile");
  Arguments arguments;
  tenon::compiler::CompilerConfig config;
  tenon::compiler::AddObjectArchitectures();
  tenon::compiler::AddDeviceArchitectures();
  config.offered = tenon::cpu::HostMachine().features;
  AddOptions(app, arguments, config);
  CLI11_PARSE(app, argc, argv);
  FinishConfig(arguments, config);
  if (const std::string why = Contradiction(app, arguments); !why.empty()) {
    std::cerr << "tenon-compile: " << why << "\n";
    return 1;
  }
  if (!CreateDumpFolder(config.dump_dir)) return 1;
  const bool explains = app.count("--explain-sharding") > 0;
  if (explains) config.explain_sharding = arguments.output;

  std::string code, options;
  if (!ReadFile(arguments.input, code)) {
    std::cerr << "tenon-compile: cannot read '" << arguments.input << "'\n";
    return 1;
  }
  if (!arguments.options_file.empty() && !ReadFile(arguments.options_file, options)) {
    std::cerr << "tenon-compile: cannot read '" << arguments.options_file << "'\n";
    return 1;
  }
  if (arguments.repeat > 0) {
    return PrintTimes({code, options}, config, arguments.repeat);
  }
  if (!arguments.weights.empty() &&
      (arguments.emit != "image" || arguments.stage != "image" || explains)) {
    std::cerr << "tenon-compile: only images have weights; remove --weights\n";
    return 1;
  }
  if (code.starts_with(std::string_view(tenon::format::kMagic, 8)) &&
      arguments.emit == "image")
    return RewriteImage(code, arguments);
  if (arguments.emit != "image") return WriteObject({code, options}, config, arguments);
  return explains ? Explain({code, options}, config)
                  : WriteStage({code, options}, config, arguments);
}
