#include "tenon/runtime/packed_operands.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

namespace tenon::runtime {
namespace {

constexpr uint64_t kBytes = 4096;

// An argument with the companion that runs keep beside it, and a program that reads its
// packed form.
class PackedOperandsTest : public ::testing::Test {
 protected:
  struct Argument {
    ~Argument() { delete companion.load(); }
    std::atomic<device::Companion*> companion{nullptr};
  };
  // What one run finds. If `packs`, the run packs what it finds unpacked.
  PackedOperand Run(Argument& argument, bool packs = true, int64_t layout = 0) {
    std::atomic<device::Companion*>* companions[] = {&argument.companion};
    PackedOperands run(memory_, {{0, kBytes, "layout"}}, {layout}, companions);
    const PackedOperand found = *run.data();
    if (packs) run.data()->is_packed = found.data != nullptr;
    return found;
  }

  Allocator allocator_;
  PackedMemory memory_{allocator_, 3 * kBytes};
};

TEST_F(PackedOperandsTest, TheSecondRunPacksAndTheThirdFindsIt) {
  {
    Argument argument;
    EXPECT_EQ(Run(argument).data, nullptr);
    EXPECT_EQ(memory_.in_use(), 0);
    const PackedOperand second = Run(argument);
    ASSERT_NE(second.data, nullptr);
    EXPECT_EQ(second.is_packed, 0);
    EXPECT_EQ(memory_.in_use(), static_cast<int64_t>(kBytes));
    const PackedOperand third = Run(argument);
    EXPECT_EQ(third.data, second.data);
    EXPECT_EQ(third.is_packed, 1);
  }
  EXPECT_EQ(memory_.in_use(), 0);
  EXPECT_EQ(allocator_.stats().in_use, 0);
}

TEST_F(PackedOperandsTest, ARunThatDoesNotPackLeavesTheMemoryToTheNext) {
  Argument argument;
  Run(argument);
  const PackedOperand second = Run(argument, /*packs=*/false);
  const PackedOperand third = Run(argument);
  EXPECT_EQ(third.data, second.data);
  EXPECT_EQ(third.is_packed, 0);
  EXPECT_EQ(Run(argument).is_packed, 1);
}

TEST_F(PackedOperandsTest, OneRunAtATimePacks) {
  Argument argument;
  Run(argument);
  std::atomic<device::Companion*>* companions[] = {&argument.companion};
  PackedOperands packing(memory_, {{0, kBytes, "layout"}}, {0}, companions);
  ASSERT_NE(packing.data()->data, nullptr);
  EXPECT_EQ(Run(argument).data, nullptr);
}

TEST_F(PackedOperandsTest, LayoutsAndArgumentsAreKeptApart) {
  Argument first, second;
  for (int i = 0; i < 2; ++i) {
    Run(first, true, 0);
    Run(first, true, 1);
    Run(second, true, 0);
  }
  const void* blocks[] = {Run(first, true, 0).data, Run(first, true, 1).data,
                          Run(second, true, 0).data};
  EXPECT_NE(blocks[0], blocks[1]);
  EXPECT_NE(blocks[0], blocks[2]);
  EXPECT_NE(blocks[1], blocks[2]);
}

TEST_F(PackedOperandsTest, BeyondTheLimitRunsPackForThemselves) {
  Argument arguments[4];
  for (int i = 0; i < 3; ++i)
    for (Argument& argument : arguments) Run(argument);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Run(arguments[i]).is_packed, 1);
  EXPECT_EQ(Run(arguments[3]).data, nullptr);
  delete arguments[0].companion.exchange(nullptr);
  EXPECT_NE(Run(arguments[3]).data, nullptr);
}

TEST_F(PackedOperandsTest, HalfOfTheMemoryIsLeftToOthers) {
  Allocator allocator({.limit = 8 * kBytes});
  PackedMemory memory(allocator, 8 * kBytes);
  void* used = *allocator.Allocate(3 * kBytes);
  void* first = memory.Allocate(kBytes);
  EXPECT_NE(first, nullptr);
  EXPECT_EQ(memory.Allocate(kBytes), nullptr);
  EXPECT_EQ(memory.in_use(), static_cast<int64_t>(kBytes));
  memory.Free(first, kBytes);
  allocator.Free(used, 3 * kBytes);
}

TEST_F(PackedOperandsTest, NothingIsKeptForArgumentsWithoutACompanion) {
  std::atomic<device::Companion*>* companions[] = {nullptr};
  for (int i = 0; i < 3; ++i) {
    PackedOperands run(memory_, {{0, kBytes, "layout"}}, {0}, companions);
    EXPECT_EQ(run.data()->data, nullptr);
    PackedOperands alone(memory_, {{0, kBytes, "layout"}}, {0}, nullptr);
    EXPECT_EQ(alone.data()->data, nullptr);
  }
}

TEST_F(PackedOperandsTest, TheDefaultLimitIsAnEighthOfTheMemory) {
  Allocator allocator({.limit = 8000});
  EXPECT_EQ(PackedMemory(allocator, -1).limit(), 1000);
  EXPECT_EQ(PackedMemory(allocator, 0).Allocate(1), nullptr);
}

TEST_F(PackedOperandsTest, ThreadsFindNothingHalfPacked) {
  for (int repetition = 0; repetition < 50; ++repetition) {
    Argument argument;
    std::atomic<int> wrong{0};
    auto work = [&] {
      for (int i = 0; i < 50; ++i) {
        std::atomic<device::Companion*>* companions[] = {&argument.companion};
        PackedOperands run(memory_, {{0, kBytes, "layout"}}, {0}, companions);
        PackedOperand& operand = *run.data();
        if (!operand.data) continue;
        auto* bytes = static_cast<unsigned char*>(operand.data);
        if (!operand.is_packed) {
          std::memset(bytes, 7, kBytes);
          operand.is_packed = 1;
        } else {
          for (uint64_t b = 0; b < kBytes; b += 512) wrong += bytes[b] != 7;
        }
      }
    };
    std::thread threads[] = {std::thread(work), std::thread(work), std::thread(work)};
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
  }
}

TEST(NumberOfLayoutTest, EqualLayoutsHaveOneNumber) {
  const int64_t a = NumberOfLayout("packed_operands_test a");
  EXPECT_NE(NumberOfLayout("packed_operands_test b"), a);
  EXPECT_EQ(NumberOfLayout("packed_operands_test a"), a);
}

}  // namespace
}  // namespace tenon::runtime
