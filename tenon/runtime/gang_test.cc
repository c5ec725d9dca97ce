// Gangs against a model: random programs of collectives on random groups, run by any
// number of threads, with failures and with programs that do not match.
#include "tenon/runtime/gang.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <random>
#include <thread>

#include "tenon/runtime/thread_pool.h"

namespace tenon::runtime {
namespace {

ImageCollective Reduce(std::vector<std::vector<int64_t>> groups) {
  ImageCollective site;
  site.groups = std::move(groups);
  return site;
}

ExecutableInfo InfoOf(int devices, std::vector<ImageCollective> sites) {
  ExecutableInfo info;
  info.num_partitions = devices;
  info.collectives = std::move(sites);
  return info;
}

// The sites that each device visits. Each visit replaces the values of the group by a
// mixture of all of them.
struct Model {
  ExecutableInfo info;
  std::vector<std::vector<int64_t>> visits;  // by device

  int num_devices() const { return static_cast<int>(visits.size()); }
};

uint64_t Mix(uint64_t a, uint64_t b) { return (a * 31 + b) * 0x9e3779b97f4a7c15; }

// One device after the other, with a queue per group.
std::vector<uint64_t> Expected(const Model& model, const GangPlan& plan) {
  std::vector<uint64_t> values(model.visits.size());
  std::iota(values.begin(), values.end(), 1);
  std::vector<size_t> next(model.visits.size());
  bool moved = true;
  while (moved) {
    moved = false;
    for (size_t d = 0; d < values.size(); ++d) {
      if (next[d] == model.visits[d].size()) continue;
      const int64_t site = model.visits[d][next[d]];
      const GangPlan::Grouping& grouping = plan.grouping(site);
      const auto& members =
          grouping.groups[static_cast<size_t>(grouping.group_of[d])].members;
      if (!std::ranges::all_of(members, [&](int32_t m) {
            const auto i = static_cast<size_t>(m);
            return next[i] < model.visits[i].size() && model.visits[i][next[i]] == site;
          }))
        continue;
      uint64_t mixed = static_cast<uint64_t>(site);
      for (int32_t m : members) mixed = Mix(mixed, values[static_cast<size_t>(m)]);
      for (int32_t m : members) {
        values[static_cast<size_t>(m)] = mixed;
        ++next[static_cast<size_t>(m)];
      }
      moved = true;
    }
  }
  return values;
}

struct RunResult {
  std::vector<uint64_t> values;
  Status status;
};

struct Faults {
  int device = -1;  // fails before visit number `visit`
  size_t visit = 0;
  int64_t site = -1;  // whose data exchange fails
};

class ModelTasks final : public GangTasks {
 public:
  // The values are not atomic: ThreadSanitizer checks that the gang orders the accesses.
  ModelTasks(const Model& model, std::vector<uint64_t>& values, const Faults& faults,
             uint64_t seed)
      : model_(model),
        values_(values),
        faults_(faults),
        seed_(seed),
        next_(values.size()) {}

  Outcome Resume(int device) override {
    const auto d = static_cast<size_t>(device);
    if (seed_ && Mix(seed_, next_[d] * 64 + d) % 5 == 0) std::this_thread::yield();
    if (device == faults_.device && next_[d] == faults_.visit) {
      return {Outcome::Kind::kFailed, 0, Internal("device fails")};
    }
    if (next_[d] == model_.visits[d].size()) return {};
    return {Outcome::Kind::kArrived, model_.visits[d][next_[d]++], OkStatus()};
  }
  Status Perform(int64_t site, const GangPlan::Group& group) override {
    if (site == faults_.site) return Internal("exchange fails");
    uint64_t mixed = static_cast<uint64_t>(site);
    for (int32_t m : group.members) mixed = Mix(mixed, values_[static_cast<size_t>(m)]);
    for (int32_t m : group.members) values_[static_cast<size_t>(m)] = mixed;
    return OkStatus();
  }
  std::string SiteName(int64_t site) const override {
    return "all_reduce (f.py:" + std::to_string(site) + ")";
  }

