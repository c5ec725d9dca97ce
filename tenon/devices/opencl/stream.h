// Streams of an OpenCL device: command queues that run in order. Thread-safe.
#ifndef TENON_DEVICES_OPENCL_STREAM_H_
#define TENON_DEVICES_OPENCL_STREAM_H_

#include <memory>
#include <mutex>
#include <vector>

#include "tenon/devices/opencl/api.h"
#include "tenon/devices/opencl/context.h"
#include "tenon/devices/opencl/selection.h"
#include "tenon/devices/streams/stream.h"

namespace tenon::opencl {

class Stream final : public streams::Stream {
 public:
  // The context and the device must outlive the stream and its marks.
  static StatusOr<std::unique_ptr<Stream>> Create(const Context& context,
                                                  const DeviceInfo& device);
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() override;

  Status Copy(void* to, const void* from, size_t size) override;
  // The first timed mark turns profiling on, which costs time.
  StatusOr<std::shared_ptr<streams::Mark>> Record(bool timed) override;
  Status WaitFor(const streams::Mark& mark) override;
  intptr_t handle() override;
  StatusOr<std::shared_ptr<streams::Mark>> RecordIn(intptr_t other) override;
  Status HoldBack(intptr_t other, const streams::Mark& mark) override;

  // Starts a kernel whose arguments are set, and sets `*end`. Their next change may
  // follow the call.
  cl_int Launch(cl_kernel kernel, size_t num_items, size_t group_size,
                std::shared_ptr<streams::Mark>* end);

 private:
  class Mark;

  Stream(const Context& context, const DeviceInfo& device)
      : context_(context), device_(device) {}
  StatusOr<cl_command_queue> CreateQueue(bool profiles) const;
  // The following need mutex_.
  Status StartProfiling();
  cl_int EnqueueMarker();
  // Calls `enqueue` with the events that the next command waits for, and where to put its
  // own event. `what` names the command in errors.
  template <typename Enqueue>
  cl_int Add(const char* what, const Enqueue& enqueue);

  const Context& context_;
  const DeviceInfo& device_;
  std::mutex mutex_;
  cl_command_queue queue_ = nullptr;
  bool profiles_ = false;
  std::vector<EventRef> waits_;  // what the next command waits for
  std::shared_ptr<Mark> last_;   // the end of the last command; null before the first
};

}  // namespace tenon::opencl

#endif  // TENON_DEVICES_OPENCL_STREAM_H_
