// Tests the choice among candidates that are known to be fast or slow.
#include "tenon/pjrt/client/tile_tuner.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <thread>

#include "tenon/pjrt/client/testing.h"

namespace tenon::pjrt {
namespace {

using compiler::TileQuestion;

constexpr int kFast = 2, kBroken = 3;

// Takes 2 ms unless the candidate is kFast.
template <int candidate>
int32_t RunAs(RunContext* context, const RunBuffer* args, const RunBuffer* results,
              void* data) {
  if (candidate != kFast) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  return AddOne(context, args, results, data);
}

class KeptStore final : public device::CodeStore {
 public:
  std::optional<std::string> Load(const std::string& key) const override {
    const auto found = values.find(key);
    if (found == values.end()) return std::nullopt;
    return found->second;
  }
  void Store(const std::string& key, const std::string& value) const override {
    values[key] = value;
  }
  mutable std::map<std::string, std::string> values;
};

class TileTunerTest : public ::testing::Test {
 protected:
  // Programs that ask for `asked_` candidates, of which number kBroken does not compile.
  TileTuner MakeTuner(const std::string& hardware = "one") {
    return TileTuner(
        *client_,
        [this](std::string_view program, compiler::TileChoices& choices)
            -> StatusOr<std::unique_ptr<LoadedExecutable>> {
          ++compiled_;
          Image image = AddOneImage();
          switch (choices.Choose({std::string(program), asked_})) {
            case 0:
              image.code_objects = ::tenon::testing::ImageOf(RunAs<0>).code_objects;
              break;
            case kFast:
              image.code_objects = ::tenon::testing::ImageOf(RunAs<kFast>).code_objects;
              break;
            case kBroken:
              return Internal("too many registers");
            default:
              image.code_objects = ::tenon::testing::ImageOf(RunAs<1>).code_objects;
          }
          return Compile(*client_, std::move(image));
        },
        &store_, "target", hardware);
  }

  std::unique_ptr<LocalClient> client_ = MakeClient();
  KeptStore store_;
  int compiled_ = 0, asked_ = 4;
};

TEST_F(TileTunerTest, TheFastestCandidateIsKept) {
  TileTuner tuner = MakeTuner();
  NotedTiles noted = tuner.Begin();
  EXPECT_EQ(noted.Choose({"a", 4}), 0);
  EXPECT_TRUE(tuner.Measure(noted.TakeNoted()));
  EXPECT_EQ(compiled_, 4);
  NotedTiles measured = tuner.Begin();
  EXPECT_EQ(measured.Choose({"a", 4}), kFast);
  EXPECT_TRUE(measured.TakeNoted().empty());
  // The answer of another version may be too large.
  EXPECT_EQ(measured.Choose({"a", 2}), 1);

  TileTuner later = MakeTuner();
  NotedTiles stored = later.Begin();
  EXPECT_EQ(stored.Choose({"a", 4}), kFast);
  EXPECT_TRUE(stored.TakeNoted().empty());
  EXPECT_EQ(compiled_, 4);
  // Another device may have another answer.
  TileTuner other = MakeTuner("two");
  NotedTiles elsewhere = other.Begin();
  EXPECT_EQ(elsewhere.Choose({"a", 4}), 0);
  EXPECT_EQ(elsewhere.TakeNoted().size(), 1u);
}

TEST_F(TileTunerTest, AProgramIsCompiledAgainWithTheFastest) {
  TileTuner tuner = MakeTuner();
  std::vector<int> chosen;
  const auto compile = [&](compiler::TileChoices& choices) {
    chosen.push_back(choices.Choose({"a", 4}));
    return TileTuner::Loaded(Compile(*client_, AddOneImage()));
  };
  ASSERT_TRUE(tuner.CompileTuned(compile).ok());
  EXPECT_EQ(chosen, (std::vector<int>{0, kFast}));
  ASSERT_TRUE(tuner.CompileTuned(compile).ok());
  EXPECT_EQ(chosen, (std::vector<int>{0, kFast, kFast}));
}

// Its kernel has more than the product that was measured.
TEST_F(TileTunerTest, AProgramThatFailsWithTheFastestKeepsTheCostModels) {
  TileTuner tuner = MakeTuner();
  int compilations = 0;
  const auto compile = [&](compiler::TileChoices& choices) -> TileTuner::Loaded {
    ++compilations;
    if (choices.Choose({"a", 4}) != 0) return Internal("too many registers");
    return Compile(*client_, AddOneImage());
  };
  EXPECT_TRUE(tuner.CompileTuned(compile).ok());
  EXPECT_EQ(compilations, 2);
  EXPECT_TRUE(tuner.CompileTuned(compile).ok());  // the answer is known now
  EXPECT_EQ(compilations, 4);
}

TEST_F(TileTunerTest, EqualSpeedKeepsTheCostModelsTile) {
  asked_ = 2;
  TileTuner tuner = MakeTuner();
  EXPECT_FALSE(tuner.Measure({{"a", 2}}));
  EXPECT_EQ(store_.values.size(), 1u);
}

TEST_F(TileTunerTest, AProductThatIsCompiledOtherwiseAloneIsNotMeasured) {
  TileTuner tuner = MakeTuner();
  EXPECT_FALSE(tuner.Measure({{"a", 5}}));
  EXPECT_EQ(compiled_, 1);
  EXPECT_TRUE(store_.values.empty());
  // Not again in this process.
  EXPECT_FALSE(tuner.Measure({{"a", 5}}));
  EXPECT_EQ(compiled_, 1);
}

}  // namespace
}  // namespace tenon::pjrt
