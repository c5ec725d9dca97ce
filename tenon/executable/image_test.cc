#include "tenon/executable/image.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tenon/executable/loader.h"
#include "tenon/executable/machine.h"
#include "tenon/format/layout.h"
#include "tenon/format/testing.h"

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

CodeObject SomeCode() {
  CodeObject code;
  code.target = "bat";
  code.architecture = "none";
  code.features = {"wings"};
  code.bytes.assign(100, 0x90);
  code.entry_offset = 5;
  code.imports_offset = format::kPageAlignment;
  code.symbols = {{.name = "entry", .offset = 5, .size = 95}};
  code.kernels = {{"loop.0", "jit(f)/add", "f.py:3:1"}};
  code.constants_size = 3;
  code.arena_bytes = 4096;
  code.estimated_nanoseconds = 12.5;
  return code;
}

Image SomeImage() {
  Image image;
  image.info.name = "jit_f";
  image.info.note = "{\"args\": [0]}";
  image.info.parameters = {Tensor(ElementType::kF32, {2, 3}, {1, 0}),
                           Tensor(ElementType::kS4, {}, {})};
  image.info.parameters[0].name = "params/w";
  image.info.parameters[0].sharding = std::string("\x08\xff\x00\x01", 4);
  image.info.results = {Tensor(ElementType::kF32, {3, 2}, {0, 1})};
  image.info.results[0].shared_by = 0;
  image.info.aliases = {{.result = 0, .parameter = 0, .must = false}};
  ImageFfiCall call;
  call.target = "some_target";
  call.operands = {Tensor(ElementType::kBF16, {7}, {0})};
  call.attributes = std::string("\0\1\2", 3);
  call.has_side_effect = true;
  image.info.ffi_calls = {call};
  image.info.num_partitions = 2;
  ImageCollective collective;
  collective.kind = CollectiveKind::kAllGather;
  collective.groups = {{1, 0}};
  collective.operands = {Tensor(ElementType::kF32, {3, 2}, {1, 0})};
  collective.results = {Tensor(ElementType::kF32, {3, 4}, {1, 0})};
  collective.dimension = 1;
  collective.source = "f.py:2:1";
  image.info.collectives = {collective};
  image.info.costs = {{"flops", 6.0}};
  image.info.compile_options = "\xff\xfe";
  image.info.optimized_program = "module {}";
  image.info.fingerprint = "abc";
  image.code_objects = {SomeCode()};
  image.code_objects[0].shared_segments = {{0, 8192}};
  image.constants = {1, 2, 3};
  return image;
}

// The image with further code objects: for a machine with more features, for another
// architecture, and for a device. The second one has constants of its own.
Image WithMoreCode() {
  Image image = SomeImage();
  image.constants = ConstantData(size_t{64 + 8});
  image.constants.data()[2] = 3;
  image.constants.data()[64] = 4;
  CodeObject better = SomeCode();
  better.target = "bird";
  better.features = {"feathers", "wings"};
  better.bytes.assign(200, 0x91);
  better.constants_offset = 64;
  better.constants_size = 8;
  CodeObject other = SomeCode();
  other.target = "fish";
  other.architecture = "other";
  CodeObject device;
  device.kind = "text for a device";
  device.target = "rocket";
  device.bytes = {'g', 'o'};
  image.code_objects.push_back(better);
  image.code_objects.push_back(other);
  image.code_objects.push_back(device);
  return image;
}

