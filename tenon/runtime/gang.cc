#include "tenon/runtime/gang.h"

#include <algorithm>
#include <utility>

namespace tenon::runtime {
namespace {

// Lists of devices in messages are cut after this many.
constexpr int kMaxNamed = 8;

}  // namespace

Gang::Gang(std::unique_ptr<GangTasks> tasks, const GangPlan& plan, Options options)
    : tasks_(std::move(tasks)),
      plan_(plan),
      options_(std::move(options)),
      devices_(static_cast<size_t>(plan.num_devices())),
      arrived_(plan.num_rendezvous()),
      alive_(0) {
  for (int device = 0; device < plan.num_devices(); ++device) {
    if (!IsHere(device)) {
      devices_[static_cast<size_t>(device)].state = State::kRemote;
      continue;
    }
    runnable_.push_back(device);
    ++alive_;
  }
  if (!options_.process_of) return;
  visits_.resize(plan.num_rendezvous());
  members_here_.resize(plan.num_rendezvous());
  for (int site = 0; site < plan.num_sites(); ++site) {
    for (int device : runnable_) ++members_here_[plan.RendezvousOf(site, device)];
  }
}

void Gang::Start() {
  int count;
  {
    std::lock_guard lock(mutex_);
    count = TakeWorkersToAdd();
  }
  AddWorkers(count);
}

void Gang::RunHere() {
  int count;
  {
    std::lock_guard lock(mutex_);
    ++workers_;
    count = TakeWorkersToAdd();
  }
  AddWorkers(count);
  Work();
}

int Gang::TakeWorkersToAdd() {
  const int wanted =
      std::min<int>(options_.max_workers, static_cast<int>(runnable_.size()) + running_);
  const int count = std::max(wanted - workers_, 0);
  workers_ += count;
  return count;
}

void Gang::AddWorkers(int count) {
  for (int i = 0; i < count; ++i) {
    options_.schedule([gang = shared_from_this()] { gang->Work(); });
  }
}

void Gang::Work() {
  std::unique_lock lock(mutex_);
  while (!failed_ && !runnable_.empty()) {
    const int device = runnable_.front();
    runnable_.pop_front();
    devices_[static_cast<size_t>(device)].state = State::kRunning;
    ++running_;
    lock.unlock();
    RunDevice(device);
    lock.lock();
    --running_;
  }
  --workers_;
  FinishIfIdle(lock);
}

void Gang::FinishIfIdle(std::unique_lock<std::mutex>& lock) {
  if (finished_ || running_ > 0 || in_flight_ > 0) return;
  if (!failed_ && !runnable_.empty()) return;
  // Nobody can run any more. Only one thread gets here.
  finished_ = true;
  Status status = failed_ ? std::move(error_) : alive_ ? DescribeDeadlock() : OkStatus();
  lock.unlock();
  tasks_.reset();
  options_.done(std::move(status));
}

void Gang::RunDevice(int device) {
  while (true) {
    GangTasks::Outcome outcome = tasks_->Resume(device);
    switch (outcome.kind) {
      case GangTasks::Outcome::Kind::kFailed:
        Fail(std::move(outcome.status));
        return;
      case GangTasks::Outcome::Kind::kEnded: {
        std::lock_guard lock(mutex_);
        devices_[static_cast<size_t>(device)].state = State::kEnded;
        --alive_;
        return;
      }
      case GangTasks::Outcome::Kind::kArrived:
        break;
    }
    int64_t visit = 0;
    const Arrival arrival = Arrive(device, outcome.site, &visit);
    if (arrival == Arrival::kNotLast) return;
    const GangPlan::Grouping& grouping = plan_.grouping(outcome.site);
    const GangPlan::Group& group =
        grouping
            .groups[static_cast<size_t>(grouping.group_of[static_cast<size_t>(device)])];
    if (arrival == Arrival::kLastHere) {
      tasks_->PerformShared(outcome.site, group, visit,
                            [gang = shared_from_this(), &group](Status status) {
                              gang->CompleteShared(group, std::move(status));
                            });
      return;
    }
    if (Status status = tasks_->Perform(outcome.site, group); !status.ok()) {
      Fail(std::move(status));
      return;
    }
    Release(device, group);
  }
}

Gang::Arrival Gang::Arrive(int device, int64_t site, int64_t* visit) {
  const GangPlan::Grouping& grouping = plan_.grouping(site);
  const auto members = static_cast<int32_t>(
      grouping.groups[static_cast<size_t>(grouping.group_of[static_cast<size_t>(device)])]
          .members.size());
  const size_t rendezvous = plan_.RendezvousOf(site, device);
  const int32_t here = members_here_.empty() ? members : members_here_[rendezvous];
  std::lock_guard lock(mutex_);
  Device& state = devices_[static_cast<size_t>(device)];
  state.site = site;
  // No member can come here again before all have left, so one counter is enough for all
  // iterations of a loop.
  int32_t& arrived = arrived_[rendezvous];
  if (++arrived < here) {
    state.state = State::kWaiting;
    return Arrival::kNotLast;
  }
  arrived = 0;
  if (here == members) return Arrival::kLast;
  state.state = State::kWaiting;
  if (failed_) return Arrival::kNotLast;
  *visit = visits_[rendezvous]++;
  ++in_flight_;
  return Arrival::kLastHere;
}

void Gang::CompleteShared(const GangPlan::Group& group, Status status) {
  if (!status.ok()) Fail(std::move(status));
  int count = 0;
  {
    std::unique_lock lock(mutex_);
    --in_flight_;
    if (!failed_) {
      for (int32_t member : group.members) {
        if (!IsHere(member)) continue;
        devices_[static_cast<size_t>(member)].state = State::kRunnable;
        runnable_.push_back(member);
      }
      count = TakeWorkersToAdd();
    } else {
      FinishIfIdle(lock);
      return;
    }
  }
  AddWorkers(count);
}

void Gang::Release(int device, const GangPlan::Group& group) {
  int count = 0;
  {
    std::lock_guard lock(mutex_);
    if (group.members.size() > 1) {
      for (int32_t member : group.members) {
        if (member == device) continue;
        devices_[static_cast<size_t>(member)].state = State::kRunnable;
        runnable_.push_back(member);
      }
      if (!failed_) count = TakeWorkersToAdd();
    }
  }
  AddWorkers(count);
}

void Gang::Fail(Status status) {
  std::unique_lock lock(mutex_);
  if (failed_) return;
  failed_ = true;
  error_ = status;
  // The caller still counts as running or in flight, so the gang does not end here.
  const bool cancel = in_flight_ > 0;
  lock.unlock();
  if (cancel) tasks_->Cancel(status);
}

Status Gang::DescribeDeadlock() const {
  // All members of one group that wait, and what the others of that group do.
  const auto waits = std::find_if(devices_.begin(), devices_.end(), [](const Device& d) {
    return d.state == State::kWaiting;
  });
  const auto first = static_cast<int>(waits - devices_.begin());
  const GangPlan::Grouping& grouping = plan_.grouping(waits->site);
  const GangPlan::Group& group =
      grouping.groups[static_cast<size_t>(grouping.group_of[static_cast<size_t>(first)])];
  std::string text =
      plan_.DeviceName(first) + " waits in " + tasks_->SiteName(waits->site) + " for ";
  int named = 0, missing = 0;
  for (int32_t member : group.members) {
    const Device& other = devices_[static_cast<size_t>(member)];
    if (other.state == State::kRemote) continue;
    if (other.state == State::kWaiting && other.site == waits->site) continue;
    if (++missing > kMaxNamed) continue;
    if (named++) text += ", ";
    text += plan_.DeviceName(member) + ", which ";
    text += other.state == State::kEnded ? "has ended"
                                         : "waits in " + tasks_->SiteName(other.site);
  }
  if (missing > named) text += ", and " + std::to_string(missing - named) + " more";
  return FailedPrecondition(
      "the devices of the program wait for each other forever: " + text +
      "; all devices of a group must run the same collectives in the same order");
}

}  // namespace tenon::runtime