 private:
  const Model& model_;
  std::vector<uint64_t>& values_;
  const Faults faults_;
  const uint64_t seed_;
  std::vector<size_t> next_;
};

RunResult RunModel(const Model& model, const GangPlan& plan, ThreadPool* pool,
                   int workers, const Faults& faults = {}, uint64_t seed = 0) {
  RunResult run;
  run.values.resize(model.visits.size());
  std::iota(run.values.begin(), run.values.end(), 1);
  std::mutex mutex;
  std::condition_variable changed;
  int calls = 0;
  Gang::Options options;
  options.max_workers = workers;
  if (pool) options.schedule = [pool](auto task) { pool->Schedule(std::move(task)); };
  options.done = [&](Status status) {
    std::lock_guard lock(mutex);
    run.status = std::move(status);
    ++calls;
    changed.notify_one();
  };
  auto gang = std::make_shared<Gang>(
      std::make_unique<ModelTasks>(model, run.values, faults, seed), plan,
      std::move(options));
  if (pool) {
    gang->Start();
  } else {
    gang->RunHere();
  }
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return calls > 0; });
  EXPECT_EQ(calls, 1);
  return run;
}

// All devices visit sites that they share in one order, so that they do not deadlock.
Model RandomModel(std::mt19937& random) {
  const int devices = 1 + static_cast<int>(random() % 9);
  const int num_sites = 1 + static_cast<int>(random() % 6);
  std::vector<ImageCollective> sites;
  for (int s = 0; s < num_sites; ++s) {
    std::vector<int64_t> order(static_cast<size_t>(devices));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    std::vector<std::vector<int64_t>> groups(1 + random() % 4);
    for (int64_t device : order) groups[random() % groups.size()].push_back(device);
    sites.push_back(Reduce(std::move(groups)));
  }
  Model model{InfoOf(devices, std::move(sites)), {}};
  model.visits.resize(static_cast<size_t>(devices));
  const int length = static_cast<int>(random() % 30);
  for (int step = 0; step < length; ++step) {
    const int64_t site = static_cast<int64_t>(random() % static_cast<size_t>(num_sites));
    // Some groups skip the step, as in loops of different trip counts.
    for (const auto& group : model.info.collectives[static_cast<size_t>(site)].groups) {
      if (random() % 4 == 0) continue;
      for (int64_t device : group) {
        model.visits[static_cast<size_t>(device)].push_back(site);
      }
    }
  }
  return model;
}

TEST(GangTest, RandomProgramsGiveWhatTheModelGives) {
  std::mt19937 random(7);
  ThreadPool pool(4);
  for (int i = 0; i < 150; ++i) {
    const Model model = RandomModel(random);
    const GangPlan plan(model.info);
    const std::vector<uint64_t> expected = Expected(model, plan);
    EXPECT_EQ(RunModel(model, plan, nullptr, 1).values, expected);
    for (int workers : {1, 2, 4}) {
      const RunResult run = RunModel(model, plan, &pool, workers, {}, random());
      EXPECT_TRUE(run.status.ok()) << run.status.ToString();
      ASSERT_EQ(run.values, expected) << "program " << i << ", workers " << workers;
    }
  }
}

TEST(GangTest, AFailureEndsAllDevices) {
  std::mt19937 random(11);
  ThreadPool pool(4);
  int failed = 0;
  for (int i = 0; i < 60; ++i) {
    const Model model = RandomModel(random);
    const GangPlan plan(model.info);
    Faults faults;
    faults.device = static_cast<int>(random() % model.visits.size());
    const size_t visits = model.visits[static_cast<size_t>(faults.device)].size();
    faults.visit = random() % (visits + 1);
    const RunResult run = RunModel(model, plan, &pool, 1 + i % 4, faults, random());
    EXPECT_EQ(run.status.message(), "device fails");
    const RunResult exchange =
        RunModel(model, plan, &pool, 1 + i % 4, {.site = 0}, random());
    const bool visited = std::ranges::any_of(model.visits, [](const auto& list) {
      return std::ranges::find(list, 0) != list.end();
    });
    EXPECT_EQ(exchange.status.ok(), !visited);
    failed += visited;
  }
  EXPECT_GT(failed, 6);
}

