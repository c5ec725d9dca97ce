// One execution of a program whose copies on several devices communicate.
//
// The copies are resumable: a copy that comes to a collective is suspended, and the last
// member of the group to arrive performs the collective and makes the others runnable.
// Threads never wait for a collective, so any number of threads runs any number of
// devices, and several gangs share threads without deadlock. If no copy can run and none
// is running, but some are suspended, they would wait forever: the gang then fails at
// once with an error that says which device waits where and for whom.
//
// Some devices of the program may belong to other processes. When all members of a group
// in this process have arrived, messages are exchanged with the others, and no device is
// waited for by a thread meanwhile.
//
// Thread-safe. Owned by the tasks that it schedules.
#ifndef TENON_RUNTIME_GANG_H_
#define TENON_RUNTIME_GANG_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/runtime/gang_plan.h"

namespace tenon::runtime {

// What a gang runs. A gang calls Resume for different devices at the same time, but not
// for the same device, and calls Perform only while all members of the group are
// suspended. Each call sees what the calls before it for the same devices wrote.
class GangTasks {
 public:
  struct Outcome {
    enum class Kind { kEnded, kArrived, kFailed } kind = Kind::kEnded;
    int64_t site = 0;  // if the device arrived at a collective
    Status status;     // if it failed
  };
  virtual ~GangTasks() = default;

  // Starts or continues the program of a device until it ends or comes to a collective.
  virtual Outcome Resume(int device) = 0;
  // Exchanges the data of a collective between the members of a group.
  virtual Status Perform(int64_t site, const GangPlan::Group& group) = 0;
  // The same for a group of which some members are in other processes, and which meets
  // at this site for the `visit`-th time. Does not block. Calls `done` once, within the
  // call or later on any thread.
  virtual void PerformShared(int64_t site, const GangPlan::Group& group, int64_t visit,
                             std::function<void(Status)> done) {
    (void)site, (void)group, (void)visit;
    done(Internal("the devices of this gang are in one process"));
  }
  // The gang has failed with `status`: calls `done` of PerformShared soon.
  virtual void Cancel(const Status& status) { (void)status; }
  // The collective for messages, as "all_reduce (train.py:12:3)".
  virtual std::string SiteName(int64_t site) const = 0;
};

class Gang : public std::enable_shared_from_this<Gang> {
 public:
  struct Options {
    // How many threads may run devices at a time.
    int max_workers = 1;
    // Runs a task later on another thread. May be null if max_workers is 1.
    std::function<void(std::function<void()>)> schedule;
    // Called once, when no device is running any more.
    std::function<void(Status)> done;
    // The process of each device, and this process. Null if all devices are in it.
    std::shared_ptr<const std::vector<int32_t>> process_of;
    int32_t process = 0;
  };

  // `plan` must live until `done` is called. The gang destroys `tasks` before that.
  Gang(std::unique_ptr<GangTasks> tasks, const GangPlan& plan, Options options);

  // Runs the gang on other threads. Call Start or RunHere once.
  void Start();
  // Runs the gang on this thread, until it has ended if max_workers is 1.
  void RunHere();

 private:
  enum class State : uint8_t { kRunnable, kRunning, kWaiting, kEnded, kRemote };
  struct Device {
    State state = State::kRunnable;
    int64_t site = -1;  // the collective that it waits in or was last in
  };

  void Work();
  // Runs `device` until it ends, waits or fails. Called without the lock.
  void RunDevice(int device);
  // Counts the device among its group. When the last one of this process arrives, sets
  // `*visit` to how often the group has met there if it has members elsewhere.
  enum class Arrival : uint8_t { kNotLast, kLast, kLastHere };
  Arrival Arrive(int device, int64_t site, int64_t* visit);
  bool IsHere(int32_t device) const {
    return !options_.process_of ||
           (*options_.process_of)[static_cast<size_t>(device)] == options_.process;
  }
  // Called at the end of PerformShared.
  void CompleteShared(const GangPlan::Group& group, Status status);
  // Ends the gang if nothing can happen any more. Unlocks `lock` if so.
  void FinishIfIdle(std::unique_lock<std::mutex>& lock);
  // Makes the other members of the group runnable.
  void Release(int device, const GangPlan::Group& group);
  void Fail(Status status);
  // How many more workers there should be, which the caller then adds without the lock.
  int TakeWorkersToAdd();
  void AddWorkers(int count);
  Status DescribeDeadlock() const;

  std::unique_ptr<GangTasks> tasks_;
  const GangPlan& plan_;
  Options options_;

  std::mutex mutex_;  // guards all below
  std::vector<Device> devices_;
  std::deque<int> runnable_;
  std::vector<int32_t> arrived_;  // by rendezvous
  // By rendezvous, if some devices are in other processes: how many of its members are
  // here, and how often it has taken place.
  std::vector<int32_t> members_here_;
  std::vector<int64_t> visits_;
  int in_flight_ = 0;  // calls of PerformShared
  int workers_ = 0;    // scheduled or at work
  int running_ = 0;    // devices
  int alive_;          // devices that have not ended
  bool failed_ = false, finished_ = false;
  Status error_;
};

}  // namespace tenon::runtime

#endif  // TENON_RUNTIME_GANG_H_
