// Buffers on a plugin: transfers, kinds of host memory, layouts, use of what is gone.
#include "tenon/pjrt/cpp/buffer.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "tenon/pjrt/cpp/testing.h"

namespace pjrt::testing {
namespace {

using Floats = std::vector<float>;

class BufferTest : public PluginTest {
 protected:
  // XLA's CPU client stores arrays in row-major order whatever the layout, at PJRT 0.106.
  static bool honours_layouts() {
    return is_tenon() || plugin().api_minor_version() >= 115;
  }
};

TEST_F(BufferTest, KnowsItsShapeAndPlace) {
  Floats values = {1, 2, 3, 4, 5, 6};
  Buffer buffer = client().to_device(values, {2, 3}).value();
  EXPECT_EQ(*buffer.element_type(), ElementType::f32);
  EXPECT_EQ(*buffer.dims(), (std::vector<int64_t>{2, 3}));
  EXPECT_GE(*buffer.device_size(), 24u);
  EXPECT_EQ(*buffer.device(), client().addressable_devices()->front());
  EXPECT_TRUE(buffer.memory()->kind().ok());
  EXPECT_EQ(*buffer.layout(), Layout::row_major(2));
  EXPECT_TRUE(buffer.ready().get());
  EXPECT_NE(*buffer.unsafe_pointer(), nullptr);
  EXPECT_EQ(buffer.to_host<float>().get().value(), values);
}

template <typename T>
void round_trip(const Client& client, std::vector<T> values) {
  Buffer buffer = client.to_device(values, {int64_t(values.size())}).value();
  std::vector<T> back = buffer.to_host<T>().get().value();
  ASSERT_EQ(back.size(), values.size());
  EXPECT_EQ(std::memcmp(back.data(), values.data(), values.size() * sizeof(T)), 0);
}

TEST_F(BufferTest, EveryElementType) {
  round_trip<pred>(client(), {{true}, {false}});
  round_trip<int8_t>(client(), {-1, 2});
  round_trip<int16_t>(client(), {-1, 2});
  round_trip<int32_t>(client(), {-1, 2});
  round_trip<int64_t>(client(), {-1, 2});
  round_trip<uint8_t>(client(), {1, 2});
  round_trip<uint16_t>(client(), {1, 2});
  round_trip<uint32_t>(client(), {1, 2});
  round_trip<uint64_t>(client(), {1, 2});
  round_trip<float16>(client(), {1.5f, -2.f});
  round_trip<bfloat16>(client(), {1.5f, -2.f});
  round_trip<double>(client(), {1.5, -2.});
  round_trip<std::complex<float>>(client(), {{1, 2}});
  round_trip<std::complex<double>>(client(), {{1, 2}});
  std::byte bits[] = {std::byte{0x38}, std::byte{0xb8}};
  Buffer tiny =
      client().to_device(copied_bytes(bits, ElementType::f8e4m3fn), {2}).value();
  EXPECT_EQ(*tiny.element_type(), ElementType::f8e4m3fn);
}

TEST_F(BufferTest, ScalarsAndEmptyArrays) {
  EXPECT_EQ(client().scalar(2.5f)->to_host<float>().get().value(), Floats{2.5f});
  Buffer empty = client().to_device(Floats{}, {0, 3}).value();
  EXPECT_EQ(empty.to_host<float>().get().value(), Floats{});
}

TEST_F(BufferTest, StridesAndLayouts) {
  Floats columns = {1, 4, 2, 5, 3, 6};  // column-major [2, 3]
  Buffer buffer = client().to_device(copied(columns).strided({4, 8}), {2, 3}).value();
  EXPECT_EQ(buffer.to_host<float>().get().value(), (Floats{1, 2, 3, 4, 5, 6}));
  Layout column_major{{0, 1}, {}};
  Floats back(6);
  ASSERT_TRUE(buffer.to_host_into(std::span(back), &column_major).get());
  EXPECT_EQ(back, columns);
}

TEST_F(BufferTest, EveryOrderOfThreeDimensions) {
  if (!honours_layouts()) GTEST_SKIP() << "this plugin does not honour device layouts";
  Floats values(24);
  std::iota(values.begin(), values.end(), 0.f);
  std::vector<int64_t> order = {0, 1, 2};
  do {
    Buffer buffer =
        client().to_device(values, {2, 3, 4}, {.layout = Layout{order, {}}}).value();
    EXPECT_EQ(buffer.to_host<float>().get().value(), values);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_F(BufferTest, KindsOfHostMemory) {
  auto values = std::make_shared<Floats>(1000);
  std::iota(values->begin(), values->end(), 0.f);
  Transfer transfer = client().to_device(immutable_until_done(*values), {1000}).value();
  EXPECT_TRUE(transfer.done.get());
  EXPECT_EQ(transfer.buffer.to_host<float>().get().value(), *values);

  std::weak_ptr<Floats> watch = values;
  Buffer borrowing = client().to_device(borrowed(*values, values), {10, 100}).value();
  Floats copy = *values;
  values.reset();
  EXPECT_EQ(borrowing.to_host<float>().get().value(), copy);
  borrowing.reset();
  // The plugin may release the memory on another thread.
  for (int i = 0; i < 1000 && !watch.expired(); ++i) usleep(1000);
  EXPECT_TRUE(watch.expired());

  Buffer owning = client().to_device(owned(copy), {1000}).value();
  EXPECT_EQ(owning.to_host<float>().get().value(), copy);
}

TEST_F(BufferTest, WrongTypesAndSizesAreErrors) {
  Buffer buffer = client().to_device(Floats(6), {2, 3}).value();
  Result<std::vector<int32_t>> wrong = buffer.to_host<int32_t>().get();
  EXPECT_EQ(wrong.error().code(), PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_EQ(wrong.error().message(),
            "the buffer has elements of f32, but the destination of s32");
  Floats five(5);
  EXPECT_EQ(buffer.to_host_into(std::span(five)).get().error().message(),
            "the buffer has 6 elements, but the destination 5");
  EXPECT_EQ(client().to_device(five, {2, 3}).error().code(),
            PJRT_Error_Code_INVALID_ARGUMENT);
}

TEST_F(BufferTest, GoneBuffersAreErrors) {
  Buffer buffer = client().to_device(Floats(2), {2}).value();
  Buffer moved = std::move(buffer);
  EXPECT_EQ(buffer.dims().error().code(), PJRT_Error_Code_FAILED_PRECONDITION);
  EXPECT_EQ(buffer.to_host<float>().get().error().code(),
            PJRT_Error_Code_FAILED_PRECONDITION);
  EXPECT_TRUE(moved.dims());
  moved.reset();
  EXPECT_FALSE(moved.ready().get());
  EXPECT_FALSE(moved);
}

TEST_F(BufferTest, OutlivesItsClient) {
  Buffer buffer = [] {
    Client gone = plugin().create_client().value();
    return gone.to_device(Floats{1, 2}, {2}).value();
  }();
  EXPECT_EQ(buffer.to_host<float>().get().value(), (Floats{1, 2}));
}

TEST_F(BufferTest, CopiesBetweenDevices) {
  Result<Client> both = two_devices();
  if (!both || both->addressable_devices()->size() < 2) {
    GTEST_SKIP() << "the plugin has one device";
  }
  std::vector<Device> devices = both->addressable_devices().value();
  Buffer buffer = both->to_device(Floats{1, 2}, {2}, {.device = devices[1]}).value();
  EXPECT_EQ(*buffer.device(), devices[1]);
  Buffer copy = buffer.copy_to(devices[0]).value();
  EXPECT_EQ(*copy.device(), devices[0]);
  EXPECT_EQ(copy.to_host<float>().get().value(), (Floats{1, 2}));
  Buffer again = copy.copy_to(devices[1].default_memory().value()).value();
  EXPECT_EQ(again.to_host<float>().get().value(), (Floats{1, 2}));
}

}  // namespace
}  // namespace pjrt::testing
