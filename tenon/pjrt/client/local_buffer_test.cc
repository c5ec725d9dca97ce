#include "tenon/pjrt/client/local_buffer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "tenon/pjrt/client/testing.h"
#include "tenon/types/canonical_bytes.h"

namespace tenon::pjrt {
namespace {

using Strides = std::vector<int64_t>;

class LocalBufferTest : public ::testing::Test {
 protected:
  MemorySpace* memory() { return client_->addressable_memories()[0]; }
  HostTransfer Put(
      const void* data, ElementType type, const std::vector<int64_t>& dims,
      const std::optional<Strides>& strides = std::nullopt,
      HostBufferSemantics semantics = HostBufferSemantics::kImmutableOnlyDuringCall,
      const std::optional<Strides>& layout = std::nullopt) {
    HostArray array{data, type, dims, std::nullopt};
    if (strides) array.byte_strides = *strides;
    std::optional<std::span<const int64_t>> minor_to_major;
    if (layout) minor_to_major = *layout;
    auto transfer = client_->BufferFromHost(array, semantics, memory(), minor_to_major);
    EXPECT_TRUE(transfer.ok()) << transfer.status().ToString();
    return *std::move(transfer);
  }

  std::unique_ptr<LocalClient> client_ = MakeClient();
};

TEST_F(LocalBufferTest, ReportsItsShape) {
  const int32_t values[6] = {};
  auto buffer = Put(values, ElementType::kS32, {2, 3}).buffer;
  EXPECT_EQ(buffer->element_type(), ElementType::kS32);
  EXPECT_EQ(buffer->dims()[1], 3);
  EXPECT_EQ(buffer->minor_to_major()[0], 1);
  EXPECT_EQ(*buffer->OnDeviceSizeInBytes(), 24u);
  EXPECT_EQ(buffer->device(), client_->devices()[0]);
  EXPECT_EQ(*buffer->UnsafePointer() % 64, 0u);
  std::vector<int8_t> many(1 << 6);
  auto deep = Put(many.data(), ElementType::kS8, {2, 2, 2, 2, 2, 2}).buffer;
  EXPECT_EQ(deep->dims().size(), 6u);
  EXPECT_EQ(deep->minor_to_major()[5], 0);
}

TEST_F(LocalBufferTest, UploadsWithAnyStrides) {
  int32_t values[24];
  std::iota(std::begin(values), std::end(values), 0);
  // Transposed.
  EXPECT_EQ(
      Values<int32_t>(*Put(values, ElementType::kS32, {3, 2}, Strides{4, 12}).buffer),
      (std::vector<int32_t>{0, 3, 1, 4, 2, 5}));
  // Negative strides, with gaps.
  EXPECT_EQ(Values<int32_t>(
                *Put(values + 23, ElementType::kS32, {2, 3}, Strides{-48, -8}).buffer),
            (std::vector<int32_t>{23, 21, 19, 11, 9, 7}));
  // Repeated elements: a stride of 0.
  EXPECT_EQ(
      Values<int32_t>(*Put(values + 5, ElementType::kS32, {2, 2}, Strides{0, 4}).buffer),
      (std::vector<int32_t>{5, 6, 5, 6}));
  // No elements.
  EXPECT_EQ(
      Values<int32_t>(*Put(values, ElementType::kS32, {0, 7}, Strides{-4, 9}).buffer)
          .size(),
      0u);
}

TEST_F(LocalBufferTest, LargeTransposesAreRight) {
  const int64_t rows = 300, columns = 257;
  std::vector<int32_t> values(static_cast<size_t>(rows * columns));
  std::iota(values.begin(), values.end(), 0);
  auto buffer =
      Put(values.data(), ElementType::kS32, {columns, rows}, Strides{4, 4 * columns})
          .buffer;
  const auto read = Values<int32_t>(*buffer);
  for (int64_t c = 0; c < columns; ++c) {
    for (int64_t r = 0; r < rows; ++r) {
      ASSERT_EQ(read[static_cast<size_t>(c * rows + r)], r * columns + c);
    }
  }
}

TEST_F(LocalBufferTest, DownloadsWithAnyLayoutAndStrides) {
  const int32_t values[] = {0, 1, 2, 3, 4, 5};
  auto buffer = Put(values, ElementType::kS32, {2, 3}, std::nullopt,
                    HostBufferSemantics::kImmutableOnlyDuringCall, Strides{0, 1})
                    .buffer;
  int32_t raw[6];
  ASSERT_TRUE(buffer->CopyRawToHost(raw, 0, 24).Await().ok());
  EXPECT_EQ(std::vector<int32_t>(raw, raw + 6), (std::vector<int32_t>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(Values<int32_t>(*buffer), (std::vector<int32_t>{0, 1, 2, 3, 4, 5}));
  int32_t out[12] = {};
  const int64_t strides[] = {24, 8};
  ASSERT_TRUE(buffer->ToHost(out, sizeof out, strides).Await().ok());
  EXPECT_EQ(std::vector<int32_t>(out, out + 12),
            (std::vector<int32_t>{0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0}));
}

TEST_F(LocalBufferTest, SubByteAndBooleanValuesAreCanonical) {
  const uint8_t values[] = {0x00, 0x01, 0x0f, 0xf8, 0x78, 0xff};
  const auto put = [&](ElementType type) {
    return Values<int8_t>(
        *Put(values, type, {6}, std::nullopt, HostBufferSemantics::kImmutableZeroCopy)
             .buffer);
  };
  EXPECT_EQ(put(ElementType::kS4), (std::vector<int8_t>{0, 1, -1, -8, -8, -1}));
  EXPECT_EQ(put(ElementType::kU4), (std::vector<int8_t>{0, 1, 15, 8, 8, 15}));
  EXPECT_EQ(put(ElementType::kS2), (std::vector<int8_t>{0, 1, -1, 0, 0, -1}));
  EXPECT_EQ(put(ElementType::kPred), (std::vector<int8_t>{0, 1, 1, 1, 1, 1}));
}

TEST_F(LocalBufferTest, AlignedMemoryIsAliased) {
  auto* host = static_cast<int32_t*>(std::aligned_alloc(64, 8192));
  host[5] = 42;
  HostTransfer transfer = Put(host, ElementType::kS32, {2048}, std::nullopt,
                              HostBufferSemantics::kImmutableZeroCopy);
  EXPECT_EQ(*transfer.buffer->UnsafePointer(), reinterpret_cast<uintptr_t>(host));
  EXPECT_FALSE(transfer.done.IsReady());
  transfer.buffer.reset();
  EXPECT_TRUE(transfer.done.IsReady());
  // Arrays that are not dense or not aligned are copied, and so is any array if the
  // caller does not allow aliasing.
  transfer = Put(host, ElementType::kS32, {32, 32}, Strides{4, 128},
                 HostBufferSemantics::kImmutableZeroCopy);
  EXPECT_NE(*transfer.buffer->UnsafePointer(), reinterpret_cast<uintptr_t>(host));
  transfer = Put(host + 4, ElementType::kS32, {1024}, std::nullopt,
                 HostBufferSemantics::kImmutableZeroCopy);
  EXPECT_TRUE(transfer.done.IsReady());
  transfer = Put(host, ElementType::kS32, {2048});
  host[5] = 0;
  EXPECT_EQ(Values<int32_t>(*transfer.buffer)[5], 42);
  std::free(host);
}

TEST_F(LocalBufferTest, LargeCopiesFinishLater) {
  std::vector<int32_t> values(1 << 20);
  std::iota(values.begin(), values.end(), 0);
  HostTransfer transfer = Put(values.data(), ElementType::kS32, {1 << 20}, Strides{4},
                              HostBufferSemantics::kImmutableUntilTransferCompletes);
  ASSERT_TRUE(transfer.done.Await().ok());
  values[7] = -1;
  EXPECT_EQ(Values<int32_t>(*transfer.buffer)[7], 7);
}

TEST_F(LocalBufferTest, DeletionIsFinal) {
  const int32_t value = 3;
  auto buffer = Put(&value, ElementType::kS32, {}).buffer;
  buffer->Delete();
  buffer->Delete();
  EXPECT_TRUE(buffer->IsDeleted());
  EXPECT_EQ(buffer->dims().size(), 0u);
  EXPECT_FALSE(buffer->ReadyEvent().status().ok());
  int32_t out;
  EXPECT_FALSE(buffer->ToHost(&out, 4, std::nullopt).Await().ok());
  EXPECT_FALSE(buffer->CopyToMemory(memory()).ok());
  EXPECT_FALSE(buffer->OpaquePointer().ok());
  EXPECT_FALSE(buffer->IncreaseExternalReferenceCount().ok());
}

TEST_F(LocalBufferTest, DeletionWithExternalReferencesKeepsTheMemory) {
  auto buffer = FromHost<int32_t>(*client_, {7, 8});
  ASSERT_TRUE(buffer->IncreaseExternalReferenceCount().ok());
  const auto* values = static_cast<const int32_t*>(*buffer->OpaquePointer());
  buffer->Delete();
  EXPECT_EQ(values[1], 8);
  EXPECT_TRUE(buffer->DecreaseExternalReferenceCount().ok());
}

TEST_F(LocalBufferTest, RawRangesAreChecked) {
  auto buffer = FromHost<int32_t>(*client_, {1, 2, 3});
  int32_t out = 0;
  EXPECT_TRUE(buffer->CopyRawToHost(&out, 4, 4).Await().ok());
  EXPECT_EQ(out, 2);
  EXPECT_FALSE(buffer->CopyRawToHost(&out, 9, 4).Await().ok());
  EXPECT_FALSE(buffer->CopyRawToHost(&out, -1, 4).Await().ok());
  EXPECT_FALSE(buffer->CopyRawToHost(&out, 4, INT64_MAX).Await().ok());
  EXPECT_FALSE(buffer->ToHost(&out, 4, std::nullopt).Await().ok());

  Event later = Event::Pending();
  auto location = std::make_shared<void*>(nullptr);
  Event done = buffer->CopyRawToHostFuture(later, location, 8, 4);
  EXPECT_FALSE(done.IsReady());
  *location = &out;
  later.Set();
  EXPECT_TRUE(done.Await().ok());
  EXPECT_EQ(out, 3);
}

TEST_F(LocalBufferTest, CopiesGoToEveryMemory) {
  auto client = MakeClient({{"device_count", int64_t{2}}});
  auto buffer = FromHost<int32_t>(*client, {1, 2, 3});
  for (MemorySpace* memory : client->addressable_memories()) {
    auto copy = buffer->CopyToMemory(memory);
    ASSERT_TRUE(copy.ok());
    EXPECT_EQ((*copy)->memory(), memory);
    EXPECT_EQ(Values<int32_t>(**copy), (std::vector<int32_t>{1, 2, 3}));
    EXPECT_NE(*(*copy)->UnsafePointer(), *buffer->UnsafePointer());
  }
}

TEST_F(LocalBufferTest, BitcastTakesTheStorage) {
  auto buffer = FromHost<int32_t>(*client_, {0x3f800000, 0});
  const int64_t dims[] = {2, 1};
  auto cast = buffer->Bitcast({ElementType::kF32, dims, std::nullopt});
  ASSERT_TRUE(cast.ok());
  EXPECT_TRUE(buffer->IsDeleted());
  EXPECT_EQ(Values<float>(**cast)[0], 1.0f);
  const int64_t wrong[] = {3};
  EXPECT_FALSE((*cast)->Bitcast({ElementType::kF32, wrong, std::nullopt}).ok());
}

TEST_F(LocalBufferTest, ErrorBuffersFailTheirUsers) {
  const int64_t dims[] = {2};
  auto buffer = client_->CreateErrorBuffer(
      DataLoss("gone"), {ElementType::kF32, dims, std::nullopt}, memory());
  ASSERT_TRUE(buffer.ok());
  EXPECT_EQ((*buffer)->ReadyEvent().status().message(), "gone");
  float out[2];
  EXPECT_EQ((*buffer)->ToHost(out, 8, std::nullopt).Await().message(), "gone");
  EXPECT_EQ((*buffer)->OpaquePointer().status().message(), "gone");
  auto copy = (*buffer)->CopyToMemory(memory());
  ASSERT_TRUE(copy.ok());
  EXPECT_EQ((*copy)->ReadyEvent().Await().message(), "gone");
}

TEST_F(LocalBufferTest, ControlDependenciesDelay) {
  auto buffer = FromHost<int32_t>(*client_, {1});
  Event dependency = Event::Pending();
  auto later = buffer->DonateWithControlDependency(dependency);
  ASSERT_TRUE(later.ok());
  EXPECT_TRUE(buffer->IsDeleted());
  EXPECT_FALSE((*later)->ReadyEvent().IsReady());
  dependency.Set();
  EXPECT_EQ(Values<int32_t>(**later)[0], 1);
}

TEST_F(LocalBufferTest, UnalignedViewsAreErrors) {
  alignas(64) int32_t host[17] = {0, 5};
  const int64_t dims[] = {16};
  int deletions = 0;
  auto view =
      client_->CreateViewOfDeviceBuffer(host + 1, {ElementType::kS32, dims, std::nullopt},
                                        memory(), 0, [&] { ++deletions; });
  ASSERT_EQ(view.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(view.status().message().find("is not aligned to 64 bytes"),
            std::string_view::npos)
      << view.status().ToString();
  EXPECT_EQ(deletions, 0);
}

TEST_F(LocalBufferTest, ImpossibleShapesAreErrors) {
  const int64_t huge[] = {int64_t{1} << 40, int64_t{1} << 40};
  EXPECT_EQ(
      client_
          ->CreateUninitializedBuffer({ElementType::kF32, huge, std::nullopt}, memory())
          .status()
          .code(),
      StatusCode::kInvalidArgument);
  const int64_t large[] = {int64_t{1} << 50};
  EXPECT_EQ(
      client_
          ->CreateUninitializedBuffer({ElementType::kF32, large, std::nullopt}, memory())
          .status()
          .code(),
      StatusCode::kResourceExhausted);
  const int64_t dims[] = {2, 2}, layout[] = {0, 0};
  EXPECT_EQ(
      client_->CreateUninitializedBuffer({ElementType::kF32, dims, layout}, memory())
          .status()
          .code(),
      StatusCode::kInvalidArgument);
}

TEST_F(LocalBufferTest, ChunksComeInAnyOrder) {
  const int64_t dims[] = {4};
  const ArrayShape shapes[] = {{ElementType::kS32, dims, std::nullopt},
                               {ElementType::kPred, dims, std::nullopt}};
  auto manager = *client_->CreateBuffersForAsyncHostToDevice(shapes, memory());
  EXPECT_EQ(manager->buffer_count(), 2u);
  EXPECT_EQ(manager->BufferSize(0), 16u);
  auto ints = *manager->RetrieveBuffer(0);
  EXPECT_EQ(manager->RetrieveBuffer(0).status().code(), StatusCode::kFailedPrecondition);
  const int32_t values[] = {1, 2, 3, 4};
  ASSERT_TRUE(manager->TransferData(0, values + 2, 8, 8, false).ok());
  EXPECT_FALSE(ints->ReadyEvent().IsReady());
  EXPECT_FALSE(manager->TransferData(0, values, 12, 8, false).ok());
  ASSERT_TRUE(manager->TransferData(0, values, 0, 8, true).ok());
  EXPECT_EQ(Values<int32_t>(*ints), (std::vector<int32_t>{1, 2, 3, 4}));
  EXPECT_EQ(manager->TransferData(0, values, 0, 8, true).status().code(),
            StatusCode::kFailedPrecondition);
  const uint8_t flags[] = {0, 2, 0, 1};
  const int64_t backwards[] = {-1};
  auto preds = *manager->RetrieveBuffer(1);
  ASSERT_TRUE(
      manager->TransferLiteral(1, {flags + 3, ElementType::kPred, dims, backwards}).ok());
  EXPECT_EQ(Values<int8_t>(*preds), (std::vector<int8_t>{1, 0, 1, 0}));
}

}  // namespace
}  // namespace tenon::pjrt
