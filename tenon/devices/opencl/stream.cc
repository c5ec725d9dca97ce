#include "tenon/devices/opencl/stream.h"

#include <optional>
#include <string>
#include <utility>

namespace tenon::opencl {
namespace {

// CL_COMPLETE, an error, which is negative, or a positive value.
cl_int StateOf(const Api& api, cl_event event) {
  cl_int state = CL_COMPLETE;
  const cl_int code = api.GetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                       sizeof state, &state, nullptr);
  return code == CL_SUCCESS ? state : code;
}

}  // namespace

// The end of a command. Since commands run in order, it is that of all before it, too.
class Stream::Mark final : public streams::Mark {
 public:
  Mark(const Context& context, EventRef event, const char* what)
      : api_(context.api()), event_(std::move(event)), what_(what) {}

  bool IsReached() override { return StateOf(api_, event_.get()) <= CL_COMPLETE; }
  Status Wait() override {
    const cl_event event = event_.get();
    cl_int state = StateOf(api_, event);
    if (state > CL_COMPLETE) {
      const cl_int code = api_.WaitForEvents(1, &event);
      state = StateOf(api_, event);
      if (state > CL_COMPLETE) state = code;
    }
    return state == CL_COMPLETE ? OkStatus() : ToStatus(state, what_);
  }
  // Asking again and again would take processor time from drivers for CPUs, whose Wait
  // takes part in the work.
  bool Ask() override {
    (void)Wait();
    return true;
  }
  int64_t NanosecondsSince(const streams::Mark& earlier) const override {
    const auto start = static_cast<const Mark&>(earlier).Time(CL_PROFILING_COMMAND_END);
    return Time(CL_PROFILING_COMMAND_END).value_or(0) - start.value_or(0);
  }
  std::optional<int64_t> Nanoseconds() const override {
    const auto start = Time(CL_PROFILING_COMMAND_START);
    const auto end = Time(CL_PROFILING_COMMAND_END);
    if (!start || !end) return std::nullopt;
    return *end - *start;
  }
  const EventRef& event() const { return event_; }

 private:
  std::optional<int64_t> Time(cl_profiling_info what) const {
    cl_ulong nanoseconds = 0;
    if (api_.GetEventProfilingInfo(event_.get(), what, sizeof nanoseconds, &nanoseconds,
                                   nullptr) != CL_SUCCESS) {
      return std::nullopt;
    }
    return static_cast<int64_t>(nanoseconds);
  }

  const Api& api_;
  const EventRef event_;
  const char* const what_;
};

StatusOr<std::unique_ptr<Stream>> Stream::Create(const Context& context,
                                                 const DeviceInfo& device) {
  std::unique_ptr<Stream> stream(new Stream(context, device));
  TENON_ASSIGN_OR_RETURN(stream->queue_, stream->CreateQueue(/*profiles=*/false));
  return stream;
}

Stream::~Stream() {
  if (queue_) context_.api().ReleaseCommandQueue(queue_);
}

StatusOr<cl_command_queue> Stream::CreateQueue(bool profiles) const {
  const cl_queue_properties properties[] = {
      CL_QUEUE_PROPERTIES, profiles ? cl_queue_properties{CL_QUEUE_PROFILING_ENABLE} : 0,
      0};
  cl_int code = CL_SUCCESS;
  const cl_command_queue queue = context_.api().CreateCommandQueueWithProperties(
      context_.get(), device_.id, properties, &code);
  TENON_RETURN_IF_ERROR(
      ToStatus(code, "creating a command queue of OpenCL device '" + device_.name + "'"));
  return queue;
}

template <typename Enqueue>
cl_int Stream::Add(const char* what, const Enqueue& enqueue) {
  std::vector<cl_event> waits;
  for (const EventRef& event : waits_) waits.push_back(event.get());
  cl_event end = nullptr;
  const cl_int code = enqueue(static_cast<cl_uint>(waits.size()),
                              waits.empty() ? nullptr : waits.data(), &end);
  if (code != CL_SUCCESS) {
    // Some drivers refuse to wait for commands that have failed. They are over.
    std::erase_if(waits_, [&](const EventRef& event) {
      return StateOf(context_.api(), event.get()) <= CL_COMPLETE;
    });
    return code;
  }
  waits_.clear();
  last_ = std::make_shared<Mark>(context_, EventRef(context_.api(), end), what);
  return code;
}

