// Generates the code of functions that kernels share, for all levels of this machine's
// architecture, so that it can be built into the plugin
// (tenon/compiler/pipeline/shared_code.h).
//
//   tenon-built-in-code OUTPUT
#include <fstream>
#include <functional>
#include <future>
#include <iostream>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "tenon/compiler/compile.h"
#include "tenon/compiler/pipeline/built_in_code.h"
#include "tenon/compiler/pipeline/generate_micro_kernels.h"
#include "tenon/compiler/targets/target.h"
#include "tenon/compiler/targets/target_name.h"

namespace {

// Fourier transforms: lengths with all small radices, and every way to read and write
// rows.
constexpr int64_t kLengths[] = {
    2,   3,   4,   5,   6,   7,    8,    9,    10,    11,     12,  13,  14,
    15,  16,  17,  18,  19,  20,   23,   24,   25,    27,     29,  31,  32,
    36,  40,  45,  48,  49,  50,   60,   64,   72,    75,     81,  96,  100,
    120, 121, 125, 128, 144, 169,  180,  200,  240,   243,    256, 343, 360,
    384, 500, 512, 625, 720, 1000, 1024, 4096, 65536, 1 << 20};
constexpr int64_t kLengthsOfRows[] = {16, 45, 96, 225, 375, 1000, 4096};
// A multiple of all numbers of lanes, and others.
constexpr int64_t kRows[] = {64, 27, 1};
// Lengths whose steps read and write columns of arrays: of transforms of two dimensions,
// and of one long row.
constexpr int64_t kColumns[] = {
    2,   3,   4,   5,   6,   7,   8,   9,   10,  11,  12,  13,  14,   15,   16,  17,
    18,  19,  20,  21,  22,  23,  24,  25,  26,  27,  29,  31,  32,   33,   35,  36,
    40,  45,  48,  49,  50,  60,  64,  77,  81,  91,  96,  100, 121,  128,  143, 169,
    256, 300, 343, 384, 480, 500, 512, 600, 625, 720, 729, 768, 1000, 1024, 2048};
// Whole registers of columns, and a part of one.
constexpr int64_t kNumbersOfColumns[] = {64, 13};
constexpr int64_t kLong[] = {8192, 10000, 16384, 19683, 32768, 65536};
// Lengths with a large prime, by way of a longer transform.
constexpr int64_t kPrimes[] = {1009, 2003, 4001, 10007, 30011, 65537};

std::string Type(int64_t rows, int64_t length, const std::string& element) {
  return "tensor<" + std::to_string(rows) + "x" + std::to_string(length) + "x" + element +
         ">";
}

std::string Transform(const std::string& kind, int64_t rows, int64_t length,
                      const std::string& real) {
  const std::string number = "complex<" + real + ">";
  const std::string from = kind == "RFFT"    ? Type(rows, length, real)
                           : kind == "IRFFT" ? Type(rows, length / 2 + 1, number)
                                             : Type(rows, length, number);
  const std::string to = kind == "RFFT"    ? Type(rows, length / 2 + 1, number)
                         : kind == "IRFFT" ? Type(rows, length, real)
                                           : Type(rows, length, number);
  return "func.func @main(%x: " + from + ") -> " + to +
         " {\n  %0 = stablehlo.fft %x, type = " + kind + ", length = [" +
         std::to_string(length) + "] : (" + from + ") -> " + to +
         "\n  return %0 : " + to + "\n}\n";
}

// Sorts one row of keys, alone or with other numbers that follow their order.
std::string Sort(int64_t length, const std::string& key, bool has_others) {
  const std::string scalar = "tensor<" + key + ">";
  const std::string row = "tensor<" + std::to_string(length) + "x" + key + ">";
  const std::string types = has_others ? row + ", " + row : row;
  return "func.func @main(%x: " + row + ", %y: " + row + ") -> " + row + " {\n  " +
         (has_others ? "%k, %0 = \"stablehlo.sort\"(%x, %y)"
                     : "%0 = \"stablehlo.sort\"(%x)") +
         " ({\n  ^bb0(%a: " + scalar + ", %b: " + scalar +
         (has_others ? ", %c: " + scalar + ", %d: " + scalar : "") +
         "):\n    %1 = stablehlo.compare LT, %a, %b : (" + scalar + ", " + scalar +
         ") -> tensor<i1>\n    stablehlo.return %1 : tensor<i1>\n  }) {dimension = 0 : "
         "i64, is_stable = true} : (" +
         types + ") -> (" + types + ")\n  return %0 : " + row + "\n}\n";
}

std::string TopK(const std::string& key) {
  return "func.func @main(%x: tensor<1000x" + key + ">) -> tensor<10x" + key +
         "> {\n  %k, %i = chlo.top_k(%x, k = 10) : tensor<1000x" + key +
         "> -> (tensor<10x" + key + ">, tensor<10xi32>)\n  return %k : tensor<10x" + key +
         ">\n}\n";
}

// A transform of two dimensions. Of real ones, `columns` / 2 + 1 are transformed along
// the first dimension.
std::string Transform2(const std::string& kind, int64_t rows, int64_t columns,
                       const std::string& real) {
  const std::string number = "complex<" + real + ">";
  const std::string whole = Type(rows, columns, number);
  const std::string half = Type(rows, columns / 2 + 1, number);
  const std::string from = kind == "RFFT"    ? Type(rows, columns, real)
                           : kind == "IRFFT" ? half
                                             : whole;
  const std::string to = kind == "RFFT"    ? half
                         : kind == "IRFFT" ? Type(rows, columns, real)
                                           : whole;
  return "func.func @main(%x: " + from + ") -> " + to +
         " {\n  %0 = stablehlo.fft %x, type = " + kind + ", length = [" +
         std::to_string(rows) + ", " + std::to_string(columns) + "] : (" + from +
         ") -> " + to + "\n  return %0 : " + to + "\n}\n";
}

// The tiles of products are generated one by one; what copies operands and results of
// the last, partial tiles comes from products with all widths of tiles.
std::string Product(int64_t rows, int64_t depth, int64_t columns,
                    const std::string& real) {
  const std::string x = Type(rows, depth, real), y = Type(depth, columns, real);
  const std::string result = Type(rows, columns, real);
  return "func.func @main(%x: " + x + ", %y: " + y + ") -> " + result +
         " {\n  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (" + x +
         ", " + y + ") -> " + result + "\n  return %0 : " + result + "\n}\n";
}

// The same with a filter of 3 x 3, whose tiles may be wider.
std::string Convolution(int64_t size, int64_t features, const std::string& real) {
  const auto type = [&](std::initializer_list<int64_t> sizes) {
    std::string result = "tensor<";
    for (int64_t dim : sizes) result += std::to_string(dim) + "x";
    return result + real + ">";
  };
  const std::string x = type({1, size, size, features});
  const std::string filter = type({3, 3, features, features});
  return "func.func @main(%x: " + x + ", %w: " + filter + ") -> " + x +
         " {\n  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, "
         "o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : "
         "i64, feature_group_count = 1 : i64} : (" +
         x + ", " + filter + ") -> " + x + "\n  return %0 : " + x + "\n}\n";
}

std::vector<std::string> Programs() {
  std::vector<std::string> programs;
  for (const char* real : {"f32", "f64"})
    for (int64_t rows : {8, 48, 300, 1024})
      for (int64_t depth : {48, 1024})
        for (int64_t columns : {24, 33, 100, 512, 1000, 1001, 1024})
          programs.push_back(Product(rows, depth, columns, real));
  for (const char* real : {"f32", "f64"})
    for (int64_t size : {7, 28, 56})
      for (int64_t features : {10, 32, 64, 100, 512})
        programs.push_back(Convolution(size, features, real));
  for (const char* real : {"f32", "f64"}) {
    for (int64_t length : kLengths)
      programs.push_back(Transform("FFT", length < 10000 ? 64 : 1, length, real));
    for (const char* kind : {"FFT", "IFFT", "RFFT", "IRFFT"})
      for (int64_t length : kLengthsOfRows)
        for (int64_t rows : kRows)
          programs.push_back(Transform(kind, rows, length, real));
  }
  for (const char* real : {"f32", "f64"})
    for (const char* kind : {"FFT", "IFFT", "RFFT", "IRFFT"}) {
      for (int64_t length : kColumns)
        for (int64_t columns : kNumbersOfColumns)
          programs.push_back(Transform2(kind, length, columns, real));
      for (int64_t length : kLong) programs.push_back(Transform(kind, 1, length, real));
      for (int64_t length : kPrimes)
        for (int64_t rows : kRows)
          programs.push_back(Transform(kind, rows, length, real));
    }
  for (const char* key : {"i32", "i64", "f32"}) programs.push_back(TopK(key));
  for (const char* key : {"i32", "i64"})
    for (int64_t length : {1000, 5000, 10000, 20000, 100000})
      for (bool has_others : {false, true})
        programs.push_back(Sort(length, key, has_others));
  return programs;
}

tenon::Status GenerateMicroKernels(const std::string& level,
                                   const tenon::compiler::CompilerConfig& config) {
  TENON_ASSIGN_OR_RETURN(const auto name, tenon::compiler::ParseTargetName(level));
  tenon::compiler::CodeOptions options;
  TENON_ASSIGN_OR_RETURN(
      options.target, tenon::compiler::DescribeTarget(name.architecture, name.cpu, ""));
  options.optimization_level = config.optimization_level;
  options.on_shared_code = config.on_shared_code;
  return tenon::compiler::GenerateMicroKernels(options);
}

// Generates the functions for a level.
tenon::Status Generate(
    const std::string& level,
    const std::function<void(std::string_view key, std::string_view object)>& add) {
  tenon::compiler::CompilerConfig config;
  config.target = level;
  config.cache_code = true;  // in memory
  config.num_threads = 1;
  config.on_shared_code = add;
  TENON_RETURN_IF_ERROR(GenerateMicroKernels(level, config));
  for (const std::string& program : Programs())
    TENON_RETURN_IF_ERROR(tenon::compiler::Compile({program, ""}, config).status());
  return tenon::OkStatus();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: tenon-built-in-code OUTPUT\n";
    return 1;
  }
  std::mutex mutex;
  std::map<std::string, std::string> objects;
  auto add = [&](std::string_view key, std::string_view object) {
    std::lock_guard lock(mutex);
    objects.emplace(key, object);
  };
  std::vector<std::future<tenon::Status>> levels;
  for (const std::string& level : tenon::compiler::HostLevels())
    levels.push_back(
        std::async(std::launch::async, [&add, level] { return Generate(level, add); }));
  bool failed = false;
  for (auto& level : levels) {
    const tenon::Status status = level.get();
    if (status.ok()) continue;
    std::cerr << "tenon-built-in-code: " << status.ToString() << "\n";
    failed = true;
  }
  if (failed) return 1;
  std::ofstream file(argv[1], std::ios::binary);
  file << tenon::compiler::PackBuiltInCode(objects);
  if (!file.flush()) {
    std::cerr << "tenon-built-in-code: cannot write " << argv[1] << "\n";
    return 1;
  }
}
