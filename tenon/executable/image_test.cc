#include "tenon/executable/image.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstring>

#include "tenon/executable/loader.h"
#include "tenon/executable/machine.h"

namespace tenon {
namespace {

ImageTensor Tensor(ElementType type, std::vector<int64_t> dims,
                   std::vector<int64_t> minor_to_major) {
  ImageTensor tensor;
  tensor.type = type;
  tensor.dims = std::move(dims);
  tensor.minor_to_major = std::move(minor_to_major);
  return tensor;
}

Image SomeImage() {
  Image image;
  image.info.name = "jit_f";
  image.info.parameters = {Tensor(ElementType::kF32, {2, 3}, {1, 0}),
                           Tensor(ElementType::kS4, {}, {})};
  image.info.parameters[0].sharding = std::string("\x08\xff\x00\x01", 4);
  image.info.results = {Tensor(ElementType::kF32, {3, 2}, {0, 1})};
  image.info.aliases = {{.result = 0, .parameter = 0, .must = false}};
  ImageFfiCall call;
  call.target = "some_target";
  call.operands = {Tensor(ElementType::kBF16, {7}, {0})};
  call.attributes = std::string("\0\1\2", 3);
  call.has_side_effect = true;
  image.info.ffi_calls = {call};
  image.info.kernels = {{"loop.0", "jit(f)/add", "f.py:3:1"}};
  image.info.arena_bytes = 4096;
  image.info.estimated_nanoseconds = 12.5;
  image.info.costs = {{"flops", 6.0}};
  image.info.compile_options = "\xff\xfe";
  image.info.optimized_program = "module {}";
  image.info.fingerprint = "abc";
  image.code.architecture = "none";
  image.code.features = {"wings"};
  image.code.bytes.assign(100, 0x90);
  image.code.entry_offset = 5;
  image.code.imports_offset = 64;
  image.code.symbols = {{.name = "entry", .offset = 5, .size = 95}};
  image.constants = {1, 2, 3};
  return image;
}

TEST(ImageTest, ComesBackFromItsBytes) {
  const Image image = SomeImage();
  StatusOr<Image> read = Image::Deserialize(image.Serialize());
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(read->info.name, "jit_f");
  ASSERT_EQ(read->info.parameters.size(), 2u);
  EXPECT_EQ(read->info.parameters[0].dims, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(read->info.parameters[0].sharding, image.info.parameters[0].sharding);
  EXPECT_EQ(read->info.parameters[1].type, ElementType::kS4);
  EXPECT_EQ(read->info.results[0].minor_to_major, (std::vector<int64_t>{0, 1}));
  EXPECT_FALSE(read->info.aliases[0].must);
  EXPECT_EQ(read->info.ffi_calls[0].attributes, image.info.ffi_calls[0].attributes);
  EXPECT_TRUE(read->info.ffi_calls[0].has_side_effect);
  ASSERT_EQ(read->info.kernels.size(), 1u);
  EXPECT_EQ(read->info.kernels[0].op_name, "jit(f)/add");
  EXPECT_EQ(read->info.kernels[0].source, "f.py:3:1");
  EXPECT_EQ(read->info.arena_bytes, 4096u);
  EXPECT_EQ(read->info.estimated_nanoseconds, 12.5);
  EXPECT_EQ(read->info.costs, image.info.costs);
  EXPECT_EQ(read->info.compile_options, "\xff\xfe");
  EXPECT_EQ(read->code.features, image.code.features);
  EXPECT_EQ(read->code.bytes, image.code.bytes);
  EXPECT_EQ(read->code.symbols[0].size, 95u);
  EXPECT_EQ(read->constants, image.constants);
  EXPECT_EQ(read->Serialize(), image.Serialize());
}

TEST(ImageTest, EveryTruncationIsRefused) {
  const std::string bytes = SomeImage().Serialize();
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(Image::Deserialize(bytes.substr(0, size)).status().code(),
              StatusCode::kDataLoss);
  }
}

TEST(ImageTest, EveryFlippedByteIsRefused) {
  const std::string bytes = SomeImage().Serialize();
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string bad = bytes;
    bad[i] ^= 0x41;
    EXPECT_FALSE(Image::Deserialize(bad).ok()) << i;
  }
}

// Makes the checksum right again after a change.
std::string Resigned(std::string bytes) {
  const uint32_t sum = static_cast<uint32_t>(crc32_z(
      0, reinterpret_cast<const unsigned char*>(bytes.data()) + 16, bytes.size() - 16));
  std::memcpy(bytes.data() + 12, &sum, sizeof sum);
  return bytes;
}

TEST(ImageTest, DamageBehindARightChecksumNeverCrashes) {
  const std::string bytes = SomeImage().Serialize();
  for (size_t i = 16; i < bytes.size(); ++i) {
    for (int flip : {0x01, 0x80, 0xff}) {
      std::string bad = bytes;
      bad[i] = static_cast<char>(bad[i] ^ flip);
      (void)Image::Deserialize(Resigned(bad)).ok();
    }
  }
}

TEST(ImageTest, AnotherFormatOrBuildIsAPrecondition) {
  std::string format = SomeImage().Serialize();
  format[8] = 99;
  Status status = Image::Deserialize(format).status();
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_NE(status.message().find("format version 99"), std::string_view::npos);

  std::string build = SomeImage().Serialize();
  build[20] ^= 1;
  status = Image::Deserialize(Resigned(build)).status();
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_NE(status.message().find("build"), std::string_view::npos);
}

TEST(ImageTest, DeepMetadataIsRefused) {
  const std::string good = SomeImage().Serialize();
  uint64_t offset, size;
  std::memcpy(&offset, &good[56], sizeof offset);
  std::memcpy(&size, &good[64], sizeof size);
  std::string bad = good;
  for (uint64_t i = 0; i < size; ++i) bad[offset + i] = '\x81';  // an array of one
  EXPECT_EQ(Image::Deserialize(Resigned(bad)).status().code(), StatusCode::kDataLoss);
}

Status LoadStatus(const Image& image) {
  return LoadImage(image, Machine{.architecture = "none", .features = {"wings"}})
      .status();
}

TEST(LoaderTest, RefusesWhatTheMachineLacks) {
  Image image = SomeImage();
  EXPECT_TRUE(LoadStatus(image).ok());
  image.code.features.push_back("fins");
  EXPECT_EQ(LoadStatus(image).code(), StatusCode::kFailedPrecondition);
  EXPECT_NE(LoadStatus(image).message().find("'fins'"), std::string_view::npos);
  image = SomeImage();
  image.code.architecture = "other";
  EXPECT_EQ(LoadStatus(image).code(), StatusCode::kFailedPrecondition);
}

TEST(LoaderTest, RefusesWhatIsOutOfBounds) {
  const auto broken = [](auto change) {
    Image image = SomeImage();
    change(image);
    return LoadStatus(image).code();
  };
  EXPECT_EQ(broken([](Image& i) { i.code.entry_offset = 100; }), StatusCode::kDataLoss);
  EXPECT_EQ(broken([](Image& i) { i.code.imports_offset = 80; }), StatusCode::kDataLoss);
  EXPECT_EQ(broken([](Image& i) { i.code.imports_offset = ~0ull - 7; }),
            StatusCode::kDataLoss);
  EXPECT_EQ(broken([](Image& i) { i.code.eh_frame_size = 101; }), StatusCode::kDataLoss);
  EXPECT_EQ(broken([](Image& i) { i.code.eh_frame_size = 8; }), StatusCode::kDataLoss);
  EXPECT_EQ(broken([](Image& i) { i.code.symbols[0].size = 96; }), StatusCode::kDataLoss);
  EXPECT_EQ(broken([](Image& i) { i.info.aliases[0].parameter = 2; }),
            StatusCode::kDataLoss);
  EXPECT_EQ(broken([](Image& i) { i.info.results[0].dims[0] = -1; }),
            StatusCode::kDataLoss);
  EXPECT_EQ(broken([](Image& i) { i.info.results[0].minor_to_major = {0, 0}; }),
            StatusCode::kDataLoss);
}

TEST(LoaderTest, GivesTheImageBack) {
  const Image image = SomeImage();
  auto loaded = LoadImage(image, Machine{.architecture = "none", .features = {"wings"}});
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(reinterpret_cast<uintptr_t>((*loaded)->constants()) % 64, 0u);
  EXPECT_EQ((*loaded)->constants()[2], 3);
  Image again = (*loaded)->ToImage();
  std::fill_n(again.code.bytes.begin() + 64, 24, 0x90);  // the import slots
  EXPECT_EQ(again.Serialize(), image.Serialize());
}

}  // namespace
}  // namespace tenon