TEST(ImageTest, RoundTripsThroughBytes) {
  const Image image = SomeImage();
  StatusOr<Image> read = Image::Deserialize(image.Serialize());
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(read->info.name, "jit_f");
  ASSERT_EQ(read->info.parameters.size(), 2u);
  EXPECT_EQ(read->info.parameters[0].dims, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(read->info.parameters[0].name, "params/w");
  EXPECT_EQ(read->info.parameters[0].sharding, image.info.parameters[0].sharding);
  EXPECT_EQ(read->info.parameters[1].type, ElementType::kS4);
  EXPECT_EQ(read->info.results[0].minor_to_major, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(read->info.results[0].shared_by, 0);
  EXPECT_EQ(read->info.parameters[0].shared_by, -1);
  EXPECT_FALSE(read->info.aliases[0].must);
  EXPECT_EQ(read->info.ffi_calls[0].attributes, image.info.ffi_calls[0].attributes);
  EXPECT_TRUE(read->info.ffi_calls[0].has_side_effect);
  ASSERT_EQ(read->info.collectives.size(), 1u);
  EXPECT_EQ(read->info.collectives[0].kind, CollectiveKind::kAllGather);
  EXPECT_EQ(read->info.collectives[0].groups, image.info.collectives[0].groups);
  EXPECT_EQ(read->info.collectives[0].dimension, 1);
  ASSERT_EQ(read->code_objects[0].shared_segments.size(), 1u);
  EXPECT_EQ(read->code_objects[0].shared_segments[0].site, 0);
  EXPECT_EQ(read->code_objects[0].shared_segments[0].bytes, 8192u);
  EXPECT_EQ(read->info.collectives[0].source, "f.py:2:1");
  EXPECT_EQ(read->info.costs, image.info.costs);
  EXPECT_EQ(read->info.compile_options, "\xff\xfe");
  ASSERT_EQ(read->code_objects.size(), 1u);
  const CodeObject& code = read->code_objects[0];
  EXPECT_EQ(code.kind, kHostCode);
  EXPECT_EQ(code.target, "bat");
  EXPECT_EQ(code.features, image.code_objects[0].features);
  EXPECT_EQ(code.bytes, image.code_objects[0].bytes);
  EXPECT_EQ(code.symbols[0].size, 95u);
  ASSERT_EQ(code.kernels.size(), 1u);
  EXPECT_EQ(code.kernels[0].op_name, "jit(f)/add");
  EXPECT_EQ(code.kernels[0].source, "f.py:3:1");
  EXPECT_EQ(code.constants_size, 3u);
  EXPECT_EQ(code.arena_bytes, 4096u);
  EXPECT_EQ(code.estimated_nanoseconds, 12.5);
  EXPECT_EQ(read->constants, image.constants);
  EXPECT_EQ(read->Serialize(), image.Serialize());
}

TEST(ImageTest, CodeObjectsRoundTrip) {
  const Image image = WithMoreCode();
  StatusOr<Image> read = Image::Deserialize(image.Serialize());
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  ASSERT_EQ(read->code_objects.size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(read->code_objects[i].target, image.code_objects[i].target);
    EXPECT_EQ(read->code_objects[i].bytes, image.code_objects[i].bytes);
  }
  EXPECT_EQ(read->code_objects[3].kind, "text for a device");
  EXPECT_EQ(read->code_objects[1].constants_offset, 64u);
  EXPECT_EQ(read->constants, image.constants);
  EXPECT_EQ(read->Serialize(), image.Serialize());
}

TEST(ImageTest, EveryTruncationIsRejected) {
  const std::string bytes = SomeImage().Serialize();
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(Image::Deserialize(bytes.substr(0, size)).status().code(),
              StatusCode::kDataLoss);
  }
}

// Only the bytes between sections are not part of any checksum, and nobody reads them.
TEST(ImageTest, EveryFlippedByteIsRejectedOrUnused) {
  const std::string bytes = SomeImage().Serialize();
  size_t unused = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string bad = bytes;
    bad[i] ^= 0x41;
    auto read = Image::Deserialize(bad);
    if (!read.ok()) continue;
    ++unused;
    EXPECT_EQ(bytes[i], 0) << i;
    EXPECT_EQ(read->Serialize(), bytes) << i;
  }
  EXPECT_LT(unused, 5 * format::kMinAlignment);
}

TEST(ImageTest, CorruptionWithValidChecksumsNeverCrashes) {
  const std::string bytes = WithMoreCode().Serialize();
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (int flip : {0x01, 0x80, 0xff}) {
      std::string bad = bytes;
      bad[i] = static_cast<char>(bad[i] ^ flip);
      (void)Image::Deserialize(format::WithChecksums(bad)).ok();
    }
  }
}

