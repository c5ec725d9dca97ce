#include "tenon/compiler/codegen/elementwise/elementwise_emitter.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tenon/compiler/codegen/elementwise/kernel_jit.h"

namespace tenon::compiler {
namespace {

TEST(ElementwiseEmitterTest, AddsVectors) {
  auto kernel = Kernel::Make(
      {ElementwiseOp::kAdd, {ElementType::kF32, ElementType::kF32}, ElementType::kF32});
  ASSERT_TRUE(kernel.ok()) << kernel.status().ToString();
  std::vector<float> a(32, 1.5f), b(32, 2.0f), c(32);
  kernel->Run({a.data(), b.data()}, c.data(), 32);
  for (float v : c) EXPECT_EQ(v, 3.5f);
}

TEST(ElementwiseEmitterTest, NamesRoundTrip) {
  EXPECT_EQ(ElementwiseOpFromName("exponential_minus_one"),
            ElementwiseOp::kExponentialMinusOne);
  EXPECT_EQ(ElementwiseOpFromName("no_such_op"), std::nullopt);
  EXPECT_EQ(ElementwiseOpName(ElementwiseOp::kSine), "sine");
  EXPECT_EQ(ElementwiseOpArity(ElementwiseOp::kClamp), 3);
}

}  // namespace
}  // namespace tenon::compiler
