// Programs that JAX sent (shared/conformance/spmd/dumps), and the same after Shardy's
// propagation (dumps_sdy). Skips if they are absent. With TENON_CONFORMANCE_FILTER, only
// files whose name contains it.
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

// Compares the programs in `folder` whose names end with `suffix`.
void ComparePrograms(const std::string& folder, const std::string& suffix,
                     bool propagate) {
  const auto path = SharedFolder() / "conformance/spmd" / folder;
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no programs in " << path;
  const char* filter = std::getenv("TENON_CONFORMANCE_FILTER");
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(suffix) || (filter && name.find(filter) == std::string::npos))
      continue;
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  int right = 0, unsupported = 0;
  for (const auto& file : files) {
    std::ifstream stream(file);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    auto local = PartitionAndCompare(WithoutShardyOps(text), /*tolerance=*/1e-5,
                                     /*seed=*/1, propagate);
    if (local.status().code() == StatusCode::kUnimplemented) {
      ++unsupported;
      const std::string why = local.status().ToString();
      std::printf("%s: %s\n", file.filename().c_str(), why.substr(0, 200).c_str());
      continue;
    }
    right += local.ok();
    EXPECT_TRUE(local.ok()) << file << ": " << local.status().ToString();
  }
  std::printf("%d programs right, %d unsupported, of %zu\n", right, unsupported,
              files.size());
  // The evaluator does not know the custom calls of the others.
  if (!filter) EXPECT_GE(right, 35);
}

TEST(DumpsTest, PropagatedByShardy) {
  ComparePrograms("dumps_sdy", ".prop", /*propagate=*/false);
}

TEST(DumpsTest, AsJaxSendsThem) { ComparePrograms("dumps", ".mlir", /*propagate=*/true); }

}  // namespace
}  // namespace tenon::compiler::partition
