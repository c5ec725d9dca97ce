// Damaged files are refused, or run: flipped bits, truncations, exchanged and repeated
// parts. Forged files, whose checksums match, are opened but not run, because code is
// trusted. TENON_DAMAGED_FILES is the number of files of each kind.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>

#include "tenon/embed/testing.h"
#include "tenon/executable/image.h"
#include "tenon/format/testing.h"

namespace tenon::embed {
namespace {

int NumFiles() {
  const char* number = std::getenv("TENON_DAMAGED_FILES");
  return number ? std::atoi(number) : 10000;
}

// More than one of everything that a file can have.
std::string GoodFile() {
  Image image = ScaleImage();
  ImageTensor tensor = testing::TensorOf(ElementType::kBF16, {3, 0, 5});
  tensor.sharding = "sharding";
  image.info.parameters.push_back(tensor);
  image.info.results.push_back(tensor);
  CodeObject other = image.code_objects[0];
  other.target = "other";
  other.architecture = "none";
  other.features = {"a", "b"};
  other.kernels = {{"kernel", "jit(f)/add", "f.py:3:1"}};
  image.code_objects.push_back(other);
  const std::string values(64, '\1');
  image.info.parameters.push_back(testing::TensorOf(ElementType::kF32, {16}));
  const ImageWeights weights{.file = "", .weights = {{2, "w", values}, {1, "v", ""}}};
  return image.Serialize({.weights = &weights});
}

class Damage {
 public:
  explicit Damage(int seed) : random_(static_cast<unsigned>(seed)) {}

  std::string Apply(std::string bytes) {
    for (uint64_t changes = 1 + Below(3); changes > 0; --changes) {
      switch (Below(6)) {
        case 0:
          bytes[Below(bytes.size())] ^= static_cast<char>(1 << Below(8));
          break;
        case 1:
          bytes[Below(bytes.size())] = static_cast<char>(Below(256));
          break;
        case 2:
          bytes.resize(1 + Below(bytes.size()));
          break;
        case 3:
          bytes.append(1 + Below(100), static_cast<char>(Below(256)));
          break;
        case 4:
          SwapSections(bytes);
          break;
        default:
          PutNumber(bytes);
      }
    }
    return bytes;
  }

 private:
  uint64_t Below(uint64_t bound) { return random_() % bound; }

  // Exchanges two entries of the section table.
  void SwapSections(std::string& bytes) {
    constexpr size_t kSize = sizeof(format::Section);
    const size_t a = sizeof(format::Header) + kSize * Below(7);
    const size_t b = sizeof(format::Header) + kSize * Below(7);
    if (a == b || std::max(a, b) + kSize > bytes.size()) return;
    const std::string entry = bytes.substr(a, kSize);
    bytes.replace(a, kSize, bytes, b, kSize);
    bytes.replace(b, kSize, entry);
  }
  // Writes a number that is likely to break arithmetic on sizes.
  void PutNumber(std::string& bytes) {
    constexpr uint64_t kNumbers[] = {
        0,    1,    ~uint64_t{0}, uint64_t{1} << 63, 0xffffffff, 0x7fffffffffffffff,
        4096, 65536};
    const size_t at = Below(bytes.size()) / 8 * 8;
    if (at + 8 > bytes.size()) return;
    std::memcpy(&bytes[at], &kNumbers[Below(std::size(kNumbers))], 8);
  }

  std::mt19937_64 random_;
};

tenon_program* Open(const AlignedBytes& bytes, uint32_t flags = 0) {
  const tenon_open_options options = {sizeof options, flags, nullptr};
  tenon_program* program = nullptr;
  tenon_error error = {};
  const int code =
      tenon_program_open_memory(bytes.data(), bytes.size(), &options, &program, &error);
  EXPECT_EQ(code == 0, program != nullptr);
  EXPECT_EQ(code != 0, error.message[0] != '\0');
  return program;
}

TEST(DamageTest, DamagedFilesAreRefusedOrRun) {
  const std::string good = GoodFile();
  int refused = 0;
  for (int seed = 0; seed < NumFiles(); ++seed) {
    const AlignedBytes bytes(Damage(seed).Apply(good));
    (void)Image::Deserialize({static_cast<const char*>(bytes.data()), bytes.size()}).ok();
    tenon_program* program = Open(bytes);
    if (!program) {
      ++refused;
      continue;
    }
    alignas(64) float x[32] = {1}, y[32] = {};
    const void* inputs[] = {x, nullptr};
    void* outputs[] = {y, nullptr};
    EXPECT_EQ(tenon_program_run(program, nullptr, inputs, outputs, nullptr, nullptr), 0);
    tenon_program_close(program);
  }
  EXPECT_GT(refused, NumFiles() / 2);
}

TEST(DamageTest, ForgedFilesAreOpenedWithinTheirBounds) {
  const std::string good = GoodFile();
  uint64_t sum = 0;
  for (int seed = 0; seed < NumFiles(); ++seed) {
    const AlignedBytes bytes(format::WithChecksums(Damage(seed).Apply(good)));
    (void)Image::Deserialize({static_cast<const char*>(bytes.data()), bytes.size()}).ok();
    tenon_program* program = Open(bytes, TENON_OPEN_CHECK_CONSTANTS);
    if (!program) continue;
    const tenon_signature* signature = tenon_program_signature(program);
    for (size_t i = 0; i < signature->num_inputs; ++i) {
      const tenon_tensor& tensor = signature->inputs[i];
      sum += std::strlen(tensor.name) + tensor.bytes;
      for (int32_t d = 0; d < tensor.rank; ++d)
        sum += static_cast<uint64_t>(tensor.dims[d]);
    }
    for (size_t i = 0; i < signature->num_weights; ++i)
      sum += std::strlen(signature->weights[i].name);
    tenon_program_close(program);
  }
  EXPECT_NE(sum, 0u);
}

TEST(DamageTest, EveryFlippedByteIsRefusedOrUnused) {
  const std::string good = GoodFile();
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x55);
    const AlignedBytes bytes(bad);
    tenon_program_close(Open(bytes));
  }
  for (size_t size = 0; size < good.size(); ++size) {
    const AlignedBytes bytes(std::string_view(good).substr(0, size));
    tenon_program* program = nullptr;
    EXPECT_NE(tenon_program_open_memory(bytes.data(), size, nullptr, &program, nullptr),
              0);
    tenon_program_close(program);
  }
}

}  // namespace
}  // namespace tenon::embed
