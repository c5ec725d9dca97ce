// Damaged programs: import must return an error or a module, quickly and without a crash.
// Each program is damaged in a forked child process, so that a crash reports its seed.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <random>
#include <string>

#include "gtest/gtest.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "tenon/compiler/import/conformance_programs.h"
#include "tenon/compiler/import/import.h"
#include "tenon/compiler/import/narrow_floats_program.h"

namespace tenon::compiler {
namespace {

#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
constexpr bool kLimitMemory = false;  // AddressSanitizer's shadow memory would not fit
#else
constexpr bool kLimitMemory = true;
#endif
constexpr unsigned kSecondsPerProgram = 60;

void Import(const std::string& code) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = ImportProgram(context, code);
  if (!module.ok() && module.status().message().empty()) _exit(2);
}

// Runs `damage` in a child process; returns an empty string if the child survived.
std::string RunInChild(const std::function<void()>& damage) {
  pid_t child = fork();
  if (child == 0) {
    alarm(kSecondsPerProgram);
    if (kLimitMemory) {
      rlimit limit{uint64_t{2} << 30, uint64_t{2} << 30};
      setrlimit(RLIMIT_AS, &limit);
    }
    damage();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) return "killed by signal " + std::to_string(WTERMSIG(status));
  if (WEXITSTATUS(status) != 0) return "exit code " + std::to_string(WEXITSTATUS(status));
  return "";
}

std::vector<ConformanceProgram> Sample() {
  std::vector<ConformanceProgram> programs = ConformancePrograms("vhlo-golden");
  std::vector<ConformanceProgram> data = ConformancePrograms("testdata");
  for (size_t i = 0; i < data.size(); i += 50) programs.push_back(data[i]);
  return programs;
}

TEST(CorruptionTest, TruncatedProgramsAreRefused) {
  auto programs = Sample();
  TENON_SKIP_WITHOUT_PROGRAMS(programs);
  for (const auto& [name, code] : programs) {
    std::string result = RunInChild([&, &code = code] {
      size_t step = std::max<size_t>(1, code.size() / 50);
      for (size_t size = 0; size < code.size(); size += step) {
        mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
        if (ImportProgram(context, std::string_view(code).substr(0, size)).ok()) _exit(3);
      }
    });
    EXPECT_EQ(result, "") << name;
  }
}

TEST(CorruptionTest, FlippedBytesDoNotCrash) {
  auto programs = Sample();
  TENON_SKIP_WITHOUT_PROGRAMS(programs);
  for (size_t i = 0; i < programs.size(); ++i) {
    const std::string& code = programs[i].code;
    std::string result = RunInChild([&] {
      std::mt19937 random(i);
      for (int round = 0; round < 100; ++round) {
        std::string damaged = code;
        for (int flips = 1 + random() % 3; flips > 0; --flips) {
          damaged[random() % damaged.size()] = static_cast<char>(random());
        }
        Import(damaged);
      }
    });
    EXPECT_EQ(result, "") << programs[i].name << ", seed " << i;
  }
}

TEST(CorruptionTest, DamagedNarrowFloatsDoNotCrash) {
  const std::string code = NarrowFloatsProgram();
  for (size_t i = 0; i < code.size(); ++i) {
    std::string result = RunInChild([&] {
      for (int value = 0; value < 256; value += i % 2 == 0 ? 3 : 5) {
        std::string damaged = code;
        damaged[i] = static_cast<char>(value);
        Import(damaged);
      }
    });
    EXPECT_EQ(result, "") << "byte " << i;
  }
}

TEST(CorruptionTest, DamagedUnversionedProgramsDoNotCrash) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = ImportProgram(context, R"(
    func.func private @g(%a: tensor<2x3xf32>) -> tensor<2x2xf32> {
      %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [1]
          : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
      return %0 : tensor<2x2xf32>
    }
    func.func @main(%a: tensor<2x3xf32>) -> tensor<i1> {
      %0 = call @g(%a) : (tensor<2x3xf32>) -> tensor<2x2xf32>
      %1 = stablehlo.slice %0 [0:1, 0:1] : (tensor<2x2xf32>) -> tensor<1x1xf32>
      %2 = stablehlo.reshape %1 : (tensor<1x1xf32>) -> tensor<f32>
      %3 = stablehlo.compare LT, %2, %2 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      return %3 : tensor<i1>
    })");
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  std::string code;
  llvm::raw_string_ostream stream(code);
  ASSERT_TRUE(succeeded(mlir::writeBytecodeToFile(**module, stream)));
  mlir::MLIRContext other(mlir::MLIRContext::Threading::DISABLED);
  EXPECT_EQ(ImportProgram(other, code).status().code(), StatusCode::kInvalidArgument);
  auto read = ImportUnversionedProgram(other, code);
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(RunInChild([&] {
              std::mt19937 random(1);
              for (int round = 0; round < 3000; ++round) {
                std::string damaged = code;
                for (int flips = 1 + random() % 3; flips > 0; --flips)
                  damaged[random() % damaged.size()] = static_cast<char>(random());
                mlir::MLIRContext damaged_context(mlir::MLIRContext::Threading::DISABLED);
                (void)ImportUnversionedProgram(damaged_context, damaged);
              }
            }),
            "");
}

TEST(CorruptionTest, DamagedTextDoesNotCrash) {
  const std::string text = R"(module @m {
    func.func public @main(%a: tensor<2x3xf32> {tf.aliasing_output = 0 : i32}) -> tensor<2x3xf32> {
      %c = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
      %0 = stablehlo.add %a, %c : tensor<2x3xf32>
      %1:2 = stablehlo.while(%x = %0, %y = %c) : tensor<2x3xf32>, tensor<2x3xf32>
        cond { %t = stablehlo.constant dense<false> : tensor<i1> stablehlo.return %t : tensor<i1> }
        do { stablehlo.return %y, %x : tensor<2x3xf32>, tensor<2x3xf32> }
      return %1#0 : tensor<2x3xf32>
    }
  })";
  EXPECT_EQ(RunInChild([&] {
              std::mt19937 random(1);
              for (int round = 0; round < 2000; ++round) {
                std::string damaged = text;
                size_t position = random() % damaged.size();
                if (round % 3 == 0) {
                  damaged.erase(position, random() % 40);
                } else if (round % 3 == 1) {
                  damaged[position] = static_cast<char>(random());
                } else {
                  damaged.insert(position, damaged.substr(random() % damaged.size(), 20));
                }
                Import(damaged);
              }
            }),
            "");
}

TEST(CorruptionTest, DeepNestingIsRefused) {
  for (const char* open : {"(", "[", "{", "<", "#sdy.sharding<", "module { "}) {
    std::string deep;
    for (int i = 0; i < 100000; ++i) deep += open;
    EXPECT_EQ(RunInChild([&] { Import(deep); }), "") << open;
  }
  std::string minus = "module attributes {a = affine_map<(d0) -> (";
  minus.append(1000000, '-');
  EXPECT_EQ(RunInChild([&] { Import(minus); }), "");
}

}  // namespace
}  // namespace tenon::compiler
