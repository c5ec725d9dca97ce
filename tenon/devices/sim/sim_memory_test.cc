#include "tenon/devices/sim/sim_memory.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "tenon/devices/sim/faults.h"

namespace tenon::sim {
namespace {

std::unique_ptr<SimMemory> Memory(size_t size) {
  auto memory = SimMemory::Create("device 3", size);
  EXPECT_TRUE(memory.ok()) << memory.status().ToString();
  return *std::move(memory);
}

TEST(SimMemoryTest, OnlyTheDeviceCanAccessTheBytes) {
  auto memory = Memory(1 << 20);
  EXPECT_FALSE(memory->host_addressable());
  char* block = static_cast<char*>(*memory->Allocate(1000));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % device::kAlignment, 0u);
  char* bytes = static_cast<char*>(memory->Translate(block));
  std::memset(bytes, 7, 1000);
  EXPECT_EQ(memory->Translate(block + 999), bytes + 999);
  EXPECT_EQ(memory->Translate(bytes), nullptr);
  EXPECT_DEATH(std::memset(block, 1, 1), "");
  EXPECT_DEATH(std::printf("%d", *block), "");
  memory->Free(block, 1000);
}

TEST(SimMemoryTest, FreedPiecesAreMerged) {
  auto memory = Memory(1024);
  std::vector<void*> blocks;
  for (int i = 0; i < 4; ++i) blocks.push_back(*memory->Allocate(200));
  for (int i : {1, 3, 0, 2}) memory->Free(blocks[static_cast<size_t>(i)], 200);
  EXPECT_EQ(memory->Usage().in_use, 0);
  StatusOr<void*> all = memory->Allocate(1024);
  ASSERT_TRUE(all.ok()) << all.status().ToString();
  memory->Free(*all, 1024);
  // A small block is taken from the smallest piece that holds it.
  void* first = *memory->Allocate(128);
  void* second = *memory->Allocate(128);
  memory->Free(first, 128);
  EXPECT_EQ(*memory->Allocate(64), first);
  EXPECT_TRUE(memory->Allocate(768).ok());
  memory->Free(second, 128);
}

TEST(SimMemoryTest, OutOfMemoryReportsUsage) {
  auto memory = Memory(4096);
  void* large = *memory->Allocate(2048);
  void* small = *memory->Allocate(100);
  EXPECT_EQ(memory->Allocate(3000).status().ToString(),
            "RESOURCE_EXHAUSTED: device 3 is out of memory: 2.9 KiB asked for; of 4.0 "
            "KiB, 2.1 KiB are in use in 2 blocks and 1.9 KiB free in 1 pieces, the "
            "largest 1.9 KiB; largest blocks: 2.0 KiB, 128 B");
  EXPECT_EQ(memory->Allocate(~size_t{0}).status().code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(memory->Usage().peak_in_use, 2048 + 128);
  memory->Free(large, 2048);
  memory->ClearPeaks();
  EXPECT_EQ(memory->Usage().peak_in_use, 128);
  memory->Free(small, 100);
}

TEST(FaultsTest, AreReadByDevice) {
  auto faults = ParseFaults("launch@3,copy@1:2,lost@10,slow@4:1", 3);
  ASSERT_TRUE(faults.ok()) << faults.status().ToString();
  EXPECT_EQ((*faults)[0].launch, 3);
  EXPECT_EQ((*faults)[0].lost, 10);
  EXPECT_EQ((*faults)[1].slow, 4);
  EXPECT_EQ((*faults)[2].copy, 1);
  EXPECT_EQ((*faults)[2].slow, 1);
  for (const char* bad : {"launch", "launch@", "launch@0", "fire@1", "copy@1:", "copy@x",
                          "copy@1:3", "copy@1:-1", "slow@2;copy@1"}) {
    EXPECT_EQ(ParseFaults(bad, 3).status().code(), StatusCode::kInvalidArgument) << bad;
  }
  EXPECT_TRUE(ParseFaults("", 1).ok());
}

}  // namespace
}  // namespace tenon::sim
