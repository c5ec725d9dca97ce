#include "tenon/runtime/exchanges.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

namespace tenon::runtime {
namespace {

using device::Exchange;
using device::ExchangeKey;
using device::RunKey;

// What a message begins with. Then follows the name of the collective. The data of an
// error is its text.
struct Head {
  uint64_t program;
  int64_t launch, site, group, visit, step;
  int64_t error;  // a StatusCode; 0 for data
};
constexpr size_t kMaxTextBytes = transport::Channel::kMaxHeadBytes - sizeof(Head);
// Of messages from one process that came before they were needed.
constexpr size_t kMaxEarlyBytes = size_t{256} << 20;
constexpr size_t kMaxErrorBytes = size_t{64} << 10;
// Errors of runs that never begin here are forgotten beyond this many.
constexpr size_t kMaxEarlyErrors = 1000;

std::string MakeHead(const ExchangeKey& key, StatusCode error, std::string_view text) {
  const Head head{key.run.program,
                  key.run.launch,
                  key.site,
                  key.group,
                  key.visit,
                  key.step,
                  static_cast<int64_t>(error)};
  std::string bytes(reinterpret_cast<const char*>(&head), sizeof head);
  bytes += text.substr(0, kMaxTextBytes);
  return bytes;
}

std::string ProcessName(int process) { return "process " + std::to_string(process); }

}  // namespace

Exchanges::Exchanges(int process, std::chrono::milliseconds timeout,
                     const MakeChannel& make_channel)
    : process_(process), timeout_(timeout), channel_(make_channel(*this)) {}

Exchanges::~Exchanges() {
  if (fork_.InChild()) {  // where the threads do not exist
    if (watcher_.joinable()) watcher_.detach();
    (void)channel_.release();
    return;
  }
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
    changed_.notify_all();
  }
  if (watcher_.joinable()) watcher_.join();
}

RunKey Exchanges::BeginRun(uint64_t program) {
  std::lock_guard lock(mutex_);
  Program& state = programs_[program];
  const RunKey key{program, state.launches++};
  Run& run = state.active[key.launch];
  if (const auto error = early_errors_.find(key); error != early_errors_.end()) {
    run.error = std::move(error->second);
    early_errors_.erase(error);
  }
  return key;
}

Exchanges::Run* Exchanges::ActiveRun(const RunKey& run) {
  const auto program = programs_.find(run.program);
  if (program == programs_.end()) return nullptr;
  const auto found = program->second.active.find(run.launch);
  return found == program->second.active.end() ? nullptr : &found->second;
}

bool Exchanges::HasEnded(const RunKey& run) const {
  const auto program = programs_.find(run.program);
  return program != programs_.end() && run.launch < program->second.launches &&
         !program->second.active.contains(run.launch);
}

void Exchanges::Start(Exchange exchange) {
  const auto has_failed = [&](int process) {
    std::lock_guard lock(mutex_);
    return failed_processes_.contains(process);
  };
  for (Exchange::Message& message : exchange.send) {
    if (has_failed(message.process)) continue;
    channel_->Send(message.process,
                   MakeHead(exchange.key, StatusCode::kOk, exchange.name),
                   std::move(message.data));
  }
  for (const Exchange::Expected& expected : exchange.receive) {
    if (!has_failed(expected.process)) channel_->Open(expected.process);
  }
  Calls calls;
  {
    std::lock_guard lock(mutex_);
    if (!watcher_.joinable()) watcher_ = std::thread([this] { WatchDeadlines(); });
    Pending& pending = pending_.emplace_back();
    const auto place = std::prev(pending_.end());
    pending.received.resize(exchange.receive.size());
    pending.has.resize(exchange.receive.size());
    pending.missing = exchange.receive.size();
    pending.deadline = Clock::now() + timeout_;
    pending.exchange = std::move(exchange);
    Run* run = ActiveRun(pending.exchange.key.run);
    if (!run || !run->error.ok()) {
      const Status status =
          run ? run->error
              : Status(StatusCode::kCancelled, "the run has ended in this process");
      Calls failed;
      failed.push_back(
          [done = std::move(pending.exchange.done), status] { done(status); });
      pending_.erase(place);
      calls = std::move(failed);
    } else {
      run->pending.emplace(pending.exchange.key, place);
      const ExchangeKey key = pending.exchange.key;
      bool alive = true;
      for (const Exchange::Expected& expected :
           std::vector<Exchange::Expected>(pending.exchange.receive)) {
        const auto early = early_.find({key, expected.process});
        if (early != early_.end()) {
          Deliver(pending, expected.process, TakeEarly(early), calls);
        } else if (const auto failed = failed_processes_.find(expected.process);
                   failed != failed_processes_.end()) {
          Fail(place, failed->second, calls);
        }
        alive = ActiveRun(key.run)->pending.contains(key);
        if (!alive) break;
      }
      if (alive && pending.missing == 0) Complete(place, calls);
      changed_.notify_all();
    }
  }
  for (const auto& call : calls) call();
}

