// Tests which compilations share code, and that shared code is identical.
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "llvm/ADT/StringExtras.h"
#include "tenon/compiler/compile.h"

namespace tenon::compiler {
namespace {

// A product, with a function name and a source location.
std::string Product(int n, std::string_view name, std::string_view type = "f32",
                    std::string_view more = "") {
  std::string t = "tensor<" + std::to_string(n) + "x" + std::to_string(n) + "x" +
                  std::string(type) + ">";
  return "module @" + std::string(name) + " { func.func @main(%a: " + t + ", %b: " + t +
         ") -> " + t + " {\n%0 = stablehlo.dot %a, %b : (" + t + ", " + t + ") -> " + t +
         " loc(\"" + std::string(name) + "\"(\"file.py\":" + std::to_string(name.size()) +
         ":1))\n" + std::string(more) + "return %0 : " + t + "\n} }";
}

class KernelCacheTest : public ::testing::Test {
 protected:
  KernelCacheTest() {
    std::string pattern = ::testing::TempDir() + "tenon_kernels_XXXXXX";
    config_.cache_code = true;
    config_.cache_folder = mkdtemp(pattern.data());
    config_.num_threads = 1;
  }
  ~KernelCacheTest() override { std::filesystem::remove_all(config_.cache_folder); }

  Image CompileOrDie(const std::string& code, const CompilerConfig& config) {
    auto image = Compile({code, {}}, config);
    EXPECT_TRUE(image.ok()) << image.status().ToString();
    return image.ok() ? *std::move(image) : Image();
  }
  // The number of values (programs, kernels and functions that kernels share) that a
  // compilation generates.
  int64_t Generated(const std::string& code, const CompilerConfig& config) {
    const int64_t before = CountCached(config).generated;
    CompileOrDie(code, config);
    return CountCached(config).generated - before;
  }
  int64_t Generated(const std::string& code) { return Generated(code, config_); }

