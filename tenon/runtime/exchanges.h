// Matches the messages of collectives with the runs that wait for them.
//
// Messages may come before this process has come to the collective, or after the run has
// failed here; the key in each message says to what it belongs. Thread-safe.
#ifndef TENON_RUNTIME_EXCHANGES_H_
#define TENON_RUNTIME_EXCHANGES_H_

#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tenon/device/processes.h"
#include "tenon/runtime/fork.h"
#include "tenon/transport/channel.h"

namespace tenon::runtime {

class Exchanges final : public device::Processes, private transport::Receiver {
 public:
  using MakeChannel =
      std::function<std::unique_ptr<transport::Channel>(transport::Receiver&)>;

  // `timeout` is how long a collective waits for other processes.
  Exchanges(int process, std::chrono::milliseconds timeout,
            const MakeChannel& make_channel);
  // No run may be active.
  ~Exchanges() override;

  // Begins a run of a program: gives it the next number of its executions.
  device::RunKey BeginRun(uint64_t program);
  // Fails what waits for a process that has ended, now and later.
  void FailProcess(int process, const Status& status);

  void Start(device::Exchange exchange) override;
  void EndRun(const device::RunKey& run, const Status& status,
              const std::vector<int>& others) override;

 private:
  using Clock = std::chrono::steady_clock;
  struct Pending {
    device::Exchange exchange;
    std::vector<AlignedBytes> received;
    std::vector<bool> has;
    size_t missing = 0;
    Clock::time_point deadline;
  };
  using PendingList = std::list<Pending>;
  struct Run {
    Status error;  // from another process, before the run needed it
    std::map<device::ExchangeKey, PendingList::iterator> pending;
  };
  struct Program {
    int64_t launches = 0;
    std::map<int64_t, Run> active;
  };
  struct Early {
    AlignedBytes data;
    std::string name;
  };
  using EarlyMap = std::map<std::pair<device::ExchangeKey, int>, Early>;
  // Calls to make without the lock.
  using Calls = std::vector<std::function<void()>>;

  void OnMessage(int process, std::string head, AlignedBytes data) override;
  void OnFailure(int process, const Status& status) override;

  void FailExchangesOf(int process, const Status& status);

  // All of these are called with the lock.
  Run* ActiveRun(const device::RunKey& run);
  bool HasEnded(const device::RunKey& run) const;
  void Deliver(Pending& pending, int process, AlignedBytes data, Calls& calls);
  void Complete(PendingList::iterator pending, Calls& calls);
  void Fail(PendingList::iterator pending, const Status& status, Calls& calls);
  void FailRun(Run& run, const Status& status, Calls& calls);
  AlignedBytes TakeEarly(EarlyMap::iterator early);
  void DropEarly(const device::RunKey& run);
  std::string DescribeMissing(const Pending& pending) const;
  void WatchDeadlines();

  const int process_;
  const std::chrono::milliseconds timeout_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<uint64_t, Program> programs_;
  PendingList pending_;
  // Messages that came before this process was ready, and errors of runs that have not
  // begun here.
  EarlyMap early_;
  std::map<int, size_t> early_bytes_;  // by process
  std::map<device::RunKey, Status> early_errors_;
  std::map<int, Status> failed_processes_;
  std::map<int, std::string> last_name_;  // of a collective, by process
  bool stop_ = false;
  const ForkCheck fork_;
  std::thread watcher_;  // of deadlines; started by the first exchange

  std::unique_ptr<transport::Channel> channel_;  // last: its threads use the others
};

}  // namespace tenon::runtime

#endif  // TENON_RUNTIME_EXCHANGES_H_