void Exchanges::Deliver(Pending& pending, int process, AlignedBytes data, Calls& calls) {
  const auto& receive = pending.exchange.receive;
  const auto place = std::ranges::find(receive, process, &Exchange::Expected::process);
  const auto self = [&] {
    return ActiveRun(pending.exchange.key.run)->pending[pending.exchange.key];
  };
  const auto index = static_cast<size_t>(place - receive.begin());
  if (place == receive.end() || pending.has[index] || place->size != data.size()) {
    const std::string expected =
        place == receive.end() ? "no message" : std::to_string(place->size) + " bytes";
    Fail(self(),
         Status(StatusCode::kDataLoss, ProcessName(process) + " has sent " +
                                           std::to_string(data.size()) + " bytes for " +
                                           pending.exchange.name + ", where " + expected +
                                           " was expected: it runs another program"),
         calls);
    return;
  }
  pending.has[index] = true;
  pending.received[index] = std::move(data);
  if (--pending.missing == 0) Complete(self(), calls);
}

void Exchanges::Complete(PendingList::iterator pending, Calls& calls) {
  auto done = std::make_shared<Pending>(std::move(*pending));
  ActiveRun(done->exchange.key.run)->pending.erase(done->exchange.key);
  pending_.erase(pending);
  calls.push_back([done] { done->exchange.done(std::move(done->received)); });
}

void Exchanges::Fail(PendingList::iterator pending, const Status& status, Calls& calls) {
  auto failed = std::make_shared<Pending>(std::move(*pending));
  ActiveRun(failed->exchange.key.run)->pending.erase(failed->exchange.key);
  pending_.erase(pending);
  calls.push_back([failed, status] { failed->exchange.done(status); });
}

void Exchanges::FailRun(Run& run, const Status& status, Calls& calls) {
  while (!run.pending.empty()) Fail(run.pending.begin()->second, status, calls);
}

void Exchanges::EndRun(const RunKey& key, const Status& status,
                       const std::vector<int>& others) {
  Calls calls;
  bool tell = false;
  std::vector<int> receivers;
  {
    std::lock_guard lock(mutex_);
    Run* run = ActiveRun(key);
    if (!run) return;
    // An error that came from another process is not sent on.
    tell = !status.ok() && run->error.ok();
    std::ranges::copy_if(others, std::back_inserter(receivers), [&](int process) {
      return !failed_processes_.contains(process);
    });
    FailRun(*run, status.ok() ? Internal("the run has ended") : status, calls);
    programs_[key.program].active.erase(key.launch);
    DropEarly(key);
  }
  for (const auto& call : calls) call();
  if (!tell) return;
  std::string text = ProcessName(process_) + ": " + std::string(status.message());
  text.resize(std::min(text.size(), kMaxErrorBytes));
  for (int process : receivers) {
    AlignedBytes data(text.size());
    std::memcpy(data.data(), text.data(), text.size());
    channel_->Send(process, MakeHead({.run = key}, status.code(), ""), std::move(data));
  }
}

AlignedBytes Exchanges::TakeEarly(EarlyMap::iterator early) {
  AlignedBytes data = std::move(early->second.data);
  early_bytes_[early->first.second] -= data.size();
  early_.erase(early);
  changed_.notify_all();
  return data;
}

void Exchanges::DropEarly(const RunKey& run) {
  for (auto early = early_.lower_bound({ExchangeKey{.run = run}, 0});
       early != early_.end() && early->first.first.run == run;) {
    (void)TakeEarly(early++);
  }
}

