// Streams of a GPU. Thread-safe.
#ifndef TENON_DEVICES_CUDA_STREAM_H_
#define TENON_DEVICES_CUDA_STREAM_H_

#include <memory>

#include "tenon/devices/cuda/context.h"
#include "tenon/devices/streams/stream.h"

namespace tenon::cuda {

class Stream final : public streams::Stream {
 public:
  // `for_copies`: its commands come before those of other streams. The context must
  // outlive the stream and its marks.
  static StatusOr<std::unique_ptr<Stream>> Create(const Context& context,
                                                  bool for_copies);
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() override;

  Status Copy(void* to, const void* from, size_t size) override;
  StatusOr<std::shared_ptr<streams::Mark>> Record(bool timed) override {
    return RecordOn(stream_, timed);
  }
  Status WaitFor(const streams::Mark& mark) override { return MakeWait(stream_, mark); }

  intptr_t handle() override { return reinterpret_cast<intptr_t>(stream_); }
  StatusOr<std::shared_ptr<streams::Mark>> RecordIn(intptr_t other) override {
    return RecordOn(reinterpret_cast<CUstream>(other), /*timed=*/false);
  }
  Status HoldBack(intptr_t other, const streams::Mark& mark) override {
    return MakeWait(reinterpret_cast<CUstream>(other), mark);
  }

  CUstream get() const { return stream_; }

 private:
  Stream(const Context& context, bool for_copies)
      : context_(context), for_copies_(for_copies) {}
  StatusOr<std::shared_ptr<streams::Mark>> RecordOn(CUstream stream, bool timed);
  Status MakeWait(CUstream stream, const streams::Mark& mark);

  const Context& context_;
  const bool for_copies_;
  CUstream stream_ = nullptr;
};

}  // namespace tenon::cuda

#endif  // TENON_DEVICES_CUDA_STREAM_H_
