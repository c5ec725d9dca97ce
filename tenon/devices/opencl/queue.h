// A queue of an OpenCL device: for executions, or for copies in one direction.
//
// A thread of the queue runs launchers and enqueues copies, in the order in which they
// were submitted, on an in-order command queue. It does not wait for the device: another
// thread waits for the ends of operations, in the same order, and completes them. So a
// chain of programs runs without gaps between them, and their errors are found at the
// end. Thread-safe.
#ifndef TENON_DEVICES_OPENCL_QUEUE_H_
#define TENON_DEVICES_OPENCL_QUEUE_H_

#include <functional>
#include <memory>
#include <mutex>
#include <semaphore>
#include <string>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/device/queue.h"
#include "tenon/devices/opencl/program_run.h"
#include "tenon/runtime/thread_pool.h"

namespace tenon::opencl {

class Queue final : public device::Queue {
 public:
  // `device` describes the device; its field `queue` is not used. All that it names must
  // outlive the queue.
  static StatusOr<std::unique_ptr<Queue>> Create(const RunDevice& device,
                                                 cl_device_id id);
  ~Queue() override;

  std::shared_ptr<Event::Work> MakeWork(
      const std::shared_ptr<const device::Program>& program) override;
  void Submit(device::Launch* launch, std::shared_ptr<Event::Work> work) override;
  void CopyAfter(const device::Copy& copy, Event after,
                 std::function<void(const Status&)> done) override;

  const RunDevice& device() const { return device_; }

 private:
  class Work;
  // How many launches may be enqueued and not completed. Bounds the memory that results
  // and arenas of a program far ahead of the device take.
  static constexpr int kMaxInFlight = 64;

  explicit Queue(const RunDevice& device) : device_(device) {}
  // Whether a launch on this queue's thread, which has not completed, will complete the
  // event.
  bool IsOwn(const Event& event) const;
  // Enqueues a launch whose arguments are ready, or will be when the device has run the
  // launches of `own`, which have been enqueued. `alone`: whether it is on the queue's
  // thread, so that the commands of other launches do not mix with its own.
  void Start(device::Launch* launch, std::vector<Event> own, std::shared_ptr<Work> work,
             bool alone);
  // Of arguments that are ready or whose launches have been enqueued: the error of one
  // that has failed.
  Status ErrorOf(const std::vector<Event>& arguments) const;
  Status Enqueue(device::Launch& launch, ProgramRun& run, bool alone);
  StatusOr<std::shared_ptr<Block>> Arena(size_t size, bool alone);
  // Enqueues a copy that waits for `after`, if not null, on the device.
  void StartCopy(const device::Copy& copy, const EventRef& wait, const Event& after,
                 const std::function<void(const Status&)>& done);

  RunDevice device_;
  std::counting_semaphore<> free_places_{kMaxInFlight};
  // The arena of the last launch, while one that uses it is in flight. Launches share it,
  // because the device runs them one after another. Only the queue's thread uses it.
  std::weak_ptr<Block> arena_;
  // In this order, because tasks of `thread_` schedule tasks of `completion_`.
  runtime::ThreadPool completion_{1};
  runtime::ThreadPool thread_{1};
};

}  // namespace tenon::opencl

#endif  // TENON_DEVICES_OPENCL_QUEUE_H_
