#include "tenon/format/safetensors.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>

#include "tenon/format/testing.h"

namespace tenon::format {
namespace {

// A line for each tensor, or the reason why the file is refused.
std::string Read(std::string_view bytes) {
  // In memory of its own, so that sanitizers see reads behind it.
  const std::string copy(bytes);
  std::string shown;
  const auto show = [](void* context, const SafeTensor& tensor) {
    std::string& out = *static_cast<std::string*>(context);
    out += std::string(tensor.name) + " " + std::string(tensor.dtype) + " " +
           std::string(ElementTypeName(tensor.type));
    for (int i = 0; i < tensor.rank; ++i) out += " " + std::to_string(tensor.dims[i]);
    out += ": " + std::string(tensor.value) + "\n";
  };
  Refusal refusal;
  std::string_view metadata;
  if (!VisitSafetensors(copy, show, &shown, &refusal, &metadata)) return refusal.reason;
  return shown + std::string(metadata);
}

std::string ReadHeader(const std::string& header, const std::string& data = "") {
  return Read(Safetensors(header, data));
}

TEST(SafetensorsTest, ReadsTensorsAndMetadata) {
  EXPECT_EQ(
      ReadHeader(R"({"__metadata__": {"format": "pt"},
        "a.b": {"dtype": "F32", "shape": [1, 2], "data_offsets": [0, 8]},
        "scalar":{"shape":[],"new":[{"x":null},-1.5e3,true],"data_offsets":[8,9],"dtype":"I8"},
        "empty":{"dtype":"BF16","shape":[3,0],"data_offsets":[9,9]},
        "packed":{"dtype":"F4","shape":[4],"data_offsets":[9,11]},
        "\u00e9\"\ud83d\ude00\n":{"dtype":"BOOL","shape":[1],"data_offsets":[11,12]}})",
                 "abcdefghijkl"),
      "a.b F32 f32 1 2: abcdefgh\nscalar I8 i8: i\nempty BF16 bf16 3 0: \n"
      "packed F4 invalid 4: jk\n\u00e9\"\U0001F600\n BOOL i1 1: l\n{\"format\": \"pt\"}");
  EXPECT_EQ(ReadHeader("{}"), "");
  EXPECT_EQ(SafetensorsType(ElementType::kF8E4M3FN), "F8_E4M3");
  EXPECT_EQ(SafetensorsType(ElementType::kS4), "");
}

TEST(SafetensorsTest, LongNamesAreSkipped) {
  const std::string name(kMaxTensorName, 'n');
  const std::string rest = R"(":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})";
  EXPECT_EQ(ReadHeader("{\"" + name + rest, "x"), name + " U8 ui8 1: x\n");
  EXPECT_EQ(ReadHeader("{\"n" + name + rest, "x"), "");
}

TEST(SafetensorsTest, SaysWhatIsWrong) {
  const std::string good = Safetensors(
      R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", "12345678");
  EXPECT_EQ(Read(good), "w F32 f32 2: 12345678\n");
  EXPECT_EQ(Read(""), "the file is no safetensors file: it has 0 bytes");
  EXPECT_EQ(Read("\x89Tenon\r\n12345678"), "the file is no safetensors file");
  EXPECT_EQ(Read(good.substr(0, 50)),
            "the file is truncated: its header has 56 bytes, but 42 are left");
  EXPECT_EQ(Read(good.substr(0, good.size() - 1)),
            "the file is truncated or damaged: tensor 'w' is out of bounds");
  EXPECT_EQ(Read(good + "9"),
            "the file is truncated or damaged: its tensors have 8 bytes, but 9 bytes "
            "follow its header");
  const auto tensor = [](const std::string& text, const std::string& data) {
    return ReadHeader("{\"w\":{" + text + "}}", data);
  };
  EXPECT_EQ(
      tensor(R"("dtype":"F32","shape":[3],"data_offsets":[0,8])", "12345678"),
      "the file is truncated or damaged: tensor 'w' has another size than its shape");
  EXPECT_EQ(tensor(R"("dtype":"F32","shape":[2])", ""),
            "the file is truncated or damaged: tensor 'w' has no type, shape or place");
  EXPECT_EQ(ReadHeader(R"({"v":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
                       R"("w":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})",
                       "123"),
            "the file is truncated or damaged: tensor 'w' overlaps others");
  const std::string malformed[] = {
      R"("dtype":"F32","shape":[-2],"data_offsets":[0,8])",
      R"("dtype":"F32","shape":[2.5],"data_offsets":[0,8])",
      R"("dtype":"F32","shape":[99999999999999999999],"data_offsets":[0,8])",
      R"("dtype":"F32","shape":[2],"data_offsets":[0,8,9])",
      R"("dtype":F32,"shape":[2],"data_offsets":[0,8])",
      R"("dtype":"F32" "shape":[2],"data_offsets":[0,8])",
      R"("dtype":"\x","shape":[2],"data_offsets":[0,8])"};
  for (const std::string& text : malformed) {
    EXPECT_EQ(tensor(text, "12345678").rfind("the file is damaged: byte ", 0), 0u)
        << text;
  }
  EXPECT_EQ(ReadHeader(R"({"w":{"x":)" + std::string(100000, '['))
                .rfind("the file is damaged: byte ", 0),
            0u);
  EXPECT_EQ(ReadHeader("{} x"),
            "the file is damaged: byte 3 of its header is unexpected");
}

TEST(SafetensorsTest, DamagedFilesAreReadWithinTheirBounds) {
  const char* number = std::getenv("TENON_DAMAGED_FILES");
  const int count = number ? std::atoi(number) : 10000;
  const std::string good = Safetensors(
      R"({"__metadata__":{"a":"\u00e9"},"w":{"dtype":"F32","shape":[2,2],"data_offsets":)"
      R"([0,16]},"b.0":{"dtype":"I64","shape":[],"data_offsets":[16,24]}})",
      std::string(24, 'v'), 8);
  int refused = 0;
  for (int seed = 0; seed < count; ++seed) {
    std::mt19937_64 random(static_cast<unsigned>(seed));
    std::string bad = good;
    for (uint64_t changes = 1 + random() % 3; changes > 0; --changes) {
      const size_t at = random() % bad.size();
      switch (random() % 4) {
        case 0:
          bad[at] ^= static_cast<char>(1 << random() % 8);
          break;
        case 1:
          bad[at] = "\"\\{}[],:0129eu \xff"[random() % 17];
          break;
        case 2:
          bad.resize(1 + at);
          break;
        default:
          bad.insert(at, bad.substr(random() % bad.size(), random() % 40));
      }
    }
    const std::string shown = Read(bad);
    refused += shown.rfind("the file", 0) == 0;
  }
  EXPECT_GT(refused, count / 2);
}

}  // namespace
}  // namespace tenon::format
