// Random sharded programs: what every device computes against the whole program. With
// TENON_RANDOM_PROGRAMS, that many instead of the default; TENON_RANDOM_SEED is the first
// seed.
#include "tenon/compiler/partition/random_program.h"
#include "gtest/gtest.h"
#include "tenon/compiler/partition/testing.h"

namespace tenon::compiler::partition {
namespace {

int64_t Setting(const char* name, int64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::atoll(text) : otherwise;
}

void CompareRandomPrograms(bool propagate) {
  const int64_t first = Setting("TENON_RANDOM_SEED", 1);
  const int64_t count = Setting("TENON_RANDOM_PROGRAMS", 300);
  int64_t failed = 0;
  for (int64_t seed = first; seed < first + count && failed < 5; ++seed) {
    const std::string text = RandomProgram(seed).Text();
    auto local = PartitionAndCompare(text, /*tolerance=*/0, seed, propagate);
    failed += !local.ok();
    EXPECT_TRUE(local.ok()) << "seed " << seed << ":\n"
                            << text << local.status().ToString();
  }
}

TEST(RandomProgramTest, PartsEqualTheWhole) { CompareRandomPrograms(false); }

TEST(RandomProgramTest, PartsEqualTheWholeAfterPropagation) {
  CompareRandomPrograms(true);
}

}  // namespace
}  // namespace tenon::compiler::partition
