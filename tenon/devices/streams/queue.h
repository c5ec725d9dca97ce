// A queue of a device with streams: for executions, or for copies in one direction.
//
// A launch whose arguments are ready, or will be when earlier launches of the queue have
// run, is started on the calling thread if its launcher is quick, otherwise on a thread
// of the queue. Neither waits for the device. Another thread waits for the ends of
// operations, in order, and completes them, unless a thread that waits for a result has
// done that before. Thread-safe.
#ifndef TENON_DEVICES_STREAMS_QUEUE_H_
#define TENON_DEVICES_STREAMS_QUEUE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <semaphore>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/device/queue.h"
#include "tenon/devices/streams/program_run.h"
#include "tenon/runtime/thread_pool.h"

namespace tenon::streams {

class Queue final : public device::Queue {
 public:
  // `device` describes the device; its fields `stream` and `clock` are not used. All that
  // it names must outlive the queue.
  Queue(RunDevice device, std::unique_ptr<Stream> stream);
  ~Queue() override;

  std::shared_ptr<Event::Work> MakeWork(
      const std::shared_ptr<const device::Program>& program) override;
  void Submit(device::Launch* launch, std::shared_ptr<Event::Work> work) override;
  void WhenPrepared(const Event& event, std::function<void()> then) override;
  void CopyAfter(const device::Copy& copy, Event after,
                 std::function<void(const Status&)> done) override;

  const RunDevice& device() const { return device_; }
  Stream& stream() { return *stream_; }

  // Waits until the launch that will complete the event has been started, and returns its
  // end. Null if the event is that of no launch that runs on a device.
  static std::shared_ptr<Mark> AwaitMark(const Event& event);
  // Completes when what is in the stream of another library so far has run.
  StatusOr<Event> EventOf(intptr_t other);

 private:
  class Work;
  class Flight;
  // How many launches may be started and not completed. Bounds the memory that results
  // and arenas of a program far ahead of the device take. Programs with custom calls take
  // no place, because they may wait for other programs, which need one.
  static constexpr int kMaxInFlight = 64;

  // The work of a launch that a queue will start or has started. Null for other events:
  // those of gangs, for example, and complete ones.
  static Work* QueuedWork(const Event& event);
  // Whether a launch of this queue, which has not completed, will complete the event
  // without the help of other threads.
  bool IsOwn(const Event& event) const;
  // Starts a launch on this thread if that takes little time. `pending`: its arguments,
  // which are ready or own. Otherwise changes nothing and returns false.
  bool TryStart(device::Launch* launch, std::vector<Event>& pending,
                const std::shared_ptr<Work>& work);
  // Starts a launch whose arguments are ready, or will be when the device has run the
  // launches of `own`, which have been started. `alone`: it has one of the free places,
  // and launches_mutex_ is held, so that the commands of other launches do not mix with
  // its own.
  void Start(device::Launch* launch, std::vector<Event> own, std::shared_ptr<Work> work,
             bool alone);
  void StartOnThread(device::Launch* launch, std::vector<Event> own,
                     std::shared_ptr<Work> work);
  // Of arguments that are ready or whose launches have been started: the error of one
  // that has failed.
  Status ErrorOf(const std::vector<Event>& arguments) const;
  Status Enqueue(device::Launch& launch, ProgramRun& run, bool alone);
  StatusOr<std::shared_ptr<Block>> Arena(size_t size, bool alone);
  // Whether the call of Stream::Copy does not wait.
  bool IsAsynchronous(const device::Copy& copy) const;
  // Starts a copy that waits for `mark`, if not null, on the device.
  void StartCopy(const device::Copy& copy, const std::shared_ptr<Mark>& mark,
                 const Event& after, const std::function<void(const Status&)>& done);
  void CopyNow(const device::Copy& copy, const std::shared_ptr<Mark>& mark,
               const Event& after, const std::function<void(const Status&)>& done);

  const std::unique_ptr<Stream> stream_;
  StreamClock clock_;
  RunDevice device_;
  std::counting_semaphore<> free_places_{kMaxInFlight};
  // The arena of the last launch, while one that uses it is in flight. Launches share it,
  // because the device runs them one after another. Needs launches_mutex_.
  std::weak_ptr<Block> arena_;
  std::mutex launches_mutex_;
  // In this order, because tasks of `thread_` schedule tasks of `completion_`.
  runtime::ThreadPool completion_{1};
  runtime::ThreadPool thread_{1};
};

}  // namespace tenon::streams

#endif  // TENON_DEVICES_STREAMS_QUEUE_H_
