#include "tenon/devices/streams/memory.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

namespace tenon::streams {
namespace {

// A driver with room for a number of bytes.
struct Driver {
  size_t room = 0;
  int allocations = 0;
  std::map<void*, size_t> blocks = {};

  Memory::Options Options(size_t limit) {
    return {.owner = "device 0",
            .limit = limit,
            .largest_block = 1 << 20,
            .allocate = [this](size_t size) -> StatusOr<void*> {
              if (size > room) return ResourceExhausted("the driver is full");
              room -= size;
              ++allocations;
              void* block = std::aligned_alloc(64, size);
              blocks[block] = size;
              return block;
            },
            .free =
                [this](void* block) {
                  room += blocks[block];
                  blocks.erase(block);
                  std::free(block);
                }};
  }
};

TEST(StreamsMemoryTest, FreedBlocksAreReused) {
  Driver driver{.room = 1 << 20};
  {
    Memory memory(driver.Options(1 << 20));
    void* first = *memory.Allocate(1000);
    EXPECT_TRUE(memory.Contains(first));
    EXPECT_TRUE(memory.Contains(static_cast<char*>(first) + 1023));
    EXPECT_FALSE(memory.Contains(static_cast<char*>(first) + 1024));
    EXPECT_FALSE(memory.Contains(&driver));
    memory.Free(first, 1000);
    EXPECT_EQ(memory.Usage().in_use, 0);
    EXPECT_EQ(memory.Usage().cached, 1024);
    EXPECT_EQ(*memory.Allocate(1010), first);
    EXPECT_EQ(driver.allocations, 1);
    EXPECT_EQ(memory.Usage().in_use, 1024);
    EXPECT_EQ(memory.Usage().peak_in_use, 1024);
    memory.Free(first, 1010);
  }
  EXPECT_TRUE(driver.blocks.empty());
}

TEST(StreamsMemoryTest, KeptBlocksMakeRoomForOthers) {
  Driver driver{.room = 4096};
  Memory memory(driver.Options(1 << 20));
  std::vector<void*> blocks;
  for (int i = 0; i < 4; ++i) blocks.push_back(*memory.Allocate(1024));
  for (void* block : blocks) memory.Free(block, 1024);
  void* large = *memory.Allocate(4096);
  memory.Free(large, 4096);
  // The limit counts kept blocks too.
  Driver other{.room = 1 << 20};
  Memory limited(other.Options(4096));
  void* small = *limited.Allocate(1024);
  limited.Free(small, 1024);
  large = *limited.Allocate(4096);
  EXPECT_EQ(limited.Usage().cached, 0);
  limited.Free(large, 4096);
}

TEST(StreamsMemoryTest, ErrorsSayWhatIsInUse) {
  Driver driver{.room = 3000};
  Memory memory(driver.Options(4096));
  void* block = *memory.Allocate(2048);
  const auto message = [&](size_t size) {
    const auto full = memory.Allocate(size);
    EXPECT_EQ(full.status().code(), StatusCode::kResourceExhausted);
    return std::string(full.status().message());
  };
  EXPECT_EQ(message(4096),
            "device 0 is out of memory: 4.0 KiB asked for; of 4.0 KiB, 2.0 KiB are in "
            "use in 1 blocks; largest blocks: 2.0 KiB");
  EXPECT_EQ(message(1024),
            "device 0 is out of memory: 1.0 KiB asked for; of 4.0 KiB, 2.0 KiB are in "
            "use in 1 blocks; the driver is full; largest blocks: 2.0 KiB");
  EXPECT_EQ(message(2 << 20),
            "device 0 is out of memory: 2.0 MiB asked for; of 4.0 KiB, 2.0 KiB are in "
            "use in 1 blocks; the driver's largest block is 1.0 MiB; largest blocks: "
            "2.0 KiB");
  EXPECT_FALSE(memory.Allocate(~size_t{0}).ok());
  memory.Free(block, 2048);
  block = *memory.Allocate(0);
  EXPECT_NE(block, nullptr);
  memory.Free(block, 0);
}

}  // namespace
}  // namespace tenon::streams
