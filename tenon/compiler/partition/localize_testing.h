// What tests of programs of one device have in common.
#ifndef TENON_COMPILER_PARTITION_LOCALIZE_TESTING_H_
#define TENON_COMPILER_PARTITION_LOCALIZE_TESTING_H_

#include <string>

#include "gtest/gtest.h"
#include "tenon/compiler/partition/testing.h"

namespace tenon::compiler::partition {

inline const std::string kMesh = "sdy.mesh @mesh = <[\"x\"=4, \"y\"=2]>\n";

// The attribute of an argument or result: `dims` such as [{"x"}, {}].
inline std::string Arg(const std::string& dims) {
  return "{sdy.sharding = #sdy.sharding<@mesh, " + dims + ">}";
}
// The attribute of an op with one result.
inline std::string On(const std::string& dims) {
  return "{sdy.sharding = #sdy.sharding_per_value<[<@mesh, " + dims + ">]>}";
}

inline int64_t Count(const std::string& text, const std::string& what) {
  int64_t count = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++count;
  return count;
}

// The numbers of collectives in a program, such as "all_gather 1, all_reduce 2".
inline std::string Collectives(const std::string& text) {
  std::string counts;
  for (const char* name : {"all_gather", "all_reduce", "all_to_all", "collective_permute",
                           "reduce_scatter"}) {
    const int64_t count = Count(text, std::string("stablehlo.") + name + "\"");
    if (count > 0)
      counts +=
          (counts.empty() ? "" : ", ") + std::string(name) + " " + std::to_string(count);
  }
  return counts;
}

// Partitions the program, compares it with the whole one, and counts its collectives.
#define EXPECT_PARTITION(text, collectives)                \
  do {                                                     \
    auto local = PartitionAndCompare(kMesh + text);        \
    ASSERT_TRUE(local.ok()) << local.status().ToString();  \
    EXPECT_EQ(Collectives(*local), collectives) << *local; \
  } while (0)

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_LOCALIZE_TESTING_H_
