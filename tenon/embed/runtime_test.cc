#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "tenon/embed/testing.h"
#include "tenon/format/testing.h"
#include "tenon/runtime.h"
#include "tenon/runtime.hpp"

namespace tenon::embed {
namespace {

struct alignas(64) Floats {
  float values[32 + 1];
};

Floats Numbers() {
  Floats x;
  for (int i = 0; i < 33; ++i) x.values[i] = static_cast<float>(i);
  return x;
}

// Programs that were built with an older header use these layouts. Append only, and
// raise TENON_RUNTIME_VERSION.
static_assert(TENON_RUNTIME_VERSION == 2);
static_assert(sizeof(tenon_error) == 512 && offsetof(tenon_error, message) == 4);
static_assert(sizeof(tenon_tensor) == 48 && offsetof(tenon_tensor, type) == 8 &&
              offsetof(tenon_tensor, rank) == 12 && offsetof(tenon_tensor, dims) == 16 &&
              offsetof(tenon_tensor, minor_to_major) == 24 &&
              offsetof(tenon_tensor, bytes) == 32 &&
              offsetof(tenon_tensor, alias) == 40 &&
              offsetof(tenon_tensor, parameter) == 44);
static_assert(offsetof(tenon_signature, num_inputs) == 8 &&
              offsetof(tenon_signature, inputs) == 16 &&
              offsetof(tenon_signature, num_outputs) == 24 &&
              offsetof(tenon_signature, outputs) == 32 &&
              offsetof(tenon_signature, num_weights) == 40 &&
              offsetof(tenon_signature, weights) == 48);
static_assert(offsetof(tenon_open_options, flags) == 8 &&
              offsetof(tenon_open_options, weights) == 16);

// An image as a program, or the error.
struct Opened {
  explicit Opened(const std::string& file, uint32_t flags = 0) : bytes(file) {
    const tenon_open_options options = {sizeof options, flags, nullptr};
    code =
        tenon_program_open_memory(bytes.data(), bytes.size(), &options, &program, &error);
  }
  explicit Opened(const Image& image, uint32_t flags = 0)
      : Opened(image.Serialize(), flags) {}
  ~Opened() { tenon_program_close(program); }
  std::string Message() const {
    return code ? std::to_string(code) + ": " + error.message : "opened";
  }

