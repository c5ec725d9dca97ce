// Times programs on two PJRT plugins in one process, without Python or a framework.
//
//   cpp_client_compare PLUGIN_A PLUGIN_B MANIFEST [--batches N] [--milliseconds M]
//
// The manifest has a line `program NAME FILE` for each StableHLO file, each followed by
// its arguments, `input TYPE DIMS FILE` (such as `input f32 2,3 x.bin`, `-` for rank 0),
// with files relative to the manifest. Batches of calls alternate between the plugins.
// Each call waits for its results. Prints a line of tab-separated values for each
// program: name, milliseconds of compilation with A and B, microseconds of a call with A
// and B (medians), the median of the ratios A / B of adjacent batches, and the largest
// difference of results, relative to the largest number of each.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "tenon/pjrt.hpp"

namespace {

struct Input {
  pjrt::ElementType type;
  std::vector<int64_t> dims;
  std::vector<char> bytes;
};

struct Task {
  std::string name, code;
  std::vector<Input> inputs;
};

[[noreturn]] void fail(const std::string& message) {
  std::fprintf(stderr, "cpp_client_compare: %s\n", message.c_str());
  std::exit(1);
}

std::vector<char> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<Task> read_manifest(const std::string& path) {
  std::vector<char> text = read_file(path);
  std::istringstream lines(std::string(text.begin(), text.end()));
  std::string folder = path.substr(0, path.rfind('/') + 1);
  std::vector<Task> tasks;
  for (std::string kind; lines >> kind;) {
    std::string first, second, third;
    lines >> first >> second;
    if (kind == "program") {
      std::vector<char> code = read_file(folder + second);
      tasks.push_back({first, {code.begin(), code.end()}, {}});
    } else if (kind == "input" && lines >> third && !tasks.empty()) {
      Input input{pjrt::ElementType::invalid, {}, read_file(folder + third)};
      for (int type = 0; type <= static_cast<int>(pjrt::ElementType::u1); ++type) {
        auto candidate = static_cast<pjrt::ElementType>(type);
        if (first == pjrt::type_name(candidate)) input.type = candidate;
      }
      std::istringstream dims(second == "-" ? "" : second);
      for (std::string dim; std::getline(dims, dim, ',');) {
        input.dims.push_back(std::stoll(dim));
      }
      tasks.back().inputs.push_back(std::move(input));
    } else {
      fail("cannot read the manifest at '" + kind + " " + first + "'");
    }
  }
  return tasks;
}

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

// One program on one plugin.
class Subject {
 public:
  Subject(const pjrt::Client& client, const Task& task)
      : program_(compile(client, task)) {
    for (const Input& input : task.inputs) {
      auto bytes = std::as_bytes(std::span(input.bytes));
      buffers_.push_back(
          client.to_device(pjrt::copied_bytes(bytes, input.type), input.dims).value());
    }
    arguments_.assign(buffers_.begin(), buffers_.end());
  }

  // Milliseconds per call.
  double batch(int calls) {
    auto begin = Clock::now();
    for (int i = 0; i < calls; ++i) {
      pjrt::Launched launched = program_.launch(arguments_).value();
      launched.done.get().value();
      results_ = std::move(launched.outputs);
    }
    return milliseconds_since(begin) / calls;
  }

  // The elements of all results of 32-bit floats.
  std::vector<std::vector<float>> results() {
    std::vector<std::vector<float>> values;
    for (const pjrt::Buffer& result : results_) {
      if (*result.element_type() != pjrt::ElementType::f32) continue;
      values.push_back(result.to_host<float>().get().value());
    }
    return values;
  }

  double compile_ms = 0;

 private:
  pjrt::Executable compile(const pjrt::Client& client, const Task& task) {
    auto begin = Clock::now();
    auto program = client.compile(pjrt::mlir(task.code));
    compile_ms = milliseconds_since(begin);
    if (!program) fail(task.name + ": " + program.error().what());
    return std::move(program).value();
  }

  pjrt::Executable program_;
  std::vector<pjrt::Buffer> buffers_, results_;
  std::vector<pjrt::Argument> arguments_;
};

double largest_difference(const std::vector<std::vector<float>>& a,
                          const std::vector<std::vector<float>>& b) {
  double result = a.size() == b.size() ? 0 : INFINITY;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    double largest = 0, difference = 0;
    for (size_t j = 0; j < std::min(a[i].size(), b[i].size()); ++j) {
      largest = std::max(largest, double(std::fabs(b[i][j])));
      double apart = std::fabs(double(a[i][j]) - double(b[i][j]));
      difference = std::isnan(apart) ? INFINITY : std::max(difference, apart);
    }
    result = std::max(result, largest > 0 ? difference / largest : difference);
  }
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  int batches = 30;
  double target_ms = 20;
  for (int i = 4; i + 1 < argc; i += 2) {
    if (!std::strcmp(argv[i], "--batches")) batches = std::max(1, std::atoi(argv[i + 1]));
    if (!std::strcmp(argv[i], "--milliseconds")) target_ms = std::atof(argv[i + 1]);
  }
  if (argc < 4) fail("arguments: PLUGIN_A PLUGIN_B MANIFEST");
  auto a_client = pjrt::Plugin::load(argv[1]).value().create_client().value();
  auto b_client = pjrt::Plugin::load(argv[2]).value().create_client().value();
  for (const Task& task : read_manifest(argv[3])) {
    Subject a(a_client, task), b(b_client, task);
    double slower = 0;
    for (int i = 0; i < 3; ++i) slower = std::max(a.batch(1), b.batch(1));
    int calls = std::clamp(static_cast<int>(target_ms / slower), 1, 100000);
    std::vector<double> a_times, b_times, ratios;
    for (int i = 0; i < batches; ++i) {
      a_times.push_back(a.batch(calls));
      b_times.push_back(b.batch(calls));
      ratios.push_back(a_times.back() / b_times.back());
    }
    std::printf("%s\t%.1f\t%.1f\t%.2f\t%.2f\t%.3f\t%.1e\n", task.name.c_str(),
                a.compile_ms, b.compile_ms, 1e3 * median(a_times), 1e3 * median(b_times),
                median(ratios), largest_difference(a.results(), b.results()));
    std::fflush(stdout);
  }
}
