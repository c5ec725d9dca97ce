#include "tenon/devices/cpu/host_move.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace tenon::cpu {
namespace {

// Distances around multiples of a page, apart and overlapping in both directions, and
// sizes around those of pieces: as memmove.
TEST(HostMoveTest, EqualsMemmove) {
  constexpr ptrdiff_t kStart = 40000;
  for (size_t bytes : {0, 1, 1023, 2047, 2048, 2049, 3072, 5000, 12288}) {
    for (ptrdiff_t pages : {-5, -2, -1, 0, 1, 2, 5}) {
      for (ptrdiff_t offset : {-64, -4, 0, 1, 4, 12, 32, 63, 64, 100}) {
        std::vector<unsigned char> array(80000);
        for (size_t i = 0; i < array.size(); ++i)
          array[i] = static_cast<unsigned char>(i * 2654435761u >> 13);
        std::vector<unsigned char> expected = array;
        const ptrdiff_t to = kStart + pages * 4096 + offset;
        std::vector<unsigned char> moved(
            array.begin() + kStart,
            array.begin() + kStart + static_cast<ptrdiff_t>(bytes));
        std::copy(moved.begin(), moved.end(), expected.begin() + to);
        EXPECT_EQ(MoveInPieces(&array[to], &array[kStart], bytes), &array[to]);
        EXPECT_EQ(array, expected)
            << bytes << " bytes, " << pages << " pages, " << offset;
      }
    }
  }
}

TEST(HostMoveTest, ThisMachineMoves) {
  const int from[] = {1, 2, 3};
  int to[3] = {};
  EXPECT_EQ(HostMove()(to, from, sizeof from), to);
  EXPECT_TRUE(std::equal(std::begin(to), std::end(to), from));
}

}  // namespace
}  // namespace tenon::cpu