  AlignedBytes bytes;
  tenon_program* program = nullptr;
  tenon_error error = {};
  int code = 0;
};

int RunScale(const Opened& opened, const void* x, void* y, tenon_error* error,
             tenon_team* team = nullptr, void* arena = nullptr) {
  const void* inputs[] = {x};
  void* outputs[] = {y};
  return tenon_program_run(opened.program, team, inputs, outputs, arena, error);
}

void ExpectScaled(const float* y) {
  for (int i = 0; i < 32; ++i) EXPECT_EQ(y[i], 3.0f * static_cast<float>(i)) << i;
}

TEST(EmbedTest, DescribesPrograms) {
  const Opened opened(ScaleImage());
  ASSERT_EQ(opened.code, 0) << opened.error.message;
  const tenon_signature* signature = tenon_program_signature(opened.program);
  EXPECT_STREQ(signature->name, "scale");
  ASSERT_EQ(signature->num_inputs, 1u);
  ASSERT_EQ(signature->num_outputs, 1u);
  const tenon_tensor& x = signature->inputs[0];
  EXPECT_STREQ(x.name, "x");
  EXPECT_EQ(x.type, TENON_F32);
  ASSERT_EQ(x.rank, 2);
  EXPECT_EQ(x.dims[0], 4);
  EXPECT_EQ(x.dims[1], 8);
  EXPECT_EQ(x.minor_to_major[0], 1);
  EXPECT_EQ(x.bytes, 128u);
  EXPECT_EQ(x.alias, -1);
  EXPECT_EQ(signature->outputs[0].alias, 0);
  EXPECT_EQ(tenon_program_arena_bytes(opened.program), 64u);
  EXPECT_STREQ(tenon_program_target(opened.program), "test");
  EXPECT_STREQ(tenon_program_note(opened.program), "by a test");
}

TEST(EmbedTest, RunsCopiesAndUpdatesInPlace) {
  const Opened opened(ScaleImage());
  tenon_error error;
  Floats x = Numbers(), y;
  ASSERT_EQ(RunScale(opened, x.values, y.values, &error), 0) << error.message;
  ExpectScaled(y.values);
  EXPECT_EQ(x.values[2], 2);
  alignas(64) char arena[64];
  ASSERT_EQ(RunScale(opened, x.values, x.values, &error, nullptr, arena), 0);
  ExpectScaled(x.values);
}

TEST(EmbedTest, UnalignedArraysAreRefusedOrCopied) {
  Floats x = Numbers(), y;
  tenon_error error;
  for (int i = 32; i > 0; --i) x.values[i] = x.values[i - 1];
  EXPECT_EQ(RunScale(Opened(ScaleImage()), x.values + 1, y.values, &error),
            TENON_INVALID_ARGUMENT);
  EXPECT_NE(std::string(error.message).find("input 0"), std::string::npos);
  EXPECT_NE(std::string(error.message).find("TENON_OPEN_COPY_UNALIGNED"),
            std::string::npos);
  const Opened copying(ScaleImage(), TENON_OPEN_COPY_UNALIGNED);
  ASSERT_EQ(RunScale(copying, x.values + 1, y.values + 1, &error), 0) << error.message;
  ExpectScaled(y.values + 1);
}

TEST(EmbedTest, ReportsMisuse) {
  const Opened opened(ScaleImage());
  tenon_error error;
  Floats x = Numbers();
  EXPECT_EQ(RunScale(opened, nullptr, x.values, &error), TENON_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "input 0 must not be NULL");
  EXPECT_EQ(RunScale(opened, x.values, nullptr, nullptr), TENON_INVALID_ARGUMENT);
  EXPECT_EQ(RunScale(opened, x.values, x.values, &error, nullptr, x.values + 1),
            TENON_INVALID_ARGUMENT);
  EXPECT_EQ(tenon_program_run(opened.program, nullptr, nullptr, nullptr, nullptr, &error),
            TENON_INVALID_ARGUMENT);
  tenon_program* program;
  EXPECT_EQ(tenon_program_open("/no/such/file", nullptr, &program, &error),
            TENON_NOT_FOUND);
  EXPECT_STREQ(error.message, "cannot open '/no/such/file': No such file or directory");
  EXPECT_EQ(tenon_program_open("/", nullptr, &program, &error), TENON_INVALID_ARGUMENT);
  EXPECT_EQ(tenon_program_open_memory(x.values + 1, 128, nullptr, &program, &error),
            TENON_INVALID_ARGUMENT);
  EXPECT_EQ(Opened(ScaleImage(), 64).Message(), "3: unknown flags 0x40");
  tenon_team* team;
  EXPECT_EQ(tenon_team_create(-1, &team, &error), TENON_INVALID_ARGUMENT);
  EXPECT_EQ(tenon_team_from_callback(nullptr, nullptr, 2, &team, &error),
            TENON_INVALID_ARGUMENT);
  tenon_program_close(nullptr);
  tenon_team_destroy(nullptr);
}

TEST(EmbedTest, ErrorsOfProgramsAreReported) {
  const Opened opened(testing::ImageOf(
      [](RunContext* context, const RunBuffer*, const RunBuffer*, void*) -> int32_t {
        context->table->set_error(context, 11, "index 7 is out of range", 23);
        context->table->set_error(context, 13, "later", 5);
        return 11;
      }));
  tenon_error error;
  EXPECT_EQ(tenon_program_run(opened.program, nullptr, nullptr, nullptr, nullptr, &error),
            11);
  EXPECT_EQ(error.code, 11);
  EXPECT_STREQ(error.message, "index 7 is out of range");
}

TEST(EmbedTest, DenormalsAreFlushedUnlessAskedFor) {
  const auto entry = [](RunContext*, const RunBuffer* args, const RunBuffer* results,
                        void*) -> int32_t {
    const volatile float x = *static_cast<const float*>(args[0].data);
    *static_cast<float*>(results[0].data) = x * 0.5f;
    return 0;
  };
  Image image = testing::ImageOf(entry);
  image.info.parameters = image.info.results = {testing::TensorOf(ElementType::kF32, {})};
  for (bool ieee : {false, true}) {
    image.info.ieee_denormals = ieee;
    const Opened opened(image);
    Floats x, y;
    x.values[0] = std::numeric_limits<float>::min();
    ASSERT_EQ(RunScale(opened, x.values, y.values, nullptr), 0);
    EXPECT_EQ(y.values[0] != 0, ieee);
    const volatile float smallest = std::numeric_limits<float>::min();
    EXPECT_NE(smallest * 0.5f, 0);  // the caller's mode is as before
  }
}

TEST(EmbedTest, TeamsGiveTheSameResults) {
  const Opened opened(ScaleImage());
  for (int threads : {0, 1, 3}) {
    tenon_error error;
    tenon_team* team;
    ASSERT_EQ(tenon_team_create(threads, &team, &error), 0) << error.message;
    for (int repeat = 0; repeat < 1000; ++repeat) {
      Floats x = Numbers(), y;
      ASSERT_EQ(RunScale(opened, x.values, y.values, &error, team), 0);
      ExpectScaled(y.values);
    }
    tenon_team_destroy(team);
  }
}

TEST(EmbedTest, AnyNumberOfThreadsMayRunAProgram) {
  const Opened opened(ScaleImage());
  tenon_team* team;
  ASSERT_EQ(tenon_team_create(3, &team, nullptr), 0);
  std::vector<std::thread> callers;
  for (int t = 0; t < 4; ++t) {
    callers.emplace_back([&] {
      for (int repeat = 0; repeat < 500; ++repeat) {
        Floats x = Numbers(), y;
        ASSERT_EQ(RunScale(opened, x.values, y.values, nullptr, team), 0);
        ExpectScaled(y.values);
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  tenon_team_destroy(team);
}

TEST(EmbedTest, CallersCanLendTheirThreads) {
  struct Pool {
    std::atomic<int> loops{0};
  } pool;
  tenon_team* team;
  ASSERT_EQ(
      tenon_team_from_callback(
          [](void* user, void (*body)(void*, int64_t), void* context, int64_t count) {
            static_cast<Pool*>(user)->loops++;
            std::vector<std::thread> threads;
            for (int64_t i = 0; i < count; ++i) threads.emplace_back(body, context, i);
            for (std::thread& thread : threads) thread.join();
          },
          &pool, 4, &team, nullptr),
      0);
  const Opened opened(ScaleImage());
  Floats x = Numbers(), y;
  ASSERT_EQ(RunScale(opened, x.values, y.values, nullptr, team), 0);
  ExpectScaled(y.values);
  EXPECT_EQ(pool.loops, 1);
  tenon_team_destroy(team);
}

TEST(EmbedTest, NamesTheFirstMissingFeature) {
  Image image = ScaleImage();
  image.code_objects[0].target = "x";
  image.code_objects[0].features = {"wings", "tail"};
  CodeObject other = image.code_objects[0];
  other.target = "y";
  other.architecture = "none";
  image.code_objects.push_back(other);
  EXPECT_EQ(Opened(image).Message(),
            std::string("9: the file has no code for this machine, which is ") +
                testing::kArchitecture +
                ": x needs the processor feature 'wings'; y is for another architecture");
  // Code that fits is found behind code that does not.
  image.code_objects.push_back(ScaleImage().code_objects[0]);
  const Opened opened(image);
  ASSERT_EQ(opened.code, 0) << opened.error.message;
  EXPECT_STREQ(tenon_program_target(opened.program), "test");
}

TEST(EmbedTest, RefusesOtherKindsOfPrograms) {
  Image image = ScaleImage();
  image.info.ffi_calls.emplace_back().target = "lapack_sgeev_ffi";
  EXPECT_EQ(Opened(image).Message(),
            "12: cannot run program 'scale' here: it has a custom call to "
            "'lapack_sgeev_ffi'; load it with Tenon's PJRT plugin");
  image = ScaleImage();
  image.info.num_partitions = 2;
  EXPECT_EQ(Opened(image).Message(),
            "12: cannot run program 'scale' here: it is for several devices; load it "
            "with Tenon's PJRT plugin");
}

// The order in which faults are reported is part of the interface.
TEST(EmbedTest, RefusalsHaveAnOrder) {
  const std::string good = ScaleImage().Serialize();
  std::string bad = good;
  bad[60] ^= 1;  // the checksum of the header
  EXPECT_EQ(Opened(bad).Message(),
            "15: the file is damaged: the checksum of its header does not match");
  bad[offsetof(format::Header, abi)] = 9;
  EXPECT_EQ(Opened(bad).Message(),
            "9: the file has code for ABI 9, but this version of Tenon runs ABI 1 to 4; "
            "compile the program again, or use a newer version");
  EXPECT_EQ(Opened(bad.substr(0, 200)).Message(),
            "15: the file is truncated or damaged: it has 200 bytes, but should have " +
                std::to_string(good.size()));
  bad[offsetof(format::Header, minor)] = 7;
  EXPECT_EQ(Opened(bad).Message(),
            "9: the file has format 2.7, but this version of Tenon reads formats up to "
            "2.0; use a newer version");
  EXPECT_EQ(Opened(bad.substr(0, 20)).Message(),
            "15: the file is truncated: it has 20 bytes, fewer than a header");
  bad[3] ^= 1;
  EXPECT_EQ(Opened(bad).Message(), "15: the file is not an executable of Tenon");
}

TEST(EmbedTest, ConstantsAreCheckedOnRequest) {
  Image image = ScaleImage();
  std::string bytes = image.Serialize();
  format::Frame frame;
  format::Refusal refusal;
  format::Section section;
  ASSERT_TRUE(frame.Read(bytes, &refusal));
  ASSERT_TRUE(frame.Find(format::kConstants, 0, &section));
  bytes[section.offset + 32] ^= 1;
  EXPECT_EQ(Opened(bytes).Message(), "opened");
  EXPECT_EQ(Opened(bytes, TENON_OPEN_CHECK_CONSTANTS).Message(),
            "15: the file is damaged: the checksum of its constants does not match");
}

TEST(EmbedTest, OpensFilesWithEitherAlignment) {
  for (bool page_aligned : {false, true}) {
    const std::string path = ::testing::TempDir() + "/scale.tenon";
    std::ofstream(path, std::ios::binary)
        << ScaleImage().Serialize({.page_aligned = page_aligned});
    auto program = rt::Program::Open(path.c_str(), TENON_OPEN_CHECK_CONSTANTS);
    ASSERT_TRUE(program) << program.error().message();
    const rt::Arrays inputs = program->MakeInputs(), outputs = program->MakeOutputs();
    for (int i = 0; i < 32; ++i) inputs.data<float>(0)[i] = static_cast<float>(i);
    auto team = rt::Team::Create(2);
    ASSERT_TRUE(team);
    const rt::Error error = program->Run(inputs.pointers(), outputs.pointers(), *team);
    ASSERT_FALSE(error) << error.message();
    ExpectScaled(outputs.data<float>(0));
    EXPECT_TRUE(program->Run({}, outputs.pointers()));
    std::remove(path.c_str());
  }
}

}  // namespace
}  // namespace tenon::embed
