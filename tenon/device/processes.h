// How a program whose devices belong to several processes reaches the other processes.
// The client implements Processes; a device that runs gangs calls it.
#ifndef TENON_DEVICE_PROCESSES_H_
#define TENON_DEVICE_PROCESSES_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tenon/base/aligned_bytes.h"
#include "tenon/base/status.h"

namespace tenon::device {

// One execution of a program, with the same numbers in all processes: a hash of the
// program, and how many executions of it came before.
struct RunKey {
  uint64_t program = 0;
  int64_t launch = 0;

  friend auto operator<=>(const RunKey&, const RunKey&) = default;
};

// One step of one collective of a run, in all processes of the group.
struct ExchangeKey {
  RunKey run;
  int64_t site = 0;   // of the collective
  int64_t group = 0;  // of the site
  int64_t visit = 0;  // how often the group met there before in this run
  int64_t step = 0;   // of the collective

  friend auto operator<=>(const ExchangeKey&, const ExchangeKey&) = default;
};

// Data that processes send each other.
struct Exchange {
  struct Message {
    int process = 0;
    AlignedBytes data;
  };
  struct Expected {
    int process = 0;
    size_t size = 0;  // bytes
  };

  ExchangeKey key;
  std::string name;  // for messages: "all_reduce (train.py:12:3) of 'jit_step'"
  std::vector<Message> send;
  std::vector<Expected> receive;
  // Called once, on a thread that it must not block, or within the call that started or
  // failed the exchange: with what was received, in the order of `receive`.
  std::function<void(StatusOr<std::vector<AlignedBytes>>)> done;
};

// Thread-safe.
class Processes {
 public:
  virtual ~Processes() = default;

  // Sends and receives. Does not block. Fails with DEADLINE_EXCEEDED, naming the
  // processes, if some do not come to the collective; with UNAVAILABLE if one has ended;
  // with the error of a process in which the run has failed.
  virtual void Start(Exchange exchange) = 0;
  // Ends a run in this process. An error fails the exchanges of the run that have not
  // ended, and is sent to `others`. Later calls for the same run do nothing.
  virtual void EndRun(const RunKey& run, const Status& status,
                      const std::vector<int>& others) = 0;
};

// A run in this process and others.
struct SharedRun {
  Processes* processes = nullptr;  // null for a program within this process
  RunKey key;
  int process = 0;  // this one
  // The process of each copy of the program, by number.
  std::shared_ptr<const std::vector<int32_t>> process_of;
};

// Ends the run in this process; an error is sent to all others of it. Does nothing if the
// run is not shared.
void EndSharedRun(const SharedRun& run, const Status& status);

}  // namespace tenon::device

#endif  // TENON_DEVICE_PROCESSES_H_
