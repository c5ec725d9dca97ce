#include "tenon/pjrt/client/topology_exchange.h"

#include <gtest/gtest.h>

#include <thread>

#include "tenon/pjrt/client/testing.h"

namespace tenon::pjrt {
namespace {

NodeDescription Node(size_t devices, std::string version = "tenon 1") {
  NodeDescription node;
  node.version = std::move(version);
  node.host = HostId();
  node.devices.resize(devices);
  for (size_t d = 0; d < devices; ++d) {
    node.devices[d].id = static_cast<int>(d);
    node.devices[d].coordinates = {static_cast<int64_t>(d), 7};
  }
  return node;
}

// Exchanges the nodes' descriptions, one thread per node.
std::vector<StatusOr<JobDescription>> Exchange(KeyValueStore& store,
                                               const std::vector<NodeDescription>& nodes,
                                               std::vector<int64_t> counts = {}) {
  counts.resize(nodes.size(), std::ssize(nodes));
  std::vector<StatusOr<JobDescription>> jobs(nodes.size(), Internal("not run"));
  std::vector<std::thread> threads;
  for (size_t n = 0; n < nodes.size(); ++n) {
    threads.emplace_back([&, n] {
      jobs[n] = ExchangeTopologies(store, nodes[n], static_cast<int64_t>(n), counts[n]);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return jobs;
}

TEST(TopologyExchangeTest, AllNodesSeeAllDevices) {
  testing::MemoryStore store;
  const auto jobs = Exchange(store, {Node(2), Node(1), Node(3)});
  for (size_t n = 0; n < jobs.size(); ++n) {
    ASSERT_TRUE(jobs[n].ok()) << jobs[n].status().ToString();
    EXPECT_EQ(jobs[n]->node_id, static_cast<int64_t>(n));
    ASSERT_EQ(jobs[n]->nodes.size(), 3u);
    EXPECT_EQ(jobs[n]->nodes[2].devices.size(), 3u);
    EXPECT_EQ(jobs[n]->nodes[2].devices[1].coordinates, (std::vector<int64_t>{1, 7}));
    EXPECT_EQ(jobs[n]->FirstDevice(2), 3);
    EXPECT_TRUE(jobs[n]->OnOneHost());
  }
  // A second client of the same processes.
  for (const auto& job : Exchange(store, {Node(2), Node(1), Node(3)})) {
    EXPECT_TRUE(job.ok()) << job.status().ToString();
  }
}

TEST(TopologyExchangeTest, DisagreementIsNamed) {
  testing::MemoryStore store;
  const auto jobs = Exchange(store, {Node(1), Node(1, "tenon 2")});
  for (size_t n = 0; n < jobs.size(); ++n) {
    EXPECT_EQ(jobs[n].status().code(), StatusCode::kFailedPrecondition);
  }
  EXPECT_NE(jobs[0].status().message().find("process 1 runs 'tenon 2', this process"),
            std::string::npos);
  EXPECT_NE(jobs[1].status().message().find("process 0 runs 'tenon 1', this process"),
            std::string::npos);

  testing::MemoryStore counts;
  const auto counted = Exchange(counts, {Node(1), Node(1)}, {2, 3});
  EXPECT_NE(counted[0].status().message().find("process 1 belongs to a job of 3"),
            std::string::npos);
  EXPECT_NE(counted[1].status().message().find("process 0 belongs to a job of 2"),
            std::string::npos);
}

TEST(TopologyExchangeTest, AnotherDescriptionOfTheSameNode) {
  testing::MemoryStore store;
  ASSERT_TRUE(Exchange(store, {Node(1), Node(1)})[0].ok());
  const auto job = ExchangeTopologies(store, Node(2), 1, 2);
  EXPECT_EQ(job.status().code(), StatusCode::kFailedPrecondition);
}

TEST(TopologyExchangeTest, MalformedDescriptions) {
  testing::MemoryStore store;
  ASSERT_TRUE(store.Put("topology/local/1", "garbage").ok());
  const auto job = ExchangeTopologies(store, Node(1), 0, 2);
  EXPECT_FALSE(job.ok());
  EXPECT_NE(job.status().message().find("process 1"), std::string::npos);
  int64_t count;
  const std::string bytes = EncodeNode(Node(2), 2);
  for (size_t size = 0; size < bytes.size(); ++size) {
    (void)DecodeNode(bytes.substr(0, size), &count);  // must not crash
  }
}

TEST(TopologyExchangeTest, ClientsListTheDevicesOfTheJob) {
  auto store = std::make_shared<testing::MemoryStore>();
  std::vector<std::unique_ptr<Client>> clients(2);
  std::vector<std::thread> threads;
  for (int64_t n = 0; n < 2; ++n) {
    threads.emplace_back([&, n] {
      ClientOptions options;
      options.key_value_store = store;
      options.values = {{"num_nodes", int64_t{2}},
                        {"node_id", n},
                        {"device_count", n + 1},
                        {"partition_index", n}};
      auto client = CreateLocalClient(TestPlatform(), options);
      ASSERT_TRUE(client.ok()) << client.status().ToString();
      clients[static_cast<size_t>(n)] = *std::move(client);
    });
  }
  for (std::thread& thread : threads) thread.join();
  Client& last = *clients[1];
  EXPECT_EQ(last.process_index(), 1);
  ASSERT_EQ(last.devices().size(), 3u);
  for (int d = 0; d < 3; ++d) {
    const Device& device = *last.devices()[static_cast<size_t>(d)];
    EXPECT_EQ(device.description().id, d);
    EXPECT_EQ(device.description().process_index, d == 0 ? 0 : 1);
    EXPECT_EQ(device.is_addressable(), d > 0);
    EXPECT_EQ(device.memories().empty(), d == 0);
    EXPECT_EQ(device.local_hardware_id(), d == 0 ? -1 : d - 1);
  }
  EXPECT_EQ(last.addressable_devices().size(), 2u);
  EXPECT_EQ(last.DefaultDeviceAssignment(1, 2)->device_ids, (std::vector<int>{1, 2}));
  EXPECT_EQ(last.DefaultDeviceAssignment(1, 3)->device_ids, (std::vector<int>{0, 1, 2}));
}

TEST(TopologyExchangeTest, OneProcessNeedsNoStore) {
  ClientOptions options;
  options.values = {{"num_nodes", int64_t{1}}, {"node_id", int64_t{0}}};
  EXPECT_TRUE(CreateLocalClient(TestPlatform(), options).ok());
  options.values = {{"num_nodes", int64_t{2}}, {"node_id", int64_t{0}}};
  const auto client = CreateLocalClient(TestPlatform(), options);
  EXPECT_NE(client.status().message().find("key-value store"), std::string::npos);
}

}  // namespace
}  // namespace tenon::pjrt