  CompilerConfig config_;
};

TEST_F(KernelCacheTest, EqualProgramsAreGeneratedOnce) {
  EXPECT_EQ(Generated(Product(64, "f")), 3);  // the program, its kernel and its tile
  EXPECT_EQ(Generated(Product(64, "f")), 0);
}

TEST_F(KernelCacheTest, EqualKernelsAreGeneratedOnce) {
  EXPECT_EQ(Generated(Product(64, "f")), 3);
  // Another name or location gives another program, but the same kernel.
  EXPECT_EQ(Generated(Product(64, "other")), 1);
  EXPECT_EQ(Generated(Product(64, "f", "f32",
                              "%1 = stablehlo.add %0, %0 : tensor<64x64xf32>\n")),
            1);
  EXPECT_EQ(Generated(Product(96, "f")), 3);
  EXPECT_EQ(Generated(Product(64, "f", "bf16")), 2);
}

// A kernel that occurs twice in a program, on different operands, is generated once.
TEST_F(KernelCacheTest, RepeatedKernelsAreGeneratedOnce) {
  EXPECT_EQ(Generated(R"(
    func.func @main(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>)
        -> (tensor<64x64xf32>, tensor<64x64xf32>) {
      %0 = stablehlo.dot %a, %b :
          (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %1 = stablehlo.dot %0, %a :
          (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      return %0, %1 : tensor<64x64xf32>, tensor<64x64xf32>
    })"),
            3);
}

// Threads share the functions of a kernel. Each part is a value of its own, and parts of
// another division are others.
TEST_F(KernelCacheTest, PartsOfAKernelAreGeneratedOnce) {
  config_.num_threads = 2;
  EXPECT_EQ(Generated(Product(64, "f", "i32")), 3);  // the program and two parts
  EXPECT_EQ(Generated(Product(64, "other", "i32")), 1);
  config_.num_threads = 3;
  EXPECT_EQ(Generated(Product(64, "another", "i32")), 4);
  const Image image = CompileOrDie(Product(64, "f", "i32"), config_);
  ASSERT_EQ(image.code_objects[0].kernels.size(), 1u);
  const std::string& kernel = image.code_objects[0].kernels[0].name;
  const auto& symbols = image.code_objects[0].symbols;
  EXPECT_GT(llvm::count_if(symbols,
                           [&](const ImageSymbol& symbol) {
                             return llvm::StringRef(symbol.name).contains(kernel);
                           }),
            2);
  for (const ImageSymbol& symbol : symbols)
    EXPECT_FALSE(llvm::StringRef(symbol.name).starts_with("kernel.")) << symbol.name;
}

TEST_F(KernelCacheTest, KeysHoldEverythingThatDeterminesCode) {
  const std::string code = Product(64, "f");
  EXPECT_EQ(Generated(code), 3);
  for (auto change : std::vector<std::function<void(CompilerConfig&)>>{
           [](auto& config) { config.ieee_denormals = true; },
           [](auto& config) { config.optimization_level = 1; },
           [](auto& config) { config.target = "x86-64-v3"; },
           [](auto& config) { config.target = "aarch64"; }}) {
    CompilerConfig config = config_;
    change(config);
    EXPECT_GE(Generated(code, config), 2);  // levels below the target share tiles
    EXPECT_EQ(Generated(code, config), 0);
  }
  // Keeps constants from being folded before kernels are built.
  CompilerConfig config = config_;
  config.fold_constants = false;
  EXPECT_EQ(Generated(code, config), 1);
  EXPECT_EQ(Generated(code), 0);
}

// Clients serialize the same options in several ways.
TEST_F(KernelCacheTest, CompileOptionsAreComparedByMeaning) {
  const std::string code = Product(64, "f");
  EXPECT_EQ(Generated(code), 3);
  // executable_build_options { num_replicas: 1 }, then with { num_partitions: 1 }
  for (const std::string& options : {std::string{0x1a, 0x02, 0x20, 0x01},
                                     std::string{0x1a, 0x04, 0x28, 0x01, 0x20, 0x01}}) {
    const int64_t before = CountCached(config_).generated;
    auto image = Compile({code, options}, config_);
    ASSERT_TRUE(image.ok()) << image.status().ToString();
    EXPECT_EQ(image->info.compile_options, options);
    EXPECT_EQ(CountCached(config_).generated, before);
  }
}

TEST_F(KernelCacheTest, WithoutCacheEveryCompilationGenerates) {
  config_.cache_code = false;
  CompileOrDie(Product(64, "f"), config_);
  EXPECT_EQ(CountCached(config_).generated, 0);
  EXPECT_TRUE(std::filesystem::is_empty(config_.cache_folder));
}

TEST_F(KernelCacheTest, CodeIsTheSameWithAndWithoutTheCache) {
  CompilerConfig off = config_, memory = config_;
  off.cache_code = false;
  memory.cache_folder.clear();
  const std::string code = Product(80, "name");
  const Image expected = CompileOrDie(code, off);
  CompileOrDie(Product(80, "another"), config_);
  for (int i = 0; i < 2; ++i) {
    for (const CompilerConfig& config : {config_, memory}) {
      const Image image = CompileOrDie(code, config);
      EXPECT_EQ(image.code_objects[0].bytes, expected.code_objects[0].bytes);
      EXPECT_EQ(image.Serialize(), expected.Serialize());
    }
  }
}

// Functions are named after the program's kernels, for profilers.
TEST_F(KernelCacheTest, SymbolsNameTheProgramsKernels) {
  CompileOrDie(Product(64, "f"), config_);
  const Image image = CompileOrDie(Product(64, "g"), config_);
  ASSERT_EQ(image.code_objects[0].kernels.size(), 1u);
  const std::string& kernel = image.code_objects[0].kernels[0].name;
  EXPECT_NE(kernel, "kernel");
  auto is = [&](std::string_view name) {
    return llvm::any_of(image.code_objects[0].symbols,
                        [&](const ImageSymbol& symbol) { return symbol.name == name; });
  };
  EXPECT_TRUE(is(kernel));
  EXPECT_TRUE(is(kernel + ".phase0.0"));
  EXPECT_FALSE(is("kernel"));
}

TEST_F(KernelCacheTest, ObserversSeeEveryPhase) {
  for (int i = 0; i < 2; ++i) {
    std::string seen;
    CompilerConfig config = config_;
    config.on_phase = [&](std::string_view phase, std::string_view text) {
      if (phase == "code.s") seen = text;
    };
    CompileOrDie(Product(64, "f"), config);
    EXPECT_NE(seen.find(".phase0"), seen.npos);
    CompileOrDie(Product(64, "f"), config_);
  }
}

TEST_F(KernelCacheTest, ManyThreadsGenerateOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i)
    threads.emplace_back(
        [&, i] { CompileOrDie(Product(72, i % 2 ? "f" : "g"), config_); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(CountCached(config_).generated, 4);  // two programs, a kernel and a tile
}

TEST_F(KernelCacheTest, ErrorsStayErrors) {
  for (int i = 0; i < 2; ++i) {
    auto image = Compile({"nonsense", {}}, config_);
    EXPECT_EQ(image.status().code(), StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace tenon::compiler