void Exchanges::OnMessage(int process, std::string bytes, AlignedBytes data) {
  Head head{};
  if (bytes.size() < sizeof head) {
    channel_->Close(process, Status(StatusCode::kDataLoss,
                                    ProcessName(process) +
                                        " has sent bytes that are no message of Tenon"));
    return;
  }
  std::memcpy(&head, bytes.data(), sizeof head);
  std::string text = bytes.substr(sizeof head);
  const ExchangeKey key{
      {head.program, head.launch}, head.site, head.group, head.visit, head.step};
  Calls calls;
  {
    std::lock_guard lock(mutex_);
    Run* run = ActiveRun(key.run);
    if (head.error != 0) {
      const bool known = head.error > 0 && head.error <= 16;
      const Status error(
          known ? static_cast<StatusCode>(head.error) : StatusCode::kUnknown,
          std::string(data.data(), data.size()));
      if (run) {
        run->error = error;
        FailRun(*run, error, calls);
      } else if (!HasEnded(key.run)) {
        if (early_errors_.size() >= kMaxEarlyErrors) {
          early_errors_.erase(early_errors_.begin());
        }
        early_errors_.insert_or_assign(key.run, error);
      }
    } else if (!HasEnded(key.run)) {
      last_name_[process] = text;
      const auto pending = run ? run->pending.find(key) : decltype(run->pending.end()){};
      if (run && pending != run->pending.end()) {
        Deliver(*pending->second, process, std::move(data), calls);
      } else {
        const size_t size = data.size();
        if (early_.try_emplace({key, process}, Early{std::move(data), std::move(text)})
                .second) {
          early_bytes_[process] += size;
        }
      }
    }
  }
  for (const auto& call : calls) call();
  // A process that is far ahead waits. If this process waits for a later message of it,
  // the deadline ends that.
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return stop_ || early_bytes_[process] <= kMaxEarlyBytes; });
}

void Exchanges::OnFailure(int process, const Status& status) {
  FailExchangesOf(process, status);
}

void Exchanges::FailProcess(int process, const Status& status) {
  FailExchangesOf(process, status);
  channel_->Close(process, status);
}

void Exchanges::FailExchangesOf(int process, const Status& status) {
  Calls calls;
  {
    std::lock_guard lock(mutex_);
    const auto [found, is_new] = failed_processes_.try_emplace(process, status);
    std::vector<PendingList::iterator> failed;
    for (auto each = pending_.begin(); each != pending_.end(); ++each) {
      const auto& receive = each->exchange.receive;
      for (size_t i = 0; i < receive.size(); ++i) {
        if (receive[i].process != process || each->has[i]) continue;
        failed.push_back(each);
        break;
      }
    }
    for (const auto& each : failed) {
      Fail(each, found->second.WithPrefix(each->exchange.name), calls);
    }
  }
  for (const auto& call : calls) call();
}

std::string Exchanges::DescribeMissing(const Pending& pending) const {
  std::string text;
  for (size_t i = 0; i < pending.has.size(); ++i) {
    if (pending.has[i]) continue;
    const int process = pending.exchange.receive[i].process;
    text += (text.empty() ? "" : ", ") + ProcessName(process);
    // What it has come to instead, if that is known.
    std::string other;
    for (const auto& [key, early] : early_) {
      if (key.second == process) other = early.name;
    }
    if (!other.empty()) {
      text += " (which waits in " + other + ")";
    } else if (const auto last = last_name_.find(process);
               last != last_name_.end() && last->second != pending.exchange.name) {
      text += " (which was last in " + last->second + ")";
    }
  }
  return text;
}

void Exchanges::WatchDeadlines() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    const auto first = std::ranges::min_element(pending_, {}, &Pending::deadline);
    if (first == pending_.end()) {
      changed_.wait(lock);
      continue;
    }
    if (Clock::now() < first->deadline) {
      changed_.wait_until(lock, first->deadline);
      continue;
    }
    Calls calls;
    Fail(first,
         Status(
             StatusCode::kDeadlineExceeded,
             first->exchange.name + " in " + ProcessName(process_) + " has waited " +
                 std::to_string(
                     std::chrono::duration_cast<std::chrono::seconds>(timeout_).count()) +
                 " s for " + DescribeMissing(*first) +
                 "; all processes must run the same programs in the same order, and "
                 "create option 'collectives_timeout' is how long they wait"),
         calls);
    lock.unlock();
    for (const auto& call : calls) call();
    lock.lock();
  }
}

}  // namespace tenon::runtime