TEST(ImageTest, OtherFormatsAndAbisAreRejected) {
  const auto refusal = [](std::string bytes) {
    return Image::Deserialize(format::WithChecksums(std::move(bytes)))
        .status()
        .ToString();
  };
  std::string bytes = SomeImage().Serialize();
  bytes[offsetof(format::Header, major)] = 3;
  EXPECT_EQ(refusal(bytes),
            "FAILED_PRECONDITION: the file has format 3, but this version of Tenon reads "
            "format 2; compile the program again, or use a newer version");
  bytes = SomeImage().Serialize();
  bytes[offsetof(format::Header, abi)] = 77;
  EXPECT_EQ(refusal(bytes),
            "FAILED_PRECONDITION: the file has code for ABI 77, but this version of "
            "Tenon runs ABI 1 to 4; compile the program again, or use a newer version");
  EXPECT_EQ(refusal("TenonImg" + std::string(200, '\0')),
            "FAILED_PRECONDITION: the file has a format from before format 2; compile "
            "the program again");
  EXPECT_EQ(refusal("hello"), "DATA_LOSS: the file is not an executable of Tenon");
}

TEST(ImageTest, SharedSegmentsAreChecked) {
  Image image = SomeImage();
  image.code_objects[0].shared_segments = {{0, 64}, {1, 64}};
  const auto refusal = [&] {
    return std::string(Image::Deserialize(image.Serialize()).status().message());
  };
  EXPECT_EQ(refusal(),
            "the image has a shared segment of collective 1 in code of kind host");
  image.code_objects[0].shared_segments[1].site = 0;
  image.code_objects[0].arena_bytes = 24;
  EXPECT_EQ(refusal(), "");
  image.code_objects[0].arena_bytes = 23;
  EXPECT_EQ(refusal(), "the arena of the image has no room for a run's state");
}

// Records that share a large table would need far more memory than the file has.
TEST(ImageTest, SharedTablesAreBounded) {
  Image image = SomeImage();
  image.info.collectives[0].groups.assign(1000, std::vector<int64_t>(1));
  image.info.collectives[0].groups[0].resize(2000);
  std::string bytes = image.Serialize();
  const auto first =
      bytes.find(std::string("\xd0\x07\0\0\x08\0\0\0", 8));  // 2000 records
  ASSERT_NE(first, bytes.npos);
  for (int i = 1; i < 1000; ++i)
    bytes.replace(first - 8 + 16 * i, 16, bytes, first - 8, 16);
  const Status status = Image::Deserialize(format::WithChecksums(bytes)).status();
  EXPECT_EQ(status.message(), "the file is damaged: its metadata are malformed");
}

TEST(ImageTest, DebugDataCanBeLeftOut) {
  const Image image = WithMoreCode();
  auto read = Image::Deserialize(image.Serialize({.debug = false}));
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(read->info.optimized_program, "");
  EXPECT_TRUE(read->code_objects[0].symbols.empty());
  EXPECT_EQ(read->info.compile_options, image.info.compile_options);
  EXPECT_EQ(read->code_objects[1].bytes, image.code_objects[1].bytes);
}

TEST(ImageTest, SectionsOfFilesArePageAligned) {
  const std::string bytes = WithMoreCode().Serialize({.page_aligned = true});
  format::Frame frame;
  format::Refusal refusal;
  ASSERT_TRUE(frame.Read(bytes, &refusal)) << refusal.reason;
  for (uint32_t kind : {format::kCode, format::kConstants}) {
    format::Section section;
    ASSERT_TRUE(frame.Find(kind, 0, &section));
    EXPECT_EQ(section.offset % 65536, 0u);
  }
  EXPECT_EQ(Image::Deserialize(bytes)->Serialize(), WithMoreCode().Serialize());
}

Status LoadStatus(const Image& image) {
  return LoadImage(image, Machine{.architecture = "none", .features = {"wings"}})
      .status();
}

TEST(LoaderTest, RejectsMissingFeatures) {
  Image image = SomeImage();
  EXPECT_TRUE(LoadStatus(image).ok());
  image.code_objects[0].features.push_back("fins");
  EXPECT_EQ(LoadStatus(image).code(), StatusCode::kFailedPrecondition);
  EXPECT_NE(LoadStatus(image).message().find("'fins'"), std::string_view::npos);
  image = SomeImage();
  image.code_objects[0].architecture = "other";
  EXPECT_EQ(LoadStatus(image).code(), StatusCode::kFailedPrecondition);
  image.code_objects.clear();
  EXPECT_EQ(LoadStatus(image).code(), StatusCode::kDataLoss);
}

