#include "tenon/executable/validate_collective.h"

#include <gtest/gtest.h>

#include <functional>

#include "tenon/executable/testing.h"

namespace tenon {
namespace {

using ::tenon::testing::TensorOf;

ImageCollective Valid(CollectiveKind kind) {
  ImageCollective site;
  site.kind = kind;
  site.groups = {{2, 0}, {1, 3}};
  site.operands = {TensorOf(ElementType::kF32, {4, 6})};
  site.results = site.operands;
  site.tile_elements = 24;
  switch (kind) {
    case CollectiveKind::kAllGather:
      site.results = {TensorOf(ElementType::kF32, {8, 6})};
      break;
    case CollectiveKind::kReduceScatter:
      site.results = {TensorOf(ElementType::kF32, {2, 6})};
      break;
    case CollectiveKind::kAllToAll:
      site.concat_dimension = 1;
      site.results = {TensorOf(ElementType::kF32, {2, 12})};
      break;
    case CollectiveKind::kRaggedAllToAll:
      site.operands.push_back(site.operands[0]);
      site.operands.insert(site.operands.end(), 4, TensorOf(ElementType::kS32, {4}));
      break;
    default:
      break;
  }
  return site;
}

constexpr CollectiveKind kKinds[] = {
    CollectiveKind::kAllReduce,     CollectiveKind::kAllGather,
    CollectiveKind::kReduceScatter, CollectiveKind::kAllToAll,
    CollectiveKind::kPermute,       CollectiveKind::kBroadcast,
    CollectiveKind::kRaggedAllToAll};

TEST(ValidateCollectiveTest, AcceptsEveryKind) {
  for (CollectiveKind kind : kKinds) {
    const Status status = ValidateCollective(Valid(kind), 4);
    EXPECT_TRUE(status.ok()) << status.ToString();
  }
}

TEST(ValidateCollectiveTest, RejectsWhatWouldAccessOtherMemory) {
  const std::function<void(ImageCollective&)> faults[] = {
      [](auto& site) { site.groups[0][0] = 4; },
      [](auto& site) { site.groups[0][0] = -1; },
      [](auto& site) { site.groups = {{0, 1}, {0, 1}}; },
      [](auto& site) { site.results.clear(); },
      [](auto& site) { site.results[0].dims = {4, 5}; },
      [](auto& site) { site.results[0].dims = {24}; },
      [](auto& site) { site.results[0].type = ElementType::kF64; },
      [](auto& site) { site.dimension = -1; },
      [](auto& site) { site.concat_dimension = -1; },
  };
  for (CollectiveKind kind : kKinds) {
    for (const auto& fault : faults) {
      ImageCollective site = Valid(kind);
      fault(site);
      EXPECT_EQ(ValidateCollective(site, 4).code(), StatusCode::kDataLoss)
          << CollectiveName(kind) << " " << &fault - faults;
    }
  }
}

TEST(ValidateCollectiveTest, RejectsFaultsOfOneKind) {
  ImageCollective site = Valid(CollectiveKind::kAllReduce);
  site.tile_elements = 25;
  EXPECT_FALSE(ValidateCollective(site, 4).ok());
  site.tile_elements = 0;
  EXPECT_FALSE(ValidateCollective(site, 4).ok());
  site = Valid(CollectiveKind::kAllReduce);
  EXPECT_FALSE(ValidateCollective(site, 5).ok());  // device 4 is in no group
  site = Valid(CollectiveKind::kAllGather);
  site.groups = {{0, 1, 2}, {3}};
  EXPECT_FALSE(ValidateCollective(site, 4).ok());
  site = Valid(CollectiveKind::kAllGather);
  site.dimension = 2;
  EXPECT_FALSE(ValidateCollective(site, 4).ok());
  site = Valid(CollectiveKind::kPermute);
  site.groups = {{0, 1, 2}};
  EXPECT_FALSE(ValidateCollective(site, 4).ok());
}

}  // namespace
}  // namespace tenon
