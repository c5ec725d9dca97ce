#include "tenon/runtime/streaming_copy.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace tenon::runtime {
namespace {

TEST(StreamingCopyTest, CopiesAtAnyOffset) {
  std::vector<char> from(1000);
  std::iota(from.begin(), from.end(), 1);
  for (const int64_t total : {int64_t{1}, StreamingCopy::kMinTotal}) {
    const StreamingCopy copy(total);
    for (const int64_t bytes : {0, 1, 63, 64, 65, 127, 128, 500, 800}) {
      for (int64_t offset = 0; offset < 70; offset += 3) {
        std::vector<char> to(1000, 0);
        copy(to.data() + offset, from.data() + offset / 2, bytes);
        copy.Finish();
        std::vector<char> expected(1000, 0);
        std::copy_n(from.begin() + offset / 2, bytes, expected.begin() + offset);
        ASSERT_EQ(to, expected) << bytes << " bytes at " << offset;
      }
    }
  }
}

}  // namespace
}  // namespace tenon::runtime
