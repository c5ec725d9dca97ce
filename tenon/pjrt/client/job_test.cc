// Clients of a job of two processes, both in this process, over Gloo.
#include "tenon/pjrt/client/job.h"

#include <gtest/gtest.h>

#include <thread>

#include "tenon/pjrt/client/testing.h"

#ifdef TENON_GLOO

namespace tenon::pjrt {
namespace {

class JobTest : public ::testing::Test {
 protected:
  // Creates the clients of two nodes with one device each.
  void CreateClients(const NamedValueMap& values = {}) {
    std::vector<std::thread> threads;
    for (int64_t node = 0; node < 2; ++node) {
      threads.emplace_back([&, node] {
        ClientOptions options;
        options.key_value_store = store_;
        options.values = values;
        options.values["num_nodes"] = int64_t{2};
        options.values["node_id"] = node;
        options.values["collectives_library"] = std::string(TENON_GLOO);
        auto client = CreateLocalClient(TestPlatform(), options);
        ASSERT_TRUE(client.ok()) << client.status().ToString();
        clients_[node] = *std::move(client);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  std::unique_ptr<LoadedExecutable> LoadSwap(int node) {
    return Compile(*clients_[node], SwapImage(1e6));
  }
  std::unique_ptr<Buffer> Argument(int node, std::vector<int32_t> values) {
    return FromHost(*clients_[node], std::move(values), node);
  }

  std::shared_ptr<testing::MemoryStore> store_ = std::make_shared<testing::MemoryStore>();
  std::unique_ptr<Client> clients_[2];
};

TEST_F(JobTest, DevicesOfTwoProcessesExchangeData) {
  CreateClients();
  std::unique_ptr<LoadedExecutable> programs[2] = {LoadSwap(0), LoadSwap(1)};
  for (int node = 0; node < 2; ++node) {
    ASSERT_EQ(programs[node]->addressable_devices().size(), 1u);
    EXPECT_EQ(programs[node]->addressable_logical_ids()[0].partition, node);
    EXPECT_EQ(programs[node]->device_assignment().device_ids, (std::vector<int>{0, 1}));
  }
  for (int32_t run = 0; run < 20; ++run) {
    std::unique_ptr<Buffer> arguments[2];
    std::vector<std::unique_ptr<Buffer>> outputs[2];
    Status statuses[2];
    std::vector<std::thread> threads;
    for (int node = 0; node < 2; ++node) {
      arguments[node] = Argument(node, {run, node, 3, 4});
      threads.emplace_back([&, node] {
        statuses[node] =
            ExecuteOnAll(*programs[node], {arguments[node].get()}, outputs[node]);
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (int node = 0; node < 2; ++node) {
      ASSERT_TRUE(statuses[node].ok()) << statuses[node].ToString();
      EXPECT_EQ(Values<int32_t>(*outputs[node][0]),
                (std::vector<int32_t>{run + 1, 2 - node, 4, 5}));
    }
  }
}

TEST_F(JobTest, AProcessThatTheFrameworkReports) {
  CreateClients();
  auto program = LoadSwap(0);
  auto argument = Argument(0, {1, 2, 3, 4});
  std::thread framework([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    const ProcessInfo infos[] = {
        {.task_id = 0, .state = 3, .error = {}},
        {.task_id = 1, .state = 4, .error = Internal("no heartbeat")}};
    clients_[0]->UpdateGlobalProcessInfo(infos);
  });
  std::vector<std::unique_ptr<Buffer>> outputs;
  const Status status = ExecuteOnAll(*program, {argument.get()}, outputs);
  framework.join();
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_NE(status.message().find("process 1 has ended: no heartbeat"), std::string::npos)
      << status.message();
  // The client is still usable.
  auto own = Compile(*clients_[0], AddOneImage());
  EXPECT_TRUE(Execute(*own, {argument.get()}).status.ok());
}

TEST_F(JobTest, AnArgumentThatFailsInOneProcess) {
  CreateClients();
  std::unique_ptr<LoadedExecutable> programs[2] = {LoadSwap(0), LoadSwap(1)};
  const int64_t dims[] = {4};
  auto good = Argument(0, {1, 2, 3, 4});
  auto bad = clients_[1]->CreateErrorBuffer(Internal("a failed input"),
                                            {ElementType::kS32, dims, {}},
                                            clients_[1]->addressable_memories()[0]);
  ASSERT_TRUE(bad.ok());
  std::vector<std::unique_ptr<Buffer>> outputs[2];
  Status other;
  std::thread thread(
      [&] { other = ExecuteOnAll(*programs[1], {bad->get()}, outputs[1]); });
  const Status status = ExecuteOnAll(*programs[0], {good.get()}, outputs[0]);
  thread.join();
  EXPECT_NE(status.message().find("process 1: a failed input"), std::string::npos)
      << status.message();
  EXPECT_FALSE(other.ok());
}

TEST_F(JobTest, NoCollectivesBetweenProcesses) {
  CreateClients({{"collectives", std::string("none")}});
  auto executable =
      std::make_shared<LocalExecutable>(std::make_shared<const Image>(SwapImage(1e6)));
  const auto loaded = clients_[0]->Load(std::move(executable), "");
  EXPECT_EQ(loaded.status().code(), StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace tenon::pjrt

#endif  // TENON_GLOO
