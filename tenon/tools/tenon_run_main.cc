// tenon-run: runs a program on any PJRT plugin, and shows, saves or compares its results.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iostream>
#include <numeric>
#include <optional>

#include "tenon/tools/plugin_runner.h"
#include "tenon/tools/program_file.h"
#include "tenon/types/literal_compare.h"
#include "tenon/types/npy.h"
#include "tenon/types/random_literal.h"

namespace tenon::tools {
namespace {

struct Arguments {
  std::string program, plugin, output_prefix;
  std::vector<std::string> inputs, expected, options;
  std::optional<int64_t> max_ulps;
  double relative = 0, absolute = 0, sum_tolerance = 0;
  uint64_t seed = 0;
  int repeat = 0;
  int64_t print_limit = 16;
  int64_t replicas = 1, partitions = 1;
  bool check = false, reference = false, keep_denormals = false, quiet = false;
};

// The plugin of the tool's own build: <build>/bin/tenon-run, <build>/lib/<the plugin>.
std::string DefaultPlugin() {
  std::error_code error;
  auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return (self.parent_path().parent_path() / "lib" / "pjrt_plugin_tenon_cpu.so").string();
}

template <typename Number>
std::optional<Number> ParseNumber(std::string_view text) {
  Number value;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Parses "true" as bool, "3" as int64, "1.5" as float, "[1,2]" as a list of int64, and
// everything else as a string.
pjrt::NamedValue ParseValue(std::string_view text) {
  if (text == "true" || text == "false") return text == "true";
  if (auto number = ParseNumber<int64_t>(text)) return *number;
  if (auto number = ParseNumber<float>(text)) return *number;
  if (text.starts_with('[') && text.ends_with(']')) {
    std::vector<int64_t> list;
    std::string_view rest = text.substr(1, text.size() - 2);
    while (!rest.empty()) {
      size_t comma = std::min(rest.find(','), rest.size());
      auto number = ParseNumber<int64_t>(rest.substr(0, comma));
      if (!number) return std::string(text);
      list.push_back(*number);
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    return list;
  }
  return std::string(text);
}

StatusOr<pjrt::NamedValueMap> ParseOptions(const std::vector<std::string>& options) {
  pjrt::NamedValueMap values;
  for (const std::string& option : options) {
    size_t equals = option.find('=');
    if (equals == std::string::npos || equals == 0) {
      return InvalidArgument("--option " + option + ": expected <name>=<value>");
    }
    values[option.substr(0, equals)] =
        ParseValue(std::string_view(option).substr(equals + 1));
  }
  return values;
}

Status CheckShape(const ParameterShape& shape, const Literal& literal,
                  const std::string& path, size_t index) {
  bool fits = literal.dims().size() == shape.dims.size();
  for (size_t d = 0; fits && d < shape.dims.size(); ++d) {
    fits = shape.dims[d] < 0 || shape.dims[d] == literal.dims()[d];
  }
  if (fits && shape.type == literal.type()) return OkStatus();
  return InvalidArgument("'" + path + "' has " +
                         ShapeString(literal.type(), literal.dims()) + ", but argument " +
                         std::to_string(index) + " of the program is " +
                         ShapeString(shape.type, shape.dims));
}

// Reads the arguments from files. Without files it takes the program's own, or random
// ones.
StatusOr<std::vector<Literal>> MakeArguments(const ProgramFile& program,
                                             const Arguments& arguments) {
  if (program.arguments) {
    if (arguments.inputs.empty()) return *program.arguments;
    return InvalidArgument(
        "--input cannot be given with --check, which computes the inputs itself");
  }
  if (!program.parameters && arguments.inputs.empty()) return std::vector<Literal>();
  const size_t count =
      program.parameters ? program.parameters->size() : arguments.inputs.size();
  if (!arguments.inputs.empty() && arguments.inputs.size() != count) {
    return InvalidArgument("the program takes " + std::to_string(count) +
                           " arguments, but --input was given " +
                           std::to_string(arguments.inputs.size()) + " times");
  }
  std::vector<Literal> literals;
  for (size_t i = 0; i < count; ++i) {
    ParameterShape shape =
        program.parameters ? (*program.parameters)[i] : ParameterShape{};
    if (!arguments.inputs.empty()) {
      const std::string& path = arguments.inputs[i];
      TENON_ASSIGN_OR_RETURN(Literal literal, ReadNpy(path, shape.type));
      if (program.parameters) TENON_RETURN_IF_ERROR(CheckShape(shape, literal, path, i));
      literals.push_back(std::move(literal));
      continue;
    }
    if (std::any_of(shape.dims.begin(), shape.dims.end(),
                    [](int64_t size) { return size < 0; })) {
      return InvalidArgument("argument " + std::to_string(i) +
                             " has a size known only at run time: give --input");
    }
    TENON_RETURN_IF_ERROR(CountBytes(shape.type, shape.dims).status());
    literals.push_back(RandomLiteral(shape.type, shape.dims, arguments.seed * count + i));
  }
  return literals;
}

Status Compare(const std::vector<Literal>& results, const Arguments& arguments) {
  if (arguments.expected.empty()) return OkStatus();
  if (arguments.expected.size() > results.size()) {
    return InvalidArgument(
        "--expect was given " + std::to_string(arguments.expected.size()) +
        " times, but the program has " + std::to_string(results.size()) + " results");
  }
  for (size_t i = 0; i < arguments.expected.size(); ++i) {
    TENON_ASSIGN_OR_RETURN(Literal expected,
                           ReadNpy(arguments.expected[i], results[i].type()));
    Status status =
        arguments.max_ulps ? CompareUlps(results[i], expected, *arguments.max_ulps)
        : arguments.relative > 0 || arguments.absolute > 0
            ? CompareClose(results[i], expected, arguments.relative, arguments.absolute)
            : CompareEqual(results[i], expected);
    TENON_RETURN_IF_ERROR(status.WithPrefix("result " + std::to_string(i) + " is not '" +
                                            arguments.expected[i] + "'"));
  }
  return OkStatus();
}

void PrintTimes(std::vector<double> seconds, double compile_seconds) {
  std::sort(seconds.begin(), seconds.end());
  const double mean =
      std::accumulate(seconds.begin(), seconds.end(), 0.0) / seconds.size();
  const size_t middle = seconds.size() / 2;
  const double median =
      seconds.size() % 2 ? seconds[middle] : (seconds[middle - 1] + seconds[middle]) / 2;
  std::printf("compile %.3f ms\n", compile_seconds * 1e3);
  std::printf("run     min %.3f us, median %.3f us, mean %.3f us of %zu calls\n",
              seconds[0] * 1e6, median * 1e6, mean * 1e6, seconds.size());
}

// Runs the program once on the plugin and returns its results; then times further runs.
// Arguments and results are by device.
StatusOr<std::vector<std::vector<Literal>>> RunOnPlugin(
    PluginRunner& runner, const ProgramFile& program,
    std::span<const std::vector<Literal>> literals, const Arguments& arguments) {
  TENON_RETURN_IF_ERROR(runner.Load(program, arguments.replicas, arguments.partitions));
  TENON_RETURN_IF_ERROR(runner.SetArguments(literals));
  // The first run is not timed, because it includes page faults on fresh memory.
  TENON_RETURN_IF_ERROR(runner.Run(/*keep_arguments=*/arguments.repeat > 0).status());
  std::vector<double> seconds;
  for (int i = 0; i < arguments.repeat; ++i) {
    TENON_ASSIGN_OR_RETURN(double time, runner.Run(/*keep_arguments=*/true));
    seconds.push_back(time);
  }
  TENON_ASSIGN_OR_RETURN(auto results, runner.Results());
  if (!seconds.empty()) PrintTimes(std::move(seconds), runner.compile_seconds());
  return results;
}

// The device's share of the inputs, and a seed of its own.
StatusOr<Arguments> ForDevice(const ProgramFile& program, const Arguments& arguments,
                              int64_t device, int64_t devices) {
  Arguments own = arguments;
  own.seed = arguments.seed * devices + device;
  if (arguments.inputs.empty()) return own;
  const size_t count = program.parameters ? program.parameters->size() : 0;
  if (arguments.inputs.size() != count * devices) {
    return InvalidArgument("the program takes " + std::to_string(count) +
                           " arguments on each of " + std::to_string(devices) +
                           " devices, but --input was given " +
                           std::to_string(arguments.inputs.size()) + " times");
  }
  auto first = arguments.inputs.begin() + static_cast<int64_t>(count) * device;
  own.inputs.assign(first, first + static_cast<int64_t>(count));
  return own;
}

// Runs the program on several devices, and shows and saves the results of each.
Status RunOnDevices(const ProgramFile& program, PluginRunner* runner,
                    const Arguments& arguments) {
  if ((!runner && !program.evaluate_on_devices) || program.check ||
      !arguments.expected.empty()) {
    return InvalidArgument(
        "--replicas and --partitions want a program, without --check and --expect");
  }
  const int64_t devices = arguments.replicas * arguments.partitions;
  std::vector<std::vector<Literal>> literals;
  for (int64_t device = 0; device < devices; ++device) {
    TENON_ASSIGN_OR_RETURN(Arguments own, ForDevice(program, arguments, device, devices));
    TENON_ASSIGN_OR_RETURN(literals.emplace_back(), MakeArguments(program, own));
  }
  TENON_ASSIGN_OR_RETURN(
      auto results,
      runner ? RunOnPlugin(*runner, program, literals, arguments)
             : program.evaluate_on_devices(arguments.replicas, arguments.partitions,
                                           literals, arguments.keep_denormals));
  for (size_t device = 0; device < results.size(); ++device) {
    for (size_t i = 0; i < results[device].size(); ++i) {
      const std::string name = std::to_string(device) + "." + std::to_string(i);
      if (!arguments.quiet) {
        std::cout << "result " << name << ": "
                  << results[device][i].ToString(arguments.print_limit) << "\n";
      }
      if (arguments.output_prefix.empty()) continue;
      TENON_RETURN_IF_ERROR(
          WriteNpy(arguments.output_prefix + name + ".npy", results[device][i]));
    }
  }
  return OkStatus();
}

// `runner` is null to compute with the reference evaluator.
Status RunProgram(const ProgramFile& program, PluginRunner* runner,
                  const Arguments& arguments) {
  if (!runner && !program.evaluate) {
    return InvalidArgument(
        "--reference cannot evaluate a serialized executable; give the program");
  }
  if (arguments.replicas * arguments.partitions > 1) {
    return RunOnDevices(program, runner, arguments);
  }
  TENON_ASSIGN_OR_RETURN(std::vector<Literal> literals,
                         MakeArguments(program, arguments));
  std::vector<Literal> results;
  if (runner) {
    TENON_ASSIGN_OR_RETURN(auto lists,
                           RunOnPlugin(*runner, program, {&literals, 1}, arguments));
    results = std::move(lists[0]);
  } else {
    TENON_ASSIGN_OR_RETURN(results, program.evaluate(literals, arguments.keep_denormals));
  }
  for (size_t i = 0; i < results.size(); ++i) {
    if (!arguments.quiet) {
      std::cout << "result " << i << ": " << results[i].ToString(arguments.print_limit)
                << "\n";
    }
    if (arguments.output_prefix.empty()) continue;
    TENON_RETURN_IF_ERROR(
        WriteNpy(arguments.output_prefix + std::to_string(i) + ".npy", results[i]));
  }
  std::cout.flush();
  if (program.check) {
    TENON_RETURN_IF_ERROR(program.check(results));
    if (!arguments.quiet) std::cout << "the results are as the program expects\n";
  }
  TENON_RETURN_IF_ERROR(Compare(results, arguments));
  if (!arguments.expected.empty() && !arguments.quiet) {
    std::cout << "the results are as expected\n";
  }
  return OkStatus();
}

Status OpenAndRun(std::string bytes, PluginRunner* runner, const Arguments& arguments) {
  auto opened = OpenProgram(std::move(bytes), arguments.check, arguments.sum_tolerance);
  if (!opened.ok()) return opened.status().WithPrefix("'" + arguments.program + "'");
  return RunProgram(*opened, runner, arguments);
}

// Runs every program of a test file, even after a failed one.
Status RunCases(const std::vector<TestCase>& cases, PluginRunner* runner,
                const Arguments& arguments) {
  size_t failed = 0;
  for (const TestCase& test : cases) {
    Status status = OpenAndRun(test.text, runner, arguments);
    if (status.ok()) continue;
    ++failed;
    std::cerr << "case " << test.name << ": " << status.ToString() << "\n";
  }
  if (failed == 0) return OkStatus();
  return FailedPrecondition(std::to_string(failed) + " of " +
                            std::to_string(cases.size()) + " cases of '" +
                            arguments.program + "' failed");
}

Status Run(const Arguments& arguments) {
  TENON_ASSIGN_OR_RETURN(std::string bytes, ReadFileBytes(arguments.program));
  TENON_ASSIGN_OR_RETURN(pjrt::NamedValueMap options, ParseOptions(arguments.options));
  std::optional<PluginRunner> runner;
  if (!arguments.reference) {
    TENON_ASSIGN_OR_RETURN(runner, PluginRunner::Create(arguments.plugin, options));
  }
  PluginRunner* on = runner ? &*runner : nullptr;
  if (arguments.check) {
    std::vector<TestCase> cases = SplitTestCases(bytes);
    if (cases.size() > 1) return RunCases(cases, on, arguments);
  }
  return OpenAndRun(std::move(bytes), on, arguments);
}

}  // namespace
}  // namespace tenon::tools

int main(int argc, char** argv) {
  CLI::App app{
      "Runs a StableHLO program (text or portable artifact), or an executable that\n"
      "tenon-compile wrote, on a PJRT plugin; prints its results.\n"
      "Exit status: 0 fine, 1 an error or other results than expected."};
  app.name("tenon-run");
  tenon::tools::Arguments arguments;
  arguments.plugin = tenon::tools::DefaultPlugin();
  app.add_option("program", arguments.program, "program to run; - reads standard input")
      ->required();
  app.add_option("-p,--plugin", arguments.plugin, "the plugin's shared library")
      ->capture_default_str();
  app.add_option(
         "-i,--input", arguments.inputs,
         "NPY file of an argument; one per argument, in order. Default: random values")
      ->allow_extra_args(false);
  app.add_option("--seed", arguments.seed, "seed of the random values")
      ->capture_default_str();
  app.add_option("-o,--output-prefix", arguments.output_prefix,
                 "save result i as <prefix>i.npy");
  app.add_option("-e,--expect", arguments.expected,
                 "NPY file of an expected result; one per result, in order")
      ->allow_extra_args(false);
  app.add_option("--max-ulps", arguments.max_ulps,
                 "representable values that a result may differ by; without a tolerance "
                 "results are equal")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--rtol", arguments.relative, "relative tolerance of --expect")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--atol", arguments.absolute, "absolute tolerance of --expect")
      ->check(CLI::NonNegativeNumber);
  app.add_flag("--check", arguments.check,
               "a test program: its custom calls @check.* compare the results, and its "
               "calls without arguments make the inputs, both with the reference "
               "evaluator. Lines `// -----` separate the programs of a file");
  app.add_flag("--reference", arguments.reference,
               "compute the results with the reference evaluator, not a plugin");
  app.add_flag(
         "--keep-denormals", arguments.keep_denormals,
         "--reference keeps denormals, as plugins with the option ieee_denormals=1 do")
      ->needs("--reference");
  app.add_option(
         "--replicas", arguments.replicas,
         "run this many replicas of the program, whose collectives communicate, on "
         "as many devices (--option device_count=N); --input is given for all "
         "arguments of device 0, then of device 1 and so on; result i of device d "
         "is printed as d.i")
      ->check(CLI::Range(1, 65536));
  app.add_option("--partitions", arguments.partitions,
                 "the same for partitions; device r * partitions + p is partition p of "
                 "replica r")
      ->check(CLI::Range(1, 65536));
  app.add_option("--sum-tolerance", arguments.sum_tolerance,
                 "--check accepts floats that differ by so many epsilons of the largest "
                 "expected value: sums may be in any order")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--option", arguments.options,
                 "a create option of the plugin, as name=value; may be repeated")
      ->allow_extra_args(false);
  app.add_option("-n,--repeat", arguments.repeat,
                 "time this many more calls (the call alone, arguments kept)")
      ->check(CLI::Range(0, 1000000000));
  app.add_option("--print-limit", arguments.print_limit, "elements of a result to print")
      ->capture_default_str()
      ->check(CLI::Range(0, 1000000000));
  app.add_flag("-q,--quiet", arguments.quiet, "print no results");
  CLI11_PARSE(app, argc, argv);
  tenon::Status status = tenon::tools::Run(arguments);
  if (status.ok()) return 0;
  std::cerr << "tenon-run: " << status.ToString() << "\n";
  return 1;
}