TEST(GangTest, DevicesThatWaitForeverAreNamedAtOnce) {
  const std::vector<std::vector<int64_t>> all = {{0, 1, 2, 3}};
  Model model{InfoOf(4, {Reduce(all), Reduce(all)}), {{0}, {0}, {1}, {}}};
  const GangPlan plan(model.info);
  ThreadPool pool(2);
  const auto start = std::chrono::steady_clock::now();
  const RunResult run = RunModel(model, plan, &pool, 2);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(500));
  EXPECT_EQ(run.status.ToString(),
            "FAILED_PRECONDITION: the devices of the program wait for each other "
            "forever: partition 0 waits in all_reduce (f.py:0) for partition 2, which "
            "waits in all_reduce (f.py:1), partition 3, which has ended; all devices of "
            "a group must run the same collectives in the same order");
}

TEST(GangTest, MessagesNameReplicasAndFewDevices) {
  std::vector<int64_t> all(40);
  std::iota(all.begin(), all.end(), 0);
  Model model{InfoOf(20, {Reduce({all})}), {}};
  model.info.num_replicas = 2;
  model.visits.assign(40, {});
  model.visits[21] = {0};
  const GangPlan plan(model.info);
  const Status status = RunModel(model, plan, nullptr, 1).status;
  EXPECT_NE(status.message().find("replica 1, partition 1 waits in"), std::string::npos)
      << status.message();
  EXPECT_NE(status.message().find("which has ended, and 31 more"), std::string::npos)
      << status.message();
}

TEST(GangTest, AThousandDevicesNeedOneThread) {
  std::vector<int64_t> all(1024);
  std::iota(all.begin(), all.end(), 0);
  Model model{InfoOf(1024, {Reduce({all})}), {}};
  model.visits.assign(1024, std::vector<int64_t>(10, 0));
  const GangPlan plan(model.info);
  EXPECT_EQ(RunModel(model, plan, nullptr, 1).values, Expected(model, plan));
}

TEST(GangPlanTest, PermutationsGroupChains) {
  ImageCollective permute;
  permute.kind = CollectiveKind::kPermute;
  permute.groups = {{0, 2}, {2, 0}, {3, 4}};
  const GangPlan plan(InfoOf(6, {permute}));
  const GangPlan::Grouping& grouping = plan.grouping(0);
  ASSERT_EQ(grouping.groups.size(), 4u);
  EXPECT_EQ(grouping.groups[0].members, (std::vector<int32_t>{0, 2}));
  EXPECT_EQ(grouping.groups[0].sources, (std::vector<int32_t>{1, 0}));
  EXPECT_EQ(grouping.groups[1].members, (std::vector<int32_t>{3, 4}));
  EXPECT_EQ(grouping.groups[1].sources, (std::vector<int32_t>{-1, 0}));
  // Devices in no pair get zeros and wait for nobody.
  EXPECT_EQ(grouping.groups[2].members, (std::vector<int32_t>{1}));
  EXPECT_EQ(grouping.groups[2].sources, (std::vector<int32_t>{-1}));
  EXPECT_EQ(grouping.group_of, (std::vector<int32_t>{0, 2, 0, 1, 1, 3}));
}

TEST(GangPlanTest, EqualGroupsAreKeptOnce) {
  ImageCollective broadcast = Reduce({{1, 2}});
  broadcast.kind = CollectiveKind::kBroadcast;
  const GangPlan plan(InfoOf(3, {Reduce({{0, 1, 2}}), Reduce({{0, 1, 2}}), broadcast}));
  EXPECT_EQ(&plan.grouping(0), &plan.grouping(1));
  EXPECT_NE(&plan.grouping(0), &plan.grouping(2));
  EXPECT_EQ(plan.num_rendezvous(), 4u);
  EXPECT_NE(plan.RendezvousOf(0, 0), plan.RendezvousOf(1, 0));
  EXPECT_EQ(plan.grouping(2).groups[0].sources, (std::vector<int32_t>{0, 0}));
  EXPECT_EQ(plan.grouping(2).groups[1].sources, (std::vector<int32_t>{-1}));
}

}  // namespace
}  // namespace tenon::runtime
