// Generates the code of functions that kernels share, for all levels of this machine's
// architecture, so that it can be built into the plugin
// (tenon/compiler/pipeline/shared_code.h).
//
//   tenon-built-in-code OUTPUT
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "tenon/compiler/compile.h"
#include "tenon/compiler/pipeline/built_in_code.h"
#include "tenon/compiler/targets/target.h"

namespace {

// Fourier transforms: lengths with all small radices, and every way to read and write
// rows.
constexpr int64_t kLengths[] = {
    2,   3,   4,   5,   6,   7,    8,    9,    10,    11,     12,  13,  14,
    15,  16,  17,  18,  19,  20,   23,   24,   25,    27,     29,  31,  32,
    36,  40,  45,  48,  49,  50,   60,   64,   72,    75,     81,  96,  100,
    120, 121, 125, 128, 144, 169,  180,  200,  240,   243,    256, 343, 360,
    384, 500, 512, 625, 720, 1000, 1024, 4096, 65536, 1 << 20};
constexpr int64_t kLengthsOfRows[] = {16, 96, 1000, 4096};
// A multiple of all numbers of lanes, and others.
constexpr int64_t kRows[] = {64, 27, 1};

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

std::vector<std::string> Programs() {
  std::vector<std::string> programs;
  for (const char* real : {"f32", "f64"}) {
    for (int64_t length : kLengths)
      programs.push_back(Transform("FFT", length < 10000 ? 64 : 1, length, real));
    for (const char* kind : {"FFT", "IFFT", "RFFT", "IRFFT"})
      for (int64_t length : kLengthsOfRows)
        for (int64_t rows : kRows)
          programs.push_back(Transform(kind, rows, length, real));
  }
  return programs;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: tenon-built-in-code OUTPUT\n";
    return 1;
  }
  std::map<std::string, std::string> objects;
  tenon::compiler::CompilerConfig config;
  config.cache_code = true;  // in memory
  config.on_shared_code = [&](std::string_view key, std::string_view object) {
    objects.emplace(key, object);
  };
  for (const std::string& level : tenon::compiler::HostLevels()) {
    config.target = level;
    for (const std::string& program : Programs()) {
      const auto image = tenon::compiler::Compile({program, ""}, config);
      if (!image.ok()) {
        std::cerr << "tenon-built-in-code: " << image.status().ToString() << "\n";
        return 1;
      }
    }
  }
  std::ofstream file(argv[1], std::ios::binary);
  file << tenon::compiler::PackBuiltInCode(objects);
  if (!file.flush()) {
    std::cerr << "tenon-built-in-code: cannot write " << argv[1] << "\n";
    return 1;
  }
}