TEST(LoaderTest, ErrorNamesTargetsAndMachine) {
  const Machine machine{.architecture = "none", .features = {}, .name = "Ant 3000"};
  EXPECT_EQ(
      LoadImage(WithMoreCode(), machine).status().ToString(),
      "FAILED_PRECONDITION: executable 'jit_f' has no code for this machine, which "
      "is none (Ant 3000); it has: bat, which needs the processor feature 'wings'; "
      "bird, which needs the processor feature 'feathers'; fish, which is for "
      "architecture other; rocket, which is 'text for a device' code for another device");
}

// The loader chooses the code object that uses the most features of the machine.
TEST(LoaderTest, ChoosesTheBestCode) {
  const auto chosen = [](const Machine& machine) {
    auto loaded = LoadImage(WithMoreCode(), machine);
    return loaded.ok() ? (*loaded)->code().target : loaded.status().ToString();
  };
  EXPECT_EQ(chosen({.architecture = "none", .features = {"wings"}}), "bat");
  EXPECT_EQ(chosen({.architecture = "none", .features = {"feathers", "wings"}}), "bird");
  EXPECT_EQ(chosen({.architecture = "other", .features = {"fins", "wings"}}), "fish");
}

TEST(LoaderTest, RejectsOffsetsOutOfBounds) {
  const auto broken = [](auto change) {
    Image image = SomeImage();
    change(image, image.code_objects[0]);
    return LoadStatus(image).code();
  };
  EXPECT_EQ(broken([](Image&, CodeObject& c) { c.entry_offset = 100; }),
            StatusCode::kDataLoss);
  EXPECT_EQ(broken([](Image&, CodeObject& c) { c.imports_offset = 64; }),
            StatusCode::kDataLoss);
  EXPECT_EQ(broken([](Image&, CodeObject& c) { c.imports_offset = ~0ull - 65535; }),
            StatusCode::kDataLoss);
  EXPECT_EQ(broken([](Image&, CodeObject& c) { c.eh_frame_size = 101; }),
            StatusCode::kDataLoss);
  EXPECT_EQ(broken([](Image&, CodeObject& c) { c.eh_frame_size = 8; }),
            StatusCode::kDataLoss);
  EXPECT_EQ(broken([](Image&, CodeObject& c) { c.symbols[0].size = 96; }),
            StatusCode::kDataLoss);
  EXPECT_EQ(broken([](Image&, CodeObject& c) { c.constants_size = 4; }),
            StatusCode::kDataLoss);
  EXPECT_EQ(broken([](Image&, CodeObject& c) { c.constants_offset = 1; }),
            StatusCode::kDataLoss);
  EXPECT_EQ(broken([](Image&, CodeObject& c) { c.kind = ""; }), StatusCode::kDataLoss);
  EXPECT_EQ(broken([](Image& i, CodeObject&) { i.info.aliases[0].parameter = 2; }),
            StatusCode::kDataLoss);
  EXPECT_EQ(broken([](Image& i, CodeObject&) { i.info.results[0].dims[0] = -1; }),
            StatusCode::kDataLoss);
  EXPECT_EQ(
      broken([](Image& i, CodeObject&) { i.info.results[0].minor_to_major = {0, 0}; }),
      StatusCode::kDataLoss);
}

// The loader also checks code objects that it does not load here.
TEST(LoaderTest, EveryCodeObjectIsChecked) {
  Image image = WithMoreCode();
  image.code_objects[2].entry_offset = 100;
  EXPECT_EQ(LoadStatus(image).code(), StatusCode::kDataLoss);
}

TEST(LoaderTest, ReadsConstantsInPlace) {
  const auto image = std::make_shared<const Image>(WithMoreCode());
  auto loaded =
      LoadImage(image, {.architecture = "none", .features = {"feathers", "wings"}});
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ((*loaded)->constants(), image->constants.data() + 64);
  EXPECT_EQ(reinterpret_cast<uintptr_t>((*loaded)->constants()) % 64, 0u);
  EXPECT_EQ((*loaded)->constants()[0], 4);
  EXPECT_EQ((*loaded)->image(), image);
}

TEST(ConstantDataTest, CopiesAreIndependentAndSealedDataIsReadOnly) {
  ConstantData a = {1, 2, 3};
  a.Seal();
  ConstantData b = a;
  b.data()[0] = 9;
  EXPECT_EQ(a.data()[0], 1);
  EXPECT_FALSE(a == b);
  EXPECT_DEATH(const_cast<volatile uint8_t*>(a.data())[0] = 9, "");
}

}  // namespace
}  // namespace tenon
