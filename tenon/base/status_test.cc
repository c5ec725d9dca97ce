#include "tenon/base/status.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

StatusOr<int> Half(int x) {
  if (x % 2) return InvalidArgument("odd: " + std::to_string(x));
  return x / 2;
}

StatusOr<int> Quarter(int x) {
  TENON_ASSIGN_OR_RETURN(int half, Half(x));
  return Half(half);
}

TEST(Status, CarriesCodeAndMessage) {
  EXPECT_TRUE(OkStatus().ok());
  EXPECT_EQ(OkStatus().ToString(), "OK");
  Status error = NotFound("no such thing").WithPrefix("lookup");
  EXPECT_EQ(error.code(), StatusCode::kNotFound);
  EXPECT_EQ(error.ToString(), "NOT_FOUND: lookup: no such thing");
}

TEST(StatusOr, PropagatesTheFirstError) {
  EXPECT_EQ(*Quarter(8), 2);
  EXPECT_EQ(Quarter(6).status().message(), "odd: 3");
}

}  // namespace
}  // namespace tenon