Status Stream::Copy(void* to, const void* from, size_t size) {
  std::lock_guard lock(mutex_);
  const cl_int code =
      Add("a copy", [&](cl_uint num_waits, const cl_event* waits, cl_event* end) {
        return context_.EnqueueCopy(queue_, to, from, size, num_waits, waits, end);
      });
  return code == CL_SUCCESS
             ? OkStatus()
             : ToStatus(code, "a copy of " + std::to_string(size) + " bytes");
}

cl_int Stream::Launch(cl_kernel kernel, size_t num_items, size_t group_size,
                      std::shared_ptr<streams::Mark>* end) {
  std::lock_guard lock(mutex_);
  const cl_int code = Add("execution", [&](auto... waits_and_end) {
    return context_.api().EnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &num_items,
                                               &group_size, waits_and_end...);
  });
  if (code == CL_SUCCESS) *end = last_;
  return code;
}

cl_int Stream::EnqueueMarker() {
  return Add("waiting for the device", [&](auto... waits_and_end) {
    return context_.api().EnqueueMarkerWithWaitList(queue_, waits_and_end...);
  });
}

StatusOr<std::shared_ptr<streams::Mark>> Stream::Record(bool timed) {
  std::lock_guard lock(mutex_);
  if (timed && !profiles_) {
    TENON_RETURN_IF_ERROR(StartProfiling());
  }
  cl_int code = CL_SUCCESS;
  // The end of the last command is a mark, but tells no time of now.
  if (timed || !last_ || !waits_.empty()) code = EnqueueMarker();
  // Commands that wait for the mark may be in other command queues.
  if (code == CL_SUCCESS) code = context_.api().Flush(queue_);
  if (code == CL_SUCCESS) return std::shared_ptr<streams::Mark>(last_);
  // Nobody else can wait for what has been started.
  context_.api().Finish(queue_);
  return ToStatus(code, "marking a command queue");
}

Status Stream::StartProfiling() {
  TENON_ASSIGN_OR_RETURN(const cl_command_queue queue, CreateQueue(/*profiles=*/true));
  if (last_) waits_.push_back(last_->event());
  context_.api().Flush(queue_);
  context_.api().ReleaseCommandQueue(queue_);
  queue_ = queue;
  profiles_ = true;
  return OkStatus();
}

intptr_t Stream::handle() {
  std::lock_guard lock(mutex_);
  return reinterpret_cast<intptr_t>(queue_);
}

StatusOr<std::shared_ptr<streams::Mark>> Stream::RecordIn(intptr_t other) {
  auto* const queue = reinterpret_cast<cl_command_queue>(other);
  const Api& api = context_.api();
  cl_event end = nullptr;
  cl_int code = api.EnqueueMarkerWithWaitList(queue, 0, nullptr, &end);
  if (code == CL_SUCCESS) code = api.Flush(queue);
  EventRef event(api, end);
  TENON_RETURN_IF_ERROR(ToStatus(code, "marking the command queue of another library"));
  return std::shared_ptr<streams::Mark>(std::make_shared<Mark>(
      context_, std::move(event), "waiting for the command queue of another library"));
}

// A barrier holds back a queue that runs its commands in any order, too.
Status Stream::HoldBack(intptr_t other, const streams::Mark& mark) {
  const cl_event event = static_cast<const Mark&>(mark).event().get();
  return ToStatus(context_.api().EnqueueBarrierWithWaitList(
                      reinterpret_cast<cl_command_queue>(other), 1, &event, nullptr),
                  "holding back the command queue of another library");
}

Status Stream::WaitFor(const streams::Mark& mark) {
  std::lock_guard lock(mutex_);
  waits_.push_back(static_cast<const Mark&>(mark).event());
  return OkStatus();
}

}  // namespace tenon::opencl
