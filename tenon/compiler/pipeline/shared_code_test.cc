// Tests that shared functions depend on nothing but their names and the target, and where
// their code comes from.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <mutex>

#include "tenon/compiler/compile.h"
#include "tenon/compiler/pipeline/built_in_code.h"

namespace tenon::compiler {
namespace {

std::string Transform(const std::string& kind, int64_t rows, int64_t length,
                      const std::string& number) {
  const std::string type = "tensor<" + std::to_string(rows) + "x" +
                           std::to_string(length) + "x" + number + ">";
  return "func.func @main(%x: " + type + ") -> " + type + " {\n%0 = stablehlo.fft %x, " +
         "type = " + kind + ", length = [" + std::to_string(length) + "] : (" + type +
         ") -> " + type + "\nreturn %0 : " + type + "\n}";
}

class SharedCodeTest : public ::testing::Test {
 protected:
  SharedCodeTest() {
    config_.target = "x86_64:x86-64-v3";
    config_.on_shared_code = [&](std::string_view key, std::string_view object) {
      std::lock_guard lock(mutex_);
      ++uses_[std::string(key)];
      const auto [known, is_new] = objects_.emplace(key, object);
      EXPECT_TRUE(known->second == object) << key;
    };
  }

  Image CompileOrDie(const std::string& code) {
    auto image = Compile({code, {}}, config_);
    EXPECT_TRUE(image.ok()) << image.status().ToString();
    return image.ok() ? *std::move(image) : Image();
  }

  CompilerConfig config_;
  std::mutex mutex_;
  std::map<std::string, std::string> objects_;
  std::map<std::string, int> uses_;
};

// Without a cache each program generates its own, and those of one name are equal.
TEST_F(SharedCodeTest, ProgramsWithOneFunctionHaveTheSameCode) {
  for (const char* number : {"complex<f32>", "complex<f64>"})
    for (const char* kind : {"FFT", "IFFT"})
      for (int64_t rows : {1, 27, 64})
        for (int64_t length : {8, 15, 101, 120, 512, 1000, 4096})
          CompileOrDie(Transform(kind, rows, length, number));
  EXPECT_GT(objects_.size(), 40u);
  int shared = 0;
  for (const auto& [key, uses] : uses_) shared += uses > 1;
  EXPECT_GT(shared, 30);
}

TEST_F(SharedCodeTest, LevelsHaveCodeOfTheirOwn) {
  const std::string code = Transform("FFT", 64, 64, "complex<f32>");
  for (const char* level : {"x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
    config_.target = std::string("x86_64:") + level;
    const size_t before = objects_.size();
    CompileOrDie(code);
    EXPECT_GT(objects_.size(), before) << level;
  }
  // Processors share the code of their level.
  const size_t before = objects_.size();
  for (const char* cpu : {"haswell", "znver3", "sapphirerapids", "nehalem"}) {
    config_.target = std::string("x86_64:") + cpu;
    CompileOrDie(code);
  }
  EXPECT_EQ(objects_.size(), before);
  // No level is below the first processors of x86-64, and none is of AArch64.
  for (const char* target : {"x86_64", "aarch64"}) {
    config_.target = target;
    uses_.clear();
    CompileOrDie(code);
    EXPECT_TRUE(uses_.empty()) << target;
  }
}

TEST_F(SharedCodeTest, DenormalsArePartOfTheKey) {
  CompileOrDie(Transform("FFT", 64, 64, "complex<f32>"));
  const size_t before = objects_.size();
  config_.ieee_denormals = true;
  CompileOrDie(Transform("FFT", 64, 64, "complex<f32>"));
  EXPECT_EQ(objects_.size(), 2 * before);
}

// This test is linked without built-in code.
TEST(BuiltInCode, MayBeAbsent) { EXPECT_FALSE(FindBuiltInCode("shared.f")); }

// The cache may drop a function and keep the kernel that calls it.
TEST_F(SharedCodeTest, FunctionsThatTheCacheHasDroppedAreGeneratedAgain) {
  std::string pattern = ::testing::TempDir() + "tenon_shared_XXXXXX";
  const std::filesystem::path full = mkdtemp(pattern.data());
  const auto folder = [&](int number) { return full / std::to_string(number); };
  config_.cache_code = true;
  config_.cache_folder = folder(0);
  std::filesystem::create_directory(config_.cache_folder);
  std::filesystem::permissions(config_.cache_folder, std::filesystem::perms::owner_all);
  const std::string code = Transform("FFT", 16, 15, "complex<f32>");
  const std::vector<uint8_t> right = CompileOrDie(code).code_objects.front().bytes;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder(0)))
    if (entry.is_regular_file() && entry.path().filename() != "account")
      files.push_back(std::filesystem::relative(entry.path(), folder(0)));
  EXPECT_GT(files.size(), 4u);  // the program, its kernel, and some functions
  int number = 0;
  for (const std::filesystem::path& file : files) {
    // Another folder has a memory of its own. The program differs by a name.
    config_.cache_folder = folder(++number);
    std::filesystem::copy(folder(0), folder(number),
                          std::filesystem::copy_options::recursive);
    std::filesystem::permissions(folder(number), std::filesystem::perms::owner_all);
    std::filesystem::remove(folder(number) / file);
    EXPECT_EQ(CompileOrDie("module @m" + std::to_string(number) + " {" + code + "}")
                  .code_objects.front()
                  .bytes,
              right)
        << file;
  }
  std::filesystem::remove_all(full);
}

}  // namespace
}  // namespace tenon::compiler
