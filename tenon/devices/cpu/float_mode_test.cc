#include "tenon/devices/cpu/float_mode.h"

#include <gtest/gtest.h>

#include <cfenv>
#include <limits>

namespace tenon::cpu {
namespace {

float Halved(float value) {
  volatile float operand = value;
  return operand * 0.5f;
}

TEST(FloatModeTest, SetsAndRestoresDenormalFlushing) {
  const float smallest = std::numeric_limits<float>::min();
  ASSERT_GT(Halved(smallest), 0);
  {
    runtime::FloatModeScope mode(kFloatMode, /*ieee_denormals=*/false);
    EXPECT_EQ(Halved(smallest), 0);
    {
      runtime::FloatModeScope ieee(kFloatMode, /*ieee_denormals=*/true);
      EXPECT_GT(Halved(smallest), 0);
    }
    EXPECT_EQ(Halved(smallest), 0);
  }
  EXPECT_GT(Halved(smallest), 0);
}

TEST(FloatModeTest, SetsAndRestoresRoundingToNearest) {
  std::fesetround(FE_UPWARD);
  {
    runtime::FloatModeScope mode(kFloatMode, false);
    volatile float one = 1;
    EXPECT_EQ(one + 1e-10f, 1.0f);
  }
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  volatile float one = 1;
  EXPECT_GT(one + 1e-10f, 1.0f);
  std::fesetround(FE_TONEAREST);
}

}  // namespace
}  // namespace tenon::cpu
