// One run of a program on one device: from its launcher, which starts commands on a
// stream, to the end of the last command. Used by one thread at a time.
#ifndef TENON_DEVICES_STREAMS_PROGRAM_RUN_H_
#define TENON_DEVICES_STREAMS_PROGRAM_RUN_H_

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/device/launch.h"
#include "tenon/devices/streams/memory.h"
#include "tenon/devices/streams/program.h"
#include "tenon/devices/streams/stream.h"
#include "tenon/runtime/kernel_stream.h"
#include "tenon/runtime/runtime.h"

namespace tenon::streams {

// Places the marks of a stream in the time of TraceClock. Thread-safe.
class StreamClock {
 public:
  // A timed mark whose time is known.
  struct Reference {
    std::shared_ptr<Mark> mark;
    int64_t time_ns = 0;
    int64_t TimeOf(const Mark& later) const {
      return time_ns + later.NanosecondsSince(*mark);
    }
  };
  // A recent reference. Waits for the device if there is none.
  StatusOr<Reference> Get(Stream& stream);

 private:
  // The clocks of device and host drift apart, and devices tell long times less exactly.
  static constexpr int64_t kMaxAgeNs = 1'000'000'000;
  std::mutex mutex_;
  Reference last_;
};

// What a run needs of its device. All must outlive the run.
struct RunDevice {
  size_t index = 0;  // in the client
  std::string name;  // for errors
  Stream* stream = nullptr;
  StreamClock* clock = nullptr;
  Memory* memory = nullptr;
  Memory* host_memory = nullptr;        // that kernels can access; null if there is none
  runtime::Runtime* runtime = nullptr;  // for launchers
};

// Memory that is freed with the last reference.
class Block {
 public:
  static StatusOr<std::shared_ptr<Block>> Allocate(Memory& memory, size_t size);
  ~Block() { memory_.Free(address_, size_); }
  void* address() const { return address_; }
  size_t size() const { return size_; }

 private:
  Block(Memory& memory, void* address, size_t size)
      : memory_(memory), address_(address), size_(size) {}
  Memory& memory_;
  void* const address_;
  const size_t size_;
};

class ProgramRun final : public runtime::KernelStream {
 public:
  ProgramRun(const RunDevice& device, std::shared_ptr<const Program> program,
             const RunIds& ids);

  // Starts all commands of the run. `arena` has CodeObject::arena_bytes bytes, or is null
  // if the program needs none; the run keeps it. After an error the commands that were
  // started before still run, so the end must be waited for.
  Status Start(const device::LaunchBuffers& buffers, std::shared_ptr<Block> arena);
  // The first and the last step of Start, for programs whose launchers wait in
  // collectives. In between the launcher runs with the buffers and the arena of the run,
  // which is its stream. BeginAlone allocates the arena.
  Status BeginAlone(const device::LaunchBuffers& buffers);
  Status End();
  const RunBuffer* arguments() const { return arguments_.data(); }
  const RunBuffer* results() const { return results_.data(); }
  void* arena() const { return arena_ ? arena_->address() : nullptr; }
  // Marks the end of what has been started.
  StatusOr<std::shared_ptr<Mark>> Record() { return device_.stream->Record(traced_); }
  // The error of the run, if waiting for its end has given one. Records the kernels if
  // the process is traced.
  Status Complete(const StatusOr<std::shared_ptr<Mark>>& end);

  // KernelStream:
  const void* constants() const override { return constants_; }
  Status Launch(int64_t kernel, const uint64_t* arguments, int64_t num_groups) override;
  Status Copy(void* to, const void* from, size_t bytes) override;
  Status Read(const void* from, void* to_host, size_t bytes) override;
  Status Write(void* to, const void* from_host, size_t bytes) override;

 private:
  // The largest value that Write keeps until the device has read it.
  static constexpr size_t kMaxKept = 16;
  // The largest value that Read takes through memory that the device can write to by
  // itself.
  static constexpr size_t kMaxRead = 64;
  // A launcher that starts at most so many kernels, and waits for nothing, is quick.
  static constexpr int kQuickLaunches = 100;
  // So many ends of kernels are kept until they are checked. Bounds the events of
  // programs that loop.
  static constexpr size_t kMaxStarted = 1024;
  // So many launches of a sequence wait to be started together at most.
  static constexpr size_t kMaxWaiting = 4096;
  // So many kernels of a run are timed at most.
  static constexpr size_t kMaxTimed = 1 << 16;

  Status Begin(const device::LaunchBuffers& buffers, std::shared_ptr<Block> arena);
  // Buffers that kernels can access, instead of those in other host memory.
  Status Stage(const std::vector<ImageTensor>& tensors, const RunBuffer* buffers,
               bool copy_in, std::vector<RunBuffer>* staged);
  struct Started {
    size_t kernel;
    std::shared_ptr<Mark> end;
  };

  // Starts the kernels that wait.
  Status Flush();
  // Waits for the first `count` kernels of `started_`, and forgets them. The error of the
  // first one that failed.
  Status Check(size_t count);
  Status CheckAll() { return Check(started_.size()); }
  Status Wait();
  void Trace() const;
  Status Fail(Status status) const;

  struct Staged {
    std::shared_ptr<Block> block;
    bool is_result = false;
  };

  const RunDevice& device_;
  const std::shared_ptr<const Program> program_;
  const RunIds ids_;
  const bool traced_;
  bool waited_ = false;  // for the device, in the launcher
  int launches_ = 0;
  // Whether kernels wait in `waiting_` until the launcher does something else.
  bool collects_ = false;
  Sequence waiting_;
  const void* constants_ = nullptr;
  std::vector<RunBuffer> arguments_, results_;  // as kernels see them
  std::deque<std::array<char, kMaxKept>> kept_;
  std::shared_ptr<Block> read_;  // host memory for Read
  std::shared_ptr<Block> arena_;
  std::map<void*, Staged> staged_;  // by address on the host
  std::vector<Started> started_;    // not yet checked; empty if Launch returns no ends
  // If traced: the places before the first kernel and after each.
  StreamClock::Reference reference_;
  std::shared_ptr<Mark> start_;
  std::vector<Started> timed_;
};

}  // namespace tenon::streams

#endif  // TENON_DEVICES_STREAMS_PROGRAM_RUN_H_
