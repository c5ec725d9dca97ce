#include "tenon/devices/cuda/stream.h"

#include <string>

namespace tenon::cuda {
namespace {

class Mark final : public streams::Mark {
 public:
  Mark(const Context& context, CUevent event, unsigned flags)
      : context_(context), event_(event), flags_(flags) {}
  ~Mark() override { context_.GiveBack(event_, flags_); }

  bool IsReached() override {
    const Context::Current current(context_);
    return context_.driver().EventQuery(event_) != CUDA_ERROR_NOT_READY;
  }
  Status Wait() override {
    const Context::Current current(context_);
    return context_.CheckWait(context_.driver().EventSynchronize(event_),
                              "waiting for the GPU");
  }
  int64_t NanosecondsSince(const streams::Mark& earlier) const override {
    float milliseconds = 0;
    const Context::Current current(context_);
    context_.driver().EventElapsedTime(&milliseconds,
                                       static_cast<const Mark&>(earlier).event_, event_);
    return static_cast<int64_t>(static_cast<double>(milliseconds) * 1e6);
  }
  CUevent event() const { return event_; }

 private:
  const Context& context_;
  const CUevent event_;
  const unsigned flags_;
};

}  // namespace

StatusOr<std::unique_ptr<Stream>> Stream::Create(const Context& context,
                                                 bool for_copies) {
  std::unique_ptr<Stream> stream(new Stream(context, for_copies));
  const Context::Current current(context);
  int least = 0, greatest = 0;
  TENON_RETURN_IF_ERROR(
      context.Check(context.driver().CtxGetStreamPriorityRange(&least, &greatest),
                    "asking for the priorities of streams"));
  TENON_RETURN_IF_ERROR(context.Check(
      context.driver().StreamCreateWithPriority(&stream->stream_, CU_STREAM_NON_BLOCKING,
                                                for_copies ? greatest : least),
      "creating a stream"));
  return stream;
}

Stream::~Stream() {
  if (!stream_) return;
  const Context::Current current(context_);
  context_.driver().StreamSynchronize(stream_);
  context_.driver().StreamDestroy(stream_);
}

Status Stream::Copy(void* to, const void* from, size_t size) {
  const Context::Current current(context_);
  const CUresult code =
      context_.driver().MemcpyAsync(reinterpret_cast<CUdeviceptr>(to),
                                    reinterpret_cast<CUdeviceptr>(from), size, stream_);
  return code == CUDA_SUCCESS
             ? OkStatus()
             : context_.Check(code, "a copy of " + std::to_string(size) + " bytes");
}

StatusOr<std::shared_ptr<streams::Mark>> Stream::RecordOn(CUstream stream, bool timed) {
  const Context::Current current(context_);
  // A thread that waits for executions sleeps, because it would slow down the calls of
  // the thread that starts them.
  const unsigned flags = (timed ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING) |
                         (for_copies_ ? CU_EVENT_DEFAULT : CU_EVENT_BLOCKING_SYNC);
  StatusOr<CUevent> event = context_.TakeEvent(flags);
  Status status = event.status();
  if (event.ok()) {
    auto mark = std::make_shared<Mark>(context_, *event, flags);
    status =
        context_.Check(context_.driver().EventRecord(*event, stream), "marking a stream");
    if (status.ok()) return std::shared_ptr<streams::Mark>(std::move(mark));
  }
  // Nobody can wait for what was started, and its memory is given back next.
  context_.driver().StreamSynchronize(stream);
  return status;
}

Status Stream::MakeWait(CUstream stream, const streams::Mark& mark) {
  const Context::Current current(context_);
  return context_.Check(context_.driver().StreamWaitEvent(
                            stream, static_cast<const Mark&>(mark).event(), /*flags=*/0),
                        "waiting for another stream");
}

}  // namespace tenon::cuda
