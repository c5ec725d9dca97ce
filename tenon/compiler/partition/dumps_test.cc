// Programs that JAX sent, after Shardy's propagation (shared/conformance/spmd). Skips if
// they are absent. With TENON_CONFORMANCE_FILTER, only files whose name contains it.
#include <fstream>
#include <regex>

#include "gtest/gtest.h"
#include "tenon/compiler/import/conformance_programs.h"
#include "tenon/compiler/partition/testing.h"

namespace tenon::compiler::partition {
namespace {

// Shardy's passes leave ops of their own, which programs from frameworks do not have.
std::string WithoutShardyOps(std::string text) {
  text = std::regex_replace(text, std::regex("sdy\\.constant"), "stablehlo.constant");
  return std::regex_replace(
      text, std::regex("sdy\\.all_reduce \\{[^}]*\\} (%\\w+) out_sharding="),
      "sdy.reshard $1 ");
}

TEST(DumpsTest, PartsEqualTheWhole) {
  const auto folder = SharedFolder() / "conformance/spmd/dumps_sdy";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no programs in " << folder;
  const char* filter = std::getenv("TENON_CONFORMANCE_FILTER");
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".prop") || (filter && name.find(filter) == std::string::npos))
      continue;
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  int right = 0, unsupported = 0;
  for (const auto& file : files) {
    std::ifstream stream(file);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    auto local = PartitionAndCompare(WithoutShardyOps(text), /*tolerance=*/1e-5);
    if (local.status().code() == StatusCode::kUnimplemented) {
      ++unsupported;
      const std::string why = local.status().ToString();
      std::printf("%s: %s\n", file.filename().c_str(),
                  why.substr(why.rfind("\n'") + 1).substr(0, 300).c_str());
      continue;
    }
    right += local.ok();
    EXPECT_TRUE(local.ok()) << file << ": " << local.status().ToString();
  }
  std::printf("%d programs right, %d unsupported, of %zu\n", right, unsupported,
              files.size());
}

}  // namespace
}  // namespace tenon::compiler::partition
